/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ck: ck_stack and ck_ring, the two header-only parts of ConcurrencyKit that the library uses. Only this file includes
 * them.
 *
 * ThreadSanitizer understands neither CK's inline assembly nor the volatile accesses of its builtin mode. On machines
 * other than x86, CK 0.7.1 also lacks a barrier between the load of a ring's element and the compare-exchange that
 * takes it. In both cases we replace the primitives of ck_pr.h by __atomic builtins: loads acquire, stores release, and
 * read-modify-writes do both, which is what the fences of CK amount to. ck_ring reads an element before it knows that
 * it got it (when the compare-exchange fails, what was read is discarded), so its copy of a pointer must be atomic,
 * too.
 */
#ifndef RCUINFO_CORE_CK_H
#define RCUINFO_CORE_CK_H

#ifndef __has_feature
#define __has_feature(feature) 0
#endif

#if __has_feature(thread_sanitizer) || !defined(__x86_64__)
#include <stdbool.h>
#include <string.h>

#include <ck_cc.h>
#include <ck_pr.h>
#include <ck_string.h>

#undef ck_pr_load_ptr
#undef ck_pr_load_uint
#undef ck_pr_store_uint
#undef ck_pr_fas_ptr
#define ck_pr_load_ptr(at)         ((void *)__atomic_load_n((void *const *)(const void *)(at), __ATOMIC_ACQUIRE))
#define ck_pr_load_uint(at)        __atomic_load_n((at), __ATOMIC_ACQUIRE)
#define ck_pr_store_uint(at, to)   __atomic_store_n((at), (to), __ATOMIC_RELEASE)
#define ck_pr_fas_ptr(at, to)      __atomic_exchange_n((void **)(void *)(at), (to), __ATOMIC_ACQ_REL)
#define ck_pr_fence_load()         ((void)0)
#define ck_pr_fence_store()        ((void)0)
#define ck_pr_fence_store_atomic() ((void)0)
#define ck_pr_stall()              ((void)0)
#define ck_pr_cas_ptr              rcuinfo__ck_cas_ptr
#define ck_pr_cas_ptr_value        rcuinfo__ck_cas_ptr_value
#define ck_pr_cas_uint             rcuinfo__ck_cas_uint
#define ck_pr_cas_uint_value       rcuinfo__ck_cas_uint_value

static inline bool rcuinfo__ck_cas_ptr(void *at, void *old, void *to)
{
    return __atomic_compare_exchange_n((void **)at, &old, to, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

static inline bool rcuinfo__ck_cas_ptr_value(void *at, void *old, void *to, void *was)
{
    bool done = __atomic_compare_exchange_n((void **)at, &old, to, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    *(void **)was = old;
    return done;
}

static inline bool rcuinfo__ck_cas_uint(unsigned int *at, unsigned int old, unsigned int to)
{
    return __atomic_compare_exchange_n(at, &old, to, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

static inline bool rcuinfo__ck_cas_uint_value(unsigned int *at, unsigned int old, unsigned int to, unsigned int *was)
{
    bool done = __atomic_compare_exchange_n(at, &old, to, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    *was = old;
    return done;
}

static inline void *rcuinfo__ck_copy(void *to, const void *from, size_t bytes)
{
    if (bytes != sizeof(void *))
        return memcpy(to, from, bytes);
    __atomic_store_n((void **)to, __atomic_load_n((void *const *)from, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
    return to;
}

#include <ck_stack.h>
#define memcpy(to, from, bytes) rcuinfo__ck_copy((to), (from), (bytes))
#include <ck_ring.h>
#undef memcpy
#else
#include <ck_ring.h>
#include <ck_stack.h>
#endif

#include <stdint.h>

#include "core/debug.h"

/*
 * The number of elements in a ring, or more: those that are dequeued between the two loads still count. ck_ring_size
 * reduces the difference to the size of the ring, so that a ring that is nearly full looks empty if elements are
 * enqueued between its two loads.
 */
static inline uint32_t rcuinfo__ck_ring_length(const ck_ring_t *ring)
{
    uint32_t dequeued = ck_pr_load_uint(&ring->c_head);
    RCUINFO__SYNC_POINT(LENGTH);
    return ck_pr_load_uint(&ring->p_tail) - dequeued;
}

#endif
