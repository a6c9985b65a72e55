/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench_collective_calls: the MPI program that bench_collective starts (mpi_work.h). All processes have equal infos,
 * except for COLLECTIVE_ODD, where one differs. So every result is known; a wrong one ends the job with status 1.
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <rcuinfo/mpi_collective.h>
#include <rcuinfo/pack.h>
#include <rcuinfo/rcuinfo.h>

#include "mpi/collective/counted.h"
#include "mpi_work.h"
#include "peers.h"

#define VALUE_BYTES 24
#define AGREE_WORDS 8 /* reduced by one agreement */

static int rank, size;

/* The data for measurements with one number of keys. */
struct load {
    unsigned keys;
    rcuinfo_t info;
    rcuinfo_t odd; /* the same, except on the last rank */
    char (*text)[32];
    const char **key;
    unsigned bytes; /* packed */
    char *mine;     /* buffers of this size, for plain calls */
    char *all;
};

static void load_make(struct load *load, unsigned keys)
{
    char value[VALUE_BYTES + 1];
    const rcuinfo_snapshot_t *snapshot;

    *load = (struct load){.keys = keys, .text = bench_memory(keys * sizeof *load->text)};
    load->key = bench_memory(keys * sizeof *load->key);
    must(rcuinfo_create(&load->info), "create");
    for (unsigned n = 0; n < keys; n++) {
        snprintf(load->text[n], sizeof load->text[n], "cb_config_%u", n);
        snprintf(value, sizeof value, "%0*u", VALUE_BYTES, n);
        load->key[n] = load->text[n];
        must(rcuinfo_set(load->info, load->text[n], value), "set");
    }

    must(rcuinfo_dup(load->info, &load->odd), "dup");
    if (rank == size - 1)
        must(rcuinfo_set(load->odd, load->key[0], "odd"), "set");

    must(rcuinfo_snapshot_open(load->info, &snapshot), "snapshot");
    load->bytes = (unsigned)rcuinfo_pack_size(snapshot);
    rcuinfo_snapshot_close(snapshot);
    load->mine = bench_memory(load->bytes);
    load->all = bench_memory(load->bytes);
}

static void load_unmake(struct load *load)
{
    must(rcuinfo_free(&load->info), "free");
    must(rcuinfo_free(&load->odd), "free");
    free(load->text);
    free(load->key);
    free(load->mine);
    free(load->all);
}

/* Checks that the result of a broadcast or a union has as many keys as the info, and its last key. */
static void check_info(const struct load *load, int code, rcuinfo_t *got, const char *what)
{
    int nkeys = 0, length = 0, flag = 0;
    if (code || rcuinfo_get_nkeys(*got, &nkeys) || nkeys != (int)load->keys ||
        rcuinfo_get_valuelen(*got, load->key[load->keys - 1], &length, &flag) || !flag || length != VALUE_BYTES ||
        rcuinfo_free(got))
        bench_die("%s of %u keys: a wrong value", what, load->keys);
}

static void call_bcast(const struct load *load)
{
    rcuinfo_t got;
    check_info(load, rcuinfo_mpi_bcast(load->info, 0, MPI_COMM_WORLD, &got), &got, "bcast");
}

static void call_union(const struct load *load)
{
    rcuinfo_t got;
    check_info(load, rcuinfo_mpi_union(load->info, MPI_COMM_WORLD, &got), &got, "union");
}

static void call_agree(const struct load *load)
{
    size_t found;
    int agree = 0;
    if (rcuinfo_mpi_agree(load->info, load->key, load->keys, 0, MPI_COMM_WORLD, &agree, NULL, 0, &found) || !agree)
        bench_die("agree of %u keys: a wrong value", load->keys);
}

static void call_odd(const struct load *load)
{
    rcuinfo_disagreement_t told;
    size_t found;
    int agree = 1;
    if (rcuinfo_mpi_agree(load->odd, load->key, load->keys, 0, MPI_COMM_WORLD, &agree, &told, 1, &found) || agree ||
        (rank == 0 && (found != 1 || (size > 2 && told.odd_rank != size - 1))))
        bench_die("agree, one odd of %u keys: a wrong value", load->keys);
}

static void plain_bcast(const struct load *load)
{
    PMPI_Bcast(load->mine, (int)load->bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void plain_reduce(const struct load *load)
{
    PMPI_Allreduce(load->mine, load->all, (int)load->bytes, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
}

static void plain_agree(const struct load *load)
{
    uint64_t mine[AGREE_WORDS] = {load->keys}, all[AGREE_WORDS];
    PMPI_Allreduce(mine, all, AGREE_WORDS, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
}

typedef void call_t(const struct load *load);

static const struct {
    call_t *ours;
    call_t *plain;
} CALLS[COLLECTIVE_CALLS] = {[COLLECTIVE_BCAST] = {call_bcast, plain_bcast},
                             [COLLECTIVE_AGREE] = {call_agree, plain_agree},
                             [COLLECTIVE_ODD] = {call_odd, plain_agree},
                             [COLLECTIVE_UNION] = {call_union, plain_reduce}};

/* Returns, on all processes, the nanoseconds that `n` calls take on the slowest one. */
static double time_calls(call_t *call, const struct load *load, unsigned n)
{
    PMPI_Barrier(MPI_COMM_WORLD);
    uint64_t start = bench_now();
    for (unsigned i = 0; i < n; i++)
        call(load);
    double taken = (double)(bench_now() - start);
    PMPI_Allreduce(MPI_IN_PLACE, &taken, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return taken;
}

/* Returns the nanoseconds of one call, from as many as fit into the time. */
static double measure(call_t *call, const struct load *load, double nanoseconds)
{
    double one = time_calls(call, load, 1) + 1;
    unsigned n = (unsigned)(nanoseconds / one) + 1;
    return time_calls(call, load, n) / n;
}

static unsigned count_calls(call_t *call, const struct load *load)
{
    counted_reset();
    call(load);
    int most = counted.reductions + counted.broadcasts + counted.messages;
    PMPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return (unsigned)most;
}

static void measure_rounds(unsigned which, const struct load *load, unsigned rounds, double nanoseconds)
{
    unsigned calls = count_calls(CALLS[which].ours, load);
    for (unsigned round = 0; round < rounds; round++) {
        double us[2]; /* ours, plain */
        for (unsigned i = 0; i < 2; i++) {
            bool plain = (i + round) % 2;
            us[plain] = measure(plain ? CALLS[which].plain : CALLS[which].ours, load, nanoseconds) / 1000;
        }
        if (rank == 0)
            printf(COLLECTIVE_LINE, which, load->keys, load->bytes, calls, us[0], us[1]);
    }
    fflush(stdout);
}

int main(int argc, char *argv[])
{
    if (argc < 4 || MPI_Init(&argc, &argv) || MPI_Comm_rank(MPI_COMM_WORLD, &rank) ||
        MPI_Comm_size(MPI_COMM_WORLD, &size))
        bench_die("this program is started by bench_collective");
    unsigned rounds = bench_number("rounds", argv[1], 1, BENCH_REPEAT_MAX);
    double nanoseconds = bench_number("ms", argv[2], 1, 60000) * 1e6;
    for (unsigned which = 0; which < COLLECTIVE_CALLS; which++) {
        for (int at = 3; at < argc; at++) {
            struct load load;
            load_make(&load, bench_number("keys", argv[at], 1, 65536));
            measure_rounds(which, &load, rounds, nanoseconds);
            load_unmake(&load);
        }
    }
    return MPI_Finalize();
}
