/* SPDX-License-Identifier: BSD-3-Clause */
/* parts: a history is decided part by part. See search.h. */
#include "linear/search.h"

/* Of each object the operations on it and on those that dup ties to it. */
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

struct linear_verdict linear_check(struct linear_search *search, const struct linear_history *history)
{
    struct linear_verdict verdict = {.linearizable = true, .per_key = true};
    uint32_t parts[LINEAR_OBJECTS];
    tie(history, parts);
    for (unsigned i = 0; i < LINEAR_OBJECTS && verdict.linearizable; i++) {
        if (!single_keys(history, parts[i])) {
            verdict.per_key = false;
            verdict.part = parts[i];
            verdict.linearizable = linear_explained(search, history, parts[i]);
            continue;
        }
        for (unsigned key = 0; key < LINEAR_KEYS && verdict.linearizable; key++) {
            verdict.part = on_key(history, parts[i], key);
            verdict.linearizable = linear_explained(search, history, verdict.part);
        }
    }
    return verdict;
}
