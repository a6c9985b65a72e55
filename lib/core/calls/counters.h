/* SPDX-License-Identifier: BSD-3-Clause */
/* counters: counters of calls. Counting is switched on at load, or not at all; off, it costs a predicted branch. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#include "core/calls/layer.h"
#include "core/order.h"

/* Switches counting on. At exit the counters are printed to the file that is now the standard error output. */
void rcuinfo__counters_begin(void);

extern _Atomic bool rcuinfo__counters_on;

static inline void rcuinfo__counters_count(enum rcuinfo__counter counter)
{
    if (__builtin_expect(atomic_load_explicit(&rcuinfo__counters_on, RCUINFO__RELAXED), 0))
        rcuinfo__counters_add(counter, 1);
}
