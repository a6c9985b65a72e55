/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread that has seen a version never sees an older one, whichever calls it reads with, and neither does a thread
 * that was told of it by another: writers count up under compare-and-set, readers pass on what they have seen.
 */
#include <rcuinfo/rcuinfo.h>

#include "support/scale.h"
#include "support/threads.h"

enum { WRITERS = 2, READERS = 4, WRITES = SCALED(600000), READS = SCALED(1500000) };

static rcuinfo_t info;
static atomic_ulong seen;     /* the largest counter that any reader has seen */
static atomic_ulong advances; /* how often a reader met a newer one */

static unsigned long read_counter(unsigned long i, uint64_t *version)
{
    char value[24] = "";
    int flag = 0, size = sizeof value;
    const rcuinfo_snapshot_t *snapshot;
    rcuinfo_pair_t pair;
    uint64_t now;
    CHECK_OK(rcuinfo_version(info, &now));
    CHECKF(now >= *version, "version %llu after %llu", (unsigned long long)now, (unsigned long long)*version);
    *version = now;
    switch (i % 3) {
    case 0:
        CHECK_OK(rcuinfo_get(info, "counter", sizeof value - 1, value, &flag));
        break;
    case 1:
        CHECK_OK(rcuinfo_get_string(info, "counter", &size, value, &flag));
        break;
    default:
        CHECK_OK(rcuinfo_snapshot_open(info, &snapshot));
        now = rcuinfo_snapshot_version(snapshot);
        CHECKF(now >= *version, "version %llu after %llu", (unsigned long long)now, (unsigned long long)*version);
        *version = now;
        CHECK_OK(rcuinfo_snapshot_find(snapshot, "counter", &pair));
        memcpy(value, pair.value, pair.value_length + 1);
        rcuinfo_snapshot_close(snapshot);
        flag = 1;
    }
    CHECK(flag == 1);
    return strtoul(value, NULL, 10);
}

static void read_on(void)
{
    unsigned long mine = 0, newer = 0;
    uint64_t version = 0;
    for (unsigned long i = 0; i < READS; i++) {
        unsigned long others = atomic_load(&seen), now = read_counter(i, &version);
        CHECKF(now >= mine, "%lu after %lu", now, mine);
        CHECKF(now >= others, "%lu after another thread had seen %lu", now, others);
        newer += now > mine;
        mine = now;
        while (others < now && !atomic_compare_exchange_weak(&seen, &others, now))
            continue;
    }
    atomic_fetch_add(&advances, newer);
}

/* Counts up; a set by one writer may be overtaken, so each step is a compare-and-set. */
static void write_on(void)
{
    for (unsigned long i = 0; i < WRITES; i++) {
        char expected[24], desired[24];
        int flag, swapped;
        CHECK_OK(rcuinfo_get(info, "counter", sizeof expected - 1, expected, &flag));
        (void)snprintf(desired, sizeof desired, "%lu", strtoul(expected, NULL, 10) + 1);
        CHECK_OK(rcuinfo_compare_and_set(info, "counter", expected, desired, &swapped));
    }
}

static void body(unsigned index, void *argument)
{
    (void)argument;
    if (index < WRITERS)
        write_on();
    else
        read_on();
}

int main(void)
{
    CHECK_OK(rcuinfo_create(&info));
    CHECK_OK(rcuinfo_set(info, "counter", "0"));
    team_run(WRITERS + READERS, body, NULL);
    CHECK(atomic_load(&advances) > READERS);
    CHECK_OK(rcuinfo_free(&info));
    printf("%lu advances, up to %lu\n", atomic_load(&advances), atomic_load(&seen));
    return 0;
}
