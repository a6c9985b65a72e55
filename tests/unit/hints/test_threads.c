/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A hint set in a storm: writers set two hints at once to one number, which only rises, and readers see in every order
 * of reading that the two belong together, and that nothing ever goes back. Reading waits for nobody, also not for one
 * who is asked by accept; and whoever sets hints inside a read section of its own never waits for itself.
 */
#include <urcu/urcu-bp.h>

#include <rcuinfo/rcuinfo.h>

#include "support/scale.h"
#include "support/threads.h"

enum { WRITERS = 2, READERS = 3, SETS = SCALED(40000), FIRST = 0, SECOND = 1, BLOCKED = 2, ROWS = 3 };

/* The hard limit, steps of 16 KiB that are not counted yet, and a version for each writer. */
#define MOST_RETIRED (((size_t)16 << 20) + 17 * ((size_t)16 << 10) + 4096)

static const rcuinfo_hint_t rows[ROWS] = {
    {.key = "first", .type = RCUINFO_HINT_INT, .initial = "0"},
    {.key = "second", .type = RCUINFO_HINT_INT, .initial = "0"},
    {.key = "blocked", .type = RCUINFO_HINT_BOOL},
};

static rcuinfo_schema_t *schema;
static rcuinfo_hints_t *hints;
static atomic_int writing;

/* Under the set's lock no other can come in between: so no number below the one in use is taken. */
static int rises(void *context, size_t row, const char *value, int64_t number, int creating)
{
    int64_t now = -1;
    (void)context, (void)value, (void)creating;
    CHECK_OK(rcuinfo_hints_read(hints, row, &now));
    return number > now;
}

static void set_both(long number, long first)
{
    char text[32];
    rcuinfo_t info;
    (void)snprintf(text, sizeof text, "%ld", number);
    CHECK_OK(rcuinfo_create(&info));
    CHECK_OK(rcuinfo_set(info, rows[first].key, text));
    CHECK_OK(rcuinfo_set(info, rows[!first].key, text));
    CHECK_OK(rcuinfo_hints_set(hints, info));
    CHECK_OK(rcuinfo_free(&info));
}

static long number_of(const rcuinfo_snapshot_t *snapshot, size_t row)
{
    rcuinfo_pair_t pair;
    CHECK_OK(rcuinfo_snapshot_find(snapshot, rows[row].key, &pair));
    return strtol(pair.value, NULL, 10);
}

/* Both numbers of one info of what is in use. */
static long get_both(void)
{
    const rcuinfo_snapshot_t *snapshot;
    rcuinfo_t info;
    CHECK_OK(rcuinfo_hints_get(hints, &info));
    CHECK_OK(rcuinfo_snapshot_open(info, &snapshot));
    long number = number_of(snapshot, FIRST);
    CHECK(rcuinfo_snapshot_count(snapshot) == 2);
    CHECKF(number == number_of(snapshot, SECOND), "torn: %ld and %ld", number, number_of(snapshot, SECOND));
    rcuinfo_snapshot_close(snapshot);
    CHECK_OK(rcuinfo_free(&info));
    return number;
}

static long read_number(size_t row)
{
    int64_t number = -1;
    CHECK_OK(rcuinfo_hints_read(hints, row, &number));
    return (long)number;
}

static long read_string(size_t row)
{
    char text[32];
    int buflen = sizeof text;
    CHECK_OK(rcuinfo_hints_read_string(hints, row, &buflen, text));
    CHECK(buflen == (int)strlen(text) + 1);
    return strtol(text, NULL, 10);
}

static void read_on(unsigned reader)
{
    long seen = 0;
    unsigned long reads = 0;
    while (atomic_load(&writing) || reads < 100) {
        size_t row = reads++ % 2;
        long now = reads % 7 == 0 ? get_both() : reads % 3 == 0 ? read_string(row) : read_number(row);
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
        set_both(i * WRITERS + (long)index, i % 2);
        CHECK(read_number(SECOND) >= i * WRITERS + (long)index);
    }
    atomic_fetch_sub(&writing, 1);
}

static void storm(void)
{
    CHECK_OK(rcuinfo_hints_create(schema, RCUINFO_NULL, NULL, NULL, &hints));
    rcuinfo_hints_free(&hints);
    CHECK(!hints);
    atomic_store(&writing, WRITERS);
    CHECK_OK(rcuinfo_hints_create(schema, RCUINFO_NULL, rises, NULL, &hints));
    team_run(WRITERS + READERS, body, NULL);
    CHECK(get_both() == SETS * WRITERS + WRITERS - 1);
    rcuinfo_stats_t stats;
    rcuinfo_store_stats(&stats);
    CHECKF(stats.peak_retired < MOST_RETIRED, "%llu bytes awaited a grace period",
           (unsigned long long)stats.peak_retired);
    CHECK(stats.grace_periods > 0);
    rcuinfo_hints_free(&hints);
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
        set_both(5, FIRST);
        return;
    }
    while (!atomic_load(&asked))
        team_relax(&spins);
    for (int i = 0; i < 1000; i++)
        CHECK(read_number(FIRST) == 0 && read_string(SECOND) == 0 && get_both() == 0);
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
        set_both(i, i % 2);
    if (index == 0)
        urcu_bp_read_unlock();
}

int main(void)
{
    CHECK_OK(rcuinfo_schema_create(NULL, rows, ROWS, &schema, NULL));
    storm();
    CHECK_OK(rcuinfo_hints_create(schema, RCUINFO_NULL, block, NULL, &hints));
    team_run(2, stalled, NULL);
    CHECK(read_number(FIRST) == 5);
    rcuinfo_hints_free(&hints);
    CHECK_OK(rcuinfo_hints_create(schema, RCUINFO_NULL, NULL, NULL, &hints));
    team_run(3, inside, NULL);
    rcuinfo_hints_free(&hints);
    rcuinfo_schema_free(&schema);
    CHECK(rcuinfo_store_drain() == 0);
    return 0;
}
