/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gate: forks while other threads run. With clang 14's AddressSanitizer and ThreadSanitizer, the child of a fork while
 * another thread allocates waits for the allocator's lock for ever. In their builds a fork waits until no thread is
 * inside the gate; in all other builds it may happen at any time.
 */
#pragma once

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

/* Like fork. The child, which has no other threads, stays inside the gate. */
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
