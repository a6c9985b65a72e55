/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sync_point: what the canaries add to `rcuinfo stress`. At sync points a thread yields now and then, so that a defect
 * shows in seconds. ThreadSanitizer, if present, ends the process at its first report, with the exit status of a
 * violation.
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

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "exitcode=1:halt_on_error=1";
}
#endif
#endif
