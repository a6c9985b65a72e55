/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An update of several keys is seen as a whole or not at all: writers swap one set of keys for another and move an
 * amount between accounts; readers by snapshot and dup find one set complete and the sum unchanged.
 */
#include <rcuinfo/rcuinfo.h>

#include "support/scale.h"
#include "support/threads.h"

enum { ACCOUNTS = 5, TOTAL = 1000, UPDATES = SCALED(400000), READS = SCALED(500000), READERS = 3 };

static rcuinfo_t info;
static char accounts[ACCOUNTS][16];
static atomic_ulong red_seen, blue_seen;

/* The one writer of the amounts: moves one unit and swaps the colours, in one update. */
static void write_on(void)
{
    static const char *const red[] = {"red 1", "red 2", "red 3"}, *const blue[] = {"blue 1", "blue 2", "blue 3"};
    long amounts[ACCOUNTS] = {TOTAL};
    for (unsigned i = 0; i < UPDATES; i++) {
        unsigned from = i % ACCOUNTS, to = (i * 3 + 1) % ACCOUNTS;
        const char *const *old = i % 2 ? blue : red, *const *new = i % 2 ? red : blue;
        char values[2][24];
        amounts[from]--;
        amounts[to]++;
        (void)snprintf(values[0], sizeof values[0], "%ld", amounts[from]);
        (void)snprintf(values[1], sizeof values[1], "%ld", amounts[to]);
        const rcuinfo_change_t changes[] = {
            {old[0], NULL}, {accounts[from], values[0]}, {new[0], "x"}, {old[1], NULL},
            {new[1], "x"},  {accounts[to], values[1]},   {new[2], "x"}, {old[2], NULL},
        };
        CHECK_OK(rcuinfo_update(info, changes, sizeof changes / sizeof *changes, NULL));
    }
}

/* Writes to keys of its own all the while, so that updates race with other writers as well. */
static void disturb(void)
{
    for (unsigned i = 0; i < UPDATES; i++)
        CHECK_OK(rcuinfo_set(info, i % 2 ? "noise" : "more noise", i % 3 ? "a" : "bb"));
}

static void check_snapshot(rcuinfo_t object)
{
    const rcuinfo_snapshot_t *snapshot;
    unsigned red = 0, blue = 0;
    long sum = 0;
    CHECK_OK(rcuinfo_snapshot_open(object, &snapshot));
    for (size_t i = 0; i < rcuinfo_snapshot_count(snapshot); i++) {
        rcuinfo_pair_t pair;
        CHECK_OK(rcuinfo_snapshot_nth(snapshot, i, &pair));
        red += strncmp(pair.key, "red", 3) == 0;
        blue += strncmp(pair.key, "blue", 4) == 0;
        if (strncmp(pair.key, "account", 7) == 0)
            sum += strtol(pair.value, NULL, 10);
    }
    CHECKF((red == 3 && blue == 0) || (red == 0 && blue == 3), "%u red and %u blue", red, blue);
    CHECKF(sum == TOTAL, "the sum is %ld", sum);
    atomic_fetch_add_explicit(red ? &red_seen : &blue_seen, 1, memory_order_relaxed);
    rcuinfo_snapshot_close(snapshot);
}

static void read_on(void)
{
    for (unsigned i = 0; i < READS; i++) {
        rcuinfo_t copy;
        check_snapshot(info);
        if (i % 8)
            continue;
        CHECK_OK(rcuinfo_dup(info, &copy));
        check_snapshot(copy);
        CHECK_OK(rcuinfo_free(&copy));
    }
}

static void body(unsigned index, void *argument)
{
    (void)argument;
    if (index == 0)
        write_on();
    else if (index == 1)
        disturb();
    else
        read_on();
}

int main(void)
{
    CHECK_OK(rcuinfo_create(&info));
    for (unsigned i = 0; i < ACCOUNTS; i++) {
        (void)snprintf(accounts[i], sizeof accounts[i], "account %u", i);
        CHECK_OK(rcuinfo_set(info, accounts[i], i ? "0" : "1000"));
    }
    CHECK_OK(rcuinfo_set(info, "red 1", "x"));
    CHECK_OK(rcuinfo_set(info, "red 2", "x"));
    CHECK_OK(rcuinfo_set(info, "red 3", "x"));
    team_run(2 + READERS, body, NULL);
    CHECK(atomic_load(&red_seen) > 0 && atomic_load(&blue_seen) > 0);
    CHECK_OK(rcuinfo_free(&info));
    printf("%lu red, %lu blue\n", atomic_load(&red_seen), atomic_load(&blue_seen));
    return 0;
}
