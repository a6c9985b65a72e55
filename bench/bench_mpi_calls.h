/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench_mpi_calls: the program that bench_mpi measures, written to plain MPI and compiled once with each MPI's mpi.h.
 * It does not know whether the store is under it. A call that fails ends the program by MPI's default error handler.
 */
#ifndef BENCH_MPI_CALLS_H
#define BENCH_MPI_CALLS_H

#include <mpi.h>

#include "harness.h"
#include "mpi_work.h"
#include "workload.h"

#define VALUE_BYTES 24

struct load {
    struct workload texts;
    uint32_t *tail;  /* where the last eight bytes of each key begin, the NUL among them */
    uint32_t *order; /* key numbers at random */
    size_t mask;     /* their number - 1, a power of two - 1 */
    MPI_Info info;   /* has the keys, in their order */
};

/* The key whose turn it is. */
static inline unsigned calls_key(const struct load *load, size_t at)
{
    return load->order[at & load->mask];
}

/* Says which call gave a wrong value, and ends the program with status 1. */
_Noreturn void calls_failed(const char *call, const char *key);

/* One get of a key that is there; `value` has VALUE_BYTES + 1 bytes. */
static inline void calls_get(const struct load *load, MPI_Info info, unsigned key, char *value)
{
    int flag = 0;
    value[0] = '\0'; /* what the last get left here must not pass for the result of this one */
    MPI_Info_get(info, load->texts.key[key], VALUE_BYTES, value, &flag);
    if (__builtin_expect(!flag || !workload_whole(&load->texts, value, load->texts.mask[key]), 0))
        calls_failed("MPI_Info_get", load->texts.key[key]);
}

static inline void calls_set(const struct load *load, MPI_Info info, unsigned key, size_t turn)
{
    MPI_Info_set(info, load->texts.key[key], workload_value(&load->texts, key, (unsigned)turn));
}

/* MPI_WORK_SHARED and MPI_WORK_LATENCY. */
struct mpi_result calls_shared(const struct load *load, const struct mpi_order *order);

#endif
