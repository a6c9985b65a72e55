/* SPDX-License-Identifier: BSD-3-Clause */
/* harness: see harness.h. */
#include "harness.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

unsigned bench_cores(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return (unsigned)CPU_COUNT(&set);
    return (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
}

struct bench_list bench_default_threads(void)
{
    unsigned cores = bench_cores();
    struct bench_list list = {.n = 0};
    for (unsigned n = 1; n <= 4 * cores && n <= BENCH_THREAD_MAX; n = n < cores ? cores : 2 * n)
        list.at[list.n++] = n;
    return list;
}

uint64_t bench_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Sleeps until bench_now() has reached `when`. */
static void sleep_until(uint64_t when)
{
    struct timespec until = {.tv_sec = (time_t)(when / 1000000000), .tv_nsec = (long)(when % 1000000000)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
        continue;
}

_Thread_local unsigned bench_thread;

struct thread {
    void (*body)(void *context, unsigned index);
    void *context;
    pthread_barrier_t *start;
    pthread_t id;
    unsigned index;
};

static void *thread_main(void *argument)
{
    struct thread *thread = argument;
    bench_thread = thread->index + 1;
    pthread_barrier_wait(thread->start);
    thread->body(thread->context, thread->index);
    return NULL;
}

void bench_threads(unsigned threads, void (*body)(void *context, unsigned index), void (*conduct)(void *context),
                   void *context)
{
    struct thread all[BENCH_THREAD_MAX];
    pthread_barrier_t start;
    if (pthread_barrier_init(&start, NULL, threads + 1))
        bench_die("cannot make a barrier");
    for (unsigned i = 0; i < threads; i++) {
        all[i] = (struct thread){.body = body, .context = context, .start = &start, .index = i};
        if (pthread_create(&all[i].id, NULL, thread_main, &all[i]))
            bench_die("cannot start thread %u of %u", i + 1, threads);
    }
    pthread_barrier_wait(&start);
    if (conduct)
        conduct(context);
    for (unsigned i = 0; i < threads; i++)
        pthread_join(all[i].id, NULL);
    pthread_barrier_destroy(&start);
}

static uint64_t crowd_calls(struct crowd *crowd, enum crowd_call call)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < crowd->threads; i++)
        sum += atomic_load_explicit(&crowd->done[i].calls[call], memory_order_relaxed);
    return sum;
}

static void crowd_conduct(void *context)
{
    struct crowd *crowd = context;
    sleep_until(bench_now() + crowd->nanoseconds / 10);
    atomic_store_explicit(&crowd->phase, CROWD_MEASURE, memory_order_relaxed);
    uint64_t start = bench_now(), gets = crowd_calls(crowd, CROWD_GETS), sets = crowd_calls(crowd, CROWD_SETS);
    sleep_until(start + crowd->nanoseconds);
    double us = (double)(bench_now() - start) / 1000;
    crowd->per_us[CROWD_GETS] = (double)(crowd_calls(crowd, CROWD_GETS) - gets) / us;
    crowd->per_us[CROWD_SETS] = (double)(crowd_calls(crowd, CROWD_SETS) - sets) / us;
    atomic_store_explicit(&crowd->phase, CROWD_STOP, memory_order_relaxed);
}

void crowd_run(struct crowd *crowd, void (*body)(void *crowd, unsigned index))
{
    crowd->phase = CROWD_WARM_UP;
    memset(crowd->done, 0, sizeof crowd->done);
    bench_threads(crowd->threads, body, crowd_conduct, crowd);
}

void bench_rounds(size_t peers, unsigned repeats, void (*one)(void *context, size_t peer, unsigned round),
                  void *context)
{
    bool terminal = isatty(STDERR_FILENO);
    for (unsigned round = 0; round < repeats; round++) {
        if (terminal)
            fprintf(stderr, "\rround %u of %u ", round + 1, repeats);
        for (size_t i = 0; i < peers; i++)
            one(context, (i + round) % peers, round);
    }
    if (terminal)
        fputs("\r\033[K", stderr);
}

struct bench_list bench_numbers(const char *option, const char *text, unsigned least, unsigned most)
{
    struct bench_list list = {.n = 0};
    for (char *end;; text = end + 1) {
        errno = 0;
        unsigned long value = strtoul(text, &end, 10);
        if (text[0] < '0' || text[0] > '9' || errno || value < least || value > most || (*end && *end != ','))
            bench_usage("--%s \"%s\": expected integers from %u to %u, separated by commas", option, text, least, most);
        if (list.n == BENCH_LIST_MAX)
            bench_usage("--%s takes at most %d numbers", option, BENCH_LIST_MAX);
        list.at[list.n++] = (unsigned)value;
        if (!*end)
            return list;
    }
}

unsigned bench_number(const char *option, const char *text, unsigned least, unsigned most)
{
    struct bench_list list = bench_numbers(option, text, least, most);
    if (list.n != 1)
        bench_usage("--%s \"%s\": expected one number", option, text);
    return list.at[0];
}

void *bench_memory(size_t bytes)
{
    size_t rounded = (bytes + BENCH_APART - 1) / BENCH_APART * BENCH_APART;
    void *memory = aligned_alloc(BENCH_APART, rounded);
    if (!memory)
        bench_die("out of memory: cannot allocate %zu bytes", bytes);
    return memset(memory, 0, rounded);
}

size_t bench_heap(void)
{
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

void bench_die(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fflush(stdout);
    vwarnx(format, arguments);
    /* Other threads may still run, so no destructor may. */
    _Exit(1);
}
