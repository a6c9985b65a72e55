/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sync_point: at sync points a thread yields now and then, so that a defect shows in seconds.
 */
#include "core/debug.h"

#include <sched.h>

#define BETWEEN 61 /* a prime, so as not to be in step with the operations */

void rcuinfo__sync_point(enum rcuinfo__sync_point point)
{
    static _Thread_local unsigned passed;
    if ((passed += (unsigned)point + 1) % BETWEEN == 0)
        sched_yield();
}
