/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handles that were never issued, that are stale, or that look like those of another flavour: every call returns
 * MPI_ERR_INFO and writes no output, except that dup stores MPI_INFO_NULL; no live object changes. A value that the
 * real library could have issued is skipped while an interposer would pass it to that library. Also: handles that one
 * thread frees while others use them, and NULL pointers, one at a time, in every call, with present and absent keys, on
 * writable and read-only objects: the call returns MPI_ERR_ARG.
 */
#include "support/contents.h"
#include "support/guard.h"
#include "support/phases.h"
#include "support/random.h"
#include "support/scale.h"
#include "support/threads.h"

enum { RANDOM_HANDLES = SCALED(100000), RACES = SCALED(20000) };

static MPI_Info live; /* the only object besides MPI_INFO_ENV's that exists before and after each test */
static char *output;  /* of KEY_LIMIT bytes; no call may write to it */

#define CHECK_ERR_INFO(bits, call)                                                                                     \
    do {                                                                                                               \
        int code = (int)(call);                                                                                        \
        CHECKF(code == MPI_ERR_INFO, "the handle %#llx returned %d", (unsigned long long)(bits), code);                \
    } while (0)

/* Whether a handle names the object behind MPI_INFO_ENV, which may be read, when MPI_Init has been called. */
static int names_env(MPI_Info info)
{
#if TEST_REAL_MPI
    return phase_now != PHASE_BEFORE_INIT && rcuinfo_from_mpi(info) == rcuinfo_from_mpi(MPI_INFO_ENV);
#else
    (void)info;
    return 0;
#endif
}

static void check_names_nothing(MPI_Info info)
{
    MPI_Info again = info, copy = live;
    uint64_t bits = flavour_bits(info);
    int flag = 77, number = 5;
    CHECK_ERR_INFO(bits, MPI_Info_get_nkeys(info, &number));
    CHECK_ERR_INFO(bits, MPI_Info_get_nthkey(info, 0, output));
    CHECK_ERR_INFO(bits, MPI_Info_get(info, "a", 4, output, &flag));
    CHECK_ERR_INFO(bits, MPI_Info_get_valuelen(info, "a", &number, &flag));
    CHECK_ERR_INFO(bits, MPI_Info_get_string(info, "a", &number, output, &flag));
    CHECK_ERR_INFO(bits, MPI_Info_set(info, "a", "2"));
    CHECK_ERR_INFO(bits, MPI_Info_delete(info, "a"));
    CHECK_ERR_INFO(bits, MPI_Info_dup(info, &copy));
    CHECK_ERR_INFO(bits, MPI_Info_free(&again));
    CHECKF(flag == 77 && number == 5 && copy == MPI_INFO_NULL && again == info,
           "with the handle %#llx an output was written", (unsigned long long)bits);
}

static void check_no_handle(uint64_t wanted)
{
    MPI_Info info = flavour_handle(wanted);
    uint64_t bits = flavour_bits(info);
    if (info != live && info != MPI_INFO_ENV && !names_env(info) &&
        !(phase_real_is_asked() && flavour_may_be_real(bits)))
        check_names_nothing(info);
}

static void small_values(void)
{
    check_names_nothing(MPI_INFO_NULL);
    for (uint64_t bits = 0; bits < 5000; bits++)
        check_no_handle(bits);
}

/* Random values, and random contents in the form that the store's handles have in each flavour. */
static void random_values(void)
{
    static const uint64_t edges[] = {0x130,     0x131,      0x1c000000, 0x5c000001,       UINT32_MAX,
                                     INT32_MAX, UINT64_MAX, INT64_MAX,  UINT64_C(1) << 63};
    struct random random = {20240607};
    for (int i = 0; i < RANDOM_HANDLES; i++) {
        uint64_t value = random_next(&random);
        check_no_handle(value);
        if (i % 4)
            continue;
        check_no_handle(0x1c000000u | (value & 0x3ffffff));        /* MPICH: kind invalid, type info */
        check_no_handle(UINT64_C(1) << 63 | (value & 0x7fffffff)); /* pointers with the top bit set */
        check_no_handle(UINT64_C(1) << 63 | value);
        check_no_handle(value & 0xfffff);          /* an index without a generation */
        check_no_handle((value & 0xff) << 20 | 3); /* a small index and a small generation */
    }
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        check_no_handle(edges[i]);
}

/* A live handle with one or two bits changed names nothing: the only other object is MPI_INFO_ENV's. */
static void neighbours_of_a_live_handle(void)
{
    uint64_t bits = flavour_bits(live);
    for (unsigned i = 0; i < 8 * sizeof live; i++) {
        check_no_handle(bits ^ UINT64_C(1) << i);
        for (unsigned j = 0; j < i; j++)
            check_no_handle(bits ^ UINT64_C(1) << i ^ UINT64_C(1) << j);
    }
    for (uint64_t i = 1; i < 1000; i++) {
        check_no_handle(bits + i);
        check_no_handle(bits - i);
    }
}

/* A stale handle never names a later object. (Trap 4: some MPI libraries report success and 1023 keys.) */
static void freed_handles(void)
{
    enum { FREED = 1000 };
    MPI_Info infos[FREED];
    for (int i = 0; i < FREED; i++)
        CHECK_MPI(i % 2 ? MPI_Info_dup(live, &infos[i]) : MPI_Info_create(&infos[i]), MPI_SUCCESS);
    for (int i = 0; i < FREED; i++) {
        MPI_Info info = infos[i];
        free_info(info);
    }
    for (int i = 0; i < FREED; i++)
        check_names_nothing(infos[i]);
}

static void null_outputs(void)
{
    static const char *const keys[] = {"a", "absent"};
    const MPI_Info objects[] = {live, MPI_INFO_ENV};
    for (size_t i = 0; i < 4; i++) {
        MPI_Info object = objects[i / 2];
        const char *key = keys[i % 2];
        char *value = guard_new(4);
        int flag = 77, number = 3;
        CHECK_MPI(MPI_Info_get(object, key, 3, NULL, &flag), MPI_ERR_ARG);
        CHECK_MPI(MPI_Info_get(object, key, 0, NULL, &flag), MPI_ERR_ARG);
        CHECK_MPI(MPI_Info_get(object, key, 3, value, NULL), MPI_ERR_ARG);
        CHECK_MPI(MPI_Info_get_valuelen(object, key, NULL, &flag), MPI_ERR_ARG);
        CHECK_MPI(MPI_Info_get_valuelen(object, key, &number, NULL), MPI_ERR_ARG);
        CHECK_MPI(MPI_Info_get_string(object, key, NULL, value, &flag), MPI_ERR_ARG);
        CHECK_MPI(MPI_Info_get_string(object, key, &number, NULL, &flag), MPI_ERR_ARG);
        CHECK_MPI(MPI_Info_get_string(object, key, &number, value, NULL), MPI_ERR_ARG);
        CHECK(flag == 77 && number == 3 && guard_intact(value, 4, 0));
        number = 0;
        CHECK_MPI(MPI_Info_get_string(object, key, &number, NULL, NULL), MPI_ERR_ARG);
        CHECK_EQUAL(number, 0);
        CHECK_MPI(MPI_Info_get_nkeys(object, NULL), MPI_ERR_ARG);
        CHECK_MPI(MPI_Info_get_nthkey(object, 0, NULL), MPI_ERR_ARG);
        CHECK_MPI(MPI_Info_get_nthkey(object, 70, NULL), MPI_ERR_ARG);
        CHECK_MPI(MPI_Info_dup(object, NULL), MPI_ERR_ARG);
        guard_free(value);
    }
    CHECK_MPI(MPI_Info_create(NULL), MPI_ERR_ARG);
    CHECK_MPI(MPI_Info_free(NULL), MPI_ERR_ARG);
}

static _Atomic(MPI_Info) current;
static atomic_bool finished;

/* Thread 0 frees objects while the others read them. A read returns the whole value or an error (trap 9). */
static void free_and_read(unsigned thread, void *unused)
{
    (void)unused;
    for (int i = 0; thread == 0 && i < RACES; i++) {
        MPI_Info old = atomic_load(&current);
        atomic_store(&current, make_info({"key", "old content"}));
        free_info(old);
    }
    if (thread == 0)
        atomic_store(&finished, true);
    while (!atomic_load(&finished)) {
        MPI_Info object = atomic_load(&current), copy = MPI_INFO_NULL;
        for (int i = 0; i < 4; i++) {
            char value[16] = "#";
            int flag = 1, code = (int)MPI_Info_get(object, "key", 15, value, &flag);
            CHECKF(code == MPI_SUCCESS || code == MPI_ERR_INFO, "code %d", code);
            CHECKF(strcmp(value, code == MPI_SUCCESS ? "old content" : "#") == 0, "code %d, \"%s\"", code, value);
            CHECK(flag == 1);
        }
        if (MPI_Info_dup(object, &copy) == MPI_SUCCESS)
            free_info(copy);
        else
            CHECK(copy == MPI_INFO_NULL);
    }
}

static void free_races_with_reads(void)
{
    atomic_store(&finished, false);
    atomic_store(&current, make_info({"key", "old content"}));
    team_run(3, free_and_read, NULL);
    free_info(atomic_load(&current));
}

static test_function *const tests_of_live[] = {
    small_values, random_values, neighbours_of_a_live_handle, freed_handles, null_outputs,
};

static void with_a_live_object(void)
{
    live = make_info({"a", "1"});
    output = guard_new(KEY_LIMIT);
    for (size_t i = 0; i < sizeof tests_of_live / sizeof *tests_of_live; i++) {
        tests_of_live[i]();
        CHECK_CONTENTS(live, {"a", "1"});
        CHECK(guard_intact(output, KEY_LIMIT, 0));
    }
    free_info(live);
    guard_free(output);
}

static test_function *const tests[] = {with_a_live_object, free_races_with_reads};

PHASES_MAIN(tests)
