/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Linearizability of hint sets: histories of three threads that merge, impose, read and get_info on one hint set.
 *
 * There are two hints, both numbers. accept refuses a LOW that is not greater than the one in use, so the effect of a
 * merge depends on the current version.
 *
 * usage: histories [HISTORIES [SECONDS [SEED]]]     see linear/run.h
 */
#include <rcuinfo/rcuinfo.h>

#include "linear/run.h"
#include "support/objects.h"
#include "support/scale.h"

enum { HISTORIES = SCALED(20000), THREADS = 3, MOST_OPS = 5, LOW = 0, ANY = 1, ROWS = 2, NONE = LINEAR_GARBAGE };

/* The numbers are multiples of this, so that a torn number or text is not the number of another value. */
#define SPREAD INT64_C(0x0101010101010101)

static const rcuinfo_hint_t rows[ROWS] = {{.key = "low", .type = RCUINFO_TYPE_INT},
                                          {.key = "any", .type = RCUINFO_TYPE_INT}};

static struct trial {
    struct linear_history *history;
    rcuinfo_hint_set_t *hints;
    bool is_used[LINEAR_VALUES];
} trials[LINEAR_BATCH];

static rcuinfo_schema_t *schema;

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

/* Returns a value that the history has not used: usually greater than the earlier ones, sometimes less. */
static uint8_t new_value(struct trial *trial, struct random *random)
{
    unsigned value = 1 + 2 * trial->history->count + random_below(random, random_below(random, 3) ? 24 : 6);
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
    struct linear_op *op = &trial->history->ops[trial->history->count++];
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

/* The last operations, of thread LINEAR_THREADS, read the final version. */
static unsigned make(unsigned number, struct linear_history *history, struct random *random)
{
    struct trial *trial = &trials[number];
    struct linear_object *initial = history->initial.objects;
    memset(history, 0, sizeof *history);
    *trial = (struct trial){.history = history};
    *initial = (struct linear_object){.life = LINEAR_LIVE, .count = ROWS};
    for (uint8_t row = 0; row < ROWS; row++)
        initial->pairs[row] = (struct linear_pair){row, new_value(trial, random)};
    rcuinfo_t info = info_of(initial->pairs, ROWS);
    CHECK_OK(rcuinfo_hint_set_create(schema, info, rises, &trial->hints, &trial->hints));
    object_free(info);
    for (unsigned t = 0; t < THREADS; t++) {
        for (unsigned n = 2 + random_below(random, MOST_OPS - 1); n > 0; n--)
            add_any(trial, random, t);
    }
    add(trial, LINEAR_SNAPSHOT, LINEAR_THREADS, 0);
    for (uint8_t row = 0; row < ROWS; row++)
        add(trial, LINEAR_GET, LINEAR_THREADS, row);
    return THREADS;
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

/* An offer with nth == LOW is a merge, in which LOW may only rise; one with nth == NONE is an impose. */
static void perform(unsigned number, struct linear_op *op)
{
    rcuinfo_hint_set_t *hints = trials[number].hints;
    rcuinfo_t given = op->nth == LOW ? info_of(op->changes, op->changed) : RCUINFO_NULL;
    uint8_t row = op->changes[0].key;
    char text[32];
    int64_t value = 0;
    size_t length;
    put_text(op->changes[0].value, text);
    op->invoked = linear_stamp();
    if (given != RCUINFO_NULL)
        CHECK_OK(rcuinfo_hint_set_merge(hints, given));
    else if (op->kind == LINEAR_OFFER)
        CHECK_OK(rcuinfo_hint_set_impose(hints, rows[row].key, text));
    else if (op->kind == LINEAR_SNAPSHOT)
        get(hints, &op->result.contents);
    else if (op->kind == LINEAR_GET)
        CHECK_OK(rcuinfo_hint_set_read(hints, row, &value));
    else
        CHECK_OK(rcuinfo_hint_set_read_string(hints, row, text, sizeof text, &length));
    op->returned = linear_stamp();
    if (given != RCUINFO_NULL)
        object_free(given);
    if (op->kind == LINEAR_GET)
        op->result.number = value_of(value);
    if (op->kind == LINEAR_GET_STRING)
        op->result.number = value_of(strtoll(text, NULL, 10));
}

static void end(unsigned number, struct linear_history *history)
{
    (void)history;
    rcuinfo_hint_set_free(&trials[number].hints);
}

int main(int argc, char **argv)
{
    static const struct linear_subject hint_sets = {"hints.histories", HISTORIES, false, make, perform, end};
    CHECK_OK(rcuinfo_schema_create(NULL, rows, ROWS, &schema, NULL));
    int status = linear_run(&hint_sets, argc, argv);
    rcuinfo_schema_free(&schema);
    CHECK(rcuinfo_store_drain() == 0);
    return status;
}
