/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Linearizability of hint sets: many small random histories, of three threads that set, impose, read and get on one
 * hint set at once, each decided by the search of tests/concurrent/linear. Linked with the copy of the library that has
 * sync points, where the threads yield; and with broken copies of it, which must be found out.
 *
 * There are two hints, both numbers. accept refuses a LOW that is less than the one in use, so what a set does depends
 * on what is there.
 *
 * usage: histories NUMBER [SECONDS]     of NUMBER, what this build does (support/scale.h)
 * Ends with 1, and prints what no order explains, at the first history that has none.
 */
#include <time.h>

#include <rcuinfo/rcuinfo.h>

#include "core/debug.h"
#include "linear/search.h"
#include "support/counts.h"
#include "support/objects.h"
#include "support/random.h"
#include "support/scale.h"
#include "support/threads.h"

enum { THREADS = 3, MOST_OPS = 5, BATCH = 250, LOW = 0, ANY = 1, ROWS = 2, NONE = LINEAR_GARBAGE };

/* A value in a hint set, so that no part of its bytes or digits is another. */
#define SPREAD INT64_C(0x0101010101010101)

static const rcuinfo_hint_t rows[ROWS] = {{.key = "low", .type = RCUINFO_HINT_INT},
                                          {.key = "any", .type = RCUINFO_HINT_INT}};

struct trial {
    struct linear_history history;
    rcuinfo_hint_set_t *hints;
    atomic_uint missing; /* threads that have not come yet */
    bool is_used[LINEAR_VALUES];
};

static struct trial batch[BATCH];
static rcuinfo_schema_t *schema;
static _Atomic uint64_t clock_now = 1;
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
    rcuinfo_hint_set_t *const *hints = context;
    int64_t now;
    (void)value;
    if (creating || row != LOW)
        return 1;
    CHECK_OK(rcuinfo_hint_set_read(*hints, LOW, &now));
    return number > now;
}

static uint8_t value_of(int64_t number)
{
    return number > 0 && number % SPREAD == 0 ? (uint8_t)(number / SPREAD) : LINEAR_GARBAGE;
}

static void put_text(uint8_t value, char *text)
{
    (void)sprintf(text, "%lld", (long long)(value * SPREAD));
}

/* Mostly more than those before it, and now and then less. */
static uint8_t new_value(struct trial *trial, struct random *random)
{
    unsigned value = 1 + 2 * trial->history.count + random_below(random, random_below(random, 3) ? 24 : 6);
    while (trial->is_used[value])
        value++;
    trial->is_used[value] = true;
    return (uint8_t)value;
}

static rcuinfo_t info_of(const struct linear_pair *pairs, unsigned n)
{
    rcuinfo_t info = object_empty();
    char text[32];
    for (unsigned i = 0; i < n; i++) {
        put_text(pairs[i].value, text);
        CHECK_OK(rcuinfo_set(info, rows[pairs[i].key].key, text));
    }
    return info;
}

static struct linear_op *add(struct trial *trial, enum linear_kind kind, unsigned thread, uint8_t key)
{
    struct linear_op *op = &trial->history.ops[trial->history.count++];
    *op = (struct linear_op){.kind = kind, .thread = (uint8_t)thread, .nth = NONE, .changes = {{.key = key}}};
    return op;
}

static void add_any(struct trial *trial, struct random *random, unsigned thread)
{
    static const enum linear_kind reads[] = {LINEAR_GET, LINEAR_GET_STRING, LINEAR_SNAPSHOT};
    uint8_t key = (uint8_t)random_below(random, ROWS);
    unsigned kind = random_below(random, 10);
    struct linear_op *op = add(trial, kind < 6 ? LINEAR_OFFER : reads[kind % 3], thread, key);
    if (op->kind != LINEAR_OFFER)
        return;
    bool is_imposed = kind == 0;
    op->nth = is_imposed ? NONE : LOW;
    op->changed = (uint8_t)(is_imposed ? 1 : 1 + random_below(random, ROWS));
    for (unsigned i = 0; i < op->changed; i++)
        op->changes[i] = (struct linear_pair){(uint8_t)(key ^ i), new_value(trial, random)};
}

static void make(struct trial *trial, struct random *random)
{
    struct linear_object *initial = trial->history.initial.objects;
    memset(trial, 0, sizeof *trial);
    *initial = (struct linear_object){.life = LINEAR_LIVE, .count = ROWS};
    for (uint8_t row = 0; row < ROWS; row++)
        initial->pairs[row] = (struct linear_pair){row, new_value(trial, random)};
    rcuinfo_t info = info_of(initial->pairs, ROWS);
    CHECK_OK(rcuinfo_hint_set_create(schema, info, rises, &trial->hints, &trial->hints));
    object_free(info);
    atomic_store(&trial->missing, THREADS);
    for (unsigned t = 0; t < THREADS; t++) {
        for (unsigned n = 2 + random_below(random, MOST_OPS - 1); n > 0; n--)
            add_any(trial, random, t);
    }
}

static void get(const rcuinfo_hint_set_t *hints, struct linear_object *contents)
{
    rcuinfo_pair_t pair;
    rcuinfo_t info;
    CHECK_OK(rcuinfo_hint_set_get_info(hints, &info));
    const rcuinfo_snapshot_t *snapshot = object_open(info);
    *contents = (struct linear_object){.life = LINEAR_LIVE, .count = (uint8_t)rcuinfo_snapshot_count(snapshot)};
    for (uint8_t row = 0; row < ROWS; row++) {
        CHECK_OK(rcuinfo_snapshot_nth(snapshot, row, &pair));
        CHECK_TEXT(pair.key, rows[row].key);
        contents->pairs[row] = (struct linear_pair){row, value_of(strtoll(pair.value, NULL, 10))};
    }
    rcuinfo_snapshot_close(snapshot);
    object_free(info);
}

/* An offer that has a key that may only rise is an info; one that has none is imposed. */
static void perform(struct trial *trial, struct linear_op *op)
{
    rcuinfo_t given = op->nth == LOW ? info_of(op->changes, op->changed) : RCUINFO_NULL;
    uint8_t row = op->changes[0].key;
    char text[32];
    int64_t number = 0;
    size_t length;
    put_text(op->changes[0].value, text);
    op->invoked = atomic_fetch_add(&clock_now, 1);
    if (given != RCUINFO_NULL)
        CHECK_OK(rcuinfo_hint_set_merge(trial->hints, given));
    else if (op->kind == LINEAR_OFFER)
        CHECK_OK(rcuinfo_hint_set_impose(trial->hints, rows[row].key, text));
    else if (op->kind == LINEAR_SNAPSHOT)
        get(trial->hints, &op->result.contents);
    else if (op->kind == LINEAR_GET)
        CHECK_OK(rcuinfo_hint_set_read(trial->hints, row, &number));
    else
        CHECK_OK(rcuinfo_hint_set_read_string(trial->hints, row, sizeof text, text, &length));
    op->returned = atomic_fetch_add(&clock_now, 1);
    if (given != RCUINFO_NULL)
        object_free(given);
    if (op->kind == LINEAR_GET)
        op->result.number = value_of(number);
    if (op->kind == LINEAR_GET_STRING)
        op->result.number = value_of(strtoll(text, NULL, 10));
}

static void body(unsigned thread, void *argument)
{
    struct random random = {seed + thread + 1};
    (void)argument;
    for (struct trial *trial = batch; trial < batch + BATCH; trial++) {
        yield_at = random_next(&random) & random_next(&random);
        atomic_fetch_sub(&trial->missing, 1);
        TEAM_UNTIL(atomic_load(&trial->missing) == 0);
        yielding = &random;
        for (struct linear_op *op = trial->history.ops; op < trial->history.ops + trial->history.count; op++) {
            if (op->thread == thread)
                perform(trial, op);
        }
        yielding = NULL;
    }
}

/* Whether it has an order, with all that is there at last. */
static bool finish(struct trial *trial)
{
    perform(trial, add(trial, LINEAR_SNAPSHOT, LINEAR_THREADS, 0));
    for (uint8_t row = 0; row < ROWS; row++)
        perform(trial, add(trial, LINEAR_GET, LINEAR_THREADS, row));
    rcuinfo_hint_set_free(&trial->hints);
    struct linear_verdict verdict = linear_check(&trial->history);
    if (!verdict.linearizable) {
        printf("not linearizable: no order explains these:\n");
        linear_print(stdout, &trial->history, verdict.part);
    }
    return verdict.linearizable;
}

int main(int argc, char **argv)
{
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
