/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * search: see history.h. This is the search of Wing and Gong (1993) with the cache of visited places of Lowe (2017). It
 * builds an order step by step: the next operation must be one that no remaining operation precedes, and whose result
 * agrees with the specification. A place is the set of remaining operations and the state; a cached place is not
 * entered again. Linearizability is local (Herlihy and Wing, 1990), so objects that no dup connects are checked
 * separately. So is each key of an object if all operations on the object are on single keys (Lowe's partitioning).
 * Each thread has its own cache.
 */
#include "linear/history.h"

#include <string.h>

#include <rcuinfo/info.h>

/* Returns whether an operation made a change, judging by its result. */
static bool changed(const struct linear_op *op)
{
    if (op->kind == LINEAR_COMPARE_AND_SET)
        return op->result.number == 1 && (op->expected || op->changes[0].value);
    return op->kind < LINEAR_COMPARE_AND_SET && op->result.status == RCUINFO_SUCCESS;
}

/* A place where the search has been: what is left of the operations, and the state that the others have led to. Both
 * are kept whole: two places that merely hash alike must not be taken for one. */
struct place {
    struct linear_state state;
    uint32_t left;
    uint32_t search; /* number of the search that was here; places of earlier ones are empty */
};

enum { PLACES = 1 << 14 }; /* what another place has taken the room of is forgotten, and may be entered again */

/* Of the thread: the history, the number of the search, and where that has been. */
static _Thread_local struct {
    const struct linear_history *history;
    uint32_t number;
    struct place places[PLACES];
} search;

static size_t hash(const struct linear_state *state, uint32_t left)
{
    uint64_t h = left * UINT64_C(0x9e3779b97f4a7c15);
    for (size_t i = 0; i < sizeof *state / sizeof(uint64_t); i++) {
        uint64_t word;
        memcpy(&word, (const char *)state + i * sizeof word, sizeof word);
        h = (h ^ word) * UINT64_C(0x9fb21c651e98df25);
        h ^= h >> 32;
    }
    return (size_t)h;
}

/* Enters a place. Returns false if the search has been here before. */
static bool enter(const struct linear_state *state, uint32_t left)
{
    struct place *place = &search.places[hash(state, left) % PLACES];
    if (place->search == search.number && place->left == left && memcmp(&place->state, state, sizeof *state) == 0)
        return false;
    *place = (struct place){.state = *state, .left = left, .search = search.number};
    return true;
}

/* The operations that can come next: of those that are left none returned before they were invoked. */
static uint32_t candidates(uint32_t left)
{
    const struct linear_op *ops = search.history->ops;
    uint64_t end = UINT64_MAX;
    uint32_t found = 0;
    for (uint32_t rest = left; rest; rest &= rest - 1) {
        uint64_t returned = ops[__builtin_ctz(rest)].returned;
        end = returned < end ? returned : end;
    }
    for (uint32_t rest = left; rest; rest &= rest - 1) {
        if (ops[__builtin_ctz(rest)].invoked < end)
            found |= rest & -rest;
    }
    return found;
}

/* Whether the results of what is left have an order from here. One that fits and changes nothing, here or elsewhere,
 * goes first without a choice: in any order that starts here it can be moved to the front. */
static bool explore(uint32_t left, const struct linear_state *state)
{
    const struct linear_op *ops = search.history->ops;
    struct linear_state after;
    uint32_t fits = 0;
    if (!left)
        return true;
    for (uint32_t rest = candidates(left); rest; rest &= rest - 1) {
        const struct linear_op *op = &ops[__builtin_ctz(rest)];
        after = *state;
        struct linear_result result = linear_apply(&after, op);
        if (memcmp(&result, &op->result, sizeof result) != 0)
            continue;
        if (!changed(op) && memcmp(&after, state, sizeof after) == 0)
            return explore(left & ~(rest & -rest), state);
        fits |= rest & -rest;
    }
    if (!fits || !enter(state, left))
        return false;
    for (; fits; fits &= fits - 1) {
        after = *state;
        (void)linear_apply(&after, &ops[__builtin_ctz(fits)]);
        if (explore(left & ~(fits & -fits), &after))
            return true;
    }
    return false;
}

/* Returns whether some order of the operations in `which` explains their results. */
static bool explained(const struct linear_history *history, uint32_t which)
{
    search.history = history;
    if (++search.number == 0) { /* gone round: numbers of old would be taken for this one's */
        memset(search.places, 0, sizeof search.places);
        search.number = 1;
    }
    return explore(which, &history->initial);
}

/* Collects for each group of objects that dup connects the operations on them. */
static void tie(const struct linear_history *history, uint32_t parts[LINEAR_OBJECTS])
{
    unsigned group[LINEAR_OBJECTS];
    for (unsigned i = 0; i < LINEAR_OBJECTS; i++) {
        group[i] = i;
        parts[i] = 0;
    }
    for (unsigned i = 0; i < history->count; i++) {
        const struct linear_op *op = &history->ops[i];
        unsigned from = group[op->target];
        for (unsigned j = 0; op->kind == LINEAR_DUP && j < LINEAR_OBJECTS; j++)
            group[j] = group[j] == from ? group[op->object] : group[j];
    }
    for (unsigned i = 0; i < history->count; i++)
        parts[group[history->ops[i].object]] |= UINT32_C(1) << i;
}

/* The operations of a part on one key, when all of them are on single keys. */
static uint32_t on_key(const struct linear_history *history, uint32_t part, unsigned key)
{
    uint32_t found = 0;
    for (; part; part &= part - 1) {
        if (history->ops[__builtin_ctz(part)].changes[0].key == key)
            found |= part & -part;
    }
    return found;
}

static bool single_keys(const struct linear_history *history, uint32_t part)
{
    for (; part; part &= part - 1) {
        if (!linear_single_key(&history->ops[__builtin_ctz(part)]))
            return false;
    }
    return true;
}

uint32_t linear_check(const struct linear_history *history)
{
    uint32_t parts[LINEAR_OBJECTS];
    tie(history, parts);
    for (unsigned i = 0; i < LINEAR_OBJECTS; i++) {
        bool by_key = single_keys(history, parts[i]);
        for (unsigned key = 0; key < (by_key ? LINEAR_KEYS : 1); key++) {
            uint32_t part = by_key ? on_key(history, parts[i], key) : parts[i];
            if (!explained(history, part))
                return part;
        }
    }
    return 0;
}
