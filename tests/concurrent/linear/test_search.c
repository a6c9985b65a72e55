/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The search against one that is too simple to be wrong: random histories, linearizable by the way they are made, and
 * the same with one result changed. Both must say the same of each.
 */
#include <string.h>

#include <rcuinfo/info.h>

#include "linear/generate.h"
#include "linear/search.h"
#include "support/check.h"
#include "support/scale.h"

enum { ROUNDS = SCALED(60000), MOST = 9 /* operations, for the simple search's sake */ };

static bool before(const struct linear_op *first, const struct linear_op *second)
{
    return first->returned < second->invoked;
}

/* Tries every order: no memory, no parts, nothing that goes first. */
static bool simple(const struct linear_history *h, uint32_t left, const struct linear_state *state)
{
    if (!left)
        return true;
    for (unsigned i = 0; i < h->count; i++) {
        uint32_t bit = UINT32_C(1) << i;
        bool next = left & bit;
        for (unsigned j = 0; j < h->count; j++)
            next = next && !(left & UINT32_C(1) << j && before(&h->ops[j], &h->ops[i]));
        struct linear_state after = *state;
        struct linear_result result;
        if (!next)
            continue;
        linear_apply(&after, &h->ops[i], &result);
        if (memcmp(&result, &h->ops[i].result, sizeof result) == 0 && simple(h, left & ~bit, &after))
            return true;
    }
    return false;
}

/* What a thread is at: nothing, an operation that has not taken effect, or one that has. */
enum phase { IDLE, INVOKED, APPLIED };

/*
 * Does the program as a store without a fault would: one random step of one thread after the other, the operations of
 * thread LINEAR_THREADS last. Operations on what is not made yet are left out.
 */
static void simulate(struct linear_history *h, struct random *random)
{
    struct linear_state state = h->initial;
    unsigned next[LINEAR_THREADS + 1] = {0};
    enum phase phase[LINEAR_THREADS + 1] = {IDLE};
    struct linear_op *op;
    uint64_t stamp = 1;
    for (unsigned ended = 0; ended <= LINEAR_THREADS;) {
        unsigned thread = ended < LINEAR_THREADS ? random_below(random, LINEAR_THREADS) : LINEAR_THREADS;
        while (next[thread] < h->count && h->ops[next[thread]].thread != thread)
            next[thread]++;
        if (next[thread] >= h->count) {
            ended += next[thread] == h->count;
            next[thread] = LINEAR_OPS + 1;
            continue;
        }
        op = &h->ops[next[thread]];
        if (phase[thread] == IDLE && state.objects[op->object].life == LINEAR_NOT_YET && op->kind != LINEAR_CREATE) {
            next[thread]++;
        } else if (phase[thread] == IDLE) {
            op->invoked = stamp++;
            phase[thread] = INVOKED;
        } else if (phase[thread] == INVOKED) {
            linear_apply(&state, op, &op->result);
            phase[thread] = APPLIED;
        } else {
            op->returned = stamp++;
            phase[thread] = IDLE;
            next[thread]++;
        }
    }
    unsigned done = 0;
    for (unsigned i = 0; i < h->count; i++) {
        if (h->ops[i].invoked)
            h->ops[done++] = h->ops[i];
    }
    h->count = done;
}

/* Changes one result a little. */
static void spoil(struct linear_history *h, struct random *random)
{
    struct linear_op *op = &h->ops[random_below(random, h->count)];
    const struct linear_op *other = &h->ops[random_below(random, h->count)];
    if (random_below(random, 4) == 0)
        op->result.status = other->result.status;
    else if (op->kind == LINEAR_SNAPSHOT)
        op->result.contents.pairs[0] = other->result.contents.pairs[0];
    else
        op->result.number = (uint8_t)random_below(random, 6);
}

static uint32_t all(const struct linear_history *h)
{
    return (UINT32_C(1) << h->count) - 1;
}

/* Returns whether the history is linearizable. */
static bool compare(struct linear_search *search, const struct linear_history *h)
{
    struct linear_verdict verdict = linear_check(search, h);
    bool expected = simple(h, all(h), &h->initial);
    CHECK(linear_explained(search, h, all(h)) == expected);
    CHECK(verdict.linearizable == expected);
    return expected;
}

int main(void)
{
    struct linear_search *search = linear_search_new();
    struct random random = {1};
    unsigned long compared = 0, refused = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct linear_history h;
        linear_generate(&h, &random, 2 + random_below(&random, 2));
        simulate(&h, &random);
        CHECK(linear_check(search, &h).linearizable);
        if (h.count > MOST)
            continue;
        CHECK(compare(search, &h));
        spoil(&h, &random);
        compared++;
        refused += !compare(search, &h);
    }
    linear_search_free(search);
    printf("%lu histories compared, %lu of them not linearizable\n", compared, refused);
    CHECK(compared > ROUNDS / 10 && refused > compared / 10 && refused < compared);
    return 0;
}
