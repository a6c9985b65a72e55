/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A hint set in a storm: writers set two hints at once to one number, which only rises, and readers see in every order
 * of reading that the two belong together, and that nothing ever goes back. Reading waits for nobody, also not for one
 * who is asked by accept; and whoever sets hints inside a read section of its own never waits for itself.
 */
#include <urcu/urcu-bp.h>

#include "hints/both.h"
#include "support/scale.h"
#include "support/threads.h"

enum { WRITERS = 2, READERS = 3, SETS = SCALED(40000) };

/* The hard limit, steps of 16 KiB that are not counted yet, and a version for each writer. */
#define MOST_RETIRED (((size_t)16 << 20) + 17 * ((size_t)16 << 10) + 4096)

static atomic_int writing;

/* Under the set's lock no other can come in between: so no number below the one in use is taken. */
static int rises(void *context, size_t row, const char *value, int64_t number, int creating)
{
    int64_t now = -1;
    (void)context, (void)value, (void)creating;
    CHECK_OK(rcuinfo_hints_read(both, row, &now));
    return number > now;
}

static void read_on(unsigned reader)
{
    long seen = 0;
    unsigned long reads = 0;
    while (atomic_load(&writing) || reads < 100) {
        size_t row = reads++ % 2;
        long now = reads % 7 == 0 ? both_get() : reads % 3 == 0 ? both_read_string(row) : both_read(row);
        CHECKF(now >= seen, "reader %u: %ld after %ld", reader, now, seen);
        seen = now;
    }
}

static void body(unsigned index, void *argument)
{
    (void)argument;
    if (index >= WRITERS) {
        read_on(index);
        return;
    }
    for (long i = 1; i <= SETS; i++) {
        both_set(i * WRITERS + (long)index, i % 2);
        CHECK(both_read(SECOND) >= i * WRITERS + (long)index);
    }
    atomic_fetch_sub(&writing, 1);
}

static void storm(void)
{
    both_make(NULL);
    rcuinfo_hints_free(&both);
    CHECK(!both);
    atomic_store(&writing, WRITERS);
    both_make(rises);
    team_run(WRITERS + READERS, body, NULL);
    CHECK(both_get() == SETS * WRITERS + WRITERS - 1);
    rcuinfo_stats_t stats;
    rcuinfo_store_stats(&stats);
    CHECKF(stats.peak_retired < MOST_RETIRED, "%llu bytes awaited a grace period",
           (unsigned long long)stats.peak_retired);
    CHECK(stats.grace_periods > 0);
    rcuinfo_hints_free(&both);
    CHECK(rcuinfo_store_drain() == 0);
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
    storm();
    both_make(block);
    team_run(2, stalled, NULL);
    CHECK(both_read(FIRST) == 5);
    rcuinfo_hints_free(&both);
    both_make(NULL);
    team_run(3, inside, NULL);
    rcuinfo_hints_free(&both);
    both_end();
    return 0;
}
