/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The allocations of a change: a block, if the present one is full or not the object's own, and the list of an update.
 * Each of these fails in turn. (core.differential checks that nothing has changed then, with any other holders of the
 * version, and that a call without effect allocates nothing.) Also a build whose pairs are known, the descriptions of
 * the process, and the first object of a chunk of slots. (Builds of any pairs: pack.pack, hints.schema, hints.set.)
 * White box: linked with the objects of the library, whose allocator can be made to fail. (create and create_env are in
 * mpi.nomem.native, MPI_INFO_ENV is in mpi.nomem.abi.)
 */
#include "core/calls/build.h"
#include "core/calls/layer.h"
#include "core/memory/reclaim.h"
#include "env/env.h"
#include "env/start.h"
#include "support/counts.h"
#include "support/inside.h"
#include "support/left.h"
#include "support/nomem.h"
#include "support/objects.h"
#include "support/test.h"

/* Sizes around which the finder of a block changes. */
static const int SIZES[] = {0, 1, 2, 5, 12, 13, 16, 17, 28, 29, 31, 32, 33, 104, 300};

/* If `full`, the block has no room for another entry. */
static rcuinfo_t sample_make(int size, bool full)
{
    rcuinfo_t info = object_empty();
    for (int i = 0; i < size; i++) {
        char key[32];
        (void)snprintf(key, sizeof key, "key%d", i);
        CHECK_OK(rcuinfo_set(info, key, i % 9 ? "value" : object_long));
    }
    while (size && root_of(info)->position + 1 < block_of(info)->capacity - !full)
        CHECK_OK(rcuinfo_set(info, size > 1 ? "key1" : "key0", size > 1 ? "short" : object_long));
    return info;
}

/* The calls under test; from OVERRIDE on, they need an object that has key0. */
enum call { SET, SET_LONG, UPDATE, ADD, OVERRIDE, DELETE, REPLACE, REMOVE, CALLS };

static rcuinfo_status_t make(enum call call, rcuinfo_t info)
{
    static const rcuinfo_change_t changes[] = {
        {"one", "1"}, {"two", object_long}, {"one", NULL}, {"three", "3"}, {"two", "2"},
    };
    int swapped;
    switch (call) {
    case SET:
    case SET_LONG:
        return rcuinfo_set(info, "new key", call == SET ? "value" : object_long);
    case UPDATE:
        return rcuinfo_update(info, changes, 5, NULL);
    case ADD:
        return rcuinfo_compare_and_set(info, "new key", NULL, "value", &swapped);
    case OVERRIDE:
        return rcuinfo_set(info, "key0", "another value");
    case DELETE:
        return rcuinfo_delete(info, "key0");
    default:
        return rcuinfo_compare_and_set(info, "key0", object_long, call == REPLACE ? "value" : NULL, &swapped);
    }
}

/* Fails each allocation of the call: the list of an update and, if the pairs are copied, the block. A dup must not
 * append to the block. */
static void fail_each(int size, bool full, bool is_dup, enum call call)
{
    rcuinfo_t source = sample_make(size, full), info = is_dup ? object_dup(source) : source;
    const struct rcuinfo__entry *root = root_of(info);
    const struct rcuinfo__block *block = block_of(info);
    NOMEM_EACH(0, make(call, info), CHECK(root_of(info) == root));
    bool is_copied = block_of(info) != block;
    CHECK(is_copied || (!full && !is_dup));
    CHECK_EQUAL(nomem.count, (call == UPDATE) + is_copied);
    object_free(info);
    if (is_dup)
        object_free(source);
}

TEST(writes)
{
    for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) {
        for (enum call call = 0; call < (SIZES[i] ? CALLS : OVERRIDE); call++) {
            for (int n = 0; n < 4; n++)
                fail_each(SIZES[i], n % 2 || !SIZES[i], n / 2, call);
        }
    }
}

/* If the expected pairs and bytes are right, a build allocates only one block. */
TEST(exact_expectations_allocate_one_block)
{
    for (size_t n = 1; n < 3000; n += 1 + n / 4) {
        struct rcuinfo__build build;
        rcuinfo_t info;
        char key[16];
        CHECK_EQUAL(rcuinfo_store_drain(), 0);
        nomem_arm(2);
        rcuinfo__build_begin(&build, n, n * sizeof "key1234\0value");
        for (size_t i = 0; i < n; i++) {
            (void)snprintf(key, sizeof key, "key%04zu", i);
            CHECK_OK(rcuinfo__build_set(&build, key, "value", RCUINFO__NATIVE_LIMITS));
        }
        CHECK_OK(rcuinfo__build_object(&build, &info));
        CHECK(!nomem_disarm());
        object_free(info);
    }
}

/* Objects that fill a chunk of slots. They stay, because free slots would be used before a chunk is allocated. */
static rcuinfo_t fillers[64 * RCUINFO__CHUNK_SLOTS];
static size_t fillers_used;

/* The number of slots that may be used before the table grows. */
static size_t usable(void)
{
    size_t slots = slots_in(rcuinfo__reader_self->at_hand);
    for (uint32_t i = 0; i < rcuinfo__arena_count; i++)
        slots += usable_slots(&rcuinfo__arenas[i]);
    return slots;
}

/* Leaves `left` slots in the last chunk: slots become ready by the dozen, up to the end of a chunk. */
static void fill_chunk(uint32_t left)
{
    static uint32_t highest;
    do {
        CHECK(fillers_used < sizeof fillers / sizeof *fillers);
        fillers[fillers_used] = object_empty();
        uint32_t index = (uint32_t)fillers[fillers_used++] & (RCUINFO__SLOTS - 1);
        highest = index > highest ? index : highest;
    } while ((highest + left + 1) % RCUINFO__CHUNK_SLOTS != 0 || usable() != left);
}

/* The description of a process and that of its sources: both are created or neither, also if one of them is the first
 * object of a chunk. And a dup that is the first. A description allocates its texts, two blocks and a chunk. */
TEST(makes)
{
    rcuinfo_t source = OBJECT("key", "value"), info, sources;
    CHECK(!NOMEM_AT(1, object_free(object_dup(source)), object_free(object_empty()))); /* there are slots for both */
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
        CHECK_EQUAL(nomem.count, 3);
        object_free(info);
        object_free(sources);
    }
    while (fillers_used)
        object_free(fillers[--fillers_used]);
    object_free(source);
}

int main(void)
{
    test_run(NULL);
    left_nothing();
    CHECK_EQUAL(kept_bytes(), 0);
    counts_report("core.nomem", "allocation points failed", (unsigned long)faults_met());
    return 0;
}
