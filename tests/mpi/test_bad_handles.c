/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handles that were never issued, are not live any more, or look like those of another flavour: every call answers
 * MPI_ERR_INFO, writes nothing, and no live object changes. Values that could be the real library's are left out while
 * an interposer would ask that library about them.
 */
#include "support/contents.h"
#include "support/guard.h"
#include "support/random.h"
#include "support/scale.h"

enum { RANDOM_HANDLES = TEST_SANITIZED ? 20000 : 100000 };

static MPI_Info live; /* the one object that exists during each test, but for MPI_INFO_ENV's */
static char *output;  /* of KEY_LIMIT bytes, never to be written to */

static int setup(void **state)
{
    (void)state;
    live = make_info({"a", "1"});
    output = guard_new(KEY_LIMIT);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    assert_contents(live, {"a", "1"});
    free_info(live);
    guard_free(output);
    return 0;
}

static void fail_handle(uint64_t bits, const char *call, int code)
{
    print_error("%s with the handle %#llx gives %d\n", call, (unsigned long long)bits, code);
    fail();
}

#define ASSERT_ERR_INFO(bits, call)                                                                                    \
    do {                                                                                                               \
        int code = (int)(call);                                                                                        \
        if (code != MPI_ERR_INFO)                                                                                      \
            fail_handle(bits, #call, code);                                                                            \
    } while (0)

/* Whether it names the object behind MPI_INFO_ENV, which MPI_Init makes: that one can be read, and never changed. */
static int names_env(MPI_Info info)
{
#if TEST_REAL_MPI
    return phase_now != PHASE_BEFORE_INIT && rcuinfo_from_mpi(info) == rcuinfo_from_mpi(MPI_INFO_ENV);
#else
    (void)info;
    return 0;
#endif
}

static void assert_no_handle(uint64_t wanted)
{
    MPI_Info info = flavour_handle(wanted), again = info, copy = live;
    uint64_t bits = flavour_bits(info);
    int flag = 77, number = 5;
    if (info == live || info == MPI_INFO_ENV || (phase_real_is_asked() && flavour_may_be_real(bits)))
        return;
    if (names_env(info)) {
        ASSERT_ERR_INFO(bits, MPI_Info_set(info, "a", "2"));
        ASSERT_ERR_INFO(bits, MPI_Info_delete(info, "command"));
        ASSERT_ERR_INFO(bits, MPI_Info_free(&again));
        return;
    }
    ASSERT_ERR_INFO(bits, MPI_Info_get_nkeys(info, &number));
    ASSERT_ERR_INFO(bits, MPI_Info_get_nthkey(info, 0, output));
    ASSERT_ERR_INFO(bits, MPI_Info_get(info, "a", 4, output, &flag));
    ASSERT_ERR_INFO(bits, MPI_Info_get_valuelen(info, "a", &number, &flag));
    ASSERT_ERR_INFO(bits, MPI_Info_get_string(info, "a", &number, output, &flag));
    ASSERT_ERR_INFO(bits, MPI_Info_set(info, "a", "2"));
    ASSERT_ERR_INFO(bits, MPI_Info_delete(info, "a"));
    ASSERT_ERR_INFO(bits, MPI_Info_dup(info, &copy));
    ASSERT_ERR_INFO(bits, MPI_Info_free(&again));
    if (flag != 77 || number != 5 || copy != MPI_INFO_NULL || again != info)
        fail_handle(bits, "an output was written", 0);
}

static void small_values(void **state)
{
    (void)state;
    for (uint64_t bits = 0; bits < 5000; bits++)
        assert_no_handle(bits);
    assert_true(guard_intact(output, KEY_LIMIT, 0));
}

static void random_values(void **state)
{
    struct random random = {20240607};
    (void)state;
    for (int i = 0; i < RANDOM_HANDLES; i++)
        assert_no_handle(random_next(&random));
    assert_true(guard_intact(output, KEY_LIMIT, 0));
}

/* The shapes that handles of the store have in some flavour, with random contents. */
static void shapes_of_every_flavour(void **state)
{
    struct random random = {42};
    (void)state;
    for (int i = 0; i < RANDOM_HANDLES / 4; i++) {
        uint64_t value = random_next(&random);
        assert_no_handle(0x1c000000u | (value & 0x3ffffff));        /* MPICH: kind invalid, type info */
        assert_no_handle(UINT64_C(1) << 63 | (value & 0x7fffffff)); /* pointers with the top bit set */
        assert_no_handle(UINT64_C(1) << 63 | value);
        assert_no_handle(value & 0xfffff);          /* an index without a generation */
        assert_no_handle((value & 0xff) << 20 | 3); /* a small index and a small generation */
    }
    assert_no_handle(0x130); /* null and env of the standard ABI */
    assert_no_handle(0x131);
    assert_no_handle(0x1c000000);
    assert_no_handle(0x5c000001);
    assert_no_handle(UINT64_MAX);
    assert_no_handle(INT64_MAX);
    assert_no_handle(UINT64_C(1) << 63);
    assert_no_handle(UINT32_MAX);
    assert_no_handle(INT32_MAX);
    assert_true(guard_intact(output, KEY_LIMIT, 0));
}

/* A live handle with one or two bits changed names nothing: there is no other object but MPI_INFO_ENV's. */
static void neighbours_of_a_live_handle(void **state)
{
    uint64_t bits = flavour_bits(live);
    (void)state;
    for (unsigned i = 0; i < 8 * sizeof live; i++) {
        assert_no_handle(bits ^ UINT64_C(1) << i);
        for (unsigned j = 0; j < i; j++)
            assert_no_handle(bits ^ UINT64_C(1) << i ^ UINT64_C(1) << j);
    }
    for (uint64_t i = 1; i < 1000; i++) {
        assert_no_handle(bits + i);
        assert_no_handle(bits - i);
    }
    assert_true(guard_intact(output, KEY_LIMIT, 0));
}

static void freed_handles(void **state)
{
    enum { FREED = 1000 };
    MPI_Info infos[FREED];
    (void)state;
    for (int i = 0; i < FREED; i++)
        assert_int_equal(MPI_Info_create(&infos[i]), MPI_SUCCESS);
    for (int i = 0; i < FREED; i++) {
        MPI_Info info = infos[i];
        assert_int_equal(MPI_Info_free(&info), MPI_SUCCESS);
        assert_no_handle(flavour_bits(infos[i]));
    }
    for (int i = 0; i < FREED; i++)
        assert_no_handle(flavour_bits(infos[i]));
    assert_true(guard_intact(output, KEY_LIMIT, 0));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(small_values, setup, teardown),
    cmocka_unit_test_setup_teardown(random_values, setup, teardown),
    cmocka_unit_test_setup_teardown(shapes_of_every_flavour, setup, teardown),
    cmocka_unit_test_setup_teardown(neighbours_of_a_live_handle, setup, teardown),
    cmocka_unit_test_setup_teardown(freed_handles, setup, teardown),
};

PHASES_MAIN(tests)
