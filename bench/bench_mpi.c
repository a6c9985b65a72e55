/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench_mpi: MPI_Info_* calls of one program on plain MPICH and on plain Open MPI, and of the very same program with
 * the store under it, against what we want to reach.
 *
 * In each round the processes measure a row in turn, one at a time, in an order that moves on from round to round; a
 * ratio compares two numbers of one round.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mpi_work.h"
#include "options.h"
#include "report.h"

#define SHARED_KEYS 16
#define CALLS_PART  50 /* of a run of threads: what a run of one thread takes */

enum mpi_flavour { MPI_FLAVOUR_MPICH, MPI_FLAVOUR_OPENMPI, MPI_FLAVOURS };

/* A program that is measured: bench_mpi_calls on an MPI, as it is or under `rcuinfo run`. All are started once and wait
 * for orders, so that only one is at work at a time. */
struct mpi_child {
    const char *name;
    pid_t pid;
    int socket;
    char version[128];
};

struct bench {
    unsigned repeats;
    unsigned milliseconds;
    struct report *report;
    struct mpi_child plain[MPI_FLAVOURS];
    struct mpi_child store[MPI_FLAVOURS]; /* the same programs on the store */
};

/* One thread: targets are ratios of times, at most; 0: none. */
static const struct calls_row {
    const char *name;
    enum mpi_work work;
    unsigned keys;
    double target[MPI_FLAVOURS]; /* MPICH, Open MPI */
} CALLS[] = {
    {"get hit", MPI_WORK_GET, 1, {0.85, 0.35}},
    {"get hit", MPI_WORK_GET, 4, {0.9, 0.4}},
    {"get hit", MPI_WORK_GET, 16, {0.5, 0.35}},
    {"get hit", MPI_WORK_GET, 128, {0.15, 0}},
    {"get hit", MPI_WORK_GET, 1024, {0.02, 0.02}},
    {"get hit", MPI_WORK_GET, 8192, {0.01, 0}},
    {"get miss", MPI_WORK_GET_MISS, 16, {0.5, 0.4}},
    {"get miss", MPI_WORK_GET_MISS, 1024, {0.02, 0}},
    {"get_nthkey", MPI_WORK_NTHKEY, 1, {1.5, 0.4}},
    {"get_nthkey", MPI_WORK_NTHKEY, 16, {1.0, 0.4}},
    {"get_nthkey", MPI_WORK_NTHKEY, 128, {0.3, 0.4}},
    {"get_nkeys", MPI_WORK_NKEYS, 1, {2.0, 2.0}},
    {"get_nkeys", MPI_WORK_NKEYS, 16, {1.0, 2.0}},
    {"set", MPI_WORK_SET, 1, {2.0, 0}},
    {"set", MPI_WORK_SET, 4, {1.2, 0.9}},
    {"set", MPI_WORK_SET, 16, {0.8, 0.7}},
    {"set", MPI_WORK_SET, 32, {0.6, 0.5}},
    {"set", MPI_WORK_SET, 128, {0.35, 0.3}},
    {"set", MPI_WORK_SET, 1024, {0.08, 0.08}},
    {"set", MPI_WORK_SET, 8192, {0.02, 0.02}},
    {"dup + free", MPI_WORK_DUP, 1, {1.0, 0.6}},
    {"dup + free", MPI_WORK_DUP, 16, {0.1, 0.6}},
    {"dup + free", MPI_WORK_DUP, 128, {0, 0.6}},
    {"dup + free", MPI_WORK_DUP, 1024, {0, 0.6}},
    {"create 8 sets free", MPI_WORK_CREATE, 8, {0.5, 0.5}},
    {"Comm_set_info", MPI_WORK_COMM_SET, 4, {2, 3}},
    {"Win_set_info", MPI_WORK_WIN_SET, 4, {2, 3}},
    {"Comm_get_info + free", MPI_WORK_COMM_GET, 4, {2, 3}},
    {"File_get_info + free", MPI_WORK_FILE_GET, 4, {2, 3}},
    {"Alloc_mem + free", MPI_WORK_LEND, 4, {2, 3}},
};

/*
 * One thread on the store alone, a large object against a small one: filling an object of so many keys takes a list
 * minutes. And the longest of all sets in a run of threads, of which one writes.
 */
static const struct growth_row {
    const char *name;
    const char *against;
    enum mpi_work work;
    unsigned keys;
    unsigned few;
    double target;
} GROWTH[] = {
    {"set", "rcuinfo, 16 keys", MPI_WORK_SET, 65536, 16, 12},
    {"dup + free", "rcuinfo, 1 key", MPI_WORK_DUP, 65536, 1, 1.5},
    {"set, maximum", "rcuinfo, 16 keys", MPI_WORK_LATENCY, 65536, 16, 0},
};

/* Threads on one object, on Open MPI: ratios of calls a second, at least. Plain MPICH crashes when threads do this. */
static const struct shared_row {
    unsigned readers;
    unsigned writers;
    double gets;
    double sets;
    double both;
} SHARED[] = {
    {1, 1, 6, 2.5, 4}, {4, 4, 6, 1.0, 4}, {7, 1, 8, 1.5, 8}, {1, 7, 8, 0.6, 4}, {0, 2, 0, 1.2, 0}, {0, 8, 0, 1.2, 0},
};

/* One of those that measure a row: who, and what; then what came of it. */
struct side {
    const struct mpi_child *child;
    struct mpi_order order;
    double value[MPI_WORK_VALUES][BENCH_REPEAT_MAX];
};

/* One line of the output, of the store's numbers and those that they are held against. */
struct line {
    const char *call;
    unsigned value; /* of a result */
    double target;  /* of the median; 0: none */
    const char *against;
    const char *unit; /* of the numbers */
    bool more;        /* the greater number is the better one, so targets are at least, not at most */
    bool alone;       /* the target is for the store's number, not for the ratio */
};

/* The quantiles of MPI_WORK_QUANTILES, and the maximum. */
static const struct line LATENCY[MPI_WORK_VALUES] = {
    {"set, p50", 0, 0, "Open MPI", "us", false, true},     {"set, p99", 1, 0, "Open MPI", "us", false, true},
    {"set, p99.9", 2, 100, "Open MPI", "us", false, true}, {"set, p99.99", 3, 25000, "Open MPI", "us", false, true},
    {"set, maximum", 4, 0, "Open MPI", "us", false, true},
};

static const struct {
    const char *name;
    const char *interposed;
    const char *program; /* NULL: this MPI was not there when we were built */
} FLAVOURS[MPI_FLAVOURS] = {
    [MPI_FLAVOUR_MPICH] = {"MPICH", "rcuinfo on MPICH", BENCH_MPI_CALLS_MPICH},
    [MPI_FLAVOUR_OPENMPI] = {"Open MPI", "rcuinfo on Open MPI", BENCH_MPI_CALLS_OPENMPI},
};

/* In the new process. Of the sockets it keeps the one that it is told of. */
static _Noreturn void become(const char *program, bool interposed, int socket)
{
    char text[16];
    snprintf(text, sizeof text, "%d", socket);
    fcntl(socket, F_SETFD, 0);
    if (interposed)
        execl(BENCH_MPI_RCUINFO, BENCH_MPI_RCUINFO, "run", program, text, (char *)NULL);
    else
        execl(program, program, text, (char *)NULL);
    bench_die("cannot run %s: %s", interposed ? BENCH_MPI_RCUINFO : program, strerror(errno));
}

/* Says how a child ended that should not have ended, and ends this program. */
static _Noreturn void child_ended(const struct mpi_child *child)
{
    int status = 0;
    waitpid(child->pid, &status, 0);
    if (WIFSIGNALED(status))
        bench_die("%s: its process was killed by signal %d (%s)", child->name, WTERMSIG(status),
                  strsignal(WTERMSIG(status)));
    bench_die("%s: its process ended with status %d", child->name, WEXITSTATUS(status));
}

/* Starts one and waits for its hello; one without the store that should have it, or with it, ends this program. */
static struct mpi_child mpi_child_start(enum mpi_flavour flavour, bool interposed)
{
    struct mpi_child child = {.name = interposed ? FLAVOURS[flavour].interposed : FLAVOURS[flavour].name};
    struct mpi_hello hello;
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) || (child.pid = fork()) < 0)
        bench_die("cannot start a process: %s", strerror(errno));
    if (child.pid == 0)
        become(FLAVOURS[flavour].program, interposed, ends[1]);
    close(ends[1]);
    child.socket = ends[0];
    if (recv(child.socket, &hello, sizeof hello, 0) != (ssize_t)sizeof hello)
        child_ended(&child);
    if ((hello.interposed != 0) != interposed)
        bench_die("%s: the store is %s its process", child.name, interposed ? "not in" : "in");
    memcpy(child.version, hello.version, sizeof child.version);
    return child;
}

/* A child that ends, which is what a wrong value makes it do, ends this program with status 1. */
static struct mpi_result mpi_child_ask(const struct mpi_child *child, const struct mpi_order *order)
{
    struct mpi_result result;
    if (send(child->socket, order, sizeof *order, MSG_NOSIGNAL) != (ssize_t)sizeof *order ||
        recv(child->socket, &result, sizeof result, 0) != (ssize_t)sizeof result)
        child_ended(child);
    return result;
}

static void mpi_child_stop(struct mpi_child *child)
{
    int status = 0;
    close(child->socket);
    if (waitpid(child->pid, &status, 0) != child->pid || status != 0)
        bench_die("%s: its process did not end well", child->name);
}

static void measure_one(void *context, size_t index, unsigned round)
{
    struct side *side = &((struct side *)context)[index];
    struct mpi_result result = mpi_child_ask(side->child, &side->order);
    for (size_t v = 0; v < MPI_WORK_VALUES; v++)
        side->value[v][round] = result.value[v];
}

static void put_target(struct report *report, const struct line *line, double reached)
{
    bool met = line->more ? reached >= line->target : reached <= line->target;
    if (line->target <= 0)
        return;
    printf("  %s%s %.4g: %s", line->alone ? "rcuinfo " : "", line->more ? ">=" : "<=", line->target,
           met ? "met" : "NOT MET");
    report_number(report, "target", line->target);
    report_text(report, "target_of", line->alone ? "rcuinfo" : "ratio");
    report_number(report, "met", met);
}

static void put_line(const struct bench *bench, const struct line *line, const struct mpi_order *order,
                     const double *store, const double *other)
{
    struct report *report = bench->report;
    unsigned n = bench->repeats;
    struct bench_spread ours = bench_spread_of(store, n), ratio = bench_spread_of_ratios(store, other, n);
    report_enter(report, NULL, '{');
    show_text(report, "call", -23, line->call);
    show_number(report, "keys", 7, order->keys);
    show_number(report, "readers", 7, order->readers);
    show_number(report, "writers", 7, order->writers);
    show_text(report, "against", -18, line->against);
    show_text(report, "unit", -4, line->unit);
    report_number(report, "more_is_better", line->more);
    show_spread(report, "other", bench_spread_of(other, n));
    show_spread(report, "rcuinfo", ours);
    show_ratio(report, "ratio", ratio);
    put_target(report, line, line->alone ? ours.median : ratio.median);
    report_leave(report);
    printf("\n");
    fflush(stdout);
}

/* Measures the store and what it is held against, and puts `n` lines. */
static void compare(const struct bench *bench, const struct mpi_child *store, struct mpi_order order,
                    const struct mpi_child *other, struct mpi_order other_order, const struct line *lines, size_t n)
{
    struct side sides[] = {{.child = store, .order = order}, {.child = other, .order = other_order}};
    bench_rounds(2, bench->repeats, measure_one, sides);
    for (size_t i = 0; i < n; i++)
        put_line(bench, &lines[i], &order, sides[0].value[lines[i].value], sides[1].value[lines[i].value]);
}

static uint64_t run_ns(const struct bench *bench)
{
    return (uint64_t)bench->milliseconds * 1000000;
}

/* `natively`: what the plain program does meanwhile. */
static void bench_calls(const struct bench *bench, const struct calls_row *row, enum mpi_work natively)
{
    struct mpi_order order = {.work = row->work, .keys = row->keys, .nanoseconds = run_ns(bench) / CALLS_PART};
    struct mpi_order plain = order;
    plain.work = natively;
    for (enum mpi_flavour f = MPI_FLAVOUR_MPICH; f < MPI_FLAVOURS; f++) {
        struct line line = {.call = row->name, .target = row->target[f], .against = bench->plain[f].name, .unit = "ns"};
        if (FLAVOURS[f].program)
            compare(bench, &bench->store[f], order, &bench->plain[f], plain, &line, 1);
    }
}

static void bench_growth(const struct bench *bench, const struct growth_row *row)
{
    bool longest = row->work == MPI_WORK_LATENCY;
    struct mpi_order order = {row->work, row->keys, 0, longest, longest ? run_ns(bench) : run_ns(bench) / CALLS_PART};
    struct mpi_order few = order;
    const struct mpi_child *store =
        &bench->store[FLAVOURS[MPI_FLAVOUR_MPICH].program ? MPI_FLAVOUR_MPICH : MPI_FLAVOUR_OPENMPI];
    struct line line = {.call = row->name,
                        .value = longest ? MPI_WORK_VALUES - 1 : 0,
                        .target = row->target,
                        .against = row->against,
                        .unit = longest ? "us" : "ns"};
    few.keys = row->few;
    compare(bench, store, order, store, few, &line, 1);
}

static struct mpi_order shared_order(const struct bench *bench, enum mpi_work work, unsigned readers, unsigned writers)
{
    return (struct mpi_order){work, SHARED_KEYS, readers, writers, run_ns(bench)};
}

/* The store on Open MPI against Open MPI alone. */
static void bench_openmpi(const struct bench *bench, struct mpi_order order, const struct line *lines, size_t n)
{
    compare(bench, &bench->store[MPI_FLAVOUR_OPENMPI], order, &bench->plain[MPI_FLAVOUR_OPENMPI], order, lines, n);
}

static void bench_shared(const struct bench *bench, const struct shared_row *row)
{
    const struct line all[] = {{"gets", MPI_WORK_GETS, row->gets, "Open MPI", "M/s", true, false},
                               {"sets", MPI_WORK_SETS, row->sets, "Open MPI", "M/s", true, false},
                               {"gets and sets", MPI_WORK_BOTH, row->both, "Open MPI", "M/s", true, false}};
    bench_openmpi(bench, shared_order(bench, MPI_WORK_SHARED, row->readers, row->writers), row->readers ? all : all + 1,
                  row->readers ? 3 : 1);
}

/* Two readers of one object against one. */
static void bench_readers(const struct bench *bench)
{
    const struct mpi_child *store = &bench->store[MPI_FLAVOUR_OPENMPI];
    const struct line line = {"gets", MPI_WORK_GETS, 1.9, "rcuinfo, 1 reader", "M/s", true, false};
    compare(bench, store, shared_order(bench, MPI_WORK_SHARED, 2, 0), store, shared_order(bench, MPI_WORK_SHARED, 1, 0),
            &line, 1);
}

static void start(struct bench *bench)
{
    report_enter(bench->report, "mpi", '{');
    for (enum mpi_flavour f = MPI_FLAVOUR_MPICH; f < MPI_FLAVOURS; f++) {
        if (!FLAVOURS[f].program)
            continue;
        bench->plain[f] = mpi_child_start(f, false);
        bench->store[f] = mpi_child_start(f, true);
        printf("# %-9s %s\n", bench->plain[f].name, bench->plain[f].version);
        report_text(bench->report, bench->plain[f].name, bench->plain[f].version);
    }
    report_leave(bench->report);
}

static void stop(struct bench *bench)
{
    for (enum mpi_flavour f = MPI_FLAVOUR_MPICH; f < MPI_FLAVOURS; f++) {
        if (!FLAVOURS[f].program)
            continue;
        mpi_child_stop(&bench->plain[f]);
        mpi_child_stop(&bench->store[f]);
    }
}

/* One thread hands an info to MPI on the store, which makes a real one for it; against making and freeing such a one.
 */
static const struct calls_row LENDING = {"MPI_Alloc_mem with info", MPI_WORK_LEND, 16, {3, 3}};

static void bench_all(const struct bench *bench)
{
    printf(
        "\n# min / median / max of %u rounds; ratio: rcuinfo / the other, median (min to max) of the rounds' ratios\n"
        "call                       keys readers writers against            unit the other, rcuinfo, ratio, target "
        "(median)\n",
        bench->repeats);
    for (size_t i = 0; i < sizeof CALLS / sizeof CALLS[0]; i++)
        bench_calls(bench, &CALLS[i], CALLS[i].work);
    bench_calls(bench, &LENDING, MPI_WORK_CREATE);
    for (size_t i = 0; i < sizeof GROWTH / sizeof GROWTH[0]; i++)
        bench_growth(bench, &GROWTH[i]);
    if (!FLAVOURS[MPI_FLAVOUR_OPENMPI].program)
        return;
    for (size_t i = 0; i < sizeof SHARED / sizeof SHARED[0]; i++)
        bench_shared(bench, &SHARED[i]);
    bench_readers(bench);
    bench_openmpi(bench, shared_order(bench, MPI_WORK_LATENCY, 1, 1), LATENCY, MPI_WORK_VALUES);
}

int main(int argc, char **argv)
{
    bool quick = false;
    static struct bench bench;
    const struct option_row rows[] = {
        {"quick", OPTION_FLAG, 0, 0, "the same rows within about 20 seconds", &quick},
        {"repeats", OPTION_NUMBER, 1, BENCH_REPEAT_MAX, "rounds of each row (11; quick: 5)", &bench.repeats},
        {"ms", OPTION_NUMBER, 1, 60000,
         "milliseconds of threads in a round (200; quick: 100); one thread: a fraction of it", &bench.milliseconds},
    };
    struct program program = {
        "bench_mpi",
        "MPI_Info_* calls on plain MPICH and Open MPI, and the same program under rcuinfo: ratios beside targets,\n"
        "which may be missed. Threads share an info only on Open MPI: plain MPICH crashes when they do.\n",
        PROGRAM_OPTIONS(rows), NULL, NULL};
    options_read(&program, argc, argv);
    bench.repeats = bench.repeats ? bench.repeats : quick ? 5 : 11;
    bench.milliseconds = bench.milliseconds ? bench.milliseconds : quick ? 100 : 200;
    struct report report = report_open(&program);
    bench.report = &report;
    start(&bench);
    report_enter(&report, "rows", '[');
    bench_all(&bench);
    report_close(&report);
    stop(&bench);
    return 0;
}
