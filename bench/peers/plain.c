/* SPDX-License-Identifier: BSD-3-Clause */
/* plain: see plain.h. */
#define _LGPL_SOURCE /* read sections inline, as in core/rcu.h */
#define URCU_NO_COMPAT_IDENTIFIERS
#include "plain.h"

#include <stdatomic.h>
#include <urcu/urcu-bp.h>

static _Atomic int64_t plain;

void bench_plain_set(int64_t value)
{
    atomic_store(&plain, value);
}

/* All aligned like rcuinfo_hint_set_read. */
__attribute__((aligned(64))) int64_t bench_plain_read(void)
{
    urcu_bp_read_lock();
    int64_t value = atomic_load(&plain);
    urcu_bp_read_unlock();
    return value;
}

__attribute__((aligned(64))) int64_t bench_plain_load(void)
{
    return atomic_load(&plain);
}

__attribute__((aligned(64))) void bench_plain_section(void)
{
    urcu_bp_read_lock();
    urcu_bp_read_unlock();
}
