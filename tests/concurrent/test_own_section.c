/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * liburcu-bp is one domain for the whole process: a program that is inside a read section of its own may make every
 * call, a million sets among them, and never waits for itself. The drain says that it did nothing, and works after the
 * section.
 */
#include <urcu/urcu-bp.h>

#include <rcuinfo/rcuinfo.h>

#include "support/left.h"
#include "support/objects.h"
#include "support/scale.h"
#include "support/threads.h"

enum { SETS = 200000, SETS_ALONE = TEST_SANITIZED ? SETS : 1000000, OTHERS = 2 };

static rcuinfo_t info;
static atomic_int left;

/* More than 100 bytes a set: more than the hard limit in all, past which a writer would wait. */
static void set_inside(int sets)
{
    char value[101];
    memset(value, 'v', sizeof value - 1);
    value[sizeof value - 1] = '\0';
    for (int i = 0; i < sets; i++) {
        value[i % 100] ^= 1;
        CHECK_OK(rcuinfo_set(info, "key", value));
    }
}

static void alone(void)
{
    uint64_t grace_periods = left_stats().grace_periods;
    urcu_bp_read_lock();
    set_inside(SETS_ALONE);
    object_free(object_dup(info));
    CHECK(rcuinfo_store_drain() > 0);
    rcuinfo_stats_t stats = left_stats();
    CHECKF(stats.retired > (size_t)16 << 20, "only %llu bytes are retired", (unsigned long long)stats.retired);
    CHECK(stats.grace_periods == grace_periods);
    urcu_bp_read_lock(); /* sections nest */
    CHECK_OK(rcuinfo_set(info, "key", "nested"));
    urcu_bp_read_unlock();
    CHECK(rcuinfo_store_drain() > 0);
    urcu_bp_read_unlock();
    CHECK(rcuinfo_store_drain() == 0);
}

/* Others write outside any section meanwhile; they may have to wait for this one, and go on when it ends. */
static void body(unsigned index, void *argument)
{
    (void)argument;
    if (index == 0) {
        urcu_bp_read_lock();
        set_inside(SETS);
        urcu_bp_read_unlock();
        atomic_store(&left, 1);
        return;
    }
    for (int i = 0; i < SETS || !atomic_load(&left); i++)
        CHECK_OK(rcuinfo_set(info, "other", i % 2 ? "a" : "b"));
}

int main(void)
{
    info = object_empty();
    alone();
    team_run(1 + OTHERS, body, NULL);
    CHECK(rcuinfo_store_drain() == 0);
    object_free(info);
    left_nothing();
    return 0;
}
