/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A snapshot shows one version for as long as it is open, while others write and after the object was freed: readers
 * read it twice with at least one new version in between, and pass open snapshots on to be closed by another thread.
 */
#include <rcuinfo/rcuinfo.h>

#include "support/scale.h"
#include "support/selfcheck.h"
#include "support/threads.h"

enum { OBJECTS = SCALED(400), KEYS = 12, READERS = 3 };

static _Atomic rcuinfo_t info;
static atomic_ulong writes; /* finished ones, of all objects */
static atomic_int finished;
static _Atomic(const rcuinfo_snapshot_t *) passed; /* open snapshot that whoever takes it closes */
static atomic_ulong held; /* snapshots that were read, outlived at least a write, and were read again */

/* All KEYS values of one version have the same writer and number. */
static void write_version(rcuinfo_t object, unsigned long number)
{
    static char keys[KEYS][16], values[KEYS][SELFCHECK_MAX + 1];
    rcuinfo_change_t changes[KEYS];
    for (unsigned k = 0; k < KEYS; k++) {
        (void)snprintf(keys[k], sizeof keys[k], "key%u", k);
        selfcheck_make(values[k], k, number, selfcheck_length(k, number));
        changes[k] = (rcuinfo_change_t){keys[k], values[k]};
    }
    CHECK_OK(rcuinfo_update(object, changes, KEYS, NULL));
    atomic_fetch_add(&writes, 1);
}

static void write_on(void)
{
    for (unsigned long i = 0; i < OBJECTS; i++) {
        rcuinfo_t next, old = atomic_load(&info);
        CHECK_OK(rcuinfo_create(&next));
        write_version(next, i * 1000);
        atomic_store(&info, next);
        CHECK_OK(rcuinfo_free(&old));
        for (unsigned long j = 1; j < 200; j++)
            write_version(next, i * 1000 + j);
    }
    atomic_store(&finished, 1);
}

/* Number of the version that a snapshot shows, all of which is checked. */
static unsigned long read_snapshot(const rcuinfo_snapshot_t *snapshot)
{
    unsigned long number = 0, first = 0;
    CHECK(rcuinfo_snapshot_count(snapshot) == KEYS);
    for (unsigned k = 0; k < KEYS; k++) {
        rcuinfo_pair_t pair;
        unsigned writer;
        CHECK_OK(rcuinfo_snapshot_nth(snapshot, k, &pair));
        CHECKF(selfcheck_verify(pair.value, &writer, &number), "torn: \"%s\"", pair.value);
        CHECK(writer == k && strlen(pair.value) == pair.value_length);
        CHECKF(k == 0 || number == first, "%lu beside %lu", number, first);
        first = number;
    }
    return number;
}

static void read_on(void)
{
    unsigned long kept = 0;
    while (!atomic_load(&finished)) {
        const rcuinfo_snapshot_t *snapshot, *other;
        unsigned long number, since = atomic_load(&writes);
        unsigned spins = 0;
        rcuinfo_t object = atomic_load(&info);
        if (rcuinfo_snapshot_open(object, &snapshot) != RCUINFO_SUCCESS)
            continue; /* freed meanwhile */
        number = read_snapshot(snapshot);
        while (atomic_load(&writes) < since + 2 && !atomic_load(&finished))
            team_relax(&spins);
        CHECK(read_snapshot(snapshot) == number);
        kept += atomic_load(&writes) >= since + 2;
        other = atomic_exchange(&passed, snapshot);
        if (other) {
            (void)read_snapshot(other);
            rcuinfo_snapshot_close(other);
        }
    }
    atomic_fetch_add(&held, kept);
}

static void body(unsigned index, void *argument)
{
    (void)argument;
    if (index == 0)
        write_on();
    else
        read_on();
}

int main(void)
{
    rcuinfo_t first;
    CHECK_OK(rcuinfo_create(&first));
    write_version(first, 999999);
    atomic_store(&info, first);
    team_run(1 + READERS, body, NULL);
    first = atomic_load(&info);
    CHECK_OK(rcuinfo_free(&first));
    CHECK(rcuinfo_store_drain() == 0);
    if (atomic_load(&passed))
        (void)read_snapshot(atomic_load(&passed));
    rcuinfo_snapshot_close(atomic_load(&passed));
    CHECK(atomic_load(&held) > 0);
    printf("%lu snapshots held over writes\n", atomic_load(&held));
    return 0;
}
