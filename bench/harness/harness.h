/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * harness: functions that all bench programs need: the clock, threads that start together, and checks of options. Does
 * not depend on tables or peers.
 *
 * Invalid arguments end the program with status 2, failures of the machine or of a peer with status 1.
 */
#pragma once

#include <err.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BENCH_LIST_MAX   32
#define BENCH_THREAD_MAX 256
#define BENCH_REPEAT_MAX 1000

/* The alignment that prevents false sharing between threads: x86 prefetches cache lines in pairs. */
#define BENCH_APART 128

struct bench_list {
    size_t n;
    unsigned at[BENCH_LIST_MAX];
};

/* The number of processors that this process may run on. */
unsigned bench_cores(void);

/* Numbers of threads: 1, and 1, 2 and 4 times the cores. */
struct bench_list bench_default_threads(void);

/* CLOCK_MONOTONIC in nanoseconds. */
uint64_t bench_now(void);

/*
 * Calls body(context, index) in `threads` new threads, which start together after a barrier; meanwhile calls
 * conduct(context), unless NULL, in this thread. Returns when all have returned.
 */
void bench_threads(unsigned threads, void (*body)(void *context, unsigned index), void (*conduct)(void *context),
                   void *context);

/*
 * Threads that get and set as fast as they can. The number of their calls is read at two instants, so a thread that is
 * not scheduled in between simply contributes nothing.
 */
enum crowd_call { CROWD_GETS, CROWD_SETS, CROWD_CALLS };
enum crowd_phase { CROWD_WARM_UP, CROWD_MEASURE, CROWD_STOP };

struct crowd {
    unsigned threads;
    uint64_t nanoseconds; /* between the two instants; a tenth of that is the warm-up */
    double per_us[CROWD_CALLS];
    _Alignas(BENCH_APART) _Atomic enum crowd_phase phase;
    struct {
        _Alignas(BENCH_APART) _Atomic uint64_t calls[CROWD_CALLS];
    } done[BENCH_THREAD_MAX];
};

/* Calls body(crowd, index) in each thread, which must return once the phase is CROWD_STOP; sets per_us. */
void crowd_run(struct crowd *crowd, void (*body)(void *crowd, unsigned index));

static inline enum crowd_phase crowd_phase(struct crowd *crowd)
{
    return atomic_load_explicit(&crowd->phase, memory_order_relaxed);
}

/* Publishes the number of calls of that kind that this thread has made so far. */
static inline void crowd_count(struct crowd *crowd, unsigned index, enum crowd_call call, uint64_t calls)
{
    atomic_store_explicit(&crowd->done[index].calls[call], calls, memory_order_relaxed);
}

/* The number of this thread: its index in bench_threads + 1, 0 for the main thread. */
extern _Thread_local unsigned bench_thread;

/*
 * Calls one(context, peer, round) for each of `peers` in each of `repeats` rounds. The first peer changes from round to
 * round. If stderr is a terminal, it shows the round.
 */
void bench_rounds(size_t peers, unsigned repeats, void (*one)(void *context, size_t peer, unsigned round),
                  void *context);

/* Parses a number from least to most, or a comma-separated list of such numbers; anything else ends the program. */
unsigned bench_number(const char *option, const char *text, unsigned least, unsigned most);
struct bench_list bench_numbers(const char *option, const char *text, unsigned least, unsigned most);

/* Allocates zeroed memory, aligned to BENCH_APART bytes, for the caller to free. */
void *bench_memory(size_t bytes);

/* Heap bytes in use, with the overhead of malloc and its caches for threads. */
size_t bench_heap(void);

/* Print an error, and end the program with status 2 or 1. */
#define bench_usage(...) errx(2, __VA_ARGS__)
_Noreturn void bench_die(const char *format, ...) __attribute__((format(printf, 1, 2)));
