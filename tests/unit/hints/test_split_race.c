/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The two views of one split are of one version, whatever writers do: each version has one number under a key that is
 * recognized and under one that is not, and further keys, as many of either kind as the number says.
 */
#include <rcuinfo/rcuinfo.h>

#include "support/scale.h"
#include "support/threads.h"

enum { WRITERS = 1, READERS = 2, SPLITS = SCALED(30000), MORE = 5 };

static const char known_keys[][8] = {"known0", "known1", "known2", "known3", "known4"};
static const char other_keys[][8] = {"other0", "other1", "other2", "other3", "other4"};

static rcuinfo_t info;
static rcuinfo_schema_t *schema;
static atomic_uint readers_left = READERS;
static atomic_uint met; /* a bit for each number of further keys that some reader met */

/* Numbers go up by one, so further keys come one by one, and go all at once. */
static void write_on(void)
{
    for (unsigned long number = 0; atomic_load_explicit(&readers_left, memory_order_relaxed) > 0; number++) {
        rcuinfo_change_t changes[4 + 2 * MORE];
        char text[32];
        size_t n = 0, more = number % (MORE + 1);
        (void)snprintf(text, sizeof text, "%lu", number);
        changes[n++] = (rcuinfo_change_t){"known", text};
        changes[n++] = (rcuinfo_change_t){"other", text};
        if (more > 0) {
            changes[n++] = (rcuinfo_change_t){known_keys[more - 1], ""};
            changes[n++] = (rcuinfo_change_t){other_keys[more - 1], ""};
        } else if (number > 0) {
            for (size_t i = 0; i < MORE; i++) {
                changes[n++] = (rcuinfo_change_t){known_keys[i], NULL};
                changes[n++] = (rcuinfo_change_t){other_keys[i], NULL};
            }
        }
        CHECK_OK(rcuinfo_update(info, changes, n, NULL));
    }
}

static unsigned long number_of(rcuinfo_t view, const char *key)
{
    int64_t number = 0;
    int flag = 0, nkeys = 0;
    CHECK_OK(rcuinfo_get_int64(view, key, &number, &flag, NULL));
    CHECK_OK(rcuinfo_get_nkeys(view, &nkeys));
    CHECKF(flag && nkeys == 1 + (int)(number % (MORE + 1)), "%s: number %ld with %d keys", key, (long)number, nkeys);
    return (unsigned long)number;
}

static void read_on(void)
{
    unsigned long last = 0;
    for (unsigned long i = 0; i < SPLITS; i++) {
        rcuinfo_t recognized, rest;
        CHECK_OK(rcuinfo_schema_split(schema, info, &recognized, &rest));
        unsigned long known = number_of(recognized, "known"), other = number_of(rest, "other");
        CHECKF(known == other, "one view is of number %lu, the other of %lu", known, other);
        CHECKF(known >= last, "number %lu after %lu", known, last);
        atomic_fetch_or_explicit(&met, 1u << known % (MORE + 1), memory_order_relaxed);
        last = known;
        CHECK_OK(rcuinfo_free(&recognized));
        CHECK_OK(rcuinfo_free(&rest));
    }
    atomic_fetch_sub_explicit(&readers_left, 1, memory_order_relaxed);
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
    rcuinfo_hint_t rows[1 + MORE] = {{.key = "known"}};
    const rcuinfo_change_t first[] = {{"known", "0"}, {"other", "0"}};
    for (size_t i = 0; i < MORE; i++)
        rows[1 + i].key = known_keys[i];
    CHECK_OK(rcuinfo_schema_create(NULL, rows, 1 + MORE, &schema, NULL));
    CHECK_OK(rcuinfo_create(&info));
    CHECK_OK(rcuinfo_update(info, first, 2, NULL));
    team_run(WRITERS + READERS, body, NULL);
    CHECKF(__builtin_popcount(atomic_load(&met)) > 1, "readers met one size only");
    CHECK_OK(rcuinfo_free(&info));
    rcuinfo_schema_free(&schema);
    return 0;
}
