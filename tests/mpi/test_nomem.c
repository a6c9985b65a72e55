/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every allocation of every MPI-named call fails once: the call gives MPI_ERR_NO_MEM, has changed nothing and written
 * nothing but the handle of what it could not make, errno is as it was, and the next call works.
 */
#include "support/contents.h"
#include "support/phases.h"

#include <errno.h>
#include <stdio.h>

#include "support/counts.h"
#include "support/left.h"
#include "support/nomem.h"

static const int SIZES[] = {0, 1, 31, 32, 33, 300};
enum { SLOTS = 5000 };

/* An object with the keys k0, k1, ..., each with its own name for a value. */
static MPI_Info make_sized(int size)
{
    MPI_Info info = make_empty();
    for (int i = 0; i < size; i++) {
        char key[16];
        (void)snprintf(key, sizeof key, "k%d", i);
        CHECK_MPI(MPI_Info_set(info, key, key), MPI_SUCCESS);
    }
    return info;
}

static void check_sized(MPI_Info info, int size)
{
    int nkeys = -1;
    CHECK_MPI(MPI_Info_get_nkeys(info, &nkeys), MPI_SUCCESS);
    CHECK_EQUAL(nkeys, size);
    for (int i = 0; i < size; i++) {
        char key[MPI_MAX_INFO_KEY] = "", value[MPI_MAX_INFO_VAL] = "", wanted[16];
        int flag = 0;
        (void)snprintf(wanted, sizeof wanted, "k%d", i);
        CHECK_MPI(MPI_Info_get_nthkey(info, i, key), MPI_SUCCESS);
        CHECK_TEXT(key, wanted);
        CHECK_MPI(MPI_Info_get(info, key, MPI_MAX_INFO_VAL - 1, value, &flag), MPI_SUCCESS);
        CHECK(flag);
        CHECK_TEXT(value, wanted);
    }
}

/* Nothing is in the pools when a call begins. */
static void begin_call(void)
{
    CHECK_EQUAL(rcuinfo_store_drain(), 0);
    errno = 1234;
}

static int end_call(void)
{
    CHECK_EQUAL(errno, 1234);
    return nomem.met;
}

/* The code of a call, and whether its k-th allocation was made to fail. */
#define FAILING(k, call) (begin_call(), NOMEM_AT(k, code = (int)(call)), end_call())

/* Sets until one of them has to copy, and the first change of a dup, which has to. */
static void set_and_delete(void)
{
    int code;
    for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) {
        MPI_Info info = make_sized(SIZES[i]), copy = MPI_INFO_NULL;
        while (!FAILING(1, MPI_Info_set(info, "k0", "k0")))
            CHECK_MPI(code, MPI_SUCCESS);
        CHECK_MPI(code, MPI_ERR_NO_MEM);
        check_sized(info, SIZES[i]);
        CHECK_MPI(MPI_Info_set(info, "new", "v"), MPI_SUCCESS);
        CHECK_MPI(MPI_Info_dup(info, &copy), MPI_SUCCESS);
        CHECK(FAILING(1, MPI_Info_delete(copy, "new")));
        CHECK_MPI(code, MPI_ERR_NO_MEM);
        CHECK_MPI(MPI_Info_delete(info, "new"), MPI_SUCCESS);
        check_sized(info, SIZES[i]);
        CHECK_MPI(MPI_Info_delete(copy, "new"), MPI_SUCCESS);
        check_sized(copy, SIZES[i]);
        free_info(copy);
        free_info(info);
    }
}

/* All that makes an object, until the table of slots has grown; the first allocation of each call fails. */
static void create_and_dup(void)
{
    MPI_Info *infos = calloc(SLOTS, sizeof *infos), source = make_sized(3);
    int code, met = 0;
    for (int i = 0; i < SLOTS; i++) {
        infos[i] = flavour_handle(0x12345678);
        if (FAILING(1, i % 2 ? MPI_Info_dup(source, &infos[i]) : MPI_Info_create(&infos[i]))) {
            CHECK_MPI(code, MPI_ERR_NO_MEM);
            CHECK(infos[i] == MPI_INFO_NULL);
            code = (int)(i % 2 ? MPI_Info_dup(source, &infos[i]) : MPI_Info_create(&infos[i]));
            met++;
        }
        CHECK_MPI(code, MPI_SUCCESS);
    }
    CHECK(met > 0);
    check_sized(source, 3);
    check_sized(infos[1], 3);
    check_sized(infos[0], 0);
    for (int i = 0; i < SLOTS; i++)
        free_info(infos[i]);
    free_info(source);
    free(infos);
}

static void create_env(void)
{
    char command[] = "command", argument[] = "argument", *argv[] = {command, argument}, value[16] = "";
    uint64_t live = left_live();
    int code, flag = 0;
    for (nomem_start(); nomem_next();) {
        MPI_Info info = flavour_handle(0x12345678);
        if (FAILING(nomem.count + 1, MPI_Info_create_env(2, argv, &info))) {
            CHECK_MPI(code, MPI_ERR_NO_MEM);
            CHECK(info == MPI_INFO_NULL);
            CHECK_EQUAL(left_live(), live);
        } else {
            CHECK_MPI(code, MPI_SUCCESS);
            CHECK_MPI(MPI_Info_get(info, "argv", 15, value, &flag), MPI_SUCCESS);
            CHECK_TEXT(value, "argument");
            free_info(info);
        }
    }
    CHECK(nomem.count > 0);
}

#if !defined(TEST_FLAVOUR_NATIVE)
/* The first use of MPI_INFO_ENV in the process makes its object: here that fails, in each call that can be the first.
 */
static void env_at_first_use(void)
{
    char text[MPI_MAX_INFO_VAL] = "untouched";
    MPI_Info made = flavour_handle(0x12345678);
    static int done;
    int code, flag = 77, number = 77;
    if (done++) /* there is one in a process, and over a real MPI library the tests run three times */
        return;
    for (int k = 1; k <= 3; k++) { /* its texts, its block, the chunk that its slot is in */
#define FAILS(call, wanted)                                                                                            \
    do {                                                                                                               \
        CHECK(FAILING(k, call));                                                                                       \
        CHECK_MPI(code, wanted);                                                                                       \
    } while (0)
        FAILS(MPI_Info_get_nkeys(MPI_INFO_ENV, &number), MPI_ERR_NO_MEM);
        FAILS(MPI_Info_get(MPI_INFO_ENV, "host", 9, text, &flag), MPI_ERR_NO_MEM);
        FAILS(MPI_Info_get_valuelen(MPI_INFO_ENV, "host", &number, &flag), MPI_ERR_NO_MEM);
        FAILS(MPI_Info_get_string(MPI_INFO_ENV, "host", &number, text, &flag), MPI_ERR_NO_MEM);
        FAILS(MPI_Info_get_nthkey(MPI_INFO_ENV, 0, text), MPI_ERR_NO_MEM);
        FAILS(MPI_Info_dup(MPI_INFO_ENV, &made), MPI_ERR_NO_MEM);
        CHECK(made == MPI_INFO_NULL);
        FAILS(MPI_Info_set(MPI_INFO_ENV, "a", "1"), MPI_ERR_INFO); /* as ever: it refuses changes */
    }
    CHECK(number == 77 && flag == 77);
    CHECK_TEXT(text, "untouched");
    made = make_empty();
    CHECK(!FAILING(1, rcuinfo_to_mpi(rcuinfo_from_mpi(made)) != made) && !code); /* which does not make it */
    free_info(made);
    CHECK_MPI(MPI_Info_get_nkeys(MPI_INFO_ENV, &number), MPI_SUCCESS);
    CHECK(number > 0 && number < 77);
}
#endif

static void read_and_free(MPI_Info info, int size)
{
    int flag, number = 9;
    char text[16];
    check_sized(info, size);
    CHECK_MPI(MPI_Info_get_valuelen(info, "k0", &number, &flag), MPI_SUCCESS);
    CHECK_MPI(MPI_Info_get_string(info, "k0", &number, text, &flag), MPI_SUCCESS);
    free_info(info);
}

static void reads_and_free_allocate_nothing(void)
{
    for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) {
        MPI_Info info = make_sized(SIZES[i]);
        CHECK(!NOMEM_AT(1, read_and_free(info, SIZES[i])));
    }
}

static void nothing_is_left(void)
{
    left_nothing();
    counts_report("mpi.nomem." TEST_FLAVOUR_NAME, "allocation points failed", (unsigned long)faults_met());
}

static test_function *const tests[] = {
#if !defined(TEST_FLAVOUR_NATIVE)
    env_at_first_use,
#endif
    set_and_delete,   create_and_dup, create_env, reads_and_free_allocate_nothing, nothing_is_left,
};

PHASES_MAIN(tests)
