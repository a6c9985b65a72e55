/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rcu: read sections and grace periods, by liburcu-bp, for memory of layers above the core whose readers do not say
 * what they read: versions of hint sets. Only this file includes liburcu.
 *
 * Threads register themselves at their first read section. liburcu-bp has one domain for the whole process, so the
 * calling program may be inside a read section of its own, and must not wait for a grace period then
 * (rcuinfo__rcu_may_wait).
 *
 * ThreadSanitizer cannot see how liburcu orders memory, by a system call and compiler barriers. So we annotate it: the
 * end of a read section releases a tag, and the end of a grace period acquires it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#ifndef __has_feature
#define __has_feature(feature) 0
#endif

/* Inline liburcu's functions, but not for UBSan, which reports the misaligned reader record of liburcu 0.13, nor for
 * the clang analyzer, which takes the pointer to that record for NULL. */
#if !__has_feature(undefined_behavior_sanitizer) && !defined(__clang_analyzer__)
#define _LGPL_SOURCE
#endif
#define URCU_NO_COMPAT_IDENTIFIERS
#include <urcu/static/urcu-bp.h>
#include <urcu/urcu-bp.h>

#if __has_feature(thread_sanitizer)
#include <sanitizer/tsan_interface.h>
extern char rcuinfo__rcu_tag;
#define RCUINFO__RCU_RELEASE() __tsan_release(&rcuinfo__rcu_tag)
#define RCUINFO__RCU_ACQUIRE() __tsan_acquire(&rcuinfo__rcu_tag)
#else
#define RCUINFO__RCU_RELEASE() ((void)0)
#define RCUINFO__RCU_ACQUIRE() ((void)0)
#endif

/* Set in a process that was forked inside a read section (rcuinfo__rcu_abandon). */
extern bool rcuinfo__rcu_abandoned;

/* Whether the calling thread is registered with liburcu, as it is from its first read section on. */
static inline bool rcuinfo__rcu_registered(void)
{
    return __builtin_expect(URCU_TLS(urcu_bp_reader) != NULL, 1);
}
void rcuinfo__rcu_register(void);

/* Begins a read section. Wait-free except for the first call of a thread. Read sections nest. */
static inline void rcuinfo__rcu_read_lock(void)
{
    if (!rcuinfo__rcu_registered())
        rcuinfo__rcu_register();
    urcu_bp_read_lock();
}

static inline void rcuinfo__rcu_read_unlock(void)
{
    RCUINFO__RCU_RELEASE();
    urcu_bp_read_unlock();
}

/* Whether the calling thread is inside a read section, of ours or of the program's. */
static inline bool rcuinfo__rcu_reading(void)
{
    return rcuinfo__rcu_registered() && urcu_bp_read_ongoing() != 0;
}

/* Whether the calling thread may wait for a grace period: not inside a read section, nor in a process that was forked
 * inside one. */
static inline bool rcuinfo__rcu_may_wait(void)
{
    return !rcuinfo__rcu_reading() && !rcuinfo__rcu_abandoned;
}

/* Waits for a grace period: returns when every read section that was open at the call has ended. Do not call it inside
 * a read section, nor with cancellation enabled: it may sleep in poll, which is a cancellation point. */
void rcuinfo__rcu_synchronize(void);

/*
 * Replaces urcu_bp_after_fork_child in the child of a fork inside a read section, where urcu_bp_before_fork could not
 * be called. At the fork other threads may have held liburcu's locks, or been changing its list of readers, so this
 * process must never take those locks or touch that list again: it has no grace periods (rcuinfo__rcu_may_wait), new
 * threads are not registered, and this thread does not unregister when it ends.
 */
void rcuinfo__rcu_abandon(void);
