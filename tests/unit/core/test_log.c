/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Old versions are found in few steps, and large objects can be emptied at bounded cost and refilled, in any order.
 * White box: inspects the entries of the log. (core.differential checks that a version never changes, whatever its
 * object or a dup appends to the block.)
 */
#include "core/build.h"
#include "core/arena.h"
#include "stress/random.h"
#include "support/inside.h"
#include "support/objects.h"
#include "support/scale.h"
#include "support/test.h"

static struct random rng = {1};

/* Counts the steps from the newest entry of a key to its entry in an older version. Jumps must be taken if they do not
 * lead too far: the entry is found even though `previous` is cleared in the entries with such jumps. */
static unsigned follow_jumps(const struct rcuinfo__entry *last, const struct rcuinfo__entry *version)
{
    enum { MOST = 64 };
    const struct rcuinfo__block *block = rcuinfo__block_of(last);
    struct rcuinfo__links *cut[MOST];
    uint32_t previous[MOST];
    unsigned cuts = 0, steps = 0;
    for (const struct rcuinfo__entry *entry = last; entry->position > version->position; steps++) {
        struct rcuinfo__links *links = (struct rcuinfo__links *)(uintptr_t)rcuinfo__log_links(entry);
        uint32_t older = links->previous;
        if (links->jump > version->position + 1) {
            CHECK(cuts < MOST);
            cut[cuts] = links;
            previous[cuts++] = links->previous;
            older = links->jump;
            links->previous = 0;
        }
        entry = rcuinfo__block_entry(block, older - 1);
    }

    CHECK(rcuinfo__log_older(last, version->position + 1) == version);
    while (cuts--)
        cut[cuts]->previous = previous[cuts];
    return steps;
}

/* Sets one of 40 keys of a block 100,000 times. The key's entry in each version can be reached from the newest one in a
 * logarithmic number of steps. */
TEST(old_versions_are_few_steps_away)
{
    enum { SETS = 100000, OTHERS = 40, TEXT = 60 };
    static const struct rcuinfo__shape shape = {SETS + OTHERS, (uint64_t)TEXT * (SETS + OTHERS), TEXT};
    struct rcuinfo__block *block = rcuinfo__arena_alloc(&shape);
    struct rcuinfo__writing writing;
    struct rcuinfo__edit edit;
    char key[16], value[16];
    unsigned most = 0;

    CHECK(block);
    rcuinfo__log_copy(&writing, block, RCUINFO__EMPTY);
    for (unsigned i = 0; i < OTHERS; i++) {
        (void)snprintf(key, sizeof key, "key%u", i);
        CHECK_OK(rcuinfo__build_edit(&edit, key, "", RCUINFO__NATIVE_LIMITS));
        CHECK(rcuinfo__log_write(&writing, &edit, NULL));
    }

    const struct rcuinfo__entry *last = rcuinfo__log_finish(&writing, 1);
    for (unsigned i = 0; i < SETS; i++) {
        (void)snprintf(value, sizeof value, "%u", i);
        CHECK_OK(rcuinfo__build_edit(&edit, "key7", value, RCUINFO__NATIVE_LIMITS));
        rcuinfo__log_continue(&writing, last, writing.end, 1);
        CHECK(rcuinfo__log_write(&writing, &edit, rcuinfo__log_written(&writing, &edit)));
        last = writing.last;
    }

    for (unsigned i = 0; i < SETS; i++) {
        const struct rcuinfo__entry *version = rcuinfo__block_entry(block, OTHERS + i);
        unsigned steps = follow_jumps(last, version);
        most = steps > most ? steps : most;
        CHECK(rcuinfo__log_find(version, "key7", 4, edit.hash) == version);
        CHECK_EQUAL(atoi(rcuinfo__log_value(version)), i);
        CHECK_EQUAL(rcuinfo__log_version(version), i + 2);
    }
    CHECK_RANGE(most, 1, 3 * 17); /* 3 log2(SETS), rounded up */
    CHECK(rcuinfo__log_valid(rcuinfo__block_entry(block, 1000)));
    rcuinfo__arena_free(block);
}

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
