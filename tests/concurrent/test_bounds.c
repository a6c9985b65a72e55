/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bytes that await a grace period stay within the hard limit of 16 MiB and one block per running writer, whatever the
 * number of objects and whatever readers do; free counts as well; and the drain gives everything back.
 */
#include <rcuinfo/rcuinfo.h>

#include "support/scale.h"
#include "support/threads.h"

enum { WRITERS = 4, READERS = 2, OBJECTS = 50, KEYS = 40, WRITES = SCALED(80000), FREES = SCALED(80000) };

/* The largest block here: keys, values, half as much room again and bookkeeping, rounded up generously. */
#define BLOCK_BYTES ((uint64_t)128 << 10)
/* The counters are looked at about every 16 KiB a stripe of the queue. */
#define SLACK_BYTES ((uint64_t)1 << 20)
#define LIMIT_BYTES (((uint64_t)16 << 20) + WRITERS * BLOCK_BYTES + SLACK_BYTES)

static rcuinfo_t objects[OBJECTS];
static atomic_uint writing;
static _Atomic uint64_t most; /* bytes retired, seen from outside */

static void look(void)
{
    rcuinfo_stats_t stats;
    uint64_t before = atomic_load(&most);
    rcuinfo_store_stats(&stats);
    CHECKF(stats.retired <= LIMIT_BYTES, "%llu bytes are retired", (unsigned long long)stats.retired);
    while (before < stats.retired && !atomic_compare_exchange_weak(&most, &before, stats.retired))
        continue;
}

static void write_on(unsigned writer)
{
    char value[RCUINFO_MAX_VALUE], key[16];
    memset(value, 'v', sizeof value - 1);
    value[sizeof value - 1] = '\0';
    for (unsigned i = 0; i < WRITES; i++) {
        (void)snprintf(key, sizeof key, "key%u", i % KEYS);
        CHECK_OK(rcuinfo_set(objects[(i * 7 + writer) % OBJECTS], key, value));
        if (i % 256 == 0)
            look();
    }
    /* Objects that come and go, each with a version of its own. */
    for (unsigned i = 0; i < FREES; i++) {
        rcuinfo_t info;
        CHECK_OK(rcuinfo_create(&info));
        CHECK_OK(rcuinfo_set(info, "key", value));
        CHECK_OK(rcuinfo_free(&info));
        if (i % 256 == 0)
            look();
    }
    atomic_fetch_sub(&writing, 1);
}

static void read_on(unsigned reader)
{
    for (unsigned i = reader; atomic_load(&writing) > 0; i++) {
        const rcuinfo_snapshot_t *snapshot;
        char value[RCUINFO_MAX_VALUE];
        int flag;
        CHECK_OK(rcuinfo_get(objects[i % OBJECTS], "key7", RCUINFO_MAX_VALUE - 1, value, &flag));
        CHECK_OK(rcuinfo_snapshot_open(objects[i % OBJECTS], &snapshot));
        rcuinfo_snapshot_close(snapshot);
    }
}

static void body(unsigned index, void *argument)
{
    (void)argument;
    if (index < WRITERS)
        write_on(index);
    else
        read_on(index);
}

int main(void)
{
    rcuinfo_stats_t stats;
    for (unsigned i = 0; i < OBJECTS; i++)
        CHECK_OK(rcuinfo_create(&objects[i]));
    atomic_store(&writing, WRITERS);
    team_run(WRITERS + READERS, body, NULL);
    rcuinfo_store_stats(&stats);
    CHECKF(stats.peak_retired <= LIMIT_BYTES, "%llu bytes at the peak", (unsigned long long)stats.peak_retired);
    CHECK(stats.peak_retired > 0 && stats.grace_periods > 0);
    for (unsigned i = 0; i < OBJECTS; i++)
        CHECK_OK(rcuinfo_free(&objects[i]));
    CHECK(rcuinfo_store_drain() == 0);
    rcuinfo_store_stats(&stats);
    CHECK(stats.retired == 0 && stats.live == 0);
    printf("peak %llu bytes, %llu grace periods\n", (unsigned long long)stats.peak_retired,
           (unsigned long long)stats.grace_periods);
    return 0;
}
