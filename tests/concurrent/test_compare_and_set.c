/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * No increment is lost or made twice: N threads count M times each by compare-and-set. A second key is taken and given
 * back, by set-if-absent and delete-if-mine, as a lock around a plain counter. The object's version counts every
 * change.
 */
#include <rcuinfo/rcuinfo.h>

#include "support/scale.h"
#include "support/threads.h"

enum { THREADS = 4, INCREMENTS = SCALED(300000), LOCKINGS = SCALED(20000) };

static rcuinfo_t info;
static unsigned long plain; /* guarded by the key "lock" */
static atomic_ulong refused;

static void increment(void)
{
    for (;;) {
        char expected[24] = "", desired[24];
        int flag = 0, swapped = 77;
        CHECK_OK(rcuinfo_get(info, "counter", sizeof expected - 1, expected, &flag));
        CHECK(flag == 1);
        (void)snprintf(desired, sizeof desired, "%lu", strtoul(expected, NULL, 10) + 1);
        CHECK_OK(rcuinfo_compare_and_set(info, "counter", expected, desired, &swapped));
        CHECK(swapped == 0 || swapped == 1);
        if (swapped)
            return;
        atomic_fetch_add_explicit(&refused, 1, memory_order_relaxed);
    }
}

static void count_under_lock(const char *owner)
{
    int swapped = 0;
    for (;;) {
        CHECK_OK(rcuinfo_compare_and_set(info, "lock", NULL, owner, &swapped));
        if (swapped)
            break;
        sched_yield();
    }
    plain++;
    CHECK_OK(rcuinfo_compare_and_set(info, "lock", owner, NULL, &swapped));
    CHECK(swapped == 1);
}

static void body(unsigned index, void *argument)
{
    char owner[16];
    (void)argument;
    (void)snprintf(owner, sizeof owner, "thread %u", index);
    for (int i = 0; i < INCREMENTS; i++)
        increment();
    for (int i = 0; i < LOCKINGS; i++)
        count_under_lock(owner);
}

int main(void)
{
    char value[24] = "";
    int flag = 0, nkeys = 0;
    uint64_t version = 0;
    CHECK_OK(rcuinfo_create(&info));
    CHECK_OK(rcuinfo_set(info, "counter", "0"));
    team_run(THREADS, body, NULL);
    CHECK_OK(rcuinfo_get(info, "counter", sizeof value - 1, value, &flag));
    CHECKF(strtoul(value, NULL, 10) == (unsigned long)THREADS * INCREMENTS, "the counter is %s", value);
    CHECKF(plain == (unsigned long)THREADS * LOCKINGS, "the plain counter is %lu", plain);
    CHECK_OK(rcuinfo_version(info, &version));
    CHECKF(version == 1 + (uint64_t)THREADS * (INCREMENTS + 2 * LOCKINGS), "version %llu", (unsigned long long)version);
    CHECK_OK(rcuinfo_get_nkeys(info, &nkeys));
    CHECK(nkeys == 1);
    CHECK_OK(rcuinfo_free(&info));
    printf("%lu times refused\n", atomic_load(&refused));
    return 0;
}
