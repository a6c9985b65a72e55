/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Schemas: rows are found by key, those of a base come first, a row with a repeated key replaces the earlier one, and
 * an invalid row is refused with its index. (fuzz.hint tests which rows and values are valid.) Views: a split makes
 * objects of the recognized pairs and of the rest, each in the order of the info, or if it runs out of memory, neither.
 * White box: linked with the library's object files.
 */
#include <rcuinfo/rcuinfo.h>

#include "support/counts.h"
#include "support/left.h"
#include "support/nomem.h"
#include "support/objects.h"
#include "support/test.h"
#include "support/twins.h"

static const rcuinfo_hint_t first_rows[] = {
    {.key = "a", .type = RCUINFO_TYPE_BOOL, .initial = "false"},
    {.key = "b", .type = RCUINFO_TYPE_INT, .least = 1, .most = 4},
};
static const rcuinfo_hint_t second_rows[] = {
    {.key = "c", .type = RCUINFO_TYPE_STRING},
    {.key = "a", .type = RCUINFO_TYPE_INT, .initial = "7"},
    {.key = "c", .type = RCUINFO_TYPE_BOOL},
};

/* One byte too long. */
__extension__ static const char long_key[RCUINFO_MAX_KEY + 1] = {[0 ... RCUINFO_MAX_KEY - 1] = 'k'};
__extension__ static const char long_value[RCUINFO_MAX_VALUE + 1] = {[0 ... RCUINFO_MAX_VALUE - 1] = 'v'};

static rcuinfo_schema_t *make(const rcuinfo_schema_t *base, const rcuinfo_hint_t *rows, size_t n)
{
    rcuinfo_schema_t *schema = NULL;
    size_t failed = 77;
    CHECK_OK(rcuinfo_schema_create(base, rows, n, &schema, &failed));
    CHECK_EQUAL(failed, 77);
    return schema;
}

static void check_absent(const rcuinfo_schema_t *schema, const char *key)
{
    size_t row = 77;
    CHECK_STATUS(rcuinfo_schema_find(schema, key, &row), RCUINFO_ERR_NOKEY);
    CHECK_EQUAL(row, 77);
}

/* Checks that the schema has exactly these rows. Looks them up by copies of their keys, at another address. */
static void check_rows(const rcuinfo_schema_t *schema, const rcuinfo_hint_t *const *rows, size_t n)
{
    char key[RCUINFO_MAX_KEY];
    CHECK_EQUAL(rcuinfo_schema_count(schema), n);
    CHECK(!rcuinfo_schema_row(schema, n));
    for (size_t i = 0; i < n; i++) {
        size_t row = 77;
        CHECK(memcmp(rcuinfo_schema_row(schema, i), rows[i], sizeof **rows) == 0);
        CHECK_OK(rcuinfo_schema_find(schema, strcpy(key, rows[i]->key), &row));
        CHECK_EQUAL(row, i);
    }
}

TEST(rows_and_bases)
{
    rcuinfo_schema_t *none = make(NULL, NULL, 0), *base = make(none, first_rows, 2);
    rcuinfo_schema_t *schema = make(base, second_rows, 3);
    check_rows(none, NULL, 0);
    check_absent(none, "a");
    check_rows(base, (const rcuinfo_hint_t *const[]){&first_rows[0], &first_rows[1]}, 2);
    rcuinfo_schema_free(&none);
    rcuinfo_schema_free(&base);
    CHECK(!base);
    check_rows(schema, (const rcuinfo_hint_t *const[]){&second_rows[1], &first_rows[1], &second_rows[2]}, 3);
    check_absent(schema, "d");
    check_absent(schema, "A");
    rcuinfo_schema_free(&schema);
    rcuinfo_schema_free(&schema);
    rcuinfo_schema_free(NULL);
    CHECK_EQUAL(rcuinfo_schema_count(NULL), 0);
    CHECK(!rcuinfo_schema_row(NULL, 0));
}

/* Different keys with the same hash are told apart. A schema of any size, half of it from a base, has every row, and
 * the search for an absent key ends. */
TEST(many_rows)
{
    enum { ROWS = 300, ABSENT = 200 };
    static char keys[ROWS + ABSENT][TWINS_KEY_BYTES];
    rcuinfo_hint_t rows[ROWS];
    const rcuinfo_hint_t *wanted[ROWS];
    for (int i = 2; i < ROWS + ABSENT; i++)
        (void)snprintf(keys[i], sizeof *keys, "key_%d", i);
    twins_find(1, keys[1], keys[0]); /* the seed of hints/schema.c */
    for (size_t i = 0; i < ROWS; i++) {
        rows[i] = (rcuinfo_hint_t){.key = keys[i + 1], .type = RCUINFO_TYPE_INT, .least = 1, .most = (int64_t)i + 1};
        wanted[i] = &rows[i];
    }
    for (size_t n = 1; n < ROWS; n += 1 + n / 16) {
        rcuinfo_schema_t *base = make(NULL, rows, n / 2), *schema = make(base, rows + n / 2, n - n / 2);
        check_rows(schema, wanted, n);
        check_absent(schema, keys[0]);
        for (size_t i = 0; i < ABSENT; i++)
            check_absent(schema, keys[ROWS + i]);
        rcuinfo_schema_free(&schema);
        rcuinfo_schema_free(&base);
    }
    rows[1].key = keys[0];
    rcuinfo_schema_t *twins = make(NULL, rows, 2);
    check_rows(twins, wanted, 2);
    rcuinfo_schema_free(&twins);
}

TEST(arguments)
{
    rcuinfo_schema_t *schema = make(NULL, first_rows, 2), *none = schema;
    rcuinfo_fault_t fault = {.what = "untouched"};
    int64_t number = 77;
    size_t row = 77;
    CHECK_STATUS(rcuinfo_schema_create(NULL, NULL, 1, &none, NULL), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_schema_create(NULL, first_rows, 1, NULL, NULL), RCUINFO_ERR_ARG);
    CHECK(none == schema);
    CHECK_STATUS(rcuinfo_schema_find(schema, NULL, &row), RCUINFO_ERR_KEY);
    CHECK_STATUS(rcuinfo_schema_find(schema, "", &row), RCUINFO_ERR_KEY);
    CHECK_STATUS(rcuinfo_schema_find(schema, long_key, &row), RCUINFO_ERR_KEY);
    CHECK_STATUS(rcuinfo_schema_find(schema, "a", NULL), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_schema_find(NULL, "a", &row), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_hint_check(NULL, "", &number, &fault), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_hint_check(&first_rows[1], NULL, &number, &fault), RCUINFO_ERR_VALUE);
    CHECK(row == 77 && number == 77 && strcmp(fault.what, "untouched") == 0);
    rcuinfo_schema_free(&schema);
}

static const struct {
    rcuinfo_status_t status;
    rcuinfo_hint_t row;
} refused[] = {
    {RCUINFO_ERR_KEY, {.key = NULL}},
    {RCUINFO_ERR_KEY, {.key = ""}},
    {RCUINFO_ERR_KEY, {.key = long_key}},
    {RCUINFO_ERR_VALUE, {.key = "k", .initial = long_value}},
    {RCUINFO_ERR_TYPE, {.key = "k", .type = (rcuinfo_hint_type_t)-1}},
    {RCUINFO_ERR_TYPE, {.key = "k", .reserved = {"x", NULL}}},
    {RCUINFO_ERR_TYPE, {.key = "k", .reserved = {NULL, "x"}}},
};

/* Each must be refused after a valid row, also if the caller does not ask for the index. */
TEST(bad_rows)
{
    rcuinfo_schema_t *schema;
    for (size_t n = 0; n < sizeof refused / sizeof *refused; n++) {
        const rcuinfo_hint_t rows[] = {first_rows[0], refused[n].row, refused[n].row};
        size_t failed = 77;
        schema = (void *)rows;
        rcuinfo_status_t status = rcuinfo_schema_create(NULL, rows, 3, &schema, &failed);
        CHECKF(status == refused[n].status && failed == 1 && !schema, "row %zu gives %d at %zu", n, (int)status,
               failed);
        CHECK_STATUS(rcuinfo_schema_create(NULL, rows, 3, &schema, NULL), refused[n].status);
    }
}

TEST(schemas_without_memory)
{
    static const size_t too_many[] = {SIZE_MAX, ((size_t)1 << 24) + 1};
    rcuinfo_schema_t *base = make(NULL, first_rows, 2), *schema = base;
    NOMEM_EACH(1, rcuinfo_schema_create(base, second_rows, 3, &schema, NULL), CHECK(!schema));
    CHECK_EQUAL(nomem.count, 1);
    CHECK(schema && schema != base);
    rcuinfo_schema_free(&schema);
    for (size_t i = 0; i < 2; i++) {
        schema = base;
        CHECK_STATUS(rcuinfo_schema_create(i ? NULL : base, second_rows, too_many[i], &schema, NULL),
                     RCUINFO_ERR_NO_MEM);
        CHECK(!schema);
    }
    rcuinfo_schema_free(&base);
}

/* Each standard table makes a schema. That checks every row and default; the count shows that no key is repeated. The
 * contents are compared with tests/house/tools/golden/hints_list.txt, the output of `rcuinfo hints list`. */
TEST(tables_are_schemas)
{
    size_t n = 77;
    CHECK(!rcuinfo_hint_standard(RCUINFO_OBJECT_WINDOW, NULL));
    for (int object = -1; object <= RCUINFO_OBJECT_COUNT; object++) {
        const char *name = rcuinfo_hint_object_name((rcuinfo_hint_object_t)object);
        const rcuinfo_hint_t *rows = rcuinfo_hint_standard((rcuinfo_hint_object_t)object, &n);
        if (object < 0 || object == RCUINFO_OBJECT_COUNT) {
            CHECK(!name && !rows && n == 77);
            continue;
        }
        rcuinfo_schema_t *schema = NULL;
        size_t failed = 0;
        CHECK(name && rows && n > 0);
        CHECKF(rcuinfo_schema_create(NULL, rows, n, &schema, &failed) == RCUINFO_SUCCESS, "row %s of %s is invalid",
               rows[failed].key, name);
        CHECK_EQUAL(rcuinfo_schema_count(schema), n);
        rcuinfo_schema_free(&schema);
        n = 77;
    }
}

/* Keys are numbers; the schema has every sixth. */
enum { LARGE = 900 };

static char keys[LARGE][16];
static rcuinfo_schema_t *every_sixth;

static void make_every_sixth(void)
{
    static rcuinfo_hint_t rows[LARGE];
    size_t n = 0;
    for (int i = 0; i < LARGE; i++) {
        (void)snprintf(keys[i], sizeof *keys, "%d", i);
        if (i % 6 == 0)
            rows[n++] = (rcuinfo_hint_t){.key = keys[i], .type = RCUINFO_TYPE_BOOL};
    }
    every_sixth = make(NULL, rows, n);
}

/* An info with the first n keys. Each value is the key, invalid if it is recognized: a split ignores types. */
static rcuinfo_t make_info(int n)
{
    static rcuinfo_change_t changes[LARGE];
    rcuinfo_t info = object_empty();
    for (int i = 0; i < n; i++)
        changes[i] = (rcuinfo_change_t){.key = keys[i], .value = keys[i]};
    CHECK_OK(rcuinfo_update(info, changes, (size_t)n, NULL));
    return info;
}

/* Checks that a view has those of the first n pairs that are recognized, or that are not, and frees it. */
static void check_view(rcuinfo_t view, int n, int recognized)
{
    const rcuinfo_snapshot_t *snapshot = object_open(view);
    rcuinfo_pair_t pair;
    size_t at = 0;
    for (int i = 0; i < n; i++) {
        if ((i % 6 == 0) != recognized)
            continue;
        CHECK_OK(rcuinfo_snapshot_nth(snapshot, at++, &pair));
        CHECK_TEXT(pair.key, keys[i]);
        CHECK_TEXT(pair.value, keys[i]);
    }
    CHECK_EQUAL(rcuinfo_snapshot_count(snapshot), at);
    rcuinfo_snapshot_close(snapshot);
    CHECK_OK(rcuinfo_set(view, "another", "key"));
    object_free(view);
}

/* Each allocation of a split fails in turn: it makes both views or none. It allocates a block for each view that is not
 * empty, and a larger one whenever that is full. Filling the views does not count as sets. */
TEST(splits_without_memory)
{
    for (int pairs = 0; pairs <= LARGE; pairs += 1 + pairs / 8) {
        rcuinfo_t info = make_info(pairs), recognized, rest;
        rcuinfo_stats_t before = left_stats();
        CHECK(before.sets > 0 || pairs == 0); /* RCUINFO_STATS is set */
        for (nomem_start(); nomem_next();) {
            rcuinfo_status_t status;
            recognized = rest = 77;
            CHECK(rcuinfo_store_drain() == 0);
            NOMEM(status = rcuinfo_schema_split(every_sixth, info, &recognized, &rest));
            CHECK_STATUS(status, nomem.met ? RCUINFO_ERR_NO_MEM : RCUINFO_SUCCESS);
            CHECK(!nomem.met || (recognized == RCUINFO_NULL && rest == RCUINFO_NULL));
            CHECK_EQUAL(left_live(), before.live + (nomem.met ? 0 : 2));
        }
        CHECK(nomem.count >= (pairs > 0) + (pairs > 1));
        CHECK_EQUAL(left_stats().sets, before.sets);
        check_view(recognized, pairs, 1);
        check_view(rest, pairs, 0);
        CHECK_OK(rcuinfo_schema_split(every_sixth, info, &recognized, NULL));
        check_view(recognized, pairs, 1);
        CHECK_OK(rcuinfo_schema_split(every_sixth, info, NULL, &rest));
        check_view(rest, pairs, 0);
        CHECK_EQUAL(left_live(), before.live);
        CHECK_EQUAL(object_count(info), pairs);
        object_free(info);
    }
    CHECK(nomem.count > 10);
}

TEST(arguments_of_splits)
{
    rcuinfo_t info = make_info(3), stale = info, recognized = 77, rest = 77;
    CHECK_STATUS(rcuinfo_schema_split(NULL, info, &recognized, &rest), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_schema_split(every_sixth, info, NULL, NULL), RCUINFO_ERR_ARG);
    CHECK(recognized == 77 && rest == 77);
    object_free(info);
    CHECK_STATUS(rcuinfo_schema_split(every_sixth, stale, &recognized, &rest), RCUINFO_ERR_INFO);
    CHECK(recognized == RCUINFO_NULL && rest == RCUINFO_NULL);
    rest = 77;
    CHECK_STATUS(rcuinfo_schema_split(every_sixth, RCUINFO_NULL, NULL, &rest), RCUINFO_ERR_INFO);
    CHECK(rest == RCUINFO_NULL);
}

int main(void)
{
    make_every_sixth();
    test_run(NULL);
    rcuinfo_schema_free(&every_sixth);
    left_nothing();
    counts_report("hints.schema", "allocation points failed", (unsigned long)faults_met());
    return 0;
}
