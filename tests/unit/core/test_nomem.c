/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every allocation of every call fails once, in every state that changes what a call allocates: the call says
 * RCUINFO_ERR_NO_MEM and has changed nothing, nothing is lost, and the next one works. White box: linked with the
 * objects of the library, whose allocator can be told to fail. (That what changes nothing asks for no memory at all,
 * core.differential watches; create and create_env are in mpi.nomem.native, MPI_INFO_ENV is in mpi.nomem.abi.)
 */
#include "core/layer.h"
#include "core/recycle.h"
#include "env/env.h"
#include "env/start.h"
#include "support/counts.h"
#include "support/inside.h"
#include "support/left.h"
#include "support/model.h"
#include "support/nomem.h"
#include "support/objects.h"

/* Sizes around which the finder of a block changes. Of 56 pairs there were many more. */
static const int SIZES[] = {0, 1, 2, 5, 12, 13, 16, 17, 28, 29, 31, 32, 33, 56, 104, 300};
enum { SHRUNK = 56, MORE = 300 };

static char long_value[RCUINFO_MAX_VALUE];

/* With `full`, the block has no room for another entry. */
static void sample_make(struct modelled *m, int size, int full)
{
    char key[32];
    modelled_create(m);
    for (int i = 0; i < size; i++) {
        (void)snprintf(key, sizeof key, "key%d", i);
        CHECK_OK(modelled_set(m, key, i % 9 ? "value" : long_value));
    }
    for (int i = 0; i < 2 * MORE && size == SHRUNK; i++) {
        (void)snprintf(key, sizeof key, "key%d", i < MORE ? i + size : 2 * MORE - 1 - i + size);
        CHECK_OK(i < MORE ? modelled_set(m, key, "value") : modelled_delete(m, key));
    }
    while (size && root_of(m->info)->position + 1 < block_of(m->info)->capacity - !full)
        CHECK_OK(modelled_set(m, size > 1 ? "key1" : "key0", size > 1 ? "short" : long_value));
}

/* The calls under test. */
static const struct call {
    enum { SET, DELETE, UPDATE, COMPARE_AND_SET } kind;
    const char *key, *expected, *value;
    int smallest; /* object that it can be made on */
    int scratch;  /* allocations beside that of a block */
} calls[] = {
    {SET, "new key", NULL, "value", 0, 0},
    {SET, "new key", NULL, long_value, 0, 0},
    {SET, "key0", NULL, "another value", 1, 0},
    {DELETE, "key0", NULL, NULL, 1, 0},
    {UPDATE, NULL, NULL, NULL, 0, 1},
    {COMPARE_AND_SET, "new key", NULL, "value", 0, 0},
    {COMPARE_AND_SET, "key0", long_value, "value", 1, 0},
    {COMPARE_AND_SET, "key0", long_value, NULL, 1, 0},
};

static rcuinfo_status_t make(const struct call *call, struct modelled *m)
{
    const rcuinfo_change_t changes[] = {
        {"one", "1"}, {"two", long_value}, {"one", NULL}, {"three", "3"}, {"two", "2"},
    };
    switch (call->kind) {
    case SET:
        return modelled_set(m, call->key, call->value);
    case DELETE:
        return modelled_delete(m, call->key);
    case UPDATE:
        return modelled_update(m, changes, 5);
    default:
        return modelled_compare_and_set(m, call->key, call->expected, call->value);
    }
}

/* What else there is while the call is made. */
enum state {
    ALONE,  /* nothing */
    SHARED, /* a dup, which holds the same version */
    SECOND, /* the object is the dup, and may not append */
    OPEN,   /* an open snapshot */
    STATES
};

struct company {
    struct modelled dup; /* RCUINFO_NULL: none */
    struct kept kept;
};

static void enter(enum state state, struct company *company, struct modelled *m)
{
    *company = (struct company){0};
    CHECK_EQUAL(rcuinfo_store_drain(), 0);
    if (state == SHARED || state == SECOND)
        modelled_dup(&company->dup, m);
    if (state == SECOND) {
        rcuinfo_t first = m->info;
        m->info = company->dup.info;
        company->dup.info = first;
    }
    if (state == OPEN)
        kept_open(&company->kept, m);
}

/* Nothing that the call did shows in the company. */
static void leave(struct company *company)
{
    if (company->dup.info) {
        modelled_check(&company->dup);
        modelled_free(&company->dup);
    }
    kept_close(&company->kept);
}

/* Fails each allocation of the call. It makes those of `scratch` and, where the pairs are copied, one for the block. */
static void fail_each(int size, int full, enum state state, const struct call *call)
{
    struct modelled m;
    const struct rcuinfo__block *block = NULL;
    sample_make(&m, size, full);
    for (nomem_start(); nomem_next();) {
        struct company company;
        rcuinfo_status_t status;
        enter(state, &company, &m);
        block = block_of(m.info);
        NOMEM(status = make(call, &m));
        CHECK_STATUS(status, nomem.met ? RCUINFO_ERR_NO_MEM : RCUINFO_SUCCESS);
        modelled_check(&m);
        leave(&company);
    }
    const struct rcuinfo__block *now = block_of(m.info);
    CHECK(now != block || (!full && state != SECOND));
    CHECK_EQUAL(nomem.count, call->scratch + (now != block));
    CHECK_OK(rcuinfo_set(m.info, "after", "all"));
    modelled_free(&m);
}

static void writes(void)
{
    for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) {
        for (const struct call *call = calls; call < calls + sizeof calls / sizeof *calls; call++) {
            for (int n = 0; SIZES[i] >= call->smallest && n < 2 * STATES; n++)
                fail_each(SIZES[i], n % 2 || !SIZES[i], (enum state)(n / 2), call);
        }
    }
}

/* Objects that fill a chunk of slots up. They stay: slots that are free would be used before a chunk is made. */
static rcuinfo_t fillers[64 * RCUINFO__CHUNK_SLOTS];
static size_t fillers_used;

/* Leaves `left` slots in the last chunk. */
static void fill_chunk(uint32_t left)
{
    uint32_t index = 0;
    while ((index + left + 1) % RCUINFO__CHUNK_SLOTS != 0) {
        CHECK(fillers_used < sizeof fillers / sizeof *fillers);
        fillers[fillers_used] = object_empty();
        index = (uint32_t)fillers[fillers_used++] & (RCUINFO__SLOTS - 1);
    }
}

static void make_and_free(rcuinfo_t source)
{
    object_free(object_dup(source));
    object_free(object_empty());
}

/* The description of a process and that of its sources: both or none, also where one of them is the first object of a
 * chunk. And a dup that is. Of a description there are its texts, two blocks and a chunk to allocate. */
static void makes(void)
{
    rcuinfo_t source = OBJECT("key", "value"), info, sources;
    CHECK(!NOMEM_AT(1, make_and_free(source))); /* there is room for both */
    for (uint32_t left = 0; left < 2; left++) {
        for (nomem_start(); nomem_next();) {
            rcuinfo_status_t status;
            CHECK_EQUAL(rcuinfo_store_drain(), 0);
            fill_chunk(0);
            CHECK(NOMEM_AT(1, status = rcuinfo_dup(source, &info)));
            CHECK_STATUS(status, RCUINFO_ERR_NO_MEM);
            fill_chunk(left);
            uint64_t live = left_live();
            info = sources = RCUINFO_NULL;
            NOMEM(status = rcuinfo__env_describe(rcuinfo__start(), 0, NULL, RCUINFO__NATIVE_LIMITS, &info, &sources));
            CHECK_STATUS(status, nomem.met ? RCUINFO_ERR_NO_MEM : RCUINFO_SUCCESS);
            CHECK((info == RCUINFO_NULL) == nomem.met && (sources == RCUINFO_NULL) == nomem.met);
            CHECK_EQUAL(left_live(), live + (nomem.met ? 0 : 2));
        }
        CHECK_EQUAL(nomem.count, 4);
        object_free(info);
        object_free(sources);
    }
    while (fillers_used)
        object_free(fillers[--fillers_used]);
    object_free(source);
}

int main(void)
{
    memset(long_value, 'l', sizeof long_value - 1);
    writes();
    makes();
    left_nothing();
    CHECK_EQUAL(rcuinfo__recycle_kept(), 0);
    counts_report("core.nomem", "allocation points failed", (unsigned long)faults_met());
    return 0;
}
