/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is retired after a batch was detached waits for a grace period of its own: a reader may have begun to read it
 * after the batch's began.
 */
#include <rcuinfo/rcuinfo.h>

#include "core/debug.h"
#include "core/reclaim.h"
#include "core/recycle.h"
#include "support/age.h"
#include "support/objects.h"

static rcuinfo_t info;
static const _Atomic uint32_t *age; /* of the block that is retired late */
static uint32_t age_before;
static int passed;

/* Sets, until the pairs are in another block. */
static void replace_block(const char *value)
{
    const _Atomic uint32_t *before = age_of(info);
    do
        CHECK_OK(rcuinfo_set(info, "key", value));
    while (age_of(info) == before);
}

void rcuinfo__sync_point(enum rcuinfo__sync_point point)
{
    if (point == RCUINFO__SYNC_PASSED && passed++ == 0) {
        age = age_of(info);
        age_before = atomic_load(age);
        replace_block("late");
    }
}

int main(void)
{
    info = OBJECT("key", "first");
    replace_block("second");
    CHECK(rcuinfo__reclaim_flush() && passed == 1);
    CHECKF(atomic_load(age) == age_before, "the block went in the batch before its own");
    CHECK(rcuinfo__recycle_waiting() > 0);
    CHECK(rcuinfo__reclaim_flush() && passed == 2);
    CHECKF(atomic_load(age) == age_before + 1, "the block did not go in its own batch");
    CHECK_OK(rcuinfo_free(&info));
    CHECK(rcuinfo_store_drain() == 0);
    return 0;
}
