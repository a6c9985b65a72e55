/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The report of hints: equal lines are counted, lists of processes united, and what is the same but for the object's
 * name is one line of the table; differences between processes are found where the standard knows of them, and only
 * there; the JSON is some, whatever the texts are; what one process packs another merges, and damaged bytes do no harm;
 * where memory is short something is missing, and no more. White box: linked with the objects of the library, whose
 * allocator can be told to fail.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <jansson.h>

#include "core/alloc.h"
#include "hints/library.h"
#include "hints/report.h"
#include "support/counts.h"
#include "support/random.h"

enum { MOST = 64, MOST_ALLOCATIONS = 100, DAMAGES = 20000 };

#define V(name) [RCUINFO__REPORT_##name]

/* Adds a line whose fields are the last arguments. */
#define ADD(report, on, count, ...)                                                                                    \
    rcuinfo__report_add(report, (const char *const[RCUINFO__REPORT_FIELDS]){__VA_ARGS__}, on, count)
#define TAKEN_KEY(key) V(VERDICT) = "taken", V(KEY) = (key)
#define CB_NODES(value)                                                                                                \
    TAKEN_KEY("cb_nodes"), V(GIVEN) = (value), V(OBJECT) = "file", V(NAME) = "a.h5", V(FUNCTION) = "MPI_File_open",    \
                           V(PLACE) = "a.c:7"

static struct rcuinfo__report *make(void)
{
    struct rcuinfo__report *report = rcuinfo__report_create(MOST);
    assert_non_null(report);
    assert_true(rcuinfo__report_is_empty(report));
    return report;
}

typedef void (*writer_t)(struct rcuinfo__report *report, long processes, FILE *file);

static void write_table(struct rcuinfo__report *report, long processes, FILE *file)
{
    rcuinfo__report_print(report, processes, 0, file);
}

/* What is written, to be freed. */
static char *text_of(struct rcuinfo__report *report, long processes, writer_t writer)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    writer(report, processes, file);
    assert_int_equal(fclose(file), 0);
    return text;
}

static void check_table(struct rcuinfo__report *report, long processes, const char *expected)
{
    char *text = text_of(report, processes, write_table);
    assert_string_equal(text, expected);
    free(text);
}

static json_t *read_json(struct rcuinfo__report *report, long processes, size_t flags)
{
    json_error_t error;
    char *text = text_of(report, processes, rcuinfo__report_write_json);
    json_t *json = json_loads(text, JSON_REJECT_DUPLICATES | flags, &error);
    if (!json)
        fail_msg("%d:%d: %s: %s", error.line, error.column, error.text, text);
    free(text);
    return json;
}

static json_t *json_of(struct rcuinfo__report *report, long processes)
{
    return read_json(report, processes, 0);
}

static const char *field_of(const json_t *json, size_t line, const char *name)
{
    return json_string_value(json_object_get(json_array_get(json_object_get(json, "hints"), line), name));
}

static size_t lines_of(const json_t *json)
{
    return json_array_size(json_object_get(json, "hints"));
}

static void equal_lines_are_counted(void **state)
{
    struct rcuinfo__report *report = make();
    (void)state;
    assert_true(ADD(report, "0", 1, CB_NODES("4"), V(IN_USE) = "4"));
    assert_true(ADD(report, "0", 1, CB_NODES("4"), V(IN_USE) = "4"));
    assert_true(ADD(report, "1", 2, CB_NODES("4"), V(IN_USE) = "4"));
    assert_false(rcuinfo__report_is_empty(report));
    json_t *json = json_of(report, 2);
    assert_int_equal(lines_of(json), 1);
    assert_string_equal(field_of(json, 0, "on"), "0-1");
    json_decref(json);
    check_table(report, 2,
                "rcuinfo: hints of 2 processes\n"
                "verdict  key       value  processes  object     call\n"
                "taken    cb_nodes  4      all        file a.h5  MPI_File_open at a.c:7, 2 times each\n");
    assert_true(ADD(report, "1", 1, CB_NODES("4"), V(IN_USE) = "4"));
    check_table(report, 3,
                "rcuinfo: hints of 3 processes\n"
                "verdict  key       value  processes  object     call\n"
                "taken    cb_nodes  4      0-1        file a.h5  MPI_File_open at a.c:7, 5 times in all\n");
    rcuinfo__report_free(report);
}

/* Nothing is not the same as an empty text, and no field is left out of the comparison. */
static void other_lines_are_not(void **state)
{
    struct rcuinfo__report *report = make();
    (void)state;
    assert_true(ADD(report, "0", 1, CB_NODES("4")));
    assert_true(ADD(report, "0", 1, CB_NODES("4"), V(IN_USE) = ""));
    for (int field = 0; field < RCUINFO__REPORT_FIELDS; field++) {
        const char *fields[RCUINFO__REPORT_FIELDS] = {CB_NODES("4")};
        fields[field] = "x";
        assert_true(rcuinfo__report_add(report, fields, "0", 1));
    }
    json_t *json = json_of(report, 1);
    assert_int_equal(lines_of(json), 2 + RCUINFO__REPORT_FIELDS);
    json_decref(json);
    rcuinfo__report_free(report);
}

static void lists_are_united(void **state)
{
    static const char *const cases[][4] = {
        {"0-2,5", "5,0-2", NULL, "0-2,5"},
        {"7", "0-2", "5", "0-2,5,7"},
        {"3", "1", "2", "1-3"},
        {"0", "2", "1", "0-2"},
        {"5-6", "0-9", NULL, "0-9"},
        {"0,2,4,6", "1,5", "3", "0-6"},
        {"10-20", "15-30", "5-9", "5-30"},
        {"1,1,1", "1", "1-1", "1"},
    };
    (void)state;
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        struct rcuinfo__report *report = make();
        for (int i = 0; i < 3 && cases[n][i]; i++)
            assert_true(ADD(report, cases[n][i], 1, CB_NODES("4")));
        json_t *json = json_of(report, 1);
        assert_string_equal(field_of(json, 0, "on"), cases[n][3]);
        json_decref(json);
        rcuinfo__report_free(report);
    }
}

/* What is no list is lost, and no process of it stays. */
static void bad_lists(void **state)
{
    static const char *const lists[] = {"",
                                        "x",
                                        "-1",
                                        "1-",
                                        "3-2",
                                        "1;2",
                                        "1,x",
                                        "1-2-3",
                                        "1,,2",
                                        ",1",
                                        "0-99999999999999999999",
                                        "9223372036854775807"};
    struct rcuinfo__report *report = make();
    (void)state;
    for (size_t n = 0; n < sizeof lists / sizeof *lists; n++)
        assert_false(ADD(report, lists[n], 1, CB_NODES("4")));
    assert_true(ADD(report, "7", 1, CB_NODES("4")));
    for (size_t n = 0; n < sizeof lists / sizeof *lists; n++)
        assert_false(ADD(report, lists[n], 1, CB_NODES("4")));
    json_t *json = json_of(report, 1);
    assert_int_equal(lines_of(json), 1);
    assert_string_equal(field_of(json, 0, "on"), "7");
    assert_int_equal(json_integer_value(json_object_get(json, "lost")), 2 * sizeof lists / sizeof *lists);
    json_decref(json);
    rcuinfo__report_free(report);
}

/* A line always has a verdict, a key and a value. */
static void lines_without_a_key(void **state)
{
    static const enum rcuinfo__report_field needed[] = {RCUINFO__REPORT_VERDICT, RCUINFO__REPORT_KEY,
                                                        RCUINFO__REPORT_GIVEN};
    struct rcuinfo__report *report = make();
    (void)state;
    for (size_t n = 0; n < 3; n++) {
        const char *fields[RCUINFO__REPORT_FIELDS] = {CB_NODES("4"), V(GROUP) = "0+2"};
        fields[needed[n]] = NULL;
        assert_false(rcuinfo__report_add(report, fields, "0", 1));
    }
    check_table(report, 1,
                "rcuinfo: hints of 1 process\n"
                "verdict  key  value  processes  object  call\n"
                "... and 3 that there was no room for\n");
    rcuinfo__report_free(report);
}

static void differences(void **state)
{
    struct rcuinfo__report *report = make();
    (void)state;
    assert_true(ADD(report, "0,2-3", 3, CB_NODES("4"), V(GROUP) = "0+4", V(SECTION) = "MPI-4.1, 14.2.8"));
    assert_true(ADD(report, "1", 1, CB_NODES("1"), V(GROUP) = "0+4", V(SECTION) = "MPI-4.1, 14.2.8"));
    const char *expected =
        "rcuinfo: hints of 4 processes\n"
        "verdict                    key       value  processes  object     call\n"
        "differs between processes  cb_nodes  1      1          file a.h5  MPI_File_open at a.c:7 (MPI-4.1, 14.2.8); "
        "'4' on 0,2-3\n"
        "differs between processes  cb_nodes  4      0,2-3      file a.h5  MPI_File_open at a.c:7 (MPI-4.1, 14.2.8)\n";
    check_table(report, 4, expected);
    json_t *json = json_of(report, 4);
    assert_string_equal(field_of(json, 0, "note"), "'4' on 0,2-3");
    assert_null(field_of(json, 1, "note"));
    json_decref(json);
    check_table(report, 4, expected); /* it can be shown again */
    rcuinfo__report_free(report);
}

/* Of two there is no majority; of many, no more than can be said. */
static void majorities(void **state)
{
    struct rcuinfo__report *report = make();
    (void)state;
    assert_true(ADD(report, "0", 1, CB_NODES("4"), V(GROUP) = "0+2"));
    assert_true(ADD(report, "1", 1, CB_NODES("1"), V(GROUP) = "0+2"));
    json_t *json = json_of(report, 2);
    for (size_t n = 0; n < 2; n++) {
        assert_string_equal(field_of(json, n, "verdict"), "differs between processes");
        assert_null(field_of(json, n, "note"));
    }
    json_decref(json);
    rcuinfo__report_free(report);

    report = make();
    for (int n = 0; n < 100; n += 2) {
        char on[8];
        (void)snprintf(on, sizeof on, "%d", n);
        assert_true(ADD(report, on, 1, CB_NODES("4"), V(GROUP) = "0+100"));
    }
    assert_true(ADD(report, "1", 1, CB_NODES("1"), V(GROUP) = "0+100"));
    json = json_of(report, 100);
    assert_string_equal(field_of(json, 0, "note"), "'4' on most");
    json_decref(json);
    rcuinfo__report_free(report);
}

/* Of two lines that differ in the value, and of which the second has another text in a field, none may be a difference
 * between the processes of an object. */
static void check_no_difference(const char *on_a, const char *on_b, enum rcuinfo__report_field field, const char *text)
{
    struct rcuinfo__report *report = make();
    const char *a[RCUINFO__REPORT_FIELDS] = {CB_NODES("4"), V(GROUP) = "0+2"};
    const char *b[RCUINFO__REPORT_FIELDS] = {CB_NODES("1"), V(GROUP) = "0+2"};
    b[field] = text;
    assert_true(rcuinfo__report_add(report, a, on_a, 1));
    assert_true(rcuinfo__report_add(report, b, on_b, 1));
    json_t *json = json_of(report, 1); /* so that nobody waits for what the other gives */
    for (size_t n = 0; n < 2; n++)
        assert_string_equal(field_of(json, n, "verdict"), "taken");
    json_decref(json);
    rcuinfo__report_free(report);
}

/* The same, for a key that may differ, or is nobody's. */
static void check_may_differ(const char *key, const char *object, const char *group)
{
    struct rcuinfo__report *report = make();
    assert_true(ADD(report, "0", 1, TAKEN_KEY(key), V(GIVEN) = "4", V(OBJECT) = object, V(GROUP) = group));
    assert_true(ADD(report, "1", 1, TAKEN_KEY(key), V(GIVEN) = "1", V(OBJECT) = object, V(GROUP) = group));
    json_t *json = json_of(report, 2);
    for (size_t n = 0; n < 2; n++)
        assert_string_equal(field_of(json, n, "verdict"), "taken");
    json_decref(json);
    rcuinfo__report_free(report);
}

static void no_differences(void **state)
{
    (void)state;
    check_no_difference("0", "0", RCUINFO__REPORT_NOTE, NULL);     /* one process at two times */
    check_no_difference("0-1", "0-1", RCUINFO__REPORT_NOTE, NULL); /* and both */
    check_no_difference("0", "1", RCUINFO__REPORT_NAME, "b.h5");   /* of two objects */
    check_no_difference("0", "1", RCUINFO__REPORT_PLACE, "a.c:8");
    check_no_difference("0", "1", RCUINFO__REPORT_FUNCTION, "MPI_File_set_info");
    check_no_difference("0", "1", RCUINFO__REPORT_GROUP, "2+2");
    check_may_differ("cb_nodes", "file", NULL); /* of objects that nobody knows to be one */
    check_may_differ("access_style", "file", "0+2");
    check_may_differ("romio_ds_write", "file", "0+2");
    check_may_differ("cb_nodes", "window", "0+2");
    check_may_differ("same_size", NULL, "0+2");
    check_may_differ("same_size", "door", "0+2");
}

/* A hint that only some processes of an object give, where all that have it are here. */
static void given_by_some(void **state)
{
    static const struct {
        const char *on, *group;
        long processes;
        const char *note;
    } cases[] = {
        {"0-2", "0+4:1", 4, "given by 3 of its 4 processes"},
        {"0-3", "0+4:1", 4, NULL},
        {"0-2", "0+4:1", 3, NULL}, /* who knows */
        {"0", "0+1:1", 4, NULL},
        {"0", "no group", 4, NULL},
    };
    (void)state;
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        struct rcuinfo__report *report = make();
        assert_true(ADD(report, cases[n].on, 1, CB_NODES("4"), V(GROUP) = cases[n].group));
        json_t *json = json_of(report, cases[n].processes);
        assert_string_equal(field_of(json, 0, "verdict"), cases[n].note ? "differs between processes" : "taken");
        if (cases[n].note)
            assert_string_equal(field_of(json, 0, "note"), cases[n].note);
        json_decref(json);
        rcuinfo__report_free(report);
    }
}

/* A value that was not handed down is no other value. */
static void not_handed_down(void **state)
{
    struct rcuinfo__report *report = make();
    (void)state;
    const char *fields[RCUINFO__REPORT_FIELDS] = {CB_NODES("1"), V(GROUP) = "0+2"};
    fields[RCUINFO__REPORT_VERDICT] = rcuinfo__report_verdict(RCUINFO__REPORT_LEFT);
    assert_true(ADD(report, "0", 1, CB_NODES("4"), V(GROUP) = "0+2"));
    assert_true(rcuinfo__report_add(report, fields, "1", 1));
    json_t *json = json_of(report, 2);
    assert_string_equal(field_of(json, 0, "verdict"), "not handed down");
    assert_string_equal(field_of(json, 1, "verdict"), "taken");
    json_decref(json);
    rcuinfo__report_free(report);
}

static void names_are_summed_up(void **state)
{
    struct rcuinfo__report *report = make();
    static const char *const names[] = {"c.h5", "a.h5", "b.h5"};
    (void)state;
    for (size_t n = 0; n < 3; n++) {
        char on[2] = {(char)('0' + n), '\0'};
        assert_true(ADD(report, on, 1, TAKEN_KEY("access_style"), V(GIVEN) = "random", V(OBJECT) = "file",
                        V(NAME) = names[n], V(GROUP) = names[n]));
    }
    assert_true(ADD(report, "0", 1, TAKEN_KEY("access_style"), V(GIVEN) = "random", V(OBJECT) = "file",
                    V(NAME) = "a.h5", V(GROUP) = "0+1"));
    assert_true(
        ADD(report, "0", 1, TAKEN_KEY("access_style"), V(GIVEN) = "read_once", V(OBJECT) = "file", V(NAME) = "a.h5"));
    assert_true(ADD(report, "0", 1, TAKEN_KEY("no_locks"), V(GIVEN) = "true", V(OBJECT) = "window"));
    check_table(report, 3,
                "rcuinfo: hints of 3 processes\n"
                "verdict  key           value      processes  object                call\n"
                "taken    access_style  random     all        file a.h5 and 2 more  , 4 times in all\n"
                "taken    access_style  read_once  0          file a.h5             \n"
                "taken    no_locks      true       0          window                \n");
    json_t *json = json_of(report, 3);
    assert_int_equal(lines_of(json), 6);
    json_decref(json);
    rcuinfo__report_free(report);
}

/* The verdicts in their order, and all that a line may say. */
static void order(void **state)
{
    struct rcuinfo__report *report = make();
    (void)state;
    for (int n = 0; n < RCUINFO__REPORT_VERDICTS; n++) { /* differences are found only */
        const char *verdict = rcuinfo__report_verdict((enum rcuinfo__report_verdict)(RCUINFO__REPORT_VERDICTS - 1 - n));
        assert_true(ADD(report, "0", 1, V(VERDICT) = verdict, V(KEY) = "k", V(GIVEN) = "v"));
    }
    assert_true(ADD(report, "0", 3, V(VERDICT) = "of a later version", V(KEY) = "a", V(GIVEN) = "4", V(IN_USE) = "2",
                    V(OBJECT) = "window", V(NAME) = "w", V(GROUP) = "0+1", V(FUNCTION) = "MPI_Win_create",
                    V(PLACE) = "a.c:1", V(SOURCE) = "site.hints:3", V(SECTION) = "MPI-4.1, 12.2.1", V(NOTE) = "why"));
    check_table(report, 1,
                "rcuinfo: hints of 1 process\n"
                "verdict                    key  value   processes  object    call\n"
                "differs between processes  k    v       all                  \n"
                "bad value                  k    v       all                  \n"
                "unknown key                k    v       all                  \n"
                "not handed down            k    v       all                  \n"
                "ignored                    k    v       all                  \n"
                "changed                    k    v       all                  \n"
                "cannot be known            k    v       all                  \n"
                "taken                      k    v       all                  \n"
                "of a later version         a    4 -> 2  all        window w  MPI_Win_create at a.c:1, 3 times, from "
                "site.hints:3 (MPI-4.1, 12.2.1); why\n");
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    rcuinfo__report_print(report, 1, 2, file);
    assert_int_equal(fclose(file), 0);
    assert_string_equal(text, "rcuinfo: hints of 1 process\n"
                              "verdict                    key  value   processes  object    call\n"
                              "differs between processes  k    v       all                  \n"
                              "bad value                  k    v       all                  \n"
                              "... and 7 more\n");
    free(text);
    rcuinfo__report_free(report);
}

#define A47 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

/* Columns have room for 47 bytes. Of a name the end is shown, of all else the beginning. */
static void columns_are_clipped(void **state)
{
    struct rcuinfo__report *report = make();
    (void)state;
    assert_true(ADD(report, "0", 1, TAKEN_KEY(A47), V(GIVEN) = A47));
    assert_true(ADD(report, "0", 1, TAKEN_KEY(A47 "b"), V(GIVEN) = A47 "b", V(IN_USE) = "c", V(OBJECT) = "file",
                    V(NAME) = "/begin/" A47 "/end"));
    assert_true(ADD(report, "0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,32", 17, TAKEN_KEY("k\n\x1b\x7f"),
                    V(GIVEN) = "a\tb", V(IN_USE) = "\xc3\xa4"));
    assert_true(ADD(report, "0", 1, TAKEN_KEY("l"), V(GIVEN) = "v", V(OBJECT) = A47 A47, V(NAME) = "n"));
    assert_true(ADD(report, "0", 1, TAKEN_KEY("m"), V(GIVEN) = "v", V(OBJECT) = A47 A47, V(NAME) = A47));
    assert_true(ADD(report, "0", 1, TAKEN_KEY("n"), V(GIVEN) = "v", V(OBJECT) = A47 A47));
    /* No character is cut in two. */
    assert_true(ADD(report, "0", 1, TAKEN_KEY("o"),
                    V(GIVEN) = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\xc3\xa4"
                               "bbb",
                    V(OBJECT) = "file",
                    V(NAME) = "/begin/\xc3\xa4"
                              "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"));
    char *text = text_of(report, 40, write_table);
    fputs(text, stdout);
    assert_non_null(strstr(text, "taken    " A47 "  " A47 "  0  "));
    assert_non_null(strstr(text, "taken    aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...  "
                                 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...  0  "));
    assert_non_null(strstr(text, "  file ...aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/end  "));
    assert_non_null(strstr(text, "  aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...  "));
    assert_non_null(strstr(text, "  file ...aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa  "));
    assert_non_null(strstr(text, "taken    k??? "));
    assert_non_null(strstr(text, "a?b -> \xc3\xa4 "));
    assert_non_null(strstr(text, " 0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,32 "));
    free(text);
    rcuinfo__report_free(report);
}

static void full(void **state)
{
    struct rcuinfo__report *report = rcuinfo__report_create(2);
    (void)state;
    assert_true(ADD(report, "0", 1, TAKEN_KEY("a"), V(GIVEN) = "v"));
    assert_true(ADD(report, "0", 1, TAKEN_KEY("b"), V(GIVEN) = "v"));
    assert_false(ADD(report, "0", 7, TAKEN_KEY("c"), V(GIVEN) = "v"));
    assert_true(ADD(report, "1", 1, TAKEN_KEY("b"), V(GIVEN) = "v"));
    rcuinfo__report_lose(report, 3);
    check_table(report, 2,
                "rcuinfo: hints of 2 processes\n"
                "verdict  key  value  processes  object  call\n"
                "taken    a    v      0                  \n"
                "taken    b    v      all                \n"
                "... and 10 that there was no room for\n");
    json_t *json = json_of(report, 2);
    assert_int_equal(json_integer_value(json_object_get(json, "lost")), 10);
    assert_int_equal(json_integer_value(json_object_get(json, "processes")), 2);
    json_decref(json);
    rcuinfo__report_free(report);

    report = rcuinfo__report_create(0);
    assert_false(ADD(report, "0", 1, TAKEN_KEY("a"), V(GIVEN) = "v"));
    assert_false(rcuinfo__report_is_empty(report));
    rcuinfo__report_free(report);
}

static char *louder(void *context, const char *text)
{
    if (strcmp(text, context) != 0)
        return NULL;
    char *louder = rcuinfo__alloc(strlen(text) + 2);
    assert_non_null(louder);
    (void)sprintf(louder, "%s!", text);
    return louder;
}

static void fields_change(void **state)
{
    struct rcuinfo__report *report = make();
    char text[] = "a.c:7";
    (void)state;
    assert_true(ADD(report, "0", 1, TAKEN_KEY("a"), V(GIVEN) = "v", V(PLACE) = "a.c:7"));
    assert_true(ADD(report, "0", 1, TAKEN_KEY("b"), V(GIVEN) = "v", V(PLACE) = "a.c:8"));
    assert_true(ADD(report, "0", 1, TAKEN_KEY("c"), V(GIVEN) = "v"));
    rcuinfo__report_change(report, RCUINFO__REPORT_PLACE, louder, text);
    rcuinfo__report_sign(report, 5, 0);
    check_table(report, 6,
                "rcuinfo: hints of 6 processes\n"
                "verdict  key  value  processes  object  call\n"
                "taken    a    v      5                   at a.c:7!\n"
                "taken    b    v      5                   at a.c:8\n"
                "taken    c    v      5                  \n");
    rcuinfo__report_free(report);
}

/* Every byte in every field, alone and among others, with what is no UTF-8 and what is. */
static void json_of_any_text(void **state)
{
    static const char *const texts[][2] = {
        {"\"\\/\b\f\n\r\t\x1f\x7f", "\"\\/\b\f\n\r\t\x1f\x7f"},
        {"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80", "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80"},
        {"\xc0\x80", "\xef\xbf\xbd\xef\xbf\xbd"}, /* longer than it has to be */
        {"\xe0\x9f\xbf", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
        {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, /* half of a pair */
        {"\xf0\x8f\xbf\xbf", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
        {"\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, /* beyond the last */
        {"\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf"},
        {"\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd"}, /* it ends too early */
        {"\xe2\x82x", "\xef\xbf\xbd\xef\xbf\xbdx"},
        {"\xf0\x9f\x98", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
        {"\x80\xbf\xff", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
    };
    struct rcuinfo__report *report = make();
    (void)state;
    for (size_t n = 0; n < sizeof texts / sizeof *texts; n++)
        assert_true(ADD(report, "0", 1, V(VERDICT) = "taken", V(KEY) = (char[]){(char)('a' + n), '\0'},
                        V(GIVEN) = texts[n][0]));
    json_t *json = json_of(report, 1);
    for (size_t n = 0; n < sizeof texts / sizeof *texts; n++) {
        assert_string_equal(field_of(json, n, "given"), texts[n][1]);
        assert_true(json_is_null(json_object_get(json_array_get(json_object_get(json, "hints"), n), "section")));
    }
    json_decref(json);
    rcuinfo__report_free(report);

    char all[256];
    for (int n = 0; n < 255; n++)
        all[n] = (char)(n + 1);
    all[255] = '\0';
    for (int field = 0; field < RCUINFO__REPORT_FIELDS; field++) {
        const char *fields[RCUINFO__REPORT_FIELDS] = {CB_NODES("4")};
        report = make();
        fields[field] = all;
        assert_true(rcuinfo__report_add(report, fields, "0", 1));
        json = json_of(report, 1);
        const char *text = field_of(json, 0, rcuinfo__report_name((enum rcuinfo__report_field)field));
        assert_memory_equal(text, all, 127);
        assert_int_equal(strlen(text), 127 + 3 * 128);
        json_decref(json);
        free(text_of(report, 1, write_table));
        rcuinfo__report_free(report);
    }
}

/* A report with a bit of everything. */
static struct rcuinfo__report *sample(long process)
{
    struct rcuinfo__report *report = make();
    assert_true(ADD(report, "0", 1, CB_NODES(process == 1 ? "1" : "4"), V(IN_USE) = "", V(GROUP) = "0+4"));
    assert_true(ADD(report, "0", 2, V(VERDICT) = "unknown key", V(KEY) = "+", V(GIVEN) = "-", V(NOTE) = "\xff\n"));
    assert_true(ADD(report, "0", 1, TAKEN_KEY(process % 2 ? "odd" : "even"), V(GIVEN) = ""));
    rcuinfo__report_lose(report, (uint64_t)process);
    rcuinfo__report_sign(report, process, process == 3 ? 1 : UINT64_MAX);
    return report;
}

static void merge(struct rcuinfo__report *report, const struct rcuinfo__report *other)
{
    size_t size = 0;
    void *bytes = rcuinfo__report_pack(other, &size);
    assert_non_null(bytes);
    rcuinfo__report_merge(report, bytes, size);
    rcuinfo__alloc_free(bytes);
}

static void packed_and_merged(void **state)
{
    (void)state;
    struct rcuinfo__report *report = sample(2), *empty = make();
    rcuinfo__report_sign(empty, 0, UINT64_MAX);
    merge(empty, report);
    char *before = text_of(report, 1, rcuinfo__report_write_json);
    char *after = text_of(empty, 1, rcuinfo__report_write_json);
    assert_string_equal(before, after);
    free(before);
    free(after);
    rcuinfo__report_free(empty);
    rcuinfo__report_free(report);

    /* As four processes gather: 1 to 0, 3 to 2, then 2 to 0. */
    struct rcuinfo__report *all[4];
    for (long n = 0; n < 4; n++)
        all[n] = sample(n);
    merge(all[0], all[1]);
    merge(all[2], all[3]);
    merge(all[0], all[2]);
    check_table(all[0], 4,
                "rcuinfo: hints of 4 processes\n"
                "verdict                    key       value  processes  object     call\n"
                "differs between processes  cb_nodes  1 ->   1          file a.h5  MPI_File_open at a.c:7; "
                "'4' on 0,2-3\n"
                "differs between processes  cb_nodes  4 ->   0,2-3      file a.h5  MPI_File_open at a.c:7\n"
                "unknown key                +         -      all                   , 2 times each; \xff?\n"
                "taken                      even             0,2                   \n"
                "taken                      odd              1,3                   \n"
                "The processes have read different hint files.\n"
                "... and 6 that there was no room for\n");
    for (long n = 0; n < 4; n++)
        rcuinfo__report_free(all[n]);
}

/* Merges bytes that lie at the end of their memory, where AddressSanitizer sees what reads on. */
static void merge_damaged(const char *bytes, size_t size)
{
    struct rcuinfo__report *report = sample(0);
    char *copy = malloc(size > 0 ? size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    rcuinfo__report_merge(report, size > 0 ? copy : copy + 1, size);
    free(copy);
    json_decref(read_json(report, 2, JSON_DECODE_INT_AS_REAL)); /* a number may have become too large */
    free(text_of(report, 2, write_table));
    rcuinfo__report_free(report);
}

static void damaged_bytes(void **state)
{
    struct random random = {.state = 1};
    struct rcuinfo__report *report = sample(1);
    size_t size = 0;
    char *bytes = rcuinfo__report_pack(report, &size);
    (void)state;
    assert_non_null(bytes);
    rcuinfo__report_free(report);
    for (size_t length = 0; length <= size; length++)
        merge_damaged(bytes, length);
    char *damaged = malloc(size);
    assert_non_null(damaged);
    for (int n = 0; n < DAMAGES; n++) {
        memcpy(damaged, bytes, size);
        for (unsigned flips = 1 + random_below(&random, 8); flips > 0; flips--)
            damaged[random_below(&random, (unsigned)size)] = (char)random_below(&random, 256);
        merge_damaged(damaged, size);
    }
    free(damaged);
    rcuinfo__alloc_free(bytes);
}

/* All that allocates, on memory that another allocation has been refused of. Each step says on its own what is missing.
 */
static void use_all(void)
{
    struct rcuinfo__report *report = rcuinfo__report_create(MOST), *other = rcuinfo__report_create(MOST);
    size_t size = 0;
    uint64_t lost = 0;
    for (int n = 0; n < 3 && report && other; n++) {
        char on[] = "0,4,8";
        on[0] = (char)('0' + n);
        lost += !ADD(report, on, 1, CB_NODES(n == 1 ? "1" : "4"), V(GROUP) = "0+9");
        lost += !ADD(other, "1-2", 1, CB_NODES("4"), V(GROUP) = "0+9");
    }
    if (report && other)
        lost += !ADD(report, "0", 7, TAKEN_KEY("no_locks"), V(GIVEN) = "true");
    void *bytes = other ? rcuinfo__report_pack(other, &size) : NULL;
    if (report && bytes)
        rcuinfo__report_merge(report, bytes, size);
    if (report && other) {
        free(text_of(report, 9, write_table));
        free(text_of(report, 9, rcuinfo__report_write_json));
        rcuinfo__alloc_fail_at(0);
        json_t *json = json_of(report, 9);
        assert_true(lines_of(json) == 3 || lost > 0 || json_integer_value(json_object_get(json, "lost")) > 0);
        json_decref(json);
    }
    rcuinfo__alloc_free(bytes);
    rcuinfo__report_free(other);
    rcuinfo__report_free(report);
}

static void without_memory(void **state)
{
    int before = rcuinfo__alloc_faults(), k = 0;
    (void)state;
    do {
        assert_true(++k < MOST_ALLOCATIONS);
        rcuinfo__alloc_fail_at(k);
        use_all();
        rcuinfo__alloc_fail_at(0);
    } while (rcuinfo__alloc_faults() == before + k);
    assert_true(k > 20);
    counts_report("hints.report", "allocation points failed", (unsigned long)(k - 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_lines_are_counted),
        cmocka_unit_test(other_lines_are_not),
        cmocka_unit_test(lists_are_united),
        cmocka_unit_test(bad_lists),
        cmocka_unit_test(lines_without_a_key),
        cmocka_unit_test(differences),
        cmocka_unit_test(majorities),
        cmocka_unit_test(no_differences),
        cmocka_unit_test(given_by_some),
        cmocka_unit_test(not_handed_down),
        cmocka_unit_test(names_are_summed_up),
        cmocka_unit_test(order),
        cmocka_unit_test(columns_are_clipped),
        cmocka_unit_test(full),
        cmocka_unit_test(fields_change),
        cmocka_unit_test(json_of_any_text),
        cmocka_unit_test(packed_and_merged),
        cmocka_unit_test(damaged_bytes),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
