/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * store: counters of calls. Counting is switched on at load, or not at all; off, it costs a predicted branch.
 */
#ifndef RCUINFO_CORE_STORE_H
#define RCUINFO_CORE_STORE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "core/layer.h"
#include "core/order.h"

/* Switches counting on. At exit the counters are printed to the file that is now the standard error output. */
void rcuinfo__store_begin(void);

extern _Atomic bool rcuinfo__store_counts;

static inline void rcuinfo__store_count(enum rcuinfo__counter counter)
{
    if (__builtin_expect(atomic_load_explicit(&rcuinfo__store_counts, RCUINFO__RELAXED), 0))
        rcuinfo__store_add(counter, 1);
}

#endif
