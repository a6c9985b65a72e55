/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The checker on histories written by hand: what is linearizable, what is not, and what of it is printed. A stale read,
 * a lost update or a torn one must not pass, and what threads may legally see must not be refused.
 */
#include <rcuinfo/info.h>

#include "linear/search.h"
#include "support/check.h"

enum { A, B, C };          /* objects */
enum { a, b };             /* keys */
enum { T0, T1, T2, LAST }; /* threads */

/* Operations with their results: thread, stamps, object, arguments, result. Values are numbers, 0 is absent. */
#define OP(KIND, t, from, to, o) .kind = LINEAR_##KIND, .thread = t, .invoked = from, .returned = to, .object = o
#define SET(t, from, to, o, key, value)                                                                                \
    {                                                                                                                  \
        OP(SET, t, from, to, o), .changes = { {key, value} }                                                           \
    }
#define DELETE(t, from, to, o, key, got)                                                                               \
    {                                                                                                                  \
        OP(DELETE, t, from, to, o), .changes = {{key, 0}}, .result.status = got                                        \
    }
#define UPDATE(t, from, to, o, v1, v2)                                                                                 \
    {                                                                                                                  \
        OP(UPDATE, t, from, to, o), .changed = 2, .changes = { {a, v1}, {b, v2} }                                      \
    }
#define OFFER(t, from, to, o, rising, v1, v2)                                                                          \
    {                                                                                                                  \
        OP(OFFER, t, from, to, o), .changed = 2, .nth = rising, .changes = { {a, v1}, {b, v2} }                        \
    }
#define SWAP(t, from, to, o, key, before, after, swapped)                                                              \
    {                                                                                                                  \
        OP(COMPARE_AND_SET, t, from, to, o), .expected = before, .changes = {{key, after}}, .result.number = swapped   \
    }
#define GET(t, from, to, o, key, value)                                                                                \
    {                                                                                                                  \
        OP(GET, t, from, to, o), .changes = {{key, 0}}, .result.number = value                                         \
    }
#define NUMBER(KIND, t, from, to, o, got)                                                                              \
    {                                                                                                                  \
        OP(KIND, t, from, to, o), .result.number = got                                                                 \
    }
#define NTHKEY(t, from, to, o, n, got, key)                                                                            \
    {                                                                                                                  \
        OP(NTHKEY, t, from, to, o), .nth = n, .result.status = got, .result.number = key                               \
    }
#define SNAPSHOT(t, from, to, o, version, ...)                                                                         \
    {                                                                                                                  \
        OP(SNAPSHOT, t, from, to, o), .result.contents = contents(version, (const struct linear_pair[3]){__VA_ARGS__}) \
    }
#define DUP(t, from, to, o, made)                                                                                      \
    {                                                                                                                  \
        OP(DUP, t, from, to, o), .target = made                                                                        \
    }
#define FREE(t, from, to, o, got)                                                                                      \
    {                                                                                                                  \
        OP(FREE, t, from, to, o), .result.status = got                                                                 \
    }

/* An object with the pairs that have a value. */
static struct linear_object contents(uint8_t version, const struct linear_pair *pairs)
{
    struct linear_object object = {.life = LINEAR_LIVE, .version = version};
    for (; pairs->value; pairs++)
        object.pairs[object.count++] = *pairs;
    return object;
}

/* A and B with a: 1, b: 2, version 2, and what was done to them. */
static struct linear_history history(const struct linear_op *ops, size_t n)
{
    struct linear_history h = {.count = (unsigned)n};
    const struct linear_pair pairs[3] = {{a, 1}, {b, 2}};
    h.initial.objects[A] = h.initial.objects[B] = contents(2, pairs);
    memcpy(h.ops, ops, n * sizeof *ops);
    return h;
}

#define HISTORY(...)                                                                                                   \
    history((const struct linear_op[]){__VA_ARGS__},                                                                   \
            sizeof((const struct linear_op[]){__VA_ARGS__}) / sizeof(struct linear_op))

static struct linear_search *search;

/* Decided part by part and as a whole. */
static bool linearizable(struct linear_history h)
{
    bool whole = linear_explained(search, &h, (UINT32_C(1) << h.count) - 1);
    CHECK(linear_check(search, &h).linearizable == whole);
    return whole;
}

#define GOOD(...) CHECK(linearizable(HISTORY(__VA_ARGS__)))
#define BAD(...)  CHECK(!linearizable(HISTORY(__VA_ARGS__)))

static void test_reads(void)
{
    GOOD(GET(T0, 1, 2, A, a, 1), SET(T1, 3, 4, A, a, 3), GET(T0, 5, 6, A, a, 3));
    /* During a set either value, in the order in which it changes. */
    GOOD(SET(T0, 1, 6, A, a, 3), GET(T1, 2, 3, A, a, 1), GET(T1, 4, 5, A, a, 3));
    GOOD(SET(T0, 1, 6, A, a, 3), GET(T1, 2, 4, A, a, 3), GET(T2, 3, 5, A, a, 1));
    BAD(SET(T0, 1, 6, A, a, 3), GET(T1, 2, 3, A, a, 3), GET(T2, 4, 5, A, a, 1));
    /* Stale. */
    BAD(SET(T0, 1, 2, A, a, 3), GET(T1, 3, 4, A, a, 1));
    /* From the future, and from nowhere. */
    BAD(GET(T1, 1, 2, A, a, 3), SET(T0, 3, 4, A, a, 3));
    BAD(SET(T0, 1, 2, A, a, 3), GET(T1, 3, 4, A, a, LINEAR_GARBAGE));
    /* Two readers that disagree on the order of two sets. */
    BAD(SET(T0, 1, 20, A, a, 3), SET(T0 + 3, 2, 19, A, a, 4), GET(T1, 3, 4, A, a, 3), GET(T1, 7, 8, A, a, 4),
        GET(T2, 5, 6, A, a, 4), GET(T2, 9, 10, A, a, 3));
}

static void test_lost_update(void)
{
    BAD(SET(T0, 1, 3, A, a, 3), SET(T1, 2, 4, A, b, 4), GET(LAST, 5, 6, A, a, 1));
    BAD(SET(T0, 1, 3, A, a, 3), SET(T1, 2, 4, A, b, 4), NUMBER(VERSION, LAST, 5, 6, A, 3));
    GOOD(SET(T0, 1, 3, A, a, 3), SET(T1, 2, 4, A, b, 4), NUMBER(VERSION, LAST, 5, 6, A, 4));
    BAD(DELETE(T0, 1, 3, A, a, RCUINFO_SUCCESS), DELETE(T1, 2, 4, A, a, RCUINFO_SUCCESS));
    GOOD(DELETE(T0, 1, 3, A, a, RCUINFO_SUCCESS), DELETE(T1, 2, 4, A, a, RCUINFO_ERR_NOKEY));
    BAD(DELETE(T0, 1, 2, A, a, RCUINFO_ERR_NOKEY), DELETE(T1, 3, 4, A, a, RCUINFO_SUCCESS));
    /* Of two that expect the same value one wins. */
    BAD(SWAP(T0, 1, 3, A, a, 1, 3, 1), SWAP(T1, 2, 4, A, a, 1, 4, 1));
    GOOD(SWAP(T0, 1, 3, A, a, 1, 3, 1), SWAP(T1, 2, 4, A, a, 1, 4, 0), GET(T1, 5, 6, A, a, 3));
    BAD(SWAP(T0, 1, 3, A, a, 1, 3, 0), SWAP(T1, 2, 4, A, a, 1, 4, 0));
}

static void test_update(void)
{
    GOOD(UPDATE(T0, 1, 4, A, 3, 4), SNAPSHOT(T1, 2, 3, A, 2, {a, 1}, {b, 2}));
    GOOD(UPDATE(T0, 1, 4, A, 3, 4), SNAPSHOT(T1, 2, 3, A, 3, {a, 3}, {b, 4}));
    /* Torn: half of it, in one read and in two. */
    BAD(UPDATE(T0, 1, 4, A, 3, 4), SNAPSHOT(T1, 2, 3, A, 3, {a, 3}, {b, 2}));
    BAD(UPDATE(T0, 1, 6, A, 3, 4), GET(T1, 2, 3, A, a, 3), GET(T1, 4, 5, A, b, 2));
    BAD(UPDATE(T0, 1, 6, A, 3, 4), GET(T1, 2, 3, A, b, 4), GET(T1, 4, 5, A, a, 1));
    /* A delete that fails lets nothing happen: the change before it is not to be seen. */
    struct linear_op refused = UPDATE(T0, 3, 4, A, 3, 0);
    refused.result = (struct linear_result){.status = RCUINFO_ERR_NOKEY, .number = 1};
    GOOD(DELETE(T0, 1, 2, A, b, RCUINFO_SUCCESS), refused, GET(T1, 5, 6, A, a, 1));
    BAD(DELETE(T0, 1, 2, A, b, RCUINFO_SUCCESS), refused, GET(T1, 5, 6, A, a, 3));
    BAD(refused);
}

static void test_positions(void)
{
    struct linear_op remove = DELETE(T0, 1, 6, A, a, RCUINFO_SUCCESS);
    GOOD(remove, NTHKEY(T1, 2, 3, A, 0, RCUINFO_SUCCESS, a), NTHKEY(T1, 4, 5, A, 1, RCUINFO_ERR_ARG, 0));
    GOOD(remove, NTHKEY(T1, 2, 3, A, 0, RCUINFO_SUCCESS, a), NTHKEY(T1, 4, 5, A, 1, RCUINFO_SUCCESS, b));
    /* Of two versions: the key has moved down, and then it has not. */
    BAD(remove, NTHKEY(T1, 2, 3, A, 0, RCUINFO_SUCCESS, b), NTHKEY(T1, 4, 5, A, 1, RCUINFO_SUCCESS, b));
    BAD(remove, NUMBER(NKEYS, T1, 2, 3, A, 1), NTHKEY(T1, 4, 5, A, 1, RCUINFO_SUCCESS, b));
    /* A key that was deleted and comes again goes to the end; one that is set again keeps its place. */
    GOOD(remove, SET(T0, 7, 8, A, a, 3), SNAPSHOT(T1, 9, 10, A, 4, {b, 2}, {a, 3}));
    BAD(remove, SET(T0, 7, 8, A, a, 3), SNAPSHOT(T1, 9, 10, A, 4, {a, 3}, {b, 2}));
    BAD(SET(T0, 7, 8, A, a, 3), SNAPSHOT(T1, 9, 10, A, 3, {b, 2}, {a, 3}));
}

/* T0 sets A and gets B, T1 sets B and gets A: that both miss the other's set has no explanation, whatever the times. */
static void test_two_objects(void)
{
    GOOD(SET(T0, 1, 3, A, a, 3), SET(T1, 2, 4, B, a, 4), GET(T0, 5, 7, B, a, 4), GET(T1, 6, 8, A, a, 3));
    GOOD(SET(T0, 1, 3, A, a, 3), GET(T0, 4, 5, B, a, 1), SET(T1, 2, 6, B, a, 4), GET(T1, 7, 8, A, a, 3));
    unsigned orders = 0;
    for (unsigned order = 0; order < 256; order++) { /* bit i: which thread takes the stamp i */
        uint64_t stamps[2][4];
        unsigned taken[2] = {0, 0};
        for (unsigned i = 0; i < 8; i++) {
            unsigned thread = order >> i & 1;
            if (taken[thread] < 4)
                stamps[thread][taken[thread]++] = i + 1;
        }
        if (taken[0] != 4 || taken[1] != 4)
            continue;
        orders++;
        BAD(SET(T0, stamps[0][0], stamps[0][1], A, a, 3), GET(T0, stamps[0][2], stamps[0][3], B, a, 1),
            SET(T1, stamps[1][0], stamps[1][1], B, a, 4), GET(T1, stamps[1][2], stamps[1][3], A, a, 1));
    }
    CHECK_EQUAL(orders, 70);
}

static void test_dup(void)
{
    GOOD(UPDATE(T0, 1, 4, A, 3, 4), DUP(T1, 2, 3, A, C), SNAPSHOT(T1, 5, 6, C, 2, {a, 1}, {b, 2}));
    GOOD(UPDATE(T0, 1, 4, A, 3, 4), DUP(T1, 2, 3, A, C), SNAPSHOT(T1, 5, 6, C, 3, {a, 3}, {b, 4}));
    /* A copy of two versions. */
    BAD(UPDATE(T0, 1, 4, A, 3, 4), DUP(T1, 2, 3, A, C), SNAPSHOT(T1, 5, 6, C, 3, {a, 3}, {b, 2}));
    BAD(SET(T0, 1, 8, A, a, 3), SET(T0, 9, 12, A, b, 4), DUP(T1, 2, 11, A, C), GET(T1, 13, 14, C, a, 1),
        GET(T1, 15, 16, C, b, 4));
    /* One that changes with its source, and its source with it. */
    BAD(DUP(T1, 1, 2, A, C), SET(T0, 3, 4, A, a, 3), GET(T1, 5, 6, C, a, 3));
    BAD(DUP(T1, 1, 2, A, C), SET(T0, 3, 4, C, a, 3), GET(T1, 5, 6, A, a, 3));
    /* A get of the copy says what the source was: then the source has moved on, or not yet. */
    BAD(SET(T0, 1, 10, A, a, 3), DUP(T1, 2, 3, A, C), GET(T1, 4, 5, C, a, 3), GET(T2, 6, 7, A, a, 1));
}

static void test_freed(void)
{
    struct linear_op refused = GET(T1, 2, 3, A, a, 0);
    refused.result.status = RCUINFO_ERR_INFO;
    GOOD(FREE(T0, 1, 4, A, RCUINFO_SUCCESS), refused);
    GOOD(FREE(T0, 1, 4, A, RCUINFO_SUCCESS), GET(T1, 2, 3, A, a, 1));
    BAD(FREE(T0, 1, 2, A, RCUINFO_SUCCESS), GET(T1, 3, 4, A, a, 1));
    BAD(FREE(T0, 1, 2, A, RCUINFO_SUCCESS), SET(T1, 3, 4, A, a, 3));
    BAD(refused, FREE(T0, 4, 5, A, RCUINFO_SUCCESS));
    BAD(FREE(T0, 1, 4, A, RCUINFO_SUCCESS), refused, GET(T1, 5, 6, A, a, 1));
    BAD(FREE(T0, 1, 3, A, RCUINFO_SUCCESS), FREE(T1, 2, 4, A, RCUINFO_SUCCESS));
    GOOD(FREE(T0, 1, 3, A, RCUINFO_SUCCESS), FREE(T1, 2, 4, A, RCUINFO_ERR_INFO));
    /* A copy outlives its source; another object does not mind. */
    GOOD(DUP(T0, 1, 2, A, C), FREE(T0, 3, 4, A, RCUINFO_SUCCESS), GET(T1, 5, 6, C, a, 1), GET(T1, 7, 8, B, a, 1));
}

/* A key that may only rise takes no value below its own; another takes any, and neither makes a version. */
static void test_offers(void)
{
    GOOD(OFFER(T0, 1, 2, A, b, 3, 4), SNAPSHOT(T1, 3, 4, A, 2, {a, 3}, {b, 4}));
    GOOD(OFFER(T0, 1, 3, A, a, 6, 5), OFFER(T1, 2, 4, A, a, 4, 3), SNAPSHOT(T2, 5, 6, A, 2, {a, 6}, {b, 3}));
    GOOD(OFFER(T0, 1, 3, A, a, 6, 5), OFFER(T1, 2, 4, A, a, 4, 3), SNAPSHOT(T2, 5, 6, A, 2, {a, 6}, {b, 5}));
    GOOD(OFFER(T0, 1, 2, A, LINEAR_GARBAGE, 6, 5), OFFER(T1, 3, 4, A, LINEAR_GARBAGE, 4, 3), GET(T2, 5, 6, A, a, 4));
    BAD(OFFER(T0, 1, 2, A, a, 6, 5), OFFER(T1, 3, 4, A, a, 4, 3), GET(T2, 5, 6, A, a, 4));
    /* What would change nothing now may change something later. */
    struct linear_op later = OFFER(T2, 4, 9, A, a, 5, 0);
    later.changed = 1;
    GOOD(OFFER(T0, 1, 2, A, a, 6, 7), OFFER(T1, 3, 10, A, LINEAR_GARBAGE, 3, 4), later, GET(T0, 11, 12, A, a, 5));
    BAD(OFFER(T0, 1, 2, A, a, 6, 5), OFFER(T1, 3, 4, A, a, 4, 3), SNAPSHOT(T2, 5, 6, A, 2, {a, 6}, {b, 5}));
    BAD(OFFER(T0, 1, 4, A, a, 6, 5), SNAPSHOT(T1, 2, 3, A, 2, {a, 6}, {b, 2}));
}

/* What is decided key by key, and what is not. */
static void test_parts(void)
{
    struct linear_history keys = HISTORY(SET(T0, 1, 2, A, a, 3), GET(T1, 3, 4, A, a, 3), GET(T1, 5, 6, A, b, 1));
    struct linear_history mixed =
        HISTORY(NUMBER(NKEYS, T0, 1, 2, A, 2), GET(T1, 3, 4, B, a, 1), SET(T0, 5, 6, B, b, 3), GET(T1, 7, 8, B, b, 2));
    struct linear_verdict verdict = linear_check(search, &keys);
    CHECK(!verdict.linearizable);
    CHECK(verdict.per_key);
    CHECK_EQUAL(verdict.part, 1 << 2);
    verdict = linear_check(search, &mixed);
    CHECK(!verdict.linearizable);
    CHECK(!verdict.per_key);
    CHECK_EQUAL(verdict.part, 1 << 2 | 1 << 3);
}

/* What is printed is the part that has no order, by the time of invocation. */
static void test_print(void)
{
    struct linear_history h = HISTORY(NUMBER(NKEYS, T2, 5, 6, A, 2), SET(T1, 9, 12, A, a, 4), GET(T2, 10, 11, A, a, 1),
                                      GET(T2, 13, 14, A, a, 3), GET(T0, 7, 8, B, b, 2));
    char *text = NULL;
    size_t bytes = 0;
    struct linear_verdict verdict = linear_check(search, &h);
    CHECK(!verdict.linearizable);
    FILE *to = open_memstream(&text, &bytes);
    CHECK(to);
    linear_print(to, &h, verdict.part);
    CHECK(fclose(to) == 0);
    CHECK_TEXT(text, "  at first  A = {a: v1, b: v2} version 2\n"
                     "  at first  B = {a: v1, b: v2} version 2\n"
                     "  thread 2  1 to 2    nkeys(A) = 2\n"
                     "  thread 1  3 to 6    set(A, a, v4) = success\n"
                     "  thread 2  4 to 5    get(A, a) = v1\n"
                     "  thread 2  7 to 8    get(A, a) = v3\n");
    free(text);
}

int main(void)
{
    search = linear_search_new();
    test_reads();
    test_lost_update();
    test_update();
    test_positions();
    test_two_objects();
    test_dup();
    test_freed();
    test_offers();
    test_parts();
    test_print();
    linear_search_free(search);
    return 0;
}
