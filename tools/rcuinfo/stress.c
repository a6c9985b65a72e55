/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `rcuinfo stress`: threads use one store in every way at once and check all that they see (stress_work.c,
 * stress_check.c), for a number of seconds. The main thread watches the bytes that await a grace period, and at the end
 * says what happened, and whether that was enough to mean anything.
 */
#include "stress.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "core/reclaim.h"
#include "core/recycle.h"
#include "support/workload.h"

#define LOOK_NS      10000000 /* between looks at the retired bytes */
#define PATIENCE_S   120      /* for calls to return after the end */
#define WEIGHT_MOST  1000000
#define SECONDS_MOST 31536000
#define OBJECTS_MOST 10000

struct stress stress;

/* One "kind=weight" of --mix. */
static int parse_weight(char *text, unsigned weights[STRESS_KINDS])
{
    char *weight = strchr(text, '=');
    uint64_t number;
    int status;

    if (weight == NULL)
        return command_complain(COMMAND_USAGE, "stress: --mix: '%s' has no weight, as in get=70", text);
    *weight++ = '\0';
    for (int i = 0; i < STRESS_KINDS; i++) {
        if (strcmp(text, stress_kinds[i].name) == 0) {
            status = command_number("stress", "mix", weight, 0, WEIGHT_MOST, &number);
            weights[i] = (unsigned)number;
            return status;
        }
    }
    return command_complain(COMMAND_USAGE,
                            "stress: --mix: no such operation: '%s': get, set, delete, swap, update, dup, snapshot, "
                            "hot, stay, free, stale or drain",
                            text);
}

/* What --mix does not name is not done. */
static int parse_mix(const char *text, void *into)
{
    struct stress_options *o = into;
    char *copy = strdup(text);
    char *rest = copy;
    char *one;
    int status = COMMAND_OK;
    unsigned sum = 0;

    if (copy == NULL)
        return command_complain(COMMAND_FAILED, "no memory");
    o->mix = text;
    memset(o->weights, 0, sizeof o->weights);
    while (status == COMMAND_OK && (one = strsep(&rest, ",")) != NULL)
        status = parse_weight(one, o->weights);
    free(copy);
    for (int i = 0; i < STRESS_KINDS; i++)
        sum += o->weights[i];
    if (status == COMMAND_OK && sum == 0)
        status = command_complain(COMMAND_USAGE, "stress: --mix: nothing to do: all weights are 0");
    return status;
}

static int parse_seed(const char *text, void *seed)
{
    return command_number("stress", "seed", text, 0, UINT64_MAX, seed);
}

/* Returns COMMAND_GO_ON, or the exit status. */
static int parse(int argc, char *argv[], struct stress_options *o)
{
    const struct command_option options[] = {
        {"seconds", COMMAND_NUMBER, .into = &o->seconds, .least = 1, .most = SECONDS_MOST},
        {"threads", COMMAND_NUMBER, .into = &o->threads, .least = 1, .most = STRESS_THREADS_MAX},
        {"objects", COMMAND_NUMBER, .into = &o->objects, .least = 1, .most = OBJECTS_MOST},
        {"keys", COMMAND_NUMBER, .into = &o->keys, .least = 1, .most = STRESS_KEYS_MAX},
        {"seed", COMMAND_CALL, .into = &o->seed, .take = parse_seed},
        {"mix", COMMAND_CALL, .into = o, .take = parse_mix},
        {.name = NULL}};
    struct timespec now;

    *o = (struct stress_options){.seconds = 10, .threads = 8, .objects = 16, .keys = 8};
    for (int i = 0; i < STRESS_KINDS; i++)
        o->weights[i] = stress_kinds[i].weight;
    clock_gettime(CLOCK_REALTIME, &now);
    o->seed = (uint64_t)now.tv_nsec ^ (uint64_t)now.tv_sec << 20 ^ (uint64_t)getpid() << 40;

    int status = command_options(argc, argv, options, true);
    if (status == COMMAND_GO_ON && optind < argc)
        return command_complain(COMMAND_USAGE, "stress: takes no argument '%s' (see rcuinfo --help)", argv[optind]);
    return status;
}

/* Memory for all of it; the process ends when there is none. */
static void *need(size_t n, size_t size)
{
    size_t bytes = (n * size + 63) / 64 * 64;
    void *memory = aligned_alloc(64, bytes);

    if (memory == NULL)
        exit(command_complain(COMMAND_FAILED, "no memory"));
    return memset(memory, 0, bytes);
}

/* For as long as the process. */
static void set_up(void)
{
    const struct stress_options *o = &stress.options;

    stress.all_keys = o->keys + STRESS_GROUP + 1;
    stress.key_names = need(stress.all_keys, sizeof *stress.key_names);
    for (unsigned key = 0; key < stress.all_keys; key++)
        workload_key(stress.key_names[key], key);
    stress.places = need(o->objects, sizeof *stress.places);
    stress.workers = need(o->threads, sizeof *stress.workers);
    for (unsigned i = 0; i < o->threads; i++) {
        stress.workers[i].index = i;
        stress.workers[i].seen = need(o->objects, sizeof *stress.workers[i].seen);
        stress.workers[i].last = need((size_t)o->objects * stress.all_keys, sizeof *stress.workers[i].last);
    }
}

/* Creates and frees until slots are used again: the queue of free ones has to be full before any is, and is from then
 * on, so each object of the run takes a slot that another had. */
static void fill_slots(void)
{
    rcuinfo_stats_t stats;

    do {
        for (int i = 0; i < 1024; i++) {
            rcuinfo_t info;

            if (rcuinfo_create(&info) != RCUINFO_SUCCESS || rcuinfo_free(&info) != RCUINFO_SUCCESS)
                stress_violation("a new object is none");
        }
        (void)rcuinfo_store_drain();
        rcuinfo_store_stats(&stats);
    } while (stats.reused_slots == 0);
}

static uint64_t sum_kind(int kind)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < stress.options.threads; i++)
        sum += atomic_load_explicit(&stress.workers[i].counts[kind], memory_order_relaxed);
    return sum;
}

static uint64_t sum_all(void)
{
    uint64_t sum = 0;

    for (int kind = 0; kind < STRESS_KINDS; kind++)
        sum += sum_kind(kind);
    return sum;
}

/* The hard limit, the largest block of each thread that may be at replacing it, with room for half of its pairs again,
 * and a step of each stripe. */
static uint64_t retired_most(void)
{
    uint64_t version = 8192 + (uint64_t)stress.all_keys * (RCUINFO_MAX_KEY + RCUINFO_MAX_VALUE + 64) * 3 / 2;

    return RCUINFO__RECLAIM_HARD_LIMIT + stress.options.threads * version +
           RCUINFO__RECYCLE_STRIPES * RCUINFO__RECYCLE_STEP;
}

static void check_limit(const rcuinfo_stats_t *stats)
{
    uint64_t most = stats->retired > stats->peak_retired ? stats->retired : stats->peak_retired;

    if (most > retired_most())
        stress_violation("the limit is not kept: %" PRIu64 " bytes await a grace period, %" PRIu64 " may", most,
                         retired_most());
}

static double seconds_since(const struct timespec *start)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) / 1e9;
}

static void watch(const rcuinfo_stats_t *at_start)
{
    bool terminal = isatty(STDERR_FILENO);
    struct timespec start;
    unsigned shown = 0;
    double passed;

    clock_gettime(CLOCK_MONOTONIC, &start);
    while ((passed = seconds_since(&start)) < stress.options.seconds) {
        struct timespec look = {.tv_nsec = LOOK_NS};
        rcuinfo_stats_t stats;

        (void)nanosleep(&look, NULL);
        rcuinfo_store_stats(&stats);
        check_limit(&stats);
        if (!terminal || (unsigned)passed == shown)
            continue;
        shown = (unsigned)passed;
        fprintf(stderr,
                "\rstress: %u s, %" PRIu64 " operations, %" PRIu64 " slot reuses, %" PRIu64 " grace periods, %" PRIu64
                " KiB retired   ",
                shown, sum_all(), stats.reused_slots - at_start->reused_slots,
                stats.grace_periods - at_start->grace_periods, stats.retired >> 10);
    }
    if (terminal)
        fputc('\n', stderr);
}

static void *worker_main(void *argument)
{
    stress_work(argument);
    return NULL;
}

/* Starts the threads, watches, and waits for their last operations to end. */
static void run(const rcuinfo_stats_t *at_start)
{
    pthread_t threads[STRESS_THREADS_MAX] = {0};
    struct timespec latest;

    for (unsigned i = 0; i < stress.options.threads; i++) {
        int error = pthread_create(&threads[i], NULL, worker_main, &stress.workers[i]);

        if (error != 0)
            exit(command_complain(COMMAND_FAILED, "stress: no thread: %s", strerror(error)));
    }
    watch(at_start);
    atomic_store(&stress.stop, true);
    clock_gettime(CLOCK_REALTIME, &latest);
    latest.tv_sec += PATIENCE_S;
    for (unsigned i = 0; i < stress.options.threads; i++) {
        if (pthread_timedjoin_np(threads[i], NULL, &latest) != 0) {
            stress_self = &stress.workers[i];
            stress_violation("a call does not return");
        }
    }
}

/* Everything is freed: the store must be empty. */
static void check_end(rcuinfo_stats_t *stats)
{
    for (unsigned place = 0; place < stress.options.objects; place++) {
        rcuinfo_t info = atomic_load(&stress.places[place].handle);

        if (rcuinfo_free(&info) != RCUINFO_SUCCESS)
            stress_violation("an object cannot be freed, at the end");
    }
    if (rcuinfo_store_drain() != 0)
        stress_violation("bytes that are never reclaimed");
    rcuinfo_store_stats(stats);
    check_limit(stats);
    if (stats->live != 0 || stats->retired != 0)
        stress_violation("something is left: %" PRIu64 " objects, %" PRIu64 " bytes", stats->live, stats->retired);
}

static int too_little(uint64_t number, const char *what)
{
    return command_complain(COMMAND_FAILED, "stress: too little happened to mean anything: %" PRIu64 " %s", number,
                            what);
}

/* Prints what happened; returns whether it was enough. */
static int report(const rcuinfo_stats_t *start, const rcuinfo_stats_t *end)
{
    const struct stress_options *o = &stress.options;
    uint64_t reuses = end->reused_slots - start->reused_slots;
    uint64_t grace_periods = end->grace_periods - start->grace_periods;
    uint64_t ages = 0, gone = 0;
    int status = COMMAND_OK;

    for (unsigned i = 0; i < o->threads; i++) {
        ages += atomic_load(&stress.workers[i].ages);
        gone += atomic_load(&stress.workers[i].on_gone);
    }
    printf("%" PRIu64 " operations in %u s by %u threads, seed %" PRIu64 "\n", sum_all(), o->seconds, o->threads,
           o->seed);
    for (int kind = 0; kind < STRESS_KINDS; kind++)
        printf("  %-9s %12" PRIu64 "\n", stress_kinds[kind].name, sum_kind(kind));
    printf("%" PRIu64 " slot reuses, %" PRIu64 " grace periods, %" PRIu64 " ages watched, %" PRIu64
           " calls on objects freed meanwhile\n%" PRIu64 " bytes retired at the peak, of %" PRIu64 " that may be\n",
           reuses, grace_periods, ages, gone, end->peak_retired, retired_most());
    if (fflush(stdout) != 0)
        status = command_complain(COMMAND_FAILED, "stress: the output could not be written");
    for (int kind = 0; kind < STRESS_KINDS; kind++) {
        if (o->weights[kind] > 0 && sum_kind(kind) == 0)
            status = too_little(0, stress_kinds[kind].name);
    }
    if (reuses < o->seconds)
        status = too_little(reuses, "slot reuses");
    if (grace_periods < o->seconds)
        status = too_little(grace_periods, "grace periods");
    return status;
}

int command_stress(int argc, char *argv[])
{
    rcuinfo_stats_t at_start;
    rcuinfo_stats_t at_end;
    int status = parse(argc, argv, &stress.options);

    if (status != COMMAND_GO_ON)
        return status;
    set_up();
    stress_catch_crashes();
    fill_slots();
    stress_self = &stress.workers[0];
    for (unsigned place = 0; place < stress.options.objects; place++)
        stress_fill_place(stress_self, place);
    stress_self = NULL;
    rcuinfo_store_stats(&at_start);
    run(&at_start);
    check_end(&at_end);
    return report(&at_start, &at_end);
}
