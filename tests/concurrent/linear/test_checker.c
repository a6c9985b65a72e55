/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compares the search with one that is too simple to be wrong, on random histories that are linearizable by
 * construction and on the same histories with one result changed. canary.linear_* runs the search on stores with a
 * defect; linear.histories and, for offers, hints.histories compare the specification with the sound store.
 */
#include <rcuinfo/info.h>

#include "linear/history.h"
#include "support/check.h"
#include "support/scale.h"

enum { ROUNDS = SCALED(60000), MOST = 9 /* operations, for the simple search's sake */ };

/* Tries every order, without a cache, partitioning or operations that go first. */
static bool simple(const struct linear_history *h, uint32_t left, const struct linear_state *state)
{
    if (!left)
        return true;
    for (unsigned i = 0; i < h->count; i++) {
        uint32_t bit = UINT32_C(1) << i;
        bool next = left & bit;
        for (unsigned j = 0; j < h->count; j++)
            next = next && !(left & UINT32_C(1) << j && h->ops[j].returned < h->ops[i].invoked);
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

/* Returns the index of the thread's next operation, or -1. */
static int next_of(const struct linear_history *h, unsigned thread)
{
    for (unsigned i = 0; i < h->count; i++) {
        if (h->ops[i].thread == thread && !h->ops[i].returned)
            return (int)i;
    }
    return -1;
}

/*
 * Does the program as a store without a fault would: one random step of one thread after the other (it is invoked,
 * takes effect, returns), the operations of thread LINEAR_THREADS last. Operations on what is not made yet are left
 * out.
 */
static void simulate(struct linear_history *h, struct random *random)
{
    struct linear_state state = h->initial;
    bool applied[LINEAR_OPS] = {false};
    uint64_t stamp = 1;
    unsigned done = 0;
    for (unsigned last = 0; last <= LINEAR_THREADS; last += next_of(h, last) < 0) {
        int next = next_of(h, last < LINEAR_THREADS ? random_below(random, LINEAR_THREADS) : LINEAR_THREADS);
        struct linear_op *op = &h->ops[next < 0 ? 0 : next];
        if (next < 0)
            continue;
        if (!op->invoked && state.objects[op->object].life == LINEAR_NOT_YET && op->kind != LINEAR_CREATE) {
            op->returned = stamp;
        } else if (!op->invoked) {
            op->invoked = stamp++;
        } else if (!applied[next]) {
            linear_apply(&state, op, &op->result);
            applied[next] = true;
        } else {
            op->returned = stamp++;
        }
    }
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

/* Returns whether the history is linearizable. All searches must agree. */
static bool linearizable(struct linear_history h)
{
    uint32_t all = (UINT32_C(1) << h.count) - 1;
    bool expected = simple(&h, all, &h.initial);
    CHECK(linear_explained(&h, all) == expected);
    CHECK(linear_check(&h).linearizable == expected);
    return expected;
}

int main(void)
{
    struct random random = {1};
    unsigned long compared = 0, refused = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct linear_history h;
        linear_generate(&h, &random, 2 + random_below(&random, 2));
        for (unsigned i = 0; i < h.count; i++) {
            if (h.ops[i].kind == LINEAR_UPDATE && random_below(&random, 2))
                h.ops[i].kind = LINEAR_OFFER;
        }
        simulate(&h, &random);
        CHECK(linear_check(&h).linearizable);
        if (h.count > MOST)
            continue;
        CHECK(linearizable(h));
        spoil(&h, &random);
        compared++;
        refused += !linearizable(h);
    }
    printf("%lu histories compared, %lu of them not linearizable\n", compared, refused);
    CHECK(compared > ROUNDS / 10 && refused > compared / 10 && refused < compared);
    return 0;
}
