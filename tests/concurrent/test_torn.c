/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * No read ever sees a mixture of two values, nor the length of one with the content of another: writers override keys
 * with self-checking values of all lengths, readers verify what get, get_string and a snapshot give them.
 */
#include <rcuinfo/rcuinfo.h>

#include "support/scale.h"
#include "support/selfcheck.h"
#include "support/threads.h"

enum { WRITERS = 3, READERS = 3, KEYS = 4, WRITES = SCALED(150000), READS = SCALED(300000) };

static rcuinfo_t info;
static const char *const keys[KEYS] = {"first", "second", "third", "fourth"};
static atomic_ulong values_met; /* values other than the one met just before, so that the test saw some change */

static void write_values(unsigned writer)
{
    char value[SELFCHECK_MAX + 1];
    for (unsigned long i = 0; i < WRITES; i++) {
        selfcheck_make(value, writer, i, selfcheck_length(writer, i));
        CHECK_OK(rcuinfo_set(info, keys[(i + writer) % KEYS], value));
    }
}

static void read_one(const char *key, unsigned long i, char *value)
{
    int flag = 0;
    if (i % 3 == 0) {
        CHECK_OK(rcuinfo_get(info, key, SELFCHECK_MAX, value, &flag));
    } else if (i % 3 == 1) {
        int size = SELFCHECK_MAX + 1;
        CHECK_OK(rcuinfo_get_string(info, key, &size, value, &flag));
        CHECKF((size_t)size == strlen(value) + 1, "size %d, content \"%s\"", size, value);
    } else {
        const rcuinfo_snapshot_t *snapshot;
        rcuinfo_pair_t pair;
        CHECK_OK(rcuinfo_snapshot_open(info, &snapshot));
        CHECK_OK(rcuinfo_snapshot_find(snapshot, key, &pair));
        CHECK(strlen(pair.value) == pair.value_length);
        memcpy(value, pair.value, pair.value_length + 1);
        rcuinfo_snapshot_close(snapshot);
        flag = 1;
    }
    CHECK(flag == 1);
}

static void read_values(void)
{
    char value[SELFCHECK_MAX + 1];
    unsigned long last = 0, changes = 0;
    for (unsigned long i = 0; i < READS; i++) {
        unsigned writer;
        unsigned long number;
        read_one(keys[i % KEYS], i, value);
        CHECKF(selfcheck_verify(value, &writer, &number), "torn: \"%s\"", value);
        changes += number != last;
        last = number;
    }
    atomic_fetch_add(&values_met, changes);
}

static void body(unsigned index, void *argument)
{
    (void)argument;
    if (index < WRITERS)
        write_values(index);
    else
        read_values();
}

int main(void)
{
    char value[SELFCHECK_MAX + 1];
    CHECK_OK(rcuinfo_create(&info));
    for (unsigned i = 0; i < KEYS; i++) {
        selfcheck_make(value, 9, i, selfcheck_length(9, i));
        CHECK_OK(rcuinfo_set(info, keys[i], value));
    }
    team_run(WRITERS + READERS, body, NULL);
    CHECK(atomic_load(&values_met) > READERS);
    CHECK_OK(rcuinfo_free(&info));
    CHECK(rcuinfo_store_drain() == 0);
    printf("%lu changes met\n", atomic_load(&values_met));
    return 0;
}
