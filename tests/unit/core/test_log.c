/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Large objects can be emptied at bounded cost and refilled, in any order.
 * White box: inspects the entries of the log. (core.differential checks that a version never changes, whatever its
 * object or a dup appends to the block.)
 */
#include "core/calls/build.h"
#include "core/memory/arena.h"
#include "stress/random.h"
#include "support/inside.h"
#include "support/objects.h"
#include "support/scale.h"
#include "support/test.h"

static struct random rng = {1};

enum { MANY = 65536 / TEST_SCALE };

/* The name of a key, valid until the next call. */
static const char *name(unsigned key)
{
    static char text[16];
    (void)snprintf(text, sizeof text, "key%u", key);
    return text;
}

/* Checks that the object has these keys, in this order, and no others. */
static void check_keys(rcuinfo_t info, const unsigned *order, unsigned n)
{
    static bool there[MANY];
    rcuinfo_pair_t pair;
    memset(there, 0, sizeof there);
    const rcuinfo_snapshot_t *snapshot = object_open(info);
    CHECK_EQUAL(rcuinfo_snapshot_count(snapshot), n);
    for (unsigned i = 0; i < n; i++) {
        there[order[i]] = true;
        CHECK_OK(rcuinfo_snapshot_nth(snapshot, i, &pair));
        CHECK_TEXT(pair.key, name(order[i]));
        CHECK_TEXT(pair.value, pair.key);
    }
    for (unsigned i = 0; i < MANY; i++)
        CHECK_EQUAL(rcuinfo_snapshot_find(snapshot, name(i), &pair), there[i] ? RCUINFO_SUCCESS : RCUINFO_ERR_NOKEY);
    rcuinfo_snapshot_close(snapshot);
}

enum end { FRONT, BACK, ANYWHERE, ENDS };

/* Deletes all keys, from one end or at random, and checks the rest from time to time. A delete lists at most about
 * twice the square root of the pairs, and as many deletes are between two copies: so the total cost is less than
 * quadratic. */
static void empty(rcuinfo_t info, unsigned *order, enum end end)
{
    uint64_t copies = 0;
    for (unsigned n = MANY; n; n--) {
        unsigned place = end == FRONT ? 0 : end == BACK ? n - 1 : random_below(&rng, n);
        const struct rcuinfo__block *block = block_of(info);
        CHECK_OK(rcuinfo_delete(info, name(order[place])));
        const struct rcuinfo__entry *last = root_of(info);
        uint64_t holes = last->flags & RCUINFO__ENTRY_DELETED ? last->value_length / sizeof(uint32_t) : 0;
        CHECK(holes * holes <= 2 * (8 * 8 + 2 * 2 * (uint64_t)n));
        copies += rcuinfo__block_of(last) != block;
        memmove(&order[place], &order[place + 1], (n - 1 - place) * sizeof *order);
        if (n % (MANY / 8) == 1 || n < 8)
            check_keys(info, order, n - 1);
    }
    CHECK(copies * copies <= 4 * MANY);
}

/* Refills the object by one update: sets all keys, then deletes and sets every other one again, so these come last. */
static void refill(rcuinfo_t info, unsigned *order)
{
    static rcuinfo_change_t changes[2 * MANY];
    static char keys[MANY][16];
    unsigned n = 0;
    for (unsigned i = 0; i < MANY; i++) {
        unsigned key = order[i / 2 + i % 2 * ((MANY + 1) / 2)] = i * 6143 % MANY;
        (void)snprintf(keys[i], sizeof keys[i], "key%u", key);
        changes[n++] = (rcuinfo_change_t){keys[i], keys[i]};
    }
    for (unsigned i = 1; i < MANY; i += 2) {
        changes[n++] = (rcuinfo_change_t){keys[i], NULL};
        changes[n++] = (rcuinfo_change_t){keys[i], keys[i]};
    }
    CHECK_OK(rcuinfo_update(info, changes, n, NULL));
}

/* A snapshot keeps the full version while the object is emptied and refilled in another order. */
TEST(large_objects_are_emptied_and_refilled)
{
    static unsigned order[MANY], before[MANY];
    rcuinfo_pair_t pair;
    for (enum end end = FRONT; end < ENDS; end++) {
        rcuinfo_t info = object_empty();
        for (unsigned i = 0; i < MANY; i++) {
            const char *text = name(before[i] = order[i] = i * 7919 % MANY);
            CHECK_OK(rcuinfo_set(info, text, text));
        }
        const rcuinfo_snapshot_t *snapshot = object_open(info);

        empty(info, order, end);
        refill(info, order);
        check_keys(info, order, MANY);

        for (unsigned i = 0; i < MANY; i += 7) {
            CHECK_OK(rcuinfo_snapshot_nth(snapshot, i, &pair));
            CHECK_TEXT(pair.key, name(before[i]));
        }
        rcuinfo_snapshot_close(snapshot);
        CHECK_OK(rcuinfo_free(&info));
    }
    CHECK_EQUAL(rcuinfo_store_drain(), 0);
}

TEST_MAIN()
