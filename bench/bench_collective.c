/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench_collective: the time of the collective library's calls by number of processes and bytes of the info, compared
 * with a plain MPI call of the same bytes. Starts bench_collective_calls by each MPI's own mpirun.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi_work.h"
#include "harness.h"
#include "options.h"
#include "report.h"

static const struct {
    const char *name;
    const char *mpirun;
    const char *program; /* NULL: built without this MPI */
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

static struct bench_list all_processes = {3, {2, 4, 8}}, all_keys = {4, {1, 16, 256, 4096}};
static unsigned repeats = 5, milliseconds = 20;

static FILE *job_start(size_t flavour, unsigned processes)
{
    char command[4096];
    int at = snprintf(command, sizeof command, "exec '%s' -n %u %s '%s' %u %u", FLAVOURS[flavour].mpirun, processes,
                      FLAVOURS[flavour].oversubscribe ? "--oversubscribe" : "", FLAVOURS[flavour].program, repeats,
                      milliseconds);
    for (size_t k = 0; k < all_keys.n && at < (int)sizeof command; k++)
        at += snprintf(command + at, sizeof command - (size_t)at, " %u", all_keys.at[k]);
    FILE *job = at < (int)sizeof command ? popen(command, "re") : NULL;
    if (!job)
        bench_die("cannot run %s: %s", FLAVOURS[flavour].mpirun, strerror(errno));
    return job;
}

static void put(struct report *report, size_t flavour, unsigned processes, unsigned call, unsigned keys, FILE *job)
{
    double ours[BENCH_REPEAT_MAX], plain[BENCH_REPEAT_MAX];
    unsigned of_call, of_keys, bytes, calls;

    for (unsigned round = 0; round < repeats; round++) {
        if (fscanf(job, COLLECTIVE_LINE, &of_call, &of_keys, &bytes, &calls, &ours[round], &plain[round]) !=
                COLLECTIVE_FIELDS ||
            of_call != call || of_keys != keys)
            bench_die("%s, %u processes: the job failed", FLAVOURS[flavour].name, processes);
    }

    report_enter(report, NULL, '{');
    report_text(report, "mpi", FLAVOURS[flavour].name);
    report_number(report, "processes", processes);
    report_text(report, "call", CALLS[call].name);
    report_number(report, "keys", keys);
    report_number(report, "bytes", bytes);
    report_number(report, "mpi_calls", calls);
    report_spread(report, "us", bench_spread_of(ours, repeats));
    report_text(report, "peer", CALLS[call].peer);
    report_spread(report, "peer_us", bench_spread_of(plain, repeats));
    report_spread(report, "ratio", bench_spread_of_ratios(ours, plain, repeats));
    report_leave(report);
}

static void bench_job(struct report *report, size_t flavour, unsigned processes)
{
    FILE *job = job_start(flavour, processes);
    for (unsigned call = 0; call < COLLECTIVE_CALLS; call++) {
        for (size_t k = 0; k < all_keys.n; k++)
            put(report, flavour, processes, call, all_keys.at[k], job);
    }
    int status = pclose(job);
    if (status != 0)
        bench_die("%s: the job failed (wait status %#x)", FLAVOURS[flavour].name, (unsigned)status);
}

static void bench_all(struct report *report)
{
    int input[2];
    if (pipe(input) || dup2(input[0], STDIN_FILENO) < 0) /* Hydra may die if its input ends before its processes do */
        bench_die("cannot make a pipe");
    if (geteuid() == 0 &&
        (setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1) || setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1)))
        bench_die("out of memory");
    for (size_t flavour = 0; flavour < FLAVOURS_N; flavour++) {
        for (size_t p = 0; p < all_processes.n && FLAVOURS[flavour].program; p++)
            bench_job(report, flavour, all_processes.at[p]);
    }
}

int main(int argc, char **argv)
{
    const struct option_row rows[] = {
        {"processes", OPTION_LIST, 2, 64, "numbers of processes", &all_processes},
        {"keys", OPTION_LIST, 1, 65536, "numbers of keys in the info", &all_keys},
        {OPTION_REPEATS, &repeats},
        {OPTION_MS, &milliseconds},
    };
    struct program program = {
        "bench_collective",
        "Broadcast, agreement and union of infos by processes and bytes, compared with plain MPI calls of the same\n"
        "bytes. All processes run on this machine, and share the processors if there are fewer of these.\n"
        "mpi_calls: MPI calls that the busiest process makes for one call.\n",
        PROGRAM_OPTIONS(rows),
        NO_OPERATIONS,
        false,
        NULL};
    return report_main(&program, argc, argv, bench_all);
}
