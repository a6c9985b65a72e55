/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * harness: what every bench program needs whatever it measures: the clock, statistics of repeats, threads that start
 * together, and options that are checked. Knows nothing of tables or peers.
 *
 * Errors of the user end the program with status 2, failures of the machine or of a peer with status 1.
 */
#ifndef BENCH_HARNESS_H
#define BENCH_HARNESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BENCH_LIST_MAX   32
#define BENCH_THREAD_MAX 256
#define BENCH_REPEAT_MAX 1000

/* Bytes that keep two threads' data apart: x86 fetches lines in pairs. */
#define BENCH_APART 128

struct bench_list {
    size_t n;
    unsigned at[BENCH_LIST_MAX];
};

struct bench_spread {
    double min;
    double median;
    double max;
};

/* Processors that this process may run on. */
unsigned bench_cores(void);

/* Numbers of threads: 1, and 1, 2 and 4 times the cores. */
struct bench_list bench_default_threads(void);

/* CLOCK_MONOTONIC in nanoseconds. */
uint64_t bench_now(void);

/* Spread of n values, 1 to BENCH_REPEAT_MAX. */
struct bench_spread bench_spread_of(const double *values, size_t n);

/* Spread of the ratios above[i] / below[i], each of which was measured in the same round. */
struct bench_spread bench_spread_of_ratios(const double *above, const double *below, size_t n);

/*
 * Calls body(context, index) in `threads` new threads, which a barrier releases at once; meanwhile calls
 * conduct(context), unless NULL, in this one. Returns when all have returned.
 */
void bench_threads(unsigned threads, void (*body)(void *context, unsigned index), void (*conduct)(void *context),
                   void *context);

/*
 * Threads that get and set as fast as they can. Their calls are read at two instants by one clock: a thread that is not
 * on a processor meanwhile has simply done nothing.
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

/* Calls body(crowd, index) in each thread, which goes on until the phase is CROWD_STOP; sets per_us. */
void crowd_run(struct crowd *crowd, void (*body)(void *crowd, unsigned index));

static inline enum crowd_phase crowd_phase(struct crowd *crowd)
{
    return atomic_load_explicit(&crowd->phase, memory_order_relaxed);
}

/* The calls of that kind that this thread has made so far. */
static inline void crowd_count(struct crowd *crowd, unsigned index, enum crowd_call call, uint64_t calls)
{
    atomic_store_explicit(&crowd->done[index].calls[call], calls, memory_order_relaxed);
}

/* The number of this thread: its index in bench_threads + 1, 0 for the main thread. */
extern _Thread_local unsigned bench_thread;

/*
 * Calls one(context, peer, round) for each of `peers` in each of `repeats` rounds. Who comes first moves on from round
 * to round, so that nobody is always measured after the same other one. A terminal shows the round.
 */
void bench_rounds(size_t peers, unsigned repeats, void (*one)(void *context, size_t peer, unsigned round),
                  void *context);

/* A number from least to most, or a list of such with commas between; anything else ends the program. */
unsigned bench_number(const char *option, const char *text, unsigned least, unsigned most);
struct bench_list bench_numbers(const char *option, const char *text, unsigned least, unsigned most);

/* Memory aligned to BENCH_APART bytes and zeroed; given back with free. */
void *bench_memory(size_t bytes);

/* Bytes of malloc's in use, with its overhead and what it keeps for a thread. */
size_t bench_heap(void);

/* Say what is wrong, and end the program with status 2 or 1. */
_Noreturn void bench_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void bench_die(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
