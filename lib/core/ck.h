/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ck: ck_stack, the header-only part of ConcurrencyKit that the library uses. Only this file includes it.
 *
 * ThreadSanitizer does not understand CK's inline assembly. There we replace the primitives of ck_pr.h by __atomic
 * builtins: loads acquire, and read-modify-writes acquire and release, which is what the fences of CK amount to.
 */
#pragma once

#ifndef __has_feature
#define __has_feature(feature) 0
#endif

#if __has_feature(thread_sanitizer)
#include <stdbool.h>

#include <ck_cc.h>
#include <ck_pr.h>

#undef ck_pr_load_ptr
#undef ck_pr_fas_ptr
#define ck_pr_load_ptr(at)         ((void *)__atomic_load_n((void *const *)(const void *)(at), __ATOMIC_ACQUIRE))
#define ck_pr_fas_ptr(at, to)      __atomic_exchange_n((void **)(void *)(at), (to), __ATOMIC_ACQ_REL)
#define ck_pr_fence_load()         ((void)0)
#define ck_pr_fence_store()        ((void)0)
#define ck_pr_fence_store_atomic() ((void)0)
#define ck_pr_stall()              ((void)0)
#define ck_pr_cas_ptr_value        rcuinfo__ck_cas_ptr_value

static inline bool rcuinfo__ck_cas_ptr_value(void *at, void *old, void *to, void *was)
{
    bool done = __atomic_compare_exchange_n((void **)at, &old, to, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    *(void **)was = old;
    return done;
}
#endif

#include <ck_stack.h>

/* The newest entry, or NULL, while others may push. */
static inline ck_stack_entry_t *rcuinfo__ck_stack_first(const ck_stack_t *stack)
{
    return (ck_stack_entry_t *)ck_pr_load_ptr(&stack->head);
}
