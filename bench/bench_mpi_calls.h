/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench_mpi_calls: the program that bench_mpi measures, written to plain MPI and compiled once with each MPI's mpi.h.
 * It does not know whether the store is under it.
 *
 * Texts show by themselves whether they are whole: the first eight bytes of a value and its last eight differ by the
 * mask of its key. Eight loaded bytes at each end are checked, never any between. A call that fails ends the program by
 * MPI's default error handler.
 */
#ifndef BENCH_MPI_CALLS_H
#define BENCH_MPI_CALLS_H

#include <stdint.h>
#include <string.h>

#include <mpi.h>

#include "harness.h"
#include "mpi_work.h"

#define VALUE_BYTES 24
#define VARIANTS    4 /* values of each key that setters take in turn */

struct key {
    uint64_t mask;
    uint32_t tail; /* where the last eight bytes of the text begin, the NUL among them */
    char text[36]; /* Open MPI takes at most 35 bytes */
    char value[VARIANTS][VALUE_BYTES + 8];
};

struct load {
    struct key *key; /* twice as many as are in the object: the second half is for misses */
    unsigned keys;
    uint32_t *order; /* key numbers at random */
    size_t mask;     /* their number - 1, a power of two - 1 */
    MPI_Info info;   /* has the keys, in their order */
};

/* Says which call gave a wrong value, and ends the program with status 1. */
_Noreturn void calls_failed(const char *call, const char *key);

/* One get of a key that is there; `value` has VALUE_BYTES + 1 bytes. */
static inline void calls_get(MPI_Info info, const struct key *key, char *value)
{
    int flag = 0;
    uint64_t first, last;
    value[0] = '\0'; /* what the last get left here must not pass for the result of this one */
    MPI_Info_get(info, key->text, VALUE_BYTES, value, &flag);
    memcpy(&first, value, sizeof first);
    memcpy(&last, value + VALUE_BYTES - sizeof last, sizeof last);
    if (__builtin_expect(!flag || (first ^ last) != key->mask, 0))
        calls_failed("MPI_Info_get", key->text);
}

/* MPI_WORK_SHARED and MPI_WORK_LATENCY. */
struct mpi_result calls_shared(const struct load *load, const struct mpi_order *order);

#endif
