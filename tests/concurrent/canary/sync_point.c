/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sync_point: what the canaries add to `rcuinfo stress`. Between two steps of a call of the broken store other threads
 * are let in now and then, so that a defect shows in seconds; and ThreadSanitizer, where there is one, ends the process
 * at its first report with the status that a violation has.
 */
#include "core/debug.h"

#include <sched.h>

#define BETWEEN 61 /* a prime: not in step with the operations */

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
