/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench_collective: what the calls of the collective library cost over the number of processes and the bytes of the
 * info, beside a plain MPI call of the same bytes. Starts bench_collective_calls by each MPI's own mpirun.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collective_work.h"
#include "harness.h"
#include "options.h"
#include "report.h"

#define PROCESSES_MAX 64
#define KEYS_MAX      65536
#define NUMBER_TEXT   12

extern char **environ;

static const struct {
    const char *name;
    const char *mpirun; /* NULL: this MPI was not there when we were built */
    const char *program;
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
    const char *json;
};

/* The rounds of one call with one number of keys in one number of processes. */
struct cell {
    unsigned bytes;
    unsigned calls;
    double ours[BENCH_REPEAT_MAX];
    double plain[BENCH_REPEAT_MAX];
};

struct job {
    pid_t pid;
    FILE *output;
    int input; /* stays open: Hydra ends badly when its input does before its processes */
};

static struct job job_start(const struct options *options, size_t flavour, unsigned processes)
{
    char text[3 + BENCH_LIST_MAX][NUMBER_TEXT];
    const char *argv[16 + BENCH_LIST_MAX] = {FLAVOURS[flavour].mpirun, "-n", text[0]};
    size_t at = 3;
    posix_spawn_file_actions_t actions;
    struct job job;
    int in[2], out[2];
    snprintf(text[0], NUMBER_TEXT, "%u", processes);
    snprintf(text[1], NUMBER_TEXT, "%u", options->repeats);
    snprintf(text[2], NUMBER_TEXT, "%u", options->milliseconds);
    if (FLAVOURS[flavour].oversubscribe)
        argv[at++] = "--oversubscribe";
    argv[at++] = FLAVOURS[flavour].program;
    argv[at++] = text[1];
    argv[at++] = text[2];
    for (size_t k = 0; k < options->keys.n; k++) {
        snprintf(text[3 + k], NUMBER_TEXT, "%u", options->keys.at[k]);
        argv[at++] = text[3 + k];
    }
    if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC) || posix_spawn_file_actions_init(&actions) ||
        posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO) ||
        posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO))
        bench_die("no pipe: %s", strerror(errno));
    int error = posix_spawn(&job.pid, FLAVOURS[flavour].mpirun, &actions, NULL, (char *const *)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[1]);
    job.input = in[1];
    job.output = fdopen(out[0], "r");
    if (error || !job.output)
        bench_die("cannot run %s: %s", FLAVOURS[flavour].mpirun, strerror(error ? error : errno));
    return job;
}

static void job_end(const struct job *job, const char *name)
{
    int status = 0;
    fclose(job->output);
    if (waitpid(job->pid, &status, 0) != job->pid || status != 0)
        bench_die("%s: the job ended with %#x", name, (unsigned)status);
    close(job->input);
}

/* The cells of one number of processes: [call][keys]. */
static void run(const struct options *options, size_t flavour, unsigned processes, struct cell *cells)
{
    struct job job = job_start(options, flavour, processes);
    for (unsigned call = 0; call < COLLECTIVE_CALLS; call++) {
        for (size_t k = 0; k < options->keys.n; k++) {
            struct cell *cell = &cells[call * options->keys.n + k];
            for (unsigned round = 0; round < options->repeats; round++) {
                unsigned which, keys;
                if (fscanf(job.output, COLLECTIVE_LINE, &which, &keys, &cell->bytes, &cell->calls, &cell->ours[round],
                           &cell->plain[round]) != COLLECTIVE_FIELDS ||
                    which != call || keys != options->keys.at[k])
                    bench_die("%s, %u processes: the job failed", FLAVOURS[flavour].name, processes);
            }
        }
    }
    job_end(&job, FLAVOURS[flavour].name);
}

#define HEAD "%-9s %-15s %6s %7s %4s %6s  %-26s %-20s %-26s %-24s %7s\n"
#define LINE "%-9s %-15s %6u %7u %4u %6u  %-26s %-20s %-26s %-24s %7.2f\n"

static struct bench_spread spread_us(const double *ns, unsigned n)
{
    double us[BENCH_REPEAT_MAX];
    for (unsigned i = 0; i < n; i++)
        us[i] = ns[i] / 1000;
    return bench_spread_of(us, n);
}

/* growth: the median over that in the first number of processes. */
static void put(const struct options *options, struct report *report, size_t flavour, unsigned call, size_t p, size_t k,
                const struct cell *cell, const struct cell *first)
{
    struct bench_spread ours = spread_us(cell->ours, options->repeats),
                        plain = spread_us(cell->plain, options->repeats);
    struct bench_spread ratio = bench_spread_of_ratios(cell->ours, cell->plain, options->repeats);
    double growth = ours.median / spread_us(first->ours, options->repeats).median;
    char texts[3][64];
    snprintf(texts[0], sizeof texts[0], "%.4g / %.4g / %.4g", ours.min, ours.median, ours.max);
    snprintf(texts[1], sizeof texts[1], "%.4g / %.4g / %.4g", plain.min, plain.median, plain.max);
    snprintf(texts[2], sizeof texts[2], "%.3g (%.3g to %.3g)", ratio.median, ratio.min, ratio.max);
    printf(LINE, FLAVOURS[flavour].name, CALLS[call].name, options->keys.at[k], cell->bytes, options->processes.at[p],
           cell->calls, texts[0], CALLS[call].peer, texts[1], texts[2], growth);
    report_enter(report, NULL, '{');
    report_text(report, "mpi", FLAVOURS[flavour].name);
    report_text(report, "call", CALLS[call].name);
    report_text(report, "peer", CALLS[call].peer);
    report_number(report, "keys", options->keys.at[k]);
    report_number(report, "bytes", cell->bytes);
    report_number(report, "processes", options->processes.at[p]);
    report_number(report, "mpi_calls", cell->calls);
    report_spread(report, "us", ours);
    report_spread(report, "peer_us", plain);
    report_spread(report, "ratio", ratio);
    report_number(report, "growth", growth);
    report_leave(report);
}

static void bench_flavour(const struct options *options, struct report *report, size_t flavour)
{
    size_t part = COLLECTIVE_CALLS * options->keys.n;
    struct cell *cells = bench_memory(options->processes.n * part * sizeof *cells);
    uint64_t start = bench_now();
    for (size_t p = 0; p < options->processes.n; p++) {
        bench_progress(start, p, options->processes.n, FLAVOURS[flavour].name);
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

static _Noreturn void help(void)
{
    printf(
        "usage: bench_collective [options]\n"
        "Broadcast, agreement and union of infos over processes and bytes, beside plain MPI calls of the same bytes.\n"
        "All processes run here, so where they are more than the processors the growth is that of sharing these;\n"
        "\"calls\" is how many calls of MPI the busiest process makes for one.\n\n"
        "  -p, --processes LIST  numbers of processes, 2 or more (2,4,8)\n"
        "  -k, --keys LIST       numbers of keys in the info (1,16,256,4096)\n"
        "  -r, --repeats N       rounds (5)\n"
        "  -m, --ms N            milliseconds for each number (20)\n"
        "  -j, --json FILE       write the numbers there as well\n"
        "  -h, --help\n\n"
        "Ends with 0; with 1 when a call failed or gave a wrong outcome; with 2 for a bad option.\n");
    exit(0);
}

int main(int argc, char **argv)
{
    struct options options = {.processes = {3, {2, 4, 8}}, .keys = {4, {1, 16, 256, 4096}}, .repeats = 5};
    options.milliseconds = 20;
    const struct option_row rows[] = {
        {"processes", 'p', OPTION_LIST, &options.processes, 2, PROCESSES_MAX},
        {"keys", 'k', OPTION_LIST, &options.keys, 1, KEYS_MAX},
        {"repeats", 'r', OPTION_NUMBER, &options.repeats, 1, BENCH_REPEAT_MAX},
        {"ms", 'm', OPTION_NUMBER, &options.milliseconds, 1, 60000},
        {"json", 'j', OPTION_TEXT, &options.json, 0, 0},
    };
    options_read(argc, argv, rows, sizeof rows / sizeof rows[0], help);
    if (geteuid() == 0 &&
        (setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1) || setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1)))
        bench_die("no memory");
    struct report report = report_open("bench_collective", options.json);
    report_number(&report, "repeats", options.repeats);
    report_number(&report, "ms", options.milliseconds);
    report_enter(&report, "rows", '[');
    printf(
        "\n# microseconds: min / median / max of %u rounds; ratio: median (min to max) of the rounds' ratios; growth:\n"
        "# the median over that of %u processes\n" HEAD,
        options.repeats, options.processes.at[0], "mpi", "call", "keys", "bytes", "P", "calls", "rcuinfo", "beside", "",
        "ratio", "growth");
    for (size_t flavour = 0; flavour < FLAVOURS_N; flavour++) {
        if (FLAVOURS[flavour].mpirun)
            bench_flavour(&options, &report, flavour);
    }
    report_leave(&report);
    report_close(&report);
    return 0;
}
