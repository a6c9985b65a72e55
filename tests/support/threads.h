/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * threads: teams of threads that start together, and a barrier for many short rounds. Nothing sleeps: a waiting thread
 * spins, and yields the processor after a while.
 */
#pragma once

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "support/check.h"

#define TEAM_MAX 64

struct team_member {
    pthread_t thread;
    void (*body)(unsigned index, void *argument);
    void *argument;
    atomic_uint *missing; /* threads that have not started yet */
    unsigned index;
};

static inline void team_relax(unsigned *spins)
{
    if (++*spins % 256 == 0)
        sched_yield();
}

/* Waits until the condition holds. */
#define TEAM_UNTIL(condition)                                                                                          \
    do {                                                                                                               \
        for (unsigned team_spins = 0; !(condition); team_relax(&team_spins))                                           \
            continue;                                                                                                  \
    } while (0)

static inline void team_wait(atomic_bool *flag)
{
    TEAM_UNTIL(atomic_load(flag));
}

/* Waits until the first thread of the process, or of this child, has ended. Asks the kernel, which keeps its number,
 * that of the process: in a child of fork glibc 2.43 cannot join this thread, and ThreadSanitizer never can. */
static inline void team_outlive_first(void)
{
    for (unsigned spins = 0;; team_relax(&spins)) {
        char text[512] = "";
        FILE *file = fopen("/proc/self/stat", "r"); /* the number, the name in brackets, the state */
        CHECK(file && fread(text, 1, sizeof text - 1, file) > 0 && fclose(file) == 0);
        const char *name_end = strrchr(text, ')');
        CHECKF(name_end && name_end[1] == ' ', "%s", text);
        if (name_end[2] == 'Z')
            return;
    }
}

static inline void *team_main(void *argument)
{
    struct team_member *self = argument;
    atomic_fetch_sub(self->missing, 1);
    TEAM_UNTIL(atomic_load(self->missing) == 0);
    self->body(self->index, self->argument);
    return NULL;
}

/* Runs body(0..n-1, argument) in n threads that start together, and waits for all of them. */
static inline void team_run(unsigned n, void (*body)(unsigned index, void *argument), void *argument)
{
    atomic_uint missing;
    struct team_member members[TEAM_MAX];
    CHECK(n >= 1 && n <= TEAM_MAX);
    atomic_init(&missing, n);
    for (unsigned i = 0; i < n; i++) {
        members[i] = (struct team_member){.body = body, .argument = argument, .missing = &missing, .index = i};
        CHECK(pthread_create(&members[i].thread, NULL, team_main, &members[i]) == 0);
    }
    for (unsigned i = 0; i < n; i++)
        CHECK(pthread_join(members[i].thread, NULL) == 0);
}

/* A spinning barrier; phase is the caller's own counter, 0 at first. */
struct spin_barrier {
    atomic_ulong arrived;
    unsigned long width;
};

static inline void spin_barrier_wait(struct spin_barrier *barrier, unsigned long *phase)
{
    ++*phase;
    atomic_fetch_add(&barrier->arrived, 1);
    TEAM_UNTIL(atomic_load(&barrier->arrived) >= *phase * barrier->width);
}
