/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every allocation of the calls that make objects fails once: create, dup, create_env and the first use of the objects
 * that describe the process, while the table of slots has room, when its chunk is full, and when the chunk has room
 * for one more. White box: linked with the objects of the library, whose allocator can be told to fail.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <rcuinfo/rcuinfo.h>

#include "core/handle.h"
#include "core/layer.h"
#include "env/start.h"
#include "env/env.h"
#include "support/counts.h"
#include "support/nomem.h"

enum { ANYWHERE = -1, MOST_FILLERS = 64 * (int)RCUINFO__CHUNK_SLOTS };

/* Objects that fill chunks up. They stay to the end: slots that are free would be used before a chunk is made. */
static rcuinfo_t *fillers;
static int fillers_used;

/* Leaves `left` slots in the last chunk. */
static void fill_chunk(int left)
{
    uint32_t index = 0;
    while (left != ANYWHERE && (index + (uint32_t)left + 1) % RCUINFO__CHUNK_SLOTS != 0) {
        assert_true(fillers_used < MOST_FILLERS);
        assert_int_equal(rcuinfo_create(&fillers[fillers_used]), RCUINFO_SUCCESS);
        index = (uint32_t)fillers[fillers_used++] & (RCUINFO__SLOTS - 1);
    }
}

static uint64_t count_live(void)
{
    rcuinfo_stats_t stats;
    rcuinfo_store_stats(&stats);
    return stats.live;
}

/* Makes an object, checks it and ends it; with no memory, RCUINFO_ERR_NO_MEM and no handle. */
typedef rcuinfo_status_t (*make_function)(void);

/* Fails each allocation in turn; every time the chunk is filled anew. Returns how many there were. */
static int fail_each(int left, make_function make)
{
    for (nomem_start(); nomem_next();) {
        rcuinfo_status_t status;
        assert_int_equal(rcuinfo_store_drain(), 0);
        fill_chunk(left);
        uint64_t live = count_live();
        NOMEM(status = make());
        assert_int_equal(count_live(), live);
        assert_int_equal(status, nomem.met ? RCUINFO_ERR_NO_MEM : RCUINFO_SUCCESS);
        assert_int_equal(make(), RCUINFO_SUCCESS);
    }
    return nomem.count;
}

static rcuinfo_status_t make_new(void)
{
    rcuinfo_t info = 0x1234567;
    int nkeys = -1;
    rcuinfo_status_t status = rcuinfo_create(&info);
    if (status) {
        assert_true(info == RCUINFO_NULL);
        return status;
    }
    assert_int_equal(rcuinfo_get_nkeys(info, &nkeys), RCUINFO_SUCCESS);
    assert_int_equal(nkeys, 0);
    assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
    return RCUINFO_SUCCESS;
}

static rcuinfo_t source;

static rcuinfo_status_t make_dup(void)
{
    rcuinfo_t info = 0x1234567;
    char value[8] = "";
    int flag = 0;
    rcuinfo_status_t status = rcuinfo_dup(source, &info);
    assert_true(!status == (info != RCUINFO_NULL));
    assert_int_equal(rcuinfo_get(status ? source : info, "key", 7, value, &flag), RCUINFO_SUCCESS);
    assert_true(flag);
    assert_string_equal(value, "value");
    if (!status)
        assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
    return status;
}

static rcuinfo_status_t make_env(void)
{
    char command[] = "command", argument[] = "argument", *argv[] = {command, argument}, value[16] = "";
    rcuinfo_t info = 0x1234567;
    int flag = 0;
    rcuinfo_status_t status = rcuinfo_create_env(2, argv, &info);
    if (status) {
        assert_true(info == RCUINFO_NULL);
        return status;
    }
    assert_int_equal(rcuinfo_get(info, "argv", 15, value, &flag), RCUINFO_SUCCESS);
    assert_true(flag);
    assert_string_equal(value, "argument");
    assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
    return RCUINFO_SUCCESS;
}

/* The same with an object of the sources: both or none. */
static rcuinfo_status_t make_described(void)
{
    rcuinfo_t info = 0x1234567, sources = RCUINFO_NULL;
    rcuinfo_status_t status = rcuinfo__env_describe(rcuinfo__start(), 0, NULL, RCUINFO__NATIVE_LIMITS, &info, &sources);
    assert_true(!status == (info != RCUINFO_NULL) && !status == (sources != RCUINFO_NULL));
    if (!status) {
        assert_int_equal(rcuinfo_free(&info), RCUINFO_SUCCESS);
        assert_int_equal(rcuinfo_free(&sources), RCUINFO_SUCCESS);
    }
    return status;
}

/* A chunk is one allocation; the description of a process takes its texts and a block. */
static void one_allocation_at_a_time(void **state)
{
    (void)state;
    assert_int_equal(fail_each(ANYWHERE, make_new), 0);
    assert_int_equal(fail_each(0, make_new), 1);
    assert_int_equal(fail_each(ANYWHERE, make_dup), 0);
    assert_int_equal(fail_each(0, make_dup), 1);
    assert_int_equal(fail_each(ANYWHERE, make_env), 2);
    assert_int_equal(fail_each(0, make_env), 3);
    assert_int_equal(fail_each(ANYWHERE, make_described), 3);
    assert_int_equal(fail_each(0, make_described), 4);
    assert_int_equal(fail_each(1, make_described), 4);
}

/* There is one for each interface in a process, which comes with the first use that has memory for it. */
static void the_ones_of_the_process(void **state)
{
    (void)state;
    for (unsigned which = RCUINFO__ENV_NATIVE; which <= RCUINFO__ENV_OPENMPI; which++) {
        rcuinfo_t env = RCUINFO_NULL;
        for (nomem_start(); nomem_next();) {
            assert_int_equal(rcuinfo_store_drain(), 0);
            NOMEM(env = rcuinfo__env_shared(which, RCUINFO__NATIVE_LIMITS));
            assert_int_equal(env == RCUINFO_NULL, nomem.met);
        }
        assert_int_equal(nomem.count, 2);
        assert_true(rcuinfo__env_shared(which, RCUINFO__NATIVE_LIMITS) == env);
    }
}

static void nothing_is_left(void **state)
{
    (void)state;
    for (int i = 0; i < fillers_used; i++)
        assert_int_equal(rcuinfo_free(&fillers[i]), RCUINFO_SUCCESS);
    assert_int_equal(rcuinfo_free(&source), RCUINFO_SUCCESS);
    assert_int_equal(count_live(), 0);
    assert_int_equal(rcuinfo_store_drain(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ones_of_the_process),
        cmocka_unit_test(one_allocation_at_a_time),
        cmocka_unit_test(nothing_is_left),
    };
    fillers = calloc(MOST_FILLERS, sizeof *fillers);
    if (!fillers || rcuinfo_create(&source) || rcuinfo_set(source, "key", "value"))
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    counts_report("core.nomem_objects", "allocation points failed", (unsigned long)rcuinfo__alloc_faults());
    free(fillers);
    return failed;
}
