/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The search against one that is too simple to be wrong: random histories, linearizable by the way they are made, and
 * the same with one result changed; and some that are written by hand, of which it is known what to say. Stores with a
 * defect are found by it in canary.linear_*.
 */
#include <rcuinfo/info.h>

#include "linear/history.h"
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

/* What a thread does next: -1: nothing. */
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

/* Whether the history is linearizable. All ways to decide it must say the same. */
static bool linearizable(struct linear_history h)
{
    uint32_t all = (UINT32_C(1) << h.count) - 1;
    bool expected = simple(&h, all, &h.initial);
    CHECK(linear_explained(&h, all) == expected);
    CHECK(linear_check(&h).linearizable == expected);
    return expected;
}

static void test_random(void)
{
    struct random random = {1};
    unsigned long compared = 0, refused = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct linear_history h;
        linear_generate(&h, &random, 2 + random_below(&random, 2));
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
}

enum { A, B, C }; /* objects */
enum { a, b };    /* keys */

/* Operations with their results: thread, stamps, object, arguments, result. Values are numbers, 0 is absent. */
#define OP(KIND, t, from, to, o, ...)                                                                                  \
    ((struct linear_op){.kind = LINEAR_##KIND, .thread = t, .invoked = from, .returned = to, .object = o, __VA_ARGS__})
#define SET(t, from, to, o, key, to_value) OP(SET, t, from, to, o, .changes = {{key, to_value}})
#define GET(t, from, to, o, key, got)      OP(GET, t, from, to, o, .changes = {{key, 0}}, .result.number = got)
#define UPDATE(t, from, to, o, v1, v2)     OP(UPDATE, t, from, to, o, .changed = 2, .changes = {{a, v1}, {b, v2}})
#define OFFER(t, from, to, o, rising, v1, v2)                                                                          \
    OP(OFFER, t, from, to, o, .changed = 2, .nth = rising, .changes = {{a, v1}, {b, v2}})
#define SNAPSHOT(t, from, to, o, version, v1, v2)                                                                      \
    OP(SNAPSHOT, t, from, to, o, .result.contents = {LINEAR_LIVE, version, 2, {{a, v1}, {b, v2}}})
#define NUMBER(KIND, t, from, to, o, got) OP(KIND, t, from, to, o, .result.number = got)

/* A and B with a: 1, b: 2, version 2, and what was done to them. */
static struct linear_history history(const struct linear_op *ops, size_t n)
{
    struct linear_history h = {.count = (unsigned)n};
    h.initial.objects[A] = (struct linear_object){LINEAR_LIVE, 2, 2, {{a, 1}, {b, 2}}};
    h.initial.objects[B] = h.initial.objects[A];
    memcpy(h.ops, ops, n * sizeof *ops);
    return h;
}

#define HISTORY(...)                                                                                                   \
    history((const struct linear_op[]){__VA_ARGS__},                                                                   \
            sizeof((const struct linear_op[]){__VA_ARGS__}) / sizeof(struct linear_op))
#define GOOD(...) CHECK(linearizable(HISTORY(__VA_ARGS__)))
#define BAD(...)  CHECK(!linearizable(HISTORY(__VA_ARGS__)))

static void test_by_hand(void)
{
    /* During a set either value, in the order in which it changes; not after it, and not from the future. */
    GOOD(SET(0, 1, 6, A, a, 3), GET(1, 2, 4, A, a, 3), GET(2, 3, 5, A, a, 1));
    BAD(SET(0, 1, 6, A, a, 3), GET(1, 2, 3, A, a, 3), GET(2, 4, 5, A, a, 1));
    BAD(SET(0, 1, 2, A, a, 3), GET(1, 3, 4, A, a, 1));
    BAD(GET(1, 1, 2, A, a, 3), SET(0, 3, 4, A, a, 3));
    /* A lost update, and a torn one. */
    BAD(SET(0, 1, 3, A, a, 3), SET(1, 2, 4, A, b, 4), NUMBER(VERSION, 3, 5, 6, A, 3));
    BAD(UPDATE(0, 1, 4, A, 3, 4), SNAPSHOT(1, 2, 3, A, 3, 3, 2));
    BAD(UPDATE(0, 1, 6, A, 3, 4), GET(1, 2, 3, A, a, 3), GET(1, 4, 5, A, b, 2));
    /* A get of a dup says what its source was: then the source has moved on, or not yet. */
    BAD(SET(0, 1, 10, A, a, 3), OP(DUP, 1, 2, 3, A, .target = C), GET(1, 4, 5, C, a, 3), GET(2, 6, 7, A, a, 1));
}

/* A key that may only rise takes no value below its own; another takes any, and neither makes a version. */
static void test_offers(void)
{
    GOOD(OFFER(0, 1, 3, A, a, 6, 5), OFFER(1, 2, 4, A, a, 4, 3), SNAPSHOT(2, 5, 6, A, 2, 6, 3));
    GOOD(OFFER(0, 1, 3, A, a, 6, 5), OFFER(1, 2, 4, A, a, 4, 3), SNAPSHOT(2, 5, 6, A, 2, 6, 5));
    BAD(OFFER(0, 1, 2, A, a, 6, 5), OFFER(1, 3, 4, A, a, 4, 3), SNAPSHOT(2, 5, 6, A, 2, 6, 5));
    BAD(OFFER(0, 1, 2, A, a, 6, 5), OFFER(1, 3, 4, A, a, 4, 3), GET(2, 5, 6, A, a, 4));
    /* What would change nothing now may change something later. */
    struct linear_op later = OFFER(2, 4, 9, A, a, 5, 0);
    later.changed = 1;
    GOOD(OFFER(0, 1, 2, A, a, 6, 7), OFFER(1, 3, 10, A, LINEAR_GARBAGE, 3, 4), later, GET(0, 11, 12, A, a, 5));
}

/* What is decided key by key, and what is printed: the part that has no order, by the time of invocation. */
static void test_parts(void)
{
    struct linear_history mixed =
        HISTORY(NUMBER(NKEYS, 0, 1, 2, A, 2), GET(1, 3, 4, B, a, 1), SET(0, 5, 6, B, b, 3), GET(1, 7, 8, B, b, 2));
    struct linear_history h = HISTORY(NUMBER(NKEYS, 2, 5, 6, A, 2), SET(1, 9, 12, A, a, 4), GET(2, 10, 11, A, a, 1),
                                      GET(2, 13, 14, A, a, 3), GET(0, 7, 8, B, b, 2));
    char *text = NULL;
    size_t bytes = 0;
    struct linear_verdict verdict = linear_check(&mixed);
    CHECK(!verdict.linearizable);
    CHECK_EQUAL(verdict.part, 1 << 2 | 1 << 3);
    verdict = linear_check(&h);
    CHECK(!verdict.linearizable);
    FILE *to = open_memstream(&text, &bytes);
    CHECK(to);
    linear_print(to, &h, verdict.part);
    CHECK(fclose(to) == 0);
    CHECK_TEXT(text, "  at first: A = {a: v1, b: v2} version 2\n"
                     "  at first: B = {a: v1, b: v2} version 2\n"
                     "  thread 2, 1 to 2: nkeys A = success, 2\n"
                     "  thread 1, 5 to 8: set A a: v4 = success\n"
                     "  thread 2, 6 to 7: get A a = success, v1\n"
                     "  thread 2, 9 to 10: get A a = success, v3\n");
    free(text);
}

int main(void)
{
    test_random();
    test_by_hand();
    test_offers();
    test_parts();
    return 0;
}
