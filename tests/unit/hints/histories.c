/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Linearizability of hint sets: many small random histories, of three threads that set, impose, read and get on one
 * hint set at once, each decided by a search through all orders that the times of the calls allow. Linked with the copy
 * of the library that has sync points, where the threads yield; and with broken copies of it, which must be found out.
 *
 * There are two hints, `low` and `any`, both numbers. accept refuses a `low` that is less than the one in use, so what
 * a set does depends on what is there. Each value is given once in the whole run.
 *
 * usage: histories NUMBER [SECONDS]     of NUMBER, what this build does (support/scale.h)
 * Ends with 1, and prints the history, at the first that has no order.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include <rcuinfo/rcuinfo.h>

#include "core/debug.h"
#include "support/counts.h"
#include "support/random.h"
#include "support/scale.h"
#include "support/threads.h"

enum { THREADS = 3, MOST_OPS = 5, BATCH = 250, LOW = 0, ANY = 1, ROWS = 2 };

enum kind { SET, IMPOSE, READ, READ_STRING, GET, KINDS };
static const char *const kind_names[KINDS] = {"set", "impose", "read", "read_string", "get"};
static const char *const keys[ROWS] = {"low", "any"};

/* The values of both hints: the state, and what an operation gives or got; 0: not touched. */
struct values {
    int64_t of[ROWS];
};

struct op {
    enum kind kind;
    struct values values;
    uint64_t invoked, returned;
};

struct history {
    rcuinfo_hints_t *hints;
    struct values initial, final;
    atomic_uint missing; /* threads that have not come yet */
    unsigned count[THREADS];
    struct op ops[THREADS][MOST_OPS];
    rcuinfo_t given[THREADS][MOST_OPS]; /* of a set */
};

static struct history batch[BATCH];
static rcuinfo_schema_t *schema;
static _Atomic uint64_t clock_now = 1;
static int64_t last_value;
static uint64_t seed;

static _Thread_local struct random *yielding;
static _Thread_local uint64_t yield_at;

void rcuinfo__sync_point(enum rcuinfo__sync_point point)
{
    if (yielding && yield_at >> point & 1 && random_below(yielding, 2))
        sched_yield();
}

static int rises(void *context, size_t row, const char *value, int64_t number, int creating)
{
    rcuinfo_hints_t *const *hints = context;
    int64_t now;
    (void)value;
    if (creating || row != LOW)
        return 1;
    CHECK_OK(rcuinfo_hints_read(*hints, LOW, &now));
    return number > now;
}

static int64_t number_of(const char *text)
{
    char *end;
    int64_t number = strtoll(text, &end, 10);
    CHECKF(*text && !*end, "torn: \"%s\"", text);
    return number;
}

static int64_t new_value(struct random *random)
{
    int64_t number = ++last_value;
    /* Now and then less than the ones before it. */
    return (number + 12 - (random_below(random, 3) ? 0 : random_below(random, 12))) << 32 | number;
}

static rcuinfo_t info_of(const struct values *values, struct random *random)
{
    rcuinfo_t info;
    unsigned first = random_below(random, ROWS);
    char text[32];
    CHECK_OK(rcuinfo_create(&info));
    for (unsigned i = 0; i < ROWS; i++) {
        unsigned row = (first + i) % ROWS;
        (void)snprintf(text, sizeof text, "%" PRId64, values->of[row]);
        if (values->of[row])
            CHECK_OK(rcuinfo_set(info, keys[row], text));
    }
    return info;
}

static void make(struct history *h, struct random *random)
{
    memset(h, 0, sizeof *h);
    for (unsigned row = 0; row < ROWS; row++)
        h->initial.of[row] = new_value(random);
    rcuinfo_t info = info_of(&h->initial, random);
    CHECK_OK(rcuinfo_hints_create(schema, info, rises, &h->hints, &h->hints));
    CHECK_OK(rcuinfo_free(&info));
    atomic_store(&h->missing, THREADS);
    for (unsigned t = 0; t < THREADS; t++) {
        h->count[t] = 2 + random_below(random, MOST_OPS - 1);
        for (unsigned i = 0; i < h->count[t]; i++) {
            struct op *op = &h->ops[t][i];
            unsigned rows = 1 + random_below(random, 3); /* a set of them */
            op->kind = random_below(random, 2) ? SET : (enum kind)random_below(random, KINDS);
            if (op->kind != SET)
                rows = 1 + random_below(random, 2);
            for (unsigned row = 0; row < ROWS; row++) {
                if (op->kind != GET && rows >> row & 1)
                    op->values.of[row] = op->kind <= IMPOSE ? new_value(random) : 1;
            }
            if (op->kind == SET)
                h->given[t][i] = info_of(&op->values, random);
        }
    }
}

static int64_t read_string(const rcuinfo_hints_t *hints, size_t row)
{
    char text[32];
    int buflen = sizeof text;
    CHECK_OK(rcuinfo_hints_read_string(hints, row, &buflen, text));
    return number_of(text);
}

static struct values get(const rcuinfo_hints_t *hints)
{
    struct values values;
    rcuinfo_t info;
    CHECK_OK(rcuinfo_hints_get(hints, &info));
    for (unsigned row = 0; row < ROWS; row++) {
        char text[32];
        int flag = 0;
        CHECK_OK(rcuinfo_get(info, keys[row], sizeof text - 1, text, &flag));
        CHECK(flag);
        values.of[row] = number_of(text);
    }
    CHECK_OK(rcuinfo_free(&info));
    return values;
}

static void perform(struct history *h, struct op *op, rcuinfo_t given)
{
    unsigned row = op->values.of[LOW] ? LOW : ANY;
    char text[32];
    (void)snprintf(text, sizeof text, "%" PRId64, op->values.of[row]);
    op->invoked = atomic_fetch_add(&clock_now, 1);
    switch (op->kind) {
    case SET:
        CHECK_OK(rcuinfo_hints_set(h->hints, given));
        break;
    case IMPOSE:
        CHECK_OK(rcuinfo_hints_impose(h->hints, keys[row], text));
        break;
    case READ:
        CHECK_OK(rcuinfo_hints_read(h->hints, row, &op->values.of[row]));
        break;
    case READ_STRING:
        op->values.of[row] = read_string(h->hints, row);
        break;
    case GET:
    case KINDS:
        op->values = get(h->hints);
        break;
    }
    op->returned = atomic_fetch_add(&clock_now, 1);
}

static void body(unsigned thread, void *argument)
{
    struct random random = {seed + thread + 1};
    (void)argument;
    for (struct history *h = batch; h < batch + BATCH; h++) {
        unsigned spins = 0;
        yield_at = random_next(&random) & random_next(&random);
        atomic_fetch_sub(&h->missing, 1);
        while (atomic_load(&h->missing))
            team_relax(&spins);
        yielding = &random;
        for (unsigned i = 0; i < h->count[thread]; i++)
            perform(h, &h->ops[thread][i], h->given[thread][i]);
        yielding = NULL;
    }
}

/* Does the operation to the state; false: it returned something else. */
static bool apply(const struct op *op, struct values *state)
{
    for (unsigned row = 0; row < ROWS; row++) {
        int64_t value = op->values.of[row];
        if (!value)
            continue;
        if (op->kind > IMPOSE && value != state->of[row])
            return false;
        if (op->kind == IMPOSE || (op->kind == SET && (row != LOW || value > state->of[row])))
            state->of[row] = value;
    }
    return true;
}

/* Whether the operations from these on have an order that begins with this state. */
static bool explained(const struct history *h, const unsigned *done, struct values state)
{
    uint64_t first_return = UINT64_MAX;
    for (unsigned t = 0; t < THREADS; t++) {
        if (done[t] < h->count[t] && h->ops[t][done[t]].returned < first_return)
            first_return = h->ops[t][done[t]].returned;
    }
    if (first_return == UINT64_MAX)
        return memcmp(&state, &h->final, sizeof state) == 0;
    for (unsigned t = 0; t < THREADS; t++) {
        if (done[t] == h->count[t] || h->ops[t][done[t]].invoked > first_return)
            continue;
        struct values after = state;
        unsigned next[THREADS];
        memcpy(next, done, sizeof next);
        next[t]++;
        if (apply(&h->ops[t][done[t]], &after) && explained(h, next, after))
            return true;
    }
    return false;
}

static void print(const struct history *h)
{
    printf("not linearizable: at first low %" PRId64 " any %" PRId64 ", at last low %" PRId64 " any %" PRId64 "\n",
           h->initial.of[LOW], h->initial.of[ANY], h->final.of[LOW], h->final.of[ANY]);
    for (unsigned t = 0; t < THREADS; t++) {
        for (const struct op *op = h->ops[t]; op < h->ops[t] + h->count[t]; op++)
            printf("thread %u, %" PRIu64 " to %" PRIu64 ": %s low %" PRId64 " any %" PRId64 "\n", t, op->invoked,
                   op->returned, kind_names[op->kind], op->values.of[LOW], op->values.of[ANY]);
    }
}

static bool finish(struct history *h)
{
    static const unsigned none[THREADS];
    h->final = get(h->hints);
    bool good = explained(h, none, h->initial);
    for (unsigned row = 0; row < ROWS; row++) {
        int64_t number;
        CHECK_OK(rcuinfo_hints_read(h->hints, row, &number));
        good = good && number == h->final.of[row];
    }
    for (unsigned t = 0; t < THREADS; t++) {
        for (unsigned i = 0; i < h->count[t]; i++) {
            if (h->given[t][i])
                CHECK_OK(rcuinfo_free(&h->given[t][i]));
        }
    }
    rcuinfo_hints_free(&h->hints);
    if (!good)
        print(h);
    return good;
}

int main(int argc, char **argv)
{
    static const rcuinfo_hint_t rows[ROWS] = {{.key = "low", .type = RCUINFO_HINT_INT},
                                              {.key = "any", .type = RCUINFO_HINT_INT}};
    struct random random = {1};
    CHECK(argc >= 2);
    unsigned long wanted = SCALED(strtoul(argv[1], NULL, 10)), checked = 0;
    time_t end = argc > 2 ? time(NULL) + strtol(argv[2], NULL, 10) : 0;
    CHECK_OK(rcuinfo_schema_create(NULL, rows, ROWS, &schema, NULL));
    while (checked < wanted && (!end || time(NULL) < end)) {
        for (unsigned i = 0; i < BATCH; i++)
            make(&batch[i], &random);
        seed += 10;
        team_run(THREADS, body, NULL);
        for (unsigned i = 0; i < BATCH; i++, checked++) {
            if (!finish(&batch[i]))
                return 1;
        }
    }
    rcuinfo_schema_free(&schema);
    CHECK(rcuinfo_store_drain() == 0);
    printf("%lu histories checked\n", checked);
    counts_report("hints.histories", "histories checked", checked);
    return 0;
}
