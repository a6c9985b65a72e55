/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gate: forks beside other threads. The allocators of clang 14's AddressSanitizer and ThreadSanitizer do not survive a
 * fork while another thread allocates: the child waits for their lock for ever. In their builds whoever is inside the
 * gate holds up a fork; in all others the fork falls into the middle of everything.
 */
#ifndef TESTS_SUPPORT_GATE_H
#define TESTS_SUPPORT_GATE_H

#include <pthread.h>
#include <unistd.h>

#include "support/check.h"
#include "support/scale.h"

static pthread_rwlock_t gate_lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;

static inline void gate_enter(void)
{
    if (TEST_SANITIZED)
        CHECK(pthread_rwlock_rdlock(&gate_lock) == 0);
}

static inline void gate_leave(void)
{
    if (TEST_SANITIZED)
        CHECK(pthread_rwlock_unlock(&gate_lock) == 0);
}

/* As fork. The child is inside for ever: it has no other threads. */
static inline pid_t gate_fork(void)
{
    if (!TEST_SANITIZED)
        return fork();
    CHECK(pthread_rwlock_wrlock(&gate_lock) == 0);
    pid_t child = fork();
    if (child != 0)
        CHECK(pthread_rwlock_unlock(&gate_lock) == 0);
    return child;
}

#endif
