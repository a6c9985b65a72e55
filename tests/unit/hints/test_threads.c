/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading a hint set waits for nobody, not even for a thread inside accept; a thread that sets hints reclaims old
 * versions, and never waits for itself inside a read section of its own. hints.histories looks at what threads read
 * while others set.
 */
#include <urcu/urcu-bp.h>

#include "hints/both.h"
#include "support/left.h"
#include "support/scale.h"
#include "support/threads.h"

enum { SETS = SCALED(40000), SETS_ALONE = 40000 /* more than the soft limit */ };

/* The hard limit, steps of 16 KiB that are not counted yet, and a version. */
#define MOST_RETIRED (((size_t)16 << 20) + 17 * ((size_t)16 << 10) + 4096)

/* They stay within the hard limit, also where nobody frees an info meanwhile. */
static void old_versions_go(void)
{
    both_make(NULL);
    for (int i = 0; i < SETS_ALONE; i++)
        CHECK_OK(rcuinfo_hint_set_impose(both, both_rows[FIRST].key, i % 2 ? "1" : "2"));
    rcuinfo_stats_t stats = left_stats();
    CHECK(stats.grace_periods > 0);
    CHECK_RANGE(stats.peak_retired, 1, MOST_RETIRED);
    rcuinfo_hint_set_free(&both);
    CHECK(!both);
}

static atomic_int asked, answered;

static int block(void *context, size_t row, const char *value, int64_t number, int creating)
{
    unsigned spins = 0;
    (void)context, (void)row, (void)value, (void)number, (void)creating;
    atomic_store(&asked, 1);
    while (!atomic_load(&answered))
        team_relax(&spins);
    return 1;
}

/* One thread is held up in accept until the other has read what was in use before, in every way. */
static void stalled(unsigned index, void *argument)
{
    unsigned spins = 0;
    (void)argument;
    if (index == 0) {
        both_set(5, FIRST);
        return;
    }
    while (!atomic_load(&asked))
        team_relax(&spins);
    for (int i = 0; i < 1000; i++)
        CHECK(both_read(FIRST) == 0 && both_read_string(SECOND) == 0 && both_get() == 0);
    atomic_store(&answered, 1);
}

/* More than the hard limit of what may wait for a grace period, set inside a section, while others set too, who may be
 * waiting for just this section. */
static void inside(unsigned index, void *argument)
{
    (void)argument;
    if (index == 0)
        urcu_bp_read_lock();
    for (long i = 1; i <= SETS; i++)
        both_set(i, i % 2);
    if (index == 0)
        urcu_bp_read_unlock();
}

int main(void)
{
    old_versions_go();
    both_make(block);
    team_run(2, stalled, NULL);
    CHECK(both_read(FIRST) == 5);
    rcuinfo_hint_set_free(&both);
    both_make(NULL);
    team_run(3, inside, NULL);
    rcuinfo_hint_set_free(&both);
    both_end();
    return 0;
}
