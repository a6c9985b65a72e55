/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench_collective: what the calls of the collective library cost over the number of processes and the bytes of the
 * info, beside a plain MPI call of the same bytes. Starts bench_collective_calls by each MPI's own mpirun.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collective_work.h"
#include "harness.h"
#include "options.h"
#include "report.h"

#define PROCESSES_MAX 64
#define KEYS_MAX      65536

static const struct {
    const char *name;
    const char *mpirun;
    const char *program; /* NULL: this MPI was not there when we were built */
    bool oversubscribe;
} FLAVOURS[] = {{"MPICH", BENCH_COLLECTIVE_MPIRUN_MPICH, BENCH_COLLECTIVE_CALLS_MPICH, false},
                {"Open MPI", BENCH_COLLECTIVE_MPIRUN_OPENMPI, BENCH_COLLECTIVE_CALLS_OPENMPI, true}};
enum { FLAVOURS_N = sizeof FLAVOURS / sizeof FLAVOURS[0] };

static const struct {
    const char *name;
    const char *peer;
} CALLS[COLLECTIVE_CALLS] = {[COLLECTIVE_BCAST] = {"bcast", "MPI_Bcast"},
                             [COLLECTIVE_AGREE] = {"agree", "MPI_Allreduce, 64 B"},
                             [COLLECTIVE_ODD] = {"agree, one odd", "MPI_Allreduce, 64 B"},
                             [COLLECTIVE_UNION] = {"union", "MPI_Allreduce"}};

struct options {
    struct bench_list processes;
    struct bench_list keys;
    unsigned repeats;
    unsigned milliseconds;
};

/* The rounds of one call with one number of keys in one number of processes. */
struct cell {
    unsigned bytes;
    unsigned calls;
    double ours[BENCH_REPEAT_MAX];
    double plain[BENCH_REPEAT_MAX];
};

static FILE *job_start(const struct options *options, size_t flavour, unsigned processes)
{
    char command[4096];
    int at = snprintf(command, sizeof command, "exec '%s' -n %u %s '%s' %u %u", FLAVOURS[flavour].mpirun, processes,
                      FLAVOURS[flavour].oversubscribe ? "--oversubscribe" : "", FLAVOURS[flavour].program,
                      options->repeats, options->milliseconds);
    for (size_t k = 0; k < options->keys.n && at < (int)sizeof command; k++)
        at += snprintf(command + at, sizeof command - (size_t)at, " %u", options->keys.at[k]);
    FILE *job = at < (int)sizeof command ? popen(command, "re") : NULL;
    if (!job)
        bench_die("cannot run %s: %s", FLAVOURS[flavour].mpirun, strerror(errno));
    return job;
}

/* The cells of one number of processes: [call][keys]. */
static void run(const struct options *options, size_t flavour, unsigned processes, struct cell *cells)
{
    FILE *job = job_start(options, flavour, processes);
    for (unsigned call = 0; call < COLLECTIVE_CALLS; call++) {
        for (size_t k = 0; k < options->keys.n; k++) {
            struct cell *cell = &cells[call * options->keys.n + k];
            for (unsigned round = 0; round < options->repeats; round++) {
                unsigned which, keys;
                if (fscanf(job, COLLECTIVE_LINE, &which, &keys, &cell->bytes, &cell->calls, &cell->ours[round],
                           &cell->plain[round]) != COLLECTIVE_FIELDS ||
                    which != call || keys != options->keys.at[k])
                    bench_die("%s, %u processes: the job failed", FLAVOURS[flavour].name, processes);
            }
        }
    }
    int status = pclose(job);
    if (status != 0)
        bench_die("%s: the job ended with %#x", FLAVOURS[flavour].name, (unsigned)status);
}

static struct bench_spread spread_us(const double *ns, unsigned n)
{
    struct bench_spread spread = bench_spread_of(ns, n);
    return (struct bench_spread){spread.min / 1000, spread.median / 1000, spread.max / 1000};
}

/* growth: the median over that in the first number of processes. */
static void put(const struct options *options, struct report *report, size_t flavour, unsigned call, size_t p, size_t k,
                const struct cell *cell, const struct cell *first)
{
    unsigned repeats = options->repeats;
    struct bench_spread ours = spread_us(cell->ours, repeats);
    report_enter(report, NULL, '{');
    report_text(report, "mpi", FLAVOURS[flavour].name);
    report_text(report, "call", CALLS[call].name);
    report_number(report, "keys", options->keys.at[k]);
    report_number(report, "bytes", cell->bytes);
    report_number(report, "processes", options->processes.at[p]);
    report_number(report, "mpi_calls", cell->calls);
    report_spread(report, "us", ours);
    report_text(report, "peer", CALLS[call].peer);
    report_spread(report, "peer_us", spread_us(cell->plain, repeats));
    report_spread(report, "ratio", bench_spread_of_ratios(cell->ours, cell->plain, repeats));
    report_number(report, "growth", ours.median / spread_us(first->ours, repeats).median);
    report_leave(report);
}

static void bench_flavour(const struct options *options, struct report *report, size_t flavour)
{
    size_t part = COLLECTIVE_CALLS * options->keys.n;
    struct cell *cells = bench_memory(options->processes.n * part * sizeof *cells);
    for (size_t p = 0; p < options->processes.n; p++) {
        run(options, flavour, options->processes.at[p], cells + p * part);
    }
    for (unsigned call = 0; call < COLLECTIVE_CALLS; call++) {
        for (size_t k = 0; k < options->keys.n; k++) {
            const struct cell *cell = &cells[call * options->keys.n + k];
            for (size_t p = 0; p < options->processes.n; p++)
                put(options, report, flavour, call, p, k, &cell[p * part], cell);
        }
    }
    free(cells);
}

int main(int argc, char **argv)
{
    struct options options = {
        .processes = {3, {2, 4, 8}}, .keys = {4, {1, 16, 256, 4096}}, .repeats = 5, .milliseconds = 20};
    const struct option_row rows[] = {
        {"processes", OPTION_LIST, 2, PROCESSES_MAX, "numbers of processes", &options.processes},
        {"keys", OPTION_LIST, 1, KEYS_MAX, "numbers of keys in the info", &options.keys},
        {OPTION_REPEATS, &options.repeats},
        {OPTION_MS, &options.milliseconds},
    };
    struct program program = {
        "bench_collective",
        "Broadcast, agreement and union of infos over processes and bytes, beside plain MPI calls of the same "
        "bytes.\n"
        "All processes run here, so where they are more than the processors the growth is that of sharing these;\n"
        "mpi_calls is how many calls of MPI the busiest process makes for one; growth, over the first number of "
        "processes.\n",
        PROGRAM_OPTIONS(rows), NO_OPERATIONS, NULL};
    options_read(&program, argc, argv);
    int input[2];
    if (pipe(input) || dup2(input[0], STDIN_FILENO) < 0) /* Hydra ends badly when its input does before its processes */
        bench_die("cannot make a pipe");
    if (geteuid() == 0 &&
        (setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1) || setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1)))
        bench_die("no memory");
    struct report report = report_open(&program);
    report_enter(&report, "rows", '[');
    for (size_t flavour = 0; flavour < FLAVOURS_N; flavour++) {
        if (FLAVOURS[flavour].program)
            bench_flavour(&options, &report, flavour);
    }
    report_close(&report);
    return 0;
}
