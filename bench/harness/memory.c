/* SPDX-License-Identifier: BSD-3-Clause */
/* memory: see memory.h. */
#include "memory.h"

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <rcuinfo/snapshot.h>
#include <rcuinfo/store.h>

#include "harness.h"
#include "workload.h"

#define BATCH 16 /* operations between two looks at the stop flag; gets between two snapshots */

/* There when the program was built with a sanitizer, which has a malloc of its own. */
extern size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

size_t heap_in_use(void)
{
    if (__sanitizer_get_current_allocated_bytes)
        return __sanitizer_get_current_allocated_bytes();
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

void heap_child(void (*body)(const void *context, void *result), const void *context, void *result, size_t bytes)
{
    int status = 0;
    void *shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        bench_die("no memory for %zu bytes", bytes);
    fflush(stdout);
    pid_t child = fork();
    if (child < 0)
        bench_die("cannot fork: %s", strerror(errno));
    if (child == 0) {
        body(context, shared);
        _Exit(0);
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        bench_die("a process that measured has failed (wait status %d)", status);
    memcpy(result, shared, bytes);
    munmap(shared, bytes);
}

/* What a thread has done, and the snapshots that it has open; its own until it ends. */
struct worker {
    _Alignas(BENCH_APART) uint64_t gets;
    uint64_t sets;
    uint64_t nanoseconds;
    uint32_t *schedule;
    const rcuinfo_snapshot_t **held;
    size_t opened;
};

struct state {
    const struct storm *storm;
    const struct peer *store;
    struct workload load;
    rcuinfo_t *object;
    size_t mask;
    _Alignas(BENCH_APART) atomic_bool stop;
    struct worker worker[BENCH_THREAD_MAX];
};

/* Whatever was written since, a snapshot has all pairs, in their order, whole. */
static void close_whole(const struct state *state, const rcuinfo_snapshot_t *snapshot)
{
    rcuinfo_pair_t pair;
    bool good = rcuinfo_snapshot_count(snapshot) == state->load.keys;
    for (unsigned n = 0; good && n < state->load.keys; n++)
        good = rcuinfo_snapshot_nth(snapshot, n, &pair) == RCUINFO_SUCCESS &&
               strcmp(pair.key, state->load.key[n]) == 0 && pair.value_length == state->load.value_bytes &&
               workload_whole(&state->load, pair.value, state->load.mask[n]);
    if (!good)
        bench_die("a snapshot is not what it should be");
    rcuinfo_snapshot_close(snapshot);
}

static void hold(const struct state *state, struct worker *worker, rcuinfo_t object)
{
    const rcuinfo_snapshot_t **place = &worker->held[worker->opened % state->storm->held];
    if (*place)
        close_whole(state, *place);
    must(rcuinfo_snapshot_open(object, place), "snapshot");
    worker->opened++;
}

static void storm_body(void *context, unsigned index)
{
    _Alignas(BENCH_APART) char value[RCUINFO_MAX_VALUE];
    struct state *state = context;
    struct worker *worker = &state->worker[index];
    bool writes = index < state->storm->writers;
    uint64_t done = 0, start = bench_now();
    do {
        rcuinfo_t object = state->object[(done / BATCH + index) % state->storm->objects];
        if (!writes && state->storm->held)
            hold(state, worker, object);
        for (unsigned i = 0; i < BATCH; i++, done++) {
            unsigned key = worker->schedule[done & state->mask];
            if (writes)
                workload_set(&state->load, state->store, object, key, (unsigned)done);
            else
                workload_get(&state->load, state->store, object, key, value);
        }
    } while (!atomic_load_explicit(&state->stop, memory_order_relaxed));
    *(writes ? &worker->sets : &worker->gets) = done;
    worker->nanoseconds = bench_now() - start;
}

static void conduct(void *context)
{
    struct state *state = context;
    bench_sleep_until(bench_now() + (uint64_t)state->storm->milliseconds * 1000000);
    atomic_store_explicit(&state->stop, true, memory_order_relaxed);
}

static struct state *make_state(const struct storm *storm)
{
    struct state *state = bench_memory(sizeof *state);
    state->storm = storm;
    state->store = peers_named(PEER_STORE).at[0];
    state->load = workload_make(storm->keys, storm->value_bytes);
    state->object = bench_memory(storm->objects * sizeof *state->object);
    for (unsigned i = 0; i < storm->writers + storm->readers; i++) {
        state->worker[i].schedule =
            workload_schedule(&state->load, (struct workload_mix){.objects = 1}, i + 1, &state->mask);
        state->worker[i].held = bench_memory(storm->held * sizeof *state->worker[i].held);
    }
    return state;
}

static void drain(void)
{
    if (rcuinfo_store_drain() != 0)
        bench_die("something still waits for a grace period after a drain that nobody disturbed");
}

/* Every object still has all its keys; every snapshot that is open is whole. */
static void check_and_close(struct state *state)
{
    char value[RCUINFO_MAX_VALUE];
    const struct storm *storm = state->storm;
    for (unsigned i = 0; i < storm->objects; i++) {
        for (unsigned key = 0; key < storm->keys; key++)
            workload_get(&state->load, state->store, state->object[i], key, value);
    }
    for (unsigned i = 0; i < storm->writers + storm->readers; i++) {
        for (unsigned h = 0; h < storm->held; h++) {
            if (state->worker[i].held[h])
                close_whole(state, state->worker[i].held[h]);
        }
    }
}

void storm_run(const void *context, void *result)
{
    const struct storm *storm = context;
    struct storm_result *out = result;
    struct state *state = make_state(storm);
    rcuinfo_stats_t stats;
    size_t before = heap_in_use();
    for (unsigned i = 0; i < storm->objects; i++)
        state->object[i] = workload_fill(&state->load, state->store, storm->keys);
    drain();
    out->filled = (double)heap_in_use() - (double)before;
    bench_threads(storm->writers + storm->readers, storm_body, conduct, state);
    out->stopped = (double)heap_in_use() - (double)before;
    rcuinfo_store_stats(&stats);
    drain();
    out->drained = (double)heap_in_use() - (double)before;
    check_and_close(state);
    drain();
    out->closed = (double)heap_in_use() - (double)before;
    out->peak_retired = (double)stats.peak_retired;
    out->grace_periods = (double)stats.grace_periods;
    for (unsigned i = 0; i < storm->writers + storm->readers; i++) {
        double microseconds = (double)state->worker[i].nanoseconds / 1000;
        out->sets_per_us += (double)state->worker[i].sets / microseconds;
        out->gets_per_us += (double)state->worker[i].gets / microseconds;
    }
}
