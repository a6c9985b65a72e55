/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every allocation of the calls that make objects fails once: create, dup, create_env and the first use of the objects
 * that describe the process, while the table of slots has room, when its chunk is full, and when the chunk has room
 * for one more. White box: linked with the objects of the library, whose allocator can be told to fail.
 */
#include <stdatomic.h>

#include <rcuinfo/rcuinfo.h>

#include "core/handle.h"
#include "core/layer.h"
#include "env/start.h"
#include "env/env.h"
#include "support/counts.h"
#include "support/left.h"
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
        CHECK(fillers_used < MOST_FILLERS);
        CHECK_OK(rcuinfo_create(&fillers[fillers_used]));
        index = (uint32_t)fillers[fillers_used++] & (RCUINFO__SLOTS - 1);
    }
}

/* Makes an object, checks it and ends it; with no memory, RCUINFO_ERR_NO_MEM and no handle. */
typedef rcuinfo_status_t (*make_function)(void);

/* Fails each allocation in turn; every time the chunk is filled anew. Returns how many there were. */
static int fail_each(int left, make_function make)
{
    for (nomem_start(); nomem_next();) {
        rcuinfo_status_t status;
        CHECK_EQUAL(rcuinfo_store_drain(), 0);
        fill_chunk(left);
        uint64_t live = left_live();
        NOMEM(status = make());
        CHECK_EQUAL(left_live(), live);
        CHECK_STATUS(status, nomem.met ? RCUINFO_ERR_NO_MEM : RCUINFO_SUCCESS);
        CHECK_OK(make());
    }
    return nomem.count;
}

static rcuinfo_status_t make_new(void)
{
    rcuinfo_t info = 0x1234567;
    int nkeys = -1;
    rcuinfo_status_t status = rcuinfo_create(&info);
    if (status) {
        CHECK(info == RCUINFO_NULL);
        return status;
    }
    CHECK_OK(rcuinfo_get_nkeys(info, &nkeys));
    CHECK_EQUAL(nkeys, 0);
    CHECK_OK(rcuinfo_free(&info));
    return RCUINFO_SUCCESS;
}

static rcuinfo_t source;

static rcuinfo_status_t make_dup(void)
{
    rcuinfo_t info = 0x1234567;
    char value[8] = "";
    int flag = 0;
    rcuinfo_status_t status = rcuinfo_dup(source, &info);
    CHECK(!status == (info != RCUINFO_NULL));
    CHECK_OK(rcuinfo_get(status ? source : info, "key", 7, value, &flag));
    CHECK(flag);
    CHECK_TEXT(value, "value");
    if (!status)
        CHECK_OK(rcuinfo_free(&info));
    return status;
}

static rcuinfo_status_t make_env(void)
{
    char command[] = "command", argument[] = "argument", *argv[] = {command, argument}, value[16] = "";
    rcuinfo_t info = 0x1234567;
    int flag = 0;
    rcuinfo_status_t status = rcuinfo_create_env(2, argv, &info);
    if (status) {
        CHECK(info == RCUINFO_NULL);
        return status;
    }
    CHECK_OK(rcuinfo_get(info, "argv", 15, value, &flag));
    CHECK(flag);
    CHECK_TEXT(value, "argument");
    CHECK_OK(rcuinfo_free(&info));
    return RCUINFO_SUCCESS;
}

/* The same with an object of the sources: both or none. */
static rcuinfo_status_t make_described(void)
{
    rcuinfo_t info = 0x1234567, sources = RCUINFO_NULL;
    rcuinfo_status_t status = rcuinfo__env_describe(rcuinfo__start(), 0, NULL, RCUINFO__NATIVE_LIMITS, &info, &sources);
    CHECK(!status == (info != RCUINFO_NULL) && !status == (sources != RCUINFO_NULL));
    if (!status) {
        CHECK_OK(rcuinfo_free(&info));
        CHECK_OK(rcuinfo_free(&sources));
    }
    return status;
}

/* A chunk is one allocation; the description of a process takes its texts and a block. */
static void one_allocation_at_a_time(void)
{
    CHECK_EQUAL(fail_each(ANYWHERE, make_new), 0);
    CHECK_EQUAL(fail_each(0, make_new), 1);
    CHECK_EQUAL(fail_each(ANYWHERE, make_dup), 0);
    CHECK_EQUAL(fail_each(0, make_dup), 1);
    CHECK_EQUAL(fail_each(ANYWHERE, make_env), 2);
    CHECK_EQUAL(fail_each(0, make_env), 3);
    CHECK_EQUAL(fail_each(ANYWHERE, make_described), 3);
    CHECK_EQUAL(fail_each(0, make_described), 4);
    CHECK_EQUAL(fail_each(1, make_described), 4);
}

/* There is one for each interface in a process, which comes with the first use that has memory for it. */
static void the_ones_of_the_process(void)
{
    for (unsigned which = RCUINFO__ENV_NATIVE; which <= RCUINFO__ENV_OPENMPI; which++) {
        rcuinfo_t env = RCUINFO_NULL;
        for (nomem_start(); nomem_next();) {
            CHECK_EQUAL(rcuinfo_store_drain(), 0);
            NOMEM(env = rcuinfo__env_shared(which, RCUINFO__NATIVE_LIMITS));
            CHECK_EQUAL(env == RCUINFO_NULL, nomem.met);
        }
        CHECK_EQUAL(nomem.count, 2);
        CHECK(rcuinfo__env_shared(which, RCUINFO__NATIVE_LIMITS) == env);
    }
}

int main(void)
{
    fillers = calloc(MOST_FILLERS, sizeof *fillers);
    CHECK(fillers);
    CHECK_OK(rcuinfo_create(&source));
    CHECK_OK(rcuinfo_set(source, "key", "value"));
    the_ones_of_the_process();
    one_allocation_at_a_time();
    for (int i = 0; i < fillers_used; i++)
        CHECK_OK(rcuinfo_free(&fillers[i]));
    CHECK_OK(rcuinfo_free(&source));
    left_nothing();
    counts_report("core.nomem_objects", "allocation points failed", (unsigned long)faults_met());
    free(fillers);
    return 0;
}
