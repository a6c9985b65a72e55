/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rcu: read sections and grace periods, by liburcu-bp. The only includer of liburcu.
 *
 * bp threads register themselves at their first read section. bp is one domain for the whole process, so the calling
 * program may be inside a read section of its own: then nobody here may wait for a grace period
 * (rcuinfo__rcu_may_wait).
 *
 * What ThreadSanitizer cannot see of liburcu (its fences are a system call and compiler barriers) is told to it: each
 * end of a read section releases a tag that each end of a grace period acquires.
 */
#ifndef RCUINFO_CORE_RCU_H
#define RCUINFO_CORE_RCU_H

#include <stdbool.h>
#include <stddef.h>

#ifndef __has_feature
#define __has_feature(feature) 0
#endif

/* Called there, not inlined: liburcu 0.13 misaligns its reader record, and the analyzer takes its pointer for NULL. */
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

/* Whether this process was forked inside a read section (rcuinfo__rcu_abandon). */
extern bool rcuinfo__rcu_abandoned;

/* Whether the calling thread has had a read section: where it is known, rcuinfo__rcu_read_lock calls no function. */
static inline bool rcuinfo__rcu_registered(void)
{
    return __builtin_expect(URCU_TLS(urcu_bp_reader) != NULL, 1);
}
void rcuinfo__rcu_register(void);

/* Wait-free but for the first call of a thread. Nests. */
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

/* Whether the calling thread may wait for a grace period: it is not inside a read section, and the process is not one
 * that was forked from inside of one. */
static inline bool rcuinfo__rcu_may_wait(void)
{
    return !rcuinfo__rcu_reading() && !rcuinfo__rcu_abandoned;
}

/* Returns when every read section that was open at the call has ended. Not to be called inside one. A cancellation
 * point of the system's (it may sleep in poll): the caller has cancellation disabled. */
void rcuinfo__rcu_synchronize(void);

/* Around fork(): urcu_bp_before_fork, and one of urcu_bp_after_fork_*. */
void rcuinfo__rcu_before_fork(void);
void rcuinfo__rcu_after_fork(bool child);

/*
 * The same for the child of a fork that was made inside a read section, where none could be called before. Other
 * threads may have been forked away with liburcu's locks, and in the middle of its list of readers, so from here on
 * nobody in this process calls what takes or touches these: there are no grace periods (rcuinfo__rcu_may_wait), the
 * sections of new threads are known to nobody, and the end of this thread is kept from liburcu.
 */
void rcuinfo__rcu_abandon(void);

#endif
