/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * adopt: copies infos of the real library into the store.
 *
 * Invariant: on an error, nothing is left behind. The real library raises its errors itself; those of the store are
 * passed to the caller's `done`.
 */
#include <string.h>

#include <rcuinfo/update.h>

#include "mpi/interpose/adopt.h"
#include "mpi/interpose/lend.h"

#define MOST_ENV 24 /* pairs of the real MPI_INFO_ENV that are read; Open MPI has up to thirteen */

/* A pair of a real info. The last byte of each is a NUL that the real library does not overwrite. */
struct pair {
    char key[MPI_MAX_INFO_KEY + 1];
    char value[MPI_MAX_INFO_VAL + 1];
};

/* Reads pair n. *usable is false if the store cannot hold it. */
static int read_pair(MPI_Info real, int n, struct pair *pair, bool *usable)
{
    int found = 0;
    pair->key[0] = pair->key[MPI_MAX_INFO_KEY] = '\0';
    pair->value[MPI_MAX_INFO_VAL] = '\0';

    int code = RCUINFO__NEXT(PMPI_Info_get_nthkey)(real, n, pair->key);
    if (code == MPI_SUCCESS)
        code = RCUINFO__NEXT(PMPI_Info_get)(real, pair->key, MPI_MAX_INFO_VAL, pair->value, &found);

    /* Do not trust the real library to terminate the strings. */
    size_t key_length = strnlen(pair->key, MPI_MAX_INFO_KEY);
    int length = found ? (int)strnlen(pair->value, MPI_MAX_INFO_VAL) : 0;
    if (code == MPI_SUCCESS && length >= MPI_MAX_INFO_VAL - 1) /* it may have been cut */
        code = RCUINFO__NEXT(PMPI_Info_get_valuelen)(real, pair->key, &length, &found);

    *usable = found && key_length > 0 && key_length < MPI_MAX_INFO_KEY && length < MPI_MAX_INFO_VAL;
    return code;
}

/* Copies all pairs; MPI_INFO_NULL has none. Returns the code of the real library, and the status of the store in
 * *status. */
static int copy_real(MPI_Info real, struct rcuinfo__build *build, rcuinfo_status_t *status)
{
    struct pair pair;
    uint64_t left_out = 0;
    int nkeys = 0;
    int code = real == MPI_INFO_NULL ? MPI_SUCCESS : RCUINFO__NEXT(PMPI_Info_get_nkeys)(real, &nkeys);
    *status = RCUINFO_SUCCESS;
    rcuinfo__build_begin(build, nkeys > 0 ? (size_t)nkeys : 0, 0);

    for (int n = 0; n < nkeys && code == MPI_SUCCESS && *status == RCUINFO_SUCCESS; n++) {
        bool usable;
        code = read_pair(real, n, &pair, &usable);
        if (code == MPI_SUCCESS && usable)
            *status = rcuinfo__build_set(build, pair.key, pair.value, RCUINFO__MPI_LIMITS);
        if (code == MPI_SUCCESS && usable)
            RCUINFO__LEND_TELL(answered(pair.key, pair.value));
        left_out += code == MPI_SUCCESS && !usable;
    }

    if (code == MPI_SUCCESS && *status == RCUINFO_SUCCESS && left_out > 0)
        rcuinfo__counters_add(RCUINFO__COUNT_LEFT_OUT, left_out);
    return code;
}

int rcuinfo__adopt(MPI_Info real, MPI_Info *info, rcuinfo__interpose_done_t done, const char *function)
{
    struct rcuinfo__build build;
    rcuinfo_status_t status;
    rcuinfo_t made = RCUINFO_NULL;
    int code = copy_real(real, &build, &status);
    if (real != MPI_INFO_NULL)
        (void)RCUINFO__NEXT(PMPI_Info_free)(&real);

    if (code == MPI_SUCCESS && status == RCUINFO_SUCCESS)
        status = rcuinfo__build_object(&build, &made);
    else
        rcuinfo__build_drop(&build);

    /* An error of the real library has been raised already, one of the store has not. */
    if (code == MPI_SUCCESS)
        code = done(status, function);
    if (code == MPI_SUCCESS) {
        rcuinfo__counters_add(RCUINFO__COUNT_CONVERSIONS, 1);
        *info = rcuinfo__mpi_encode(made);
    }
    return code;
}

void rcuinfo__adopt_env(void)
{
    struct pair pairs[MOST_ENV];
    rcuinfo_change_t changes[MOST_ENV];
    size_t count = 0;
    int nkeys = 0;

    int code = RCUINFO__NEXT(PMPI_Info_get_nkeys)(MPI_INFO_ENV, &nkeys);
    for (int n = 0; n < nkeys && count < MOST_ENV && code == MPI_SUCCESS; n++) {
        bool usable;
        code = read_pair(MPI_INFO_ENV, n, &pairs[count], &usable);
        changes[count] = (rcuinfo_change_t){pairs[count].key, pairs[count].value};

        /* A pair that the store cannot hold is left out. */
        count += code == MPI_SUCCESS && usable;
    }

    rcuinfo__env_learn(RCUINFO__MPI_ENV, RCUINFO__MPI_LIMITS, changes, count);
}
