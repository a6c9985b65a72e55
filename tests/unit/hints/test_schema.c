/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Schemas: rows are found by key, those of a base come first, a key that comes again takes the place of the first; and
 * each row that cannot be is refused, by its index; the tables of the standard are schemas. White box: linked with the
 * objects of the library, whose allocator can be told to fail.
 */
#include <rcuinfo/rcuinfo.h>

#include "support/nomem.h"
#include "support/twins.h"

static const rcuinfo_hint_t first_rows[] = {
    {.key = "a", .type = RCUINFO_HINT_BOOL, .initial = "false"},
    {.key = "b", .type = RCUINFO_HINT_INT, .least = 1, .most = 4},
};
static const rcuinfo_hint_t second_rows[] = {
    {.key = "c", .type = RCUINFO_HINT_STRING},
    {.key = "a", .type = RCUINFO_HINT_INT, .initial = "7"},
    {.key = "c", .type = RCUINFO_HINT_BOOL},
};

static rcuinfo_schema_t *make(const rcuinfo_schema_t *base, const rcuinfo_hint_t *rows, size_t n)
{
    rcuinfo_schema_t *schema = NULL;
    size_t failed = 77;
    CHECK_OK(rcuinfo_schema_create(base, rows, n, &schema, &failed));
    CHECK_EQUAL(failed, 77);
    return schema;
}

static size_t find(const rcuinfo_schema_t *schema, const char *key)
{
    size_t row = 77;
    CHECK_OK(rcuinfo_schema_find(schema, key, &row));
    CHECK_TEXT(rcuinfo_schema_row(schema, row)->key, key);
    return row;
}

static void rows_and_bases(void)
{
    rcuinfo_schema_t *base = make(NULL, first_rows, 2), *schema = make(base, second_rows, 3);
    size_t row = 77;
    CHECK_EQUAL(rcuinfo_schema_count(base), 2);
    CHECK_EQUAL(find(base, "a"), 0);
    CHECK_EQUAL(rcuinfo_schema_row(base, 0)->type, RCUINFO_HINT_BOOL);
    rcuinfo_schema_free(&base);
    CHECK(!base);
    CHECK_EQUAL(rcuinfo_schema_count(schema), 3);
    CHECK_EQUAL(find(schema, "a"), 0);
    CHECK_EQUAL(find(schema, "b"), 1);
    CHECK_EQUAL(find(schema, "c"), 2);
    CHECK(memcmp(rcuinfo_schema_row(schema, 0), &second_rows[1], sizeof *second_rows) == 0);
    CHECK(memcmp(rcuinfo_schema_row(schema, 1), &first_rows[1], sizeof *first_rows) == 0);
    CHECK(memcmp(rcuinfo_schema_row(schema, 2), &second_rows[2], sizeof *second_rows) == 0);
    CHECK(!rcuinfo_schema_row(schema, 3));
    CHECK_STATUS(rcuinfo_schema_find(schema, "d", &row), RCUINFO_ERR_NOKEY);
    CHECK_STATUS(rcuinfo_schema_find(schema, "A", &row), RCUINFO_ERR_NOKEY);
    CHECK_EQUAL(row, 77);
    rcuinfo_schema_free(&schema);
}

static void empty_ones(void)
{
    rcuinfo_schema_t *schema = make(NULL, NULL, 0), *same;
    size_t row;
    CHECK_EQUAL(rcuinfo_schema_count(schema), 0);
    CHECK(!rcuinfo_schema_row(schema, 0));
    CHECK_STATUS(rcuinfo_schema_find(schema, "a", &row), RCUINFO_ERR_NOKEY);
    same = make(schema, first_rows, 1);
    CHECK_EQUAL(find(same, "a"), 0);
    rcuinfo_schema_free(&same);
    rcuinfo_schema_free(&schema);
    rcuinfo_schema_free(&schema);
    rcuinfo_schema_free(NULL);
    CHECK_EQUAL(rcuinfo_schema_count(NULL), 0);
    CHECK(!rcuinfo_schema_row(NULL, 0));
}

/* Enough rows that places of the index are taken, and every key that is none stays one. */
static void many_rows(void)
{
    enum { ROWS = 3000 };
    static char keys[2 * ROWS][16];
    static rcuinfo_hint_t rows[ROWS];
    for (int i = 0; i < 2 * ROWS; i++)
        (void)snprintf(keys[i], sizeof *keys, "key_%d", i);
    for (int i = 0; i < ROWS; i++)
        rows[i] = (rcuinfo_hint_t){.key = keys[i], .type = RCUINFO_HINT_INT, .least = i + 1, .most = i + 1};
    rcuinfo_schema_t *base = make(NULL, rows, ROWS / 2), *schema = make(base, rows + ROWS / 2, ROWS / 2);
    CHECK_EQUAL(rcuinfo_schema_count(schema), ROWS);
    for (size_t i = 0; i < ROWS; i++) {
        size_t row = 77;
        char copy[16];
        memcpy(copy, keys[i], sizeof copy);
        CHECK_EQUAL(find(schema, copy), i);
        CHECK_STATUS(rcuinfo_schema_find(schema, keys[ROWS + i], &row), RCUINFO_ERR_NOKEY);
        CHECK_EQUAL(row, 77);
    }
    rcuinfo_schema_free(&schema);
    rcuinfo_schema_free(&base);
}

/* Keys of one hash are two keys; and a schema of any size has an end to look for a key that is not there. */
static void what_is_alike(void)
{
    enum { ROWS = 65 };
    char keys[ROWS][TWINS_KEY_BYTES], first[TWINS_KEY_BYTES], second[TWINS_KEY_BYTES];
    rcuinfo_hint_t rows[ROWS] = {{.key = first}};
    size_t row;
    CHECK(twins_find(1, first, second)); /* the seed of hints/schema.c */
    for (uint32_t n = 1; n < ROWS; n++) {
        rcuinfo_schema_t *schema = make(NULL, rows, n);
        CHECK_EQUAL(rcuinfo_schema_count(schema), n);
        CHECK_EQUAL(find(schema, first), 0);
        CHECK_STATUS(rcuinfo_schema_find(schema, second, &row), RCUINFO_ERR_NOKEY);
        for (uint32_t other = 0; other < 200; other++) {
            char key[32];
            (void)snprintf(key, sizeof key, "other_key_%u", other);
            CHECK_STATUS(rcuinfo_schema_find(schema, key, &row), RCUINFO_ERR_NOKEY);
        }
        rcuinfo_schema_free(&schema);
        (void)snprintf(keys[n], sizeof *keys, "row_%u", n);
        rows[n].key = keys[n];
    }
    rows[1].key = second;
    rcuinfo_schema_t *schema = make(NULL, rows, 2);
    CHECK_EQUAL(find(schema, first), 0);
    CHECK_EQUAL(find(schema, second), 1);
    rcuinfo_schema_free(&schema);
}

static void arguments(void)
{
    rcuinfo_schema_t *schema = make(NULL, first_rows, 2), *none = schema;
    char key[RCUINFO_MAX_KEY + 1];
    size_t row = 77;
    memset(key, 'k', sizeof key);
    key[RCUINFO_MAX_KEY] = '\0';
    CHECK_STATUS(rcuinfo_schema_create(NULL, NULL, 1, &none, NULL), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_schema_create(NULL, first_rows, 1, NULL, NULL), RCUINFO_ERR_ARG);
    CHECK(none == schema);
    CHECK_STATUS(rcuinfo_schema_find(schema, NULL, &row), RCUINFO_ERR_KEY);
    CHECK_STATUS(rcuinfo_schema_find(schema, "", &row), RCUINFO_ERR_KEY);
    CHECK_STATUS(rcuinfo_schema_find(schema, key, &row), RCUINFO_ERR_KEY);
    CHECK_STATUS(rcuinfo_schema_find(schema, "a", NULL), RCUINFO_ERR_ARG);
    CHECK_STATUS(rcuinfo_schema_find(NULL, "a", &row), RCUINFO_ERR_ARG);
    CHECK_EQUAL(row, 77);
    rcuinfo_schema_free(&schema);
}

/* The row, behind one that is good, must be refused; without its index, too. */
static void refused(rcuinfo_hint_t row, rcuinfo_status_t wanted)
{
    const rcuinfo_hint_t rows[] = {first_rows[0], row, row};
    rcuinfo_schema_t *schema = (void *)&row;
    size_t failed = 77;
    rcuinfo_status_t status = rcuinfo_schema_create(NULL, rows, 3, &schema, &failed);
    CHECKF(status == wanted && failed == 1 && !schema, "row %s, %d gives %d at %zu", row.key, (int)row.type,
           (int)status, failed);
    CHECK_STATUS(rcuinfo_schema_create(NULL, rows, 3, &schema, NULL), wanted);
}

#define REFUSED(status, ...) refused((rcuinfo_hint_t){__VA_ARGS__}, status)

static void bad_keys_and_defaults(void)
{
    char text[RCUINFO_MAX_VALUE + 1];
    memset(text, 't', sizeof text);
    text[RCUINFO_MAX_VALUE] = '\0';
    REFUSED(RCUINFO_ERR_KEY, .key = NULL);
    REFUSED(RCUINFO_ERR_KEY, .key = "");
    REFUSED(RCUINFO_ERR_VALUE, .key = "k", .initial = text);
    REFUSED(RCUINFO_ERR_VALUE, .key = "k", .type = RCUINFO_HINT_BOOL, .initial = "yes");
    REFUSED(RCUINFO_ERR_VALUE, .key = "k", .type = RCUINFO_HINT_INT, .least = 1, .most = 2, .initial = "3");
    REFUSED(RCUINFO_ERR_VALUE, .key = "k", .type = RCUINFO_HINT_CHOICE, .allowed = "a,b", .initial = "");
    text[RCUINFO_MAX_KEY] = '\0';
    REFUSED(RCUINFO_ERR_KEY, .key = text);
}

static void bad_types(void)
{
    static char words[128];
    REFUSED(RCUINFO_ERR_TYPE, .key = "k", .type = (rcuinfo_hint_type_t)(RCUINFO_HINT_KIND + 1));
    REFUSED(RCUINFO_ERR_TYPE, .key = "k", .type = (rcuinfo_hint_type_t)-1);
    REFUSED(RCUINFO_ERR_TYPE, .key = "k", .flags = 2 * RCUINFO_HINT_GET_ONLY);
    REFUSED(RCUINFO_ERR_TYPE, .key = "k", .flags = RCUINFO_HINT_ANY_CASE);
    REFUSED(RCUINFO_ERR_TYPE, .key = "k", .type = RCUINFO_HINT_INT, .least = 2, .most = 1);
    REFUSED(RCUINFO_ERR_TYPE, .key = "k", .type = RCUINFO_HINT_INT, .least = 1);
    REFUSED(RCUINFO_ERR_TYPE, .key = "k", .type = RCUINFO_HINT_CHOICE);
    REFUSED(RCUINFO_ERR_TYPE, .key = "k", .type = RCUINFO_HINT_CHOICE, .allowed = "");
    REFUSED(RCUINFO_ERR_TYPE, .key = "k", .type = RCUINFO_HINT_CHOICE, .allowed = "a,,b");
    REFUSED(RCUINFO_ERR_TYPE, .key = "k", .type = RCUINFO_HINT_CHOICE, .allowed = "a,");
    REFUSED(RCUINFO_ERR_TYPE, .key = "k", .type = RCUINFO_HINT_CHOICE, .allowed = "a, b");
    REFUSED(RCUINFO_ERR_TYPE, .key = "k", .type = RCUINFO_HINT_CHOICE, .allowed = "a\t,b");
    for (int i = 0; i < 127; i++)
        words[i] = i % 2 ? ',' : 'w';
    REFUSED(RCUINFO_ERR_TYPE, .key = "k", .type = RCUINFO_HINT_CHOICE, .allowed = words); /* 64 of them */
    words[125] = '\0';
    const rcuinfo_hint_t most = {.key = "k", .type = RCUINFO_HINT_CHOICE, .allowed = words};
    rcuinfo_schema_t *schema = make(NULL, &most, 1);
    rcuinfo_schema_free(&schema);
}

#define LIST_OF_WORDS .key = "k", .type = RCUINFO_HINT_CHOICE, .flags = RCUINFO_HINT_LIST, .allowed = "a,b"

static void bad_words_alone(void)
{
    REFUSED(RCUINFO_ERR_TYPE, .key = "k", .type = RCUINFO_HINT_CHOICE, .allowed = "a,b", .alone = "none");
    REFUSED(RCUINFO_ERR_TYPE, .key = "k", .flags = RCUINFO_HINT_LIST, .alone = "none");
    REFUSED(RCUINFO_ERR_TYPE, LIST_OF_WORDS, .alone = "");
    REFUSED(RCUINFO_ERR_TYPE, LIST_OF_WORDS, .alone = " none");
    REFUSED(RCUINFO_ERR_TYPE, LIST_OF_WORDS, .alone = "no,ne");
    REFUSED(RCUINFO_ERR_TYPE, LIST_OF_WORDS, .alone = "b");
}

static void no_memory(void)
{
    rcuinfo_schema_t *base = make(NULL, first_rows, 2), *schema;
    for (nomem_start(); nomem_next(); rcuinfo_schema_free(&schema)) {
        rcuinfo_status_t status;
        schema = base;
        NOMEM(status = rcuinfo_schema_create(base, second_rows, 3, &schema, NULL));
        CHECK_STATUS(status, nomem.met ? RCUINFO_ERR_NO_MEM : RCUINFO_SUCCESS);
        CHECK(nomem.met ? !schema : schema != base);
    }
    CHECK_EQUAL(nomem.count, 1);
    schema = base;
    CHECK_STATUS(rcuinfo_schema_create(base, second_rows, SIZE_MAX, &schema, NULL), RCUINFO_ERR_NO_MEM);
    CHECK(!schema);
    schema = base;
    CHECK_STATUS(rcuinfo_schema_create(NULL, second_rows, ((size_t)1 << 30) + 1, &schema, NULL), RCUINFO_ERR_NO_MEM);
    CHECK(!schema);
    rcuinfo_schema_free(&base);
}

static void check_origin(const rcuinfo_hint_t *row)
{
    static const char *const versions[] = {"2.0", "3.0", "3.1", "4.0", "4.1"};
    size_t known = 0;
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        known += strcmp(row->since, versions[i]) == 0;
    CHECK_EQUAL(known, 1);
    int chapter = 0, part = 0, used = 0;
    CHECK(sscanf(row->section, "MPI-4.1, %d.%d%n", &chapter, &part, &used) == 2);
    CHECK(chapter >= 7 && chapter <= 14 && part >= 1);
    CHECK(strspn(row->section + used, ".0123456789") == strlen(row->section + used));
}

/* Each makes a schema, which checks every row and default, and would be smaller if a row came twice; and each row says
 * where it comes from. What the rows are stands in tests/house/tools/golden/hints_list.txt, as `rcuinfo hints list`
 * prints them. */
static void tables_are_schemas(void)
{
    for (int object = 0; object < RCUINFO_HINT_OBJECTS; object++) {
        rcuinfo_schema_t *schema = NULL;
        size_t n = 0, failed = 0;
        const rcuinfo_hint_t *rows = rcuinfo_hint_standard((rcuinfo_hint_object_t)object, &n);
        CHECK(rows && n > 0);
        CHECKF(rcuinfo_schema_create(NULL, rows, n, &schema, &failed) == RCUINFO_SUCCESS, "row %s of %s is none",
               rows[failed].key, rcuinfo_hint_object_name((rcuinfo_hint_object_t)object));
        CHECK_EQUAL(rcuinfo_schema_count(schema), n);
        for (size_t row = 0; row < n; row++)
            check_origin(rcuinfo_schema_row(schema, row));
        rcuinfo_schema_free(&schema);
    }
}

static void names_of_objects(void)
{
    static const char *const names[RCUINFO_HINT_OBJECTS] = {"window", "communicator", "file",      "session",
                                                            "spawn",  "port",         "alloc_mem", "split_type",
                                                            "init",   "process_set",  "env"};
    size_t n = 77;
    for (int object = 0; object < RCUINFO_HINT_OBJECTS; object++)
        CHECK_TEXT(rcuinfo_hint_object_name((rcuinfo_hint_object_t)object), names[object]);
    CHECK(!rcuinfo_hint_object_name(RCUINFO_HINT_OBJECTS));
    CHECK(!rcuinfo_hint_object_name((rcuinfo_hint_object_t)-1));
    CHECK(!rcuinfo_hint_standard(RCUINFO_HINT_OBJECTS, &n));
    CHECK(!rcuinfo_hint_standard((rcuinfo_hint_object_t)-1, &n));
    CHECK(!rcuinfo_hint_standard(RCUINFO_HINT_WINDOW, NULL));
    CHECK_EQUAL(n, 77);
}

int main(void)
{
    rows_and_bases();
    empty_ones();
    many_rows();
    what_is_alike();
    arguments();
    bad_types();
    bad_words_alone();
    bad_keys_and_defaults();
    no_memory();
    tables_are_schemas();
    names_of_objects();
    return 0;
}
