/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each allocation of the MPI-named calls that make an object fails in turn: the call returns MPI_ERR_NO_MEM, changes
 * nothing, writes nothing except MPI_INFO_NULL in place of a new handle, and keeps errno; the next call succeeds.
 * (core.nomem tests changes.)
 */
#include "support/contents.h"
#include "support/phases.h"

#include <errno.h>
#include <stdio.h>

#include "support/counts.h"
#include "support/left.h"
#include "support/nomem.h"

enum { SLOTS = 100000 };

/* Empties the pools, so that the call must allocate. */
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

/* Stores the result of a call in `code`. The value is whether the call's k-th allocation was made to fail. */
#define FAILING(k, call) (begin_call(), NOMEM_AT(k, code = (int)(call)), end_call())

#if !defined(TEST_FLAVOUR_native)
/* The first use of MPI_INFO_ENV creates its object. Here this fails, in each call that can be the first. */
TEST(env_at_first_use)
{
    char text[MPI_MAX_INFO_VAL] = "untouched";
    MPI_Info made = flavour_handle(0x12345678);
    static int done;
    int code, flag = 77, number = 77;
    if (done++) /* a process has one first use, and with a real MPI library the tests run three times */
        return;
    for (int k = 1; k <= 2; k++) { /* its block, the chunk of its slot */
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
        FAILS(MPI_Info_set(MPI_INFO_ENV, "a", "1"), MPI_ERR_INFO); /* read-only, with or without memory */
    }
    CHECK(number == 77 && flag == 77);
    CHECK_TEXT(text, "untouched");
    made = make_empty();
    CHECK(!FAILING(1, rcuinfo_to_mpi(rcuinfo_from_mpi(made)) != made) && !code); /* does not create it */
    free_info(made);
    CHECK_MPI(MPI_Info_get_nkeys(MPI_INFO_ENV, &number), MPI_SUCCESS);
    CHECK(number > 0 && number < 77);
}
#endif

/* Creates and duplicates until the table of slots has grown. The first allocation of each call fails. */
TEST(create_and_dup)
{
    MPI_Info *infos = calloc(SLOTS, sizeof *infos), source = make_info({"a", "1"});
    int code, met = 0, made = 0;
    for (int i = 0; i < SLOTS && met == 0; i++, made++) {
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
    CHECK_CONTENTS(source, {"a", "1"});
    CHECK_CONTENTS(infos[1], {"a", "1"});
    CHECK_EMPTY(infos[0]);
    for (int i = 0; i < made; i++)
        free_info(infos[i]);
    free_info(source);
    free(infos);
}

TEST(nothing_is_left)
{
    left_nothing();
    counts_report("mpi.nomem." TEST_FLAVOUR_NAME, "allocation points failed", (unsigned long)faults_met());
}

PHASES_MAIN
