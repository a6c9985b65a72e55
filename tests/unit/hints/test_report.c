/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The report of hints: equal lines are counted, their lists of processes united, and lines that differ only in the
 * object's name are one row of the table. Differences between processes are found for hints that the standard requires
 * to be the same, and only for them. The JSON is valid for any text. One process merges what another packs; damaged
 * bytes do no harm. Out of memory, lines are lost, but nothing is wrong. White box: linked with the library's objects.
 */
#include <jansson.h>

#include "core/memory/alloc.h"
#include "stress/random.h"
#include "keys/keys.h"
#include "report/export.h"
#include "report/judge.h"
#include "report/table.h"
#include "report/source.h"
#include "report/report.h"
#include "support/counts.h"
#include "support/guard.h"
#include "support/nomem.h"
#include "support/test.h"

enum { MOST = 64, DAMAGES = 20000 };

#define V(name) [RCUINFO__REPORT_##name]

/* Adds a line whose fields are the last arguments. */
#define ADD_TO(report, verdict, on, count, ...)                                                                        \
    rcuinfo__report_add(report, RCUINFO__REPORT_##verdict, (const char *const[RCUINFO__REPORT_FIELDS]){__VA_ARGS__},   \
                        on, count)
#define ADD_AS(verdict, on, count, ...) CHECK(ADD_TO(report, verdict, on, count, __VA_ARGS__))
#define ADD(on, count, ...)             ADD_AS(IN_EFFECT, on, count, __VA_ARGS__)
#define CB_NODES(value)                                                                                                \
    V(KEY) = "cb_nodes", V(GIVEN) = (value), V(OBJECT) = "file", V(NAME) = "a.h5", V(FUNCTION) = "MPI_File_open",      \
    V(PLACE) = "a.c:7"

static struct rcuinfo__report *report; /* used by the functions below; empty at the beginning of each test */

static struct rcuinfo__report *make(void)
{
    struct rcuinfo__report *made = rcuinfo__report_create(MOST);
    CHECK(made);
    CHECK(rcuinfo__report_is_empty(made));
    return made;
}

static void renew(struct rcuinfo__report *next)
{
    rcuinfo__report_free(report);
    report = next;
}

/* Returns the report as a table of at most `most` rows (ALL: all), or as JSON or CSV. The caller frees the text. */
enum { ALL, JSON = -1, CSV = -2 };
static char *text_of(long processes, int most)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    CHECK(file);
    (void)rcuinfo__judge(report, processes); /* without memory the report lacks what it finds */
    if (most == JSON)
        (void)rcuinfo__export_json(report, processes, file);
    else if (most == CSV)
        CHECK(rcuinfo__export_csv(report, file));
    else
        (void)rcuinfo__table_print(report, processes, (size_t)most, 80, file);
    CHECK(fclose(file) == 0);
    return text;
}

/* Checks the text of the table, or of the CSV. */
static void check_table(long processes, int most, const char *expected)
{
    char *text = text_of(processes, most);
    CHECK_TEXT(text, expected);
    free(text);
}

/* Checks that the table contains `part`, or does not if `has` is false. */
static void check_says(long processes, const char *part, bool has)
{
    char *text = text_of(processes, ALL);
    CHECKF(!strstr(text, part) == !has, "\"%s\" is %sin\n%s", part, has ? "not " : "", text);
    free(text);
}

static json_t *json_of(long processes, size_t flags)
{
    json_error_t error;
    char *text = text_of(processes, JSON);
    json_t *json = json_loads(text, JSON_REJECT_DUPLICATES | flags, &error);
    if (!json)
        CHECKF(false, "%d:%d: %s: %s", error.line, error.column, error.text, text);
    free(text);
    return json;
}

static const char *field_of(const json_t *json, size_t line, const char *name)
{
    return json_string_value(json_object_get(json_array_get(json_object_get(json, "hints"), line), name));
}

/* Checks the number of lines, the number of lost lines, and the processes of the first line (NULL: any). */
static void check_json(size_t lines, int lost, const char *on)
{
    json_t *json = json_of(1, 0);
    CHECK_EQUAL(json_array_size(json_object_get(json, "hints")), lines);
    CHECK_EQUAL(json_integer_value(json_object_get(json, "lost")), lost);
    if (on)
        CHECK_TEXT(field_of(json, 0, "on"), on);
    json_decref(json);
}

TEST(equal_lines_are_counted)
{
    ADD("0", 1, CB_NODES("4"), V(IN_USE) = "4");
    ADD("0", 1, CB_NODES("4"), V(IN_USE) = "4");
    ADD("1", 2, CB_NODES("4"), V(IN_USE) = "4");
    CHECK(!rcuinfo__report_is_empty(report));
    check_table(2, ALL,
                "rcuinfo: 1 hint of 2 processes: 1 in effect\n"
                "file a.h5: MPI_File_open at a.c:7\n"
                "  cb_nodes  4  in effect, 4 times in all\n");
    ADD("1", 1, CB_NODES("4"), V(IN_USE) = "4");
    check_table(3, ALL,
                "rcuinfo: 1 hint of 3 processes: 1 in effect\n"
                "file a.h5: MPI_File_open at a.c:7\n"
                "  cb_nodes  4  in effect, processes 0-1, 5 times in all\n");
}

/* Look-ups and defaults are no hints. */
TEST(no_hints_are_given)
{
    ADD_AS(LOOK_UP, "0", 1, V(KEY) = "cb_nodes", V(GIVEN) = "", V(NOTE) = "libpnetcdf.so.4");
    ADD_AS(DEFAULT, "0", 1, CB_NODES(""), V(IN_USE) = "4");
    CHECK(rcuinfo__report_is_empty(report));
}

TEST(a_long_list_of_processes_is_cut_visibly)
{
    char on[1024] = "0";
    for (int n = 1; n < 200; n++)
        (void)sprintf(on + strlen(on), ",%d", 2 * n);
    ADD(on, 200, CB_NODES("4"));
    check_says(400, ",...\n", true);
}

/* Adds a line of CB_NODES(value) and a group with another text in a field; returns whether it was added. */
static bool add_with(const char *value, int field, const char *text, const char *on)
{
    const char *fields[RCUINFO__REPORT_FIELDS] = {CB_NODES(value), V(GROUP) = "0+2"};
    fields[field] = text;
    return rcuinfo__report_add(report, RCUINFO__REPORT_IN_EFFECT, fields, on, 1);
}

/* A missing field differs from an empty text, and every field is compared. */
TEST(other_lines_are_not)
{
    ADD("0", 1, CB_NODES("4"), V(GROUP) = "0+2");
    ADD("0", 1, CB_NODES("4"), V(GROUP) = "0+2", V(IN_USE) = "");
    for (int field = 0; field < RCUINFO__REPORT_FIELDS; field++)
        CHECK(add_with("4", field, "x", "0"));
    ADD_AS(READ, "0", 1, CB_NODES("4"), V(GROUP) = "0+2");
    check_json(3 + RCUINFO__REPORT_FIELDS, 0, NULL);
}

TEST(lists_are_united)
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
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        for (int i = 0; i < 3 && cases[n][i]; i++)
            ADD(cases[n][i], 1, CB_NODES("4"));
        check_json(1, 0, cases[n][3]);
        renew(make());
    }
}

/* A line with an invalid list of processes counts as lost, and none of its processes is added. */
TEST(bad_lists)
{
    for (int is_there = 0; is_there <= 1; is_there++) {
        char lists[] = ":x:-1:1-:3-2:1;2:1,x:1-2-3:1,,2:,1:0-99999999999999999999:9223372036854775807";
        if (is_there)
            ADD("7", 1, CB_NODES("4"));
        for (char *rest = lists, *on; (on = strsep(&rest, ":"));)
            CHECK(!ADD_TO(report, IN_EFFECT, on, 1, CB_NODES("4")));
    }
    check_json(1, 2 * 12, "7");
}

/* A line must have a verdict, a key and a value. */
TEST(lines_without_a_key)
{
    CHECK(!rcuinfo__report_add(report, rcuinfo__report_find_verdict("of a later version"),
                               (const char *const[RCUINFO__REPORT_FIELDS]){CB_NODES("4")}, "0", 1));
    CHECK(!add_with("4", RCUINFO__REPORT_KEY, NULL, "0"));
    CHECK(!add_with("4", RCUINFO__REPORT_GIVEN, NULL, "0"));
    check_table(1, ALL,
                "rcuinfo: 0 hints of 1 process\n"
                "... and 3 more, not recorded for lack of room or memory\n");
}

/* Two processes have no majority. Of two, the first in the report counts. A majority whose list of processes is too
 * long is called "most". */
TEST(majorities)
{
    ADD("0", 1, CB_NODES("4"), V(GROUP) = "0+2");
    ADD("1", 1, CB_NODES("1"), V(GROUP) = "0+2");
    check_says(2, "in effect", false);
    check_says(2, "' on ", false);

    renew(make());
    ADD("3-5", 3, CB_NODES("4"), V(GROUP) = "0+7");
    ADD("0-2", 3, CB_NODES("1"), V(GROUP) = "0+7");
    ADD("6", 1, CB_NODES("2"), V(GROUP) = "0+7");
    check_says(7, "'4' on 3-5", true);

    renew(make());
    for (int n = 0; n < 100; n += 2) {
        char on[8];
        (void)snprintf(on, sizeof on, "%d", n);
        ADD(on, 1, CB_NODES("4"), V(GROUP) = "0+100");
    }
    ADD("1", 1, CB_NODES("1"), V(GROUP) = "0+100");
    check_says(100, "'4' on most", true);
}

/* Two lines with different values are not a difference between processes if a field has these texts. */
TEST(no_differences)
{
    static const struct {
        const char *on[2];
        enum rcuinfo__report_field field;
        const char *texts[2];
    } cases[] = {
        {{"0", "0"}, RCUINFO__REPORT_NOTE, {NULL, NULL}},     /* one process at two times */
        {{"0-1", "0-1"}, RCUINFO__REPORT_NOTE, {NULL, NULL}}, /* both processes at two times */
        {{"0", "1"}, RCUINFO__REPORT_NAME, {"a.h5", "b.h5"}}, /* two objects */
        {{"0", "1"}, RCUINFO__REPORT_FUNCTION, {"MPI_File_open", "MPI_File_set_info"}},
        {{"0", "1"}, RCUINFO__REPORT_GROUP, {"0+2", "2+2"}},
        {{"0", "1"}, RCUINFO__REPORT_GROUP, {NULL, NULL}}, /* perhaps two objects */
        {{"0", "1"}, RCUINFO__REPORT_KEY, {"cb_nodes", "nb_proc"}},
        {{"0", "1"}, RCUINFO__REPORT_KEY, {"access_style", "access_style"}},
        {{"0", "1"}, RCUINFO__REPORT_KEY, {"romio_ds_write", "romio_ds_write"}},
        {{"0", "1"}, RCUINFO__REPORT_OBJECT, {"file", "window"}},
        {{"0", "1"}, RCUINFO__REPORT_OBJECT, {"window", "window"}},
        {{"0", "1"}, RCUINFO__REPORT_OBJECT, {NULL, NULL}},
        {{"0", "1"}, RCUINFO__REPORT_OBJECT, {"door", "door"}},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        for (size_t i = 0; i < 2; i++)
            CHECK(add_with(i ? "1" : "4", (int)cases[n].field, cases[n].texts[i], cases[n].on[i]));
        check_says(1, "differs", false); /* with 1 process, the other's value is not missed */
        check_says(1, "in effect", true);
        renew(make());
    }

    /* A value that is not passed on counts as given. */
    ADD("0", 1, CB_NODES("4"), V(GROUP) = "0+2");
    ADD_AS(LEFT, "1", 1, CB_NODES("1"), V(GROUP) = "0+2");
    check_says(2, "differs", false);

    /* The others gave it at another place, or to an object whose name was lost or that has no number. */
    static const char *const others[][3] = {{"a.h5", "a.c:8", "0+2"}, {NULL, "a.c:7", NULL}, {"#", "a.c:7", "0+2"}};
    for (size_t n = 0; n < sizeof others / sizeof *others; n++) {
        renew(make());
        ADD("0", 1, V(KEY) = "cb_nodes", V(GIVEN) = "4", V(OBJECT) = "file", V(FUNCTION) = "MPI_File_open",
            V(NAME) = n < 2 ? "a.h5" : "#1", V(PLACE) = "a.c:7", V(GROUP) = "0+2");
        ADD("1", 1, V(KEY) = "cb_nodes", V(GIVEN) = "4", V(OBJECT) = "file", V(FUNCTION) = "MPI_File_open",
            V(NAME) = others[n][0], V(PLACE) = others[n][1], V(GROUP) = others[n][2]);
        check_says(2, "differs", false);
    }

    /* A file that was cut short may have had it. */
    renew(make());
    ADD("0", 1, CB_NODES("4"), V(GROUP) = "0+2");
    rcuinfo__report_cut(report);
    check_says(2, "differs", false);
}

/* Of two places that cannot be told apart the lines are one; another value keeps its own. */
TEST(places_that_are_shown_alike)
{
    static const char *const places[] = {"/nowhere/lib.so+0x1\n/nowhere/app+0x2",
                                         "/nowhere/lib.so+0x1\n/nowhere/app+0x3", "/nowhere/lib.so+0x1"};
    for (size_t n = 0; n < 3; n++) {
        char on[2] = {(char)('0' + n), '\0'};
        ADD(on, 1, V(KEY) = "cb_nodes", V(GIVEN) = "4", V(OBJECT) = "file", V(PLACE) = places[n]);
        ADD(on, 1, V(KEY) = "cb_nodes", V(GIVEN) = on, V(OBJECT) = "file", V(PLACE) = places[n]);
    }
    rcuinfo__source_show(report);
    check_says(3, "file at lib.so+0x1\n  cb_nodes  4 values  in effect: 0:0, 0-2:4, 1:1, 2:2\n", true);
    check_json(4, 0, NULL);
}

#define WINDOW(name, id, value)                                                                                        \
    V(KEY) = "same_size", V(GIVEN) = (value), V(OBJECT) = "window", V(NAME) = (name), V(IDENTITY) = (id),              \
    V(GROUP) = "0+2", V(FUNCTION) = "MPI_Win_create"

/* An object is known by its number or its path, not by its name or the place of the call. */
TEST(objects_on_several_processes)
{
    static const struct {
        const char *names[2], *identities[2];
        bool is_one; /* the lines are about one object */
    } cases[] = {
        {{"of rank 0", "of rank 1"}, {"#1", "#1"}, true},
        {{"halo", "#1"}, {"#1", NULL}, true},
        {{"halo", "halo"}, {"#1", "#2"}, false},
        {{"#1", "#2"}, {NULL, NULL}, false},
        {{"#1", "#1"}, {NULL, NULL}, true},
        {{"#1@0+2", "#1@0+2"}, {NULL, NULL}, true},
        {{"./a", "/data/a"}, {"/data/a", NULL}, true},
        {{"a", "a"}, {"/tmp/0/a", "/tmp/1/a"}, false},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        for (int is_other = 0; is_other <= 1; is_other++) {
            for (int i = 0; i < 2; i++)
                ADD(i ? "1" : "0", 1,
                    WINDOW(cases[n].names[i], cases[n].identities[i], i && is_other ? "false" : "true"),
                    V(PLACE) = i ? "a.c:7" : "a.c:8");
            check_says(2, "differs", !cases[n].is_one || is_other);
            check_says(2, ": given by 1 of its 2 processes", !cases[n].is_one);
            renew(make());
        }
    }

    /* Where one object of a group has no number, any two of that group may be the same, or not. */
    ADD("0", 1, WINDOW("#1", NULL, "true"), V(PLACE) = "a.c:7");
    ADD("1", 1, WINDOW("#2", NULL, "true"), V(PLACE) = "a.c:7");
    ADD("0-1", 2, WINDOW("#", NULL, "true"), V(PLACE) = "a.c:7");
    check_says(2, "differs", false);
    renew(make());
    static const struct {
        const char *name, *place; /* of process 0, and of process 1 */
        bool differs;
    } pairs[] = {{"#", "a.c:8", false}, {"#", "a.c:7", true}, {"#1", "a.c:7", true}};
    for (size_t n = 0; n < sizeof pairs / sizeof *pairs; n++) {
        ADD("0", 1, WINDOW(pairs[n].name, NULL, "true"), V(PLACE) = "a.c:7");
        ADD("1", 1, WINDOW("#", NULL, "false"), V(PLACE) = pairs[n].place);
        check_says(2, "differs", pairs[n].differs);
        renew(make());
    }
    ADD("0", 1, WINDOW("#1", NULL, "true"), V(PLACE) = "a.c:7");
    ADD("1", 1, WINDOW("#1", NULL, "false"), V(PLACE) = "a.c:8");
    ADD("3", 1, V(KEY) = "same_size", V(GIVEN) = "true", V(OBJECT) = "window", V(NAME) = "#@2+2", V(GROUP) = "2+2:1");
    check_says(4, "same_size  true   differs between processes, process 0", true);
    check_says(4, "same_size  false  differs between processes, process 1", true);
}

/* Values that mean the same are the same; and a part of the library may need the same where the standard does not. */
TEST(values_that_must_be_the_same)
{
    static const struct {
        const char *key, *values[2], *component;
        bool differs;
    } cases[] = {
        {"cb_buffer_size", {"1048576", "01048576"}, "romio-ufs", false},
        {"cb_buffer_size", {"1048576", "1048577"}, "romio-ufs", true},
        {"collective_buffering", {"true", "TRUE"}, "ompio", false},
        {"romio_cb_write", {"enable", "disable"}, "romio-ufs", true},
        {"romio_cb_write", {"enable", "disable"}, "ompio", false},
        {"romio_cb_write", {"enable", "disable"}, NULL, false},
        {"romio_no_indep_rw", {"1", "true"}, "romio-ufs", true}, /* only a library means the same by them */
        {"romio_no_indep_rw", {"true", "1"}, "romio-ufs", true},
        {"ind_rd_buffer_size", {"64", "064"}, "romio-nfs", false},
        {"ind_rd_buffer_size", {"64", "65"}, "romio-nfs", true},
        {"romio_lustre_co_ratio", {"1", "2"}, "romio-ufs", false},
        {"romio_lustre_co_ratio", {"1", NULL}, "romio-lustre", true},
        {"chunked", {"100,200", "200,100"}, "romio-ufs", true}, /* sizes of dimensions */
        {"chunked", {"10,10", "10"}, "romio-ufs", true},
        {"chunked", {"10, 10", "10,10"}, "romio-ufs", false},
        {"access_style", {"read_once,sequential", "sequential,read_once"}, "romio-ufs", false},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        for (int i = 0; i < 2 && cases[n].values[i]; i++)
            ADD(i ? "1" : "0", 1, V(KEY) = cases[n].key, V(GIVEN) = cases[n].values[i], V(OBJECT) = "file",
                V(NAME) = "a", V(GROUP) = "0+2", V(COMPONENT) = cases[n].component);
        check_says(2, "differs", cases[n].differs);
        renew(make());
    }
}

/* A default is no hint: it is not compared with one, nor counted, and shown only with all rows. */
TEST(defaults)
{
    ADD("0", 1, CB_NODES("4"), V(GROUP) = "0+2");
    ADD_AS(DEFAULT, "1", 1, CB_NODES(""), V(IN_USE) = "2", V(GROUP) = "0+2", V(SOURCE) = "site.romio:1");
    check_says(2, "cb_nodes  4  differs between processes: given by 1 of its 2 processes", true);
    check_says(2, "cb_nodes  2  default, process 1, from site.romio:1", true);
    renew(make());
    for (int n = 0; n < 4; n++)
        ADD_AS(DEFAULT, ((char[]){(char)('0' + n), '\0'}), 1, V(KEY) = "cb_nodes", V(GIVEN) = "",
               V(IN_USE) = ((char[]){(char)('6' + n), '\0'}));
    check_says(4, "cb_nodes  4 values  default: 0:6, 1:7, 2:8, 3:9\n", true);
    CHECK(rcuinfo__report_is_empty(report));

    renew(make());
    ADD("0", 1, CB_NODES("4"), V(GROUP) = "0+2");
    ADD_AS(DEFAULT, "1", 1, CB_NODES(""), V(IN_USE) = "2", V(GROUP) = "0+2", V(SOURCE) = "site.romio:1");
    for (int n = 0; n < MOST; n++) /* more than there is room for, which are ignored */
        (void)ADD_TO(report, DEFAULT, "1", 1, V(KEY) = (char[]){(char)('0' + n), '\0'}, V(GIVEN) = "");
    check_json(MOST / 2, 0, NULL);
    check_table(2, 8,
                "rcuinfo: 1 hint of 2 processes: 1 differs between processes\n"
                "file a.h5: MPI_File_open at a.c:7\n"
                "  cb_nodes  4  differs between processes: given by 1 of its 2 processes, process\n"
                "               0\n");
}

/* A hint that only some processes of an object give, which is known if all its processes are in the report. */
TEST(hints_given_by_some_processes)
{
    static const struct {
        const char *on, *group;
        long processes;
        bool differs;
    } cases[] = {
        {"0-2", "0+4:1", 4, true}, {"0-3", "0+4:1", 4, false},  {"0-2", "0+4:1", 3, false}, /* not known */
        {"0", "0+1:1", 4, false},  {"0", "no group", 4, false},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        ADD(cases[n].on, 1, CB_NODES("4"), V(GROUP) = cases[n].group);
        check_says(cases[n].processes, "differs", cases[n].differs);
        check_says(cases[n].processes, ": given by 3 of its 4 processes", cases[n].differs);
        renew(make());
    }

    /* To which object some gave it is not known. */
    ADD("0", 1, CB_NODES("4"), V(GROUP) = "0+4:1");
    ADD("1-2", 1, CB_NODES("4"));
    check_says(4, ": given by 1 to 3 of its 4 processes", true);
}

TEST(names_are_summed_up)
{
    static const char *const names[] = {"c.h5", "a.h5", "b.h5"};
    for (size_t n = 0; n < 3; n++) {
        char on[2] = {(char)('0' + n), '\0'};
        ADD(on, 1, V(KEY) = "access_style", V(GIVEN) = "random", V(OBJECT) = "file", V(NAME) = names[n],
            V(GROUP) = names[n]);
    }
    ADD("0", 1, V(KEY) = "access_style", V(GIVEN) = "random", V(OBJECT) = "file", V(NAME) = "a.h5", V(GROUP) = "0+1");
    ADD("0", 1, V(KEY) = "access_style", V(GIVEN) = "read_once", V(OBJECT) = "file", V(NAME) = "a.h5");
    ADD("0", 1, V(KEY) = "no_locks", V(GIVEN) = "true", V(OBJECT) = "window");
    check_table(3, ALL,
                "rcuinfo: 3 hints of 3 processes: 3 in effect\n"
                "file a.h5 and 2 more\n"
                "  access_style  random     in effect, 4 times in all\n"
                "file a.h5\n"
                "  access_style  read_once  in effect, process 0\n"
                "window\n"
                "  no_locks      true       in effect, process 0\n");
    check_json(6, 0, NULL);
}

/* Rows of one key are in the order of their verdicts; and a row with every field. */
TEST(order)
{
    for (int n = 0; n < RCUINFO__REPORT_VERDICTS; n++) { /* backwards */
        static const char *const fields[RCUINFO__REPORT_FIELDS] = {V(KEY) = "k", V(GIVEN) = "v", V(IN_USE) = "v"};
        CHECK(rcuinfo__report_add(report, (enum rcuinfo__report_verdict)(RCUINFO__REPORT_VERDICTS - 1 - n), fields, "0",
                                  1));
    }
    ADD_AS(CHANGED, "0", 3, V(KEY) = "a", V(GIVEN) = "4", V(IN_USE) = "2", V(OBJECT) = "window", V(NAME) = "w",
           V(GROUP) = "0+1", V(COMPONENT) = "osc", V(FUNCTION) = "MPI_Win_create", V(PLACE) = "a.c:1",
           V(SOURCE) = "site.hints:3", V(SECTION) = "MPI-4.1, 12.2.1", V(NOTE) = "why", V(EVIDENCE) = "look-up");
    check_table(1, ALL,
                "rcuinfo: 12 hints of 1 process: 1 differs between processes, 1 the call did not\n"
                "    return, 1 the call failed, 1 bad value, 1 unknown key, 1 not passed on, 1\n"
                "    not used, 2 changed, 1 not known, 1 read, 1 in effect\n"
                "  k  v       differs between processes\n"
                "  k  v       the call did not return\n"
                "  k  v       the call failed\n"
                "  k  v       bad value\n"
                "  k  v       unknown key\n"
                "  k  v       not passed on\n"
                "  k  v       not used\n"
                "  k  v       changed\n"
                "  k  v       not known\n"
                "  k  v       read\n"
                "  k  v       in effect\n"
                "window w, osc: MPI_Win_create at a.c:1\n"
                "  a  4 -> 2  changed: why, 3 times, from site.hints:3\n"
                "Values in use for which no hint was given:\n"
                "  k  v       default\n");
    check_table(1, 4,
                "rcuinfo: 12 hints of 1 process: 1 differs between processes, 1 the call did not\n"
                "    return, 1 the call failed, 1 bad value, 1 unknown key, 1 not passed on, 1\n"
                "    not used, 2 changed, 1 not known, 1 read, 1 in effect\n"
                "  k  v       differs between processes\n"
                "  k  v       the call did not return\n"
                "  k  v       the call failed\n"
                "  k  v       bad value\n"
                "... and 8 more; --hints-report=all shows them\n");
}

#define A39 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

/* A text that is too wide is continued on the next line; nothing is left out. */
TEST(lines_are_wrapped)
{
    ADD("0", 1, V(KEY) = "a", V(GIVEN) = A39 A39 " " A39, V(IN_USE) = "c");
    ADD("0", 1, V(KEY) = "k\n\x1b\x7f", V(GIVEN) = "a\tb", V(IN_USE) = "\xc3\xa4", V(OBJECT) = "file",
        V(NAME) = "/begin/" A39 "/" A39 "/end", V(FUNCTION) = "MPI_File_open");
    ADD("0", 1, V(KEY) = "\xc3\xa4", V(GIVEN) = "v", V(OBJECT) = "file", V(NAME) = "/begin/" A39 "/" A39 "/end",
        V(FUNCTION) = "MPI_File_open",
        V(NOTE) = "a note of so many words that it does not fit into a line with its verdict");
    check_table(1, ALL,
                "rcuinfo: 3 hints of 1 process: 3 in effect\n"
                "  a     " A39 A39 "\n"
                "                  " A39 " -> c\n"
                "                  in effect\n"
                "file /begin/" A39 "/" A39 "/end:\n"
                "    MPI_File_open\n"
                "  k???  a?b -> \xc3\xa4  in effect\n"
                "  \xc3\xa4     v         in effect: a note of so many words that it does not fit into a\n"
                "                  line with its verdict\n");
}

/* What a terminal would not show as it is: blanks at the ends, and characters that control it. */
TEST(hidden_characters)
{
    ADD("0", 1, V(KEY) = "a", V(GIVEN) = "0 ", V(IN_USE) = " 0");
    ADD("0", 1, V(KEY) = "b\xc2\x9b",
        V(GIVEN) = "1\xe2\x80\xae"
                   "2\xe2\x81\xa9"
                   "3\xd8\x9c",
        V(NOTE) = "\xc2\xa0\xe2\x80\xb0");
    check_table(1, ALL,
                "rcuinfo: 2 hints of 1 process: 2 in effect\n"
                "  a   '0 ' -> ' 0'  in effect\n"
                "  b?  1?2?3?        in effect: \xc2\xa0\xe2\x80\xb0\n");
}

/* Many values of one key are one row, in the order of the processes. */
TEST(many_values)
{
    char on[8], value[8];
    for (int n = 11; n >= 0; n--) {
        (void)snprintf(on, sizeof on, "%d", n);
        (void)snprintf(value, sizeof value, "%d", 100 + n);
        ADD(on, 1, CB_NODES(value));
    }
    check_table(12, ALL,
                "rcuinfo: 12 hints of 12 processes: 12 in effect\n"
                "file a.h5: MPI_File_open at a.c:7\n"
                "  cb_nodes  12 values  in effect: 0:100, 1:101, 2:102, 3:103, 4:104, 5:105, 6:106,\n"
                "                 7:107, ...\n");
    renew(make());
    for (int n = 0; n < 4; n++) {
        (void)snprintf(on, sizeof on, "%d", n);
        (void)snprintf(value, sizeof value, "%d", 2 + n);
        ADD(on, 1, CB_NODES(value), V(IN_USE) = "1", V(SOURCE) = n < 2 ? "a.hints:1" : "b.hints:1");
    }
    check_says(4, ": 0:2 -> 1, 1:3 -> 1, 2:4 -> 1, 3:5 -> 1\n", true);
    check_says(4, "from", false);
}

/* Calls are counted. */
TEST(many_calls)
{
    static const char *const calls[] = {"MPI_File_open", "MPI_File_set_info", "MPI_File_set_view"};
    for (size_t n = 0; n < 3; n++)
        ADD("0", 1, V(KEY) = "cb_nodes", V(GIVEN) = "4", V(OBJECT) = "file", V(NAME) = "a.h5", V(FUNCTION) = calls[n]);
    check_table(1, ALL,
                "rcuinfo: 1 hint of 1 process: 1 in effect\n"
                "file a.h5: MPI_File_open and 2 more calls\n"
                "  cb_nodes  4  in effect, 3 times\n");
}

/* A key that MPI does not know may be known to a library above it. A rule is unused if no process has used it. */
TEST(lines_about_others)
{
    ADD_AS(UNKNOWN, "0", 1, V(OBJECT) = "file", V(KEY) = "nc_a", V(GIVEN) = "4");
    ADD_AS(UNKNOWN, "0", 1, V(OBJECT) = "file", V(KEY) = "nc_b", V(GIVEN) = "4");
    ADD_AS(LOOK_UP, "1", 1, V(OBJECT) = "file", V(KEY) = "nc_a", V(GIVEN) = "", V(NOTE) = "libpnetcdf.so.4");
    ADD_AS(NEVER_APPLIED, "0", 1, V(KEY) = "a", V(GIVEN) = "1", V(SOURCE) = "f:1");
    ADD_AS(NEVER_APPLIED, "0", 1, V(OBJECT) = "file", V(KEY) = "b", V(GIVEN) = "1", V(SOURCE) = "f:2");
    ADD("1", 1, V(OBJECT) = "file", V(KEY) = "b", V(GIVEN) = "1", V(SOURCE) = "f:2");
    check_table(2, ALL,
                "rcuinfo: 4 hints of 2 processes: 1 unknown key, 1 never applied, 1 read, 1 in\n"
                "    effect\n"
                "file\n"
                "  b     1  in effect, process 1, from f:2\n"
                "  nc_a  4  read: by libpnetcdf.so.4, process 0\n"
                "  nc_b  4  unknown key, process 0\n"
                "any object\n"
                "  a     1  never applied, process 0, from f:1\n");
    check_json(4, 0, NULL);
}

/* CSV has all fields, in quotes. */
TEST(csv)
{
    ADD("0,2", 3, CB_NODES("a \"b\",\n"), V(NOTE) = "why");
    check_table(
        3, CSV,
        "verdict,object,component,key,given,in_use,note,source,name,identity,function,place,group,evidence,section,on,"
        "count\r\n"
        "\"in effect\",\"file\",\"\",\"cb_nodes\",\"a \"\"b\"\",\n\",\"\",\"why\",\"\",\"a.h5\",\"\",\"MPI_File_open\","
        "\"a.c:7\",\"\",\"\",\"\",\"0,2\",3\r\n");
}

TEST(full)
{
    renew(rcuinfo__report_create(2));
    ADD("0", 1, V(KEY) = "a", V(GIVEN) = "v");
    ADD("0", 1, V(KEY) = "b", V(GIVEN) = "v");
    CHECK(!ADD_TO(report, IN_EFFECT, "0", 7, V(KEY) = "c", V(GIVEN) = "v"));
    ADD("1", 1, V(KEY) = "b", V(GIVEN) = "v");
    rcuinfo__report_lose(report, 3);
    check_table(2, ALL,
                "rcuinfo: 2 hints of 2 processes: 2 in effect\n"
                "  a  v  in effect, process 0\n"
                "  b  v  in effect\n"
                "... and 10 more, not recorded for lack of room or memory\n");
    check_json(2, 10, NULL);
    renew(rcuinfo__report_create(0));
    CHECK(!ADD_TO(report, IN_EFFECT, "0", 1, V(KEY) = "a", V(GIVEN) = "v"));
    CHECK(!rcuinfo__report_is_empty(report));
}

/* JSON keeps UTF-8 and has U+FFFD for each other byte; and every byte value in every field. */
TEST(json_of_any_text)
{
    static const char *const texts[][2] = {
        {"\"\\/\b\f\n\r\t\x1f\x7f", "\"\\/\b\f\n\r\t\x1f\x7f"},
        {"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80", "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80"},
        {"\xc0\x80", "\xef\xbf\xbd\xef\xbf\xbd"}, /* overlong encoding */
        {"\xe0\x9f\xbf", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
        {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, /* a surrogate */
        {"\xf0\x8f\xbf\xbf", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
        {"\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, /* above U+10FFFF */
        {"\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf"},
        {"\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd"}, /* truncated */
        {"\xe2\x82x", "\xef\xbf\xbd\xef\xbf\xbdx"},
        {"\xf0\x9f\x98", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
        {"\x80\xbf\xff", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
    };
    for (size_t n = 0; n < sizeof texts / sizeof *texts; n++)
        ADD("0", 1, V(KEY) = (char[]){(char)('a' + n), '\0'}, V(GIVEN) = texts[n][0]);
    json_t *json = json_of(1, 0);
    for (size_t n = 0; n < sizeof texts / sizeof *texts; n++) {
        CHECK_TEXT(field_of(json, n, "given"), texts[n][1]);
        CHECK(json_is_null(json_object_get(json_array_get(json_object_get(json, "hints"), n), "section")));
    }
    json_decref(json);

    char all[256];
    for (int n = 0; n < 255; n++)
        all[n] = (char)(n + 1);
    all[255] = '\0';
    for (int field = 0; field < RCUINFO__REPORT_FIELDS; field++) {
        renew(make());
        CHECK(add_with("4", field, all, "0"));
        json = json_of(1, 0);
        const char *text = field_of(json, 0, rcuinfo__report_names[field]);
        CHECK(memcmp(text, all, 127) == 0);
        CHECK_EQUAL(strlen(text), 127 + 3 * 128);
        json_decref(json);
        free(text_of(1, ALL));
    }
}

/* A report of one process, with lines of several kinds and lost lines. */
static struct rcuinfo__report *sample(long process)
{
    struct rcuinfo__report *made = make();
    CHECK(ADD_TO(made, IN_EFFECT, "0", 1, CB_NODES(process == 1 ? "1" : "4"), V(IN_USE) = "", V(GROUP) = "0+4"));
    CHECK(ADD_TO(made, UNKNOWN, "0", 2, V(KEY) = "+", V(GIVEN) = "-", V(NOTE) = "\xff\n"));
    CHECK(ADD_TO(made, IN_EFFECT, "0", 1, V(KEY) = process % 2 ? "odd" : "even", V(GIVEN) = ""));
    rcuinfo__report_lose(made, (uint64_t)process);
    rcuinfo__report_sign(made, process, process == 3 ? 1 : UINT64_MAX);
    return made;
}

/* Packs a report and merges it into another one. If packing runs out of memory, nothing is merged. */
static void merge(struct rcuinfo__report *into, const struct rcuinfo__report *other)
{
    size_t size = 0;
    void *bytes = rcuinfo__report_pack(other, &size);
    if (bytes)
        rcuinfo__report_merge(into, bytes, size);
    rcuinfo__alloc_free(bytes);
}

TEST(packed_and_merged)
{
    struct rcuinfo__report *all[4];
    for (long n = 0; n < 4; n++)
        all[n] = sample(n);
    renew(sample(0));
    merge(report, all[2]);
    check_says(2, "different hint files", false);

    /* Four processes gather as a tree: 1 to 0, 3 to 2, then 2 to 0. */
    renew(all[0]);
    merge(report, all[1]);
    merge(all[2], all[3]);
    merge(report, all[2]);
    check_table(4, ALL,
                "rcuinfo: 5 hints of 4 processes: 2 differs between processes, 1 unknown key, 2\n"
                "    in effect\n"
                "file a.h5: MPI_File_open at a.c:7\n"
                "  cb_nodes  4 ->   differs between processes, processes 0,2-3\n"
                "  cb_nodes  1 ->   differs between processes: '4' on 0,2-3, process 1\n"
                "\n"
                "  +         -      unknown key: \xff?, 8 times in all\n"
                "  even             in effect, processes 0,2\n"
                "  odd              in effect, processes 1,3\n"
                "The processes have read different hint files.\n"
                "... and 6 more, not recorded for lack of room or memory\n");
    for (long n = 1; n < 4; n++)
        rcuinfo__report_free(all[n]);
}

/* Merges bytes at the end of mapped memory, so that reading beyond them crashes. */
static void merge_damaged(const char *bytes, size_t size)
{
    renew(sample(0));
    char *copy = guard_page_copy(bytes, size);
    rcuinfo__report_merge(report, copy, size);
    guard_page_free(copy, size);
    json_decref(json_of(2, JSON_DECODE_INT_AS_REAL)); /* a number may have become too large */
    free(text_of(2, ALL));
}

TEST(damaged_bytes)
{
    struct random random = {.state = 1};
    renew(sample(1));
    size_t size = 0;
    char *bytes = rcuinfo__report_pack(report, &size);
    CHECK(bytes);
    for (size_t length = 0; length <= size; length++)
        merge_damaged(bytes, length);
    char *damaged = guard_new(size);
    for (int n = 0; n < DAMAGES; n++) {
        memcpy(damaged, bytes, size);
        for (unsigned flips = 1 + random_below(&random, 8); flips > 0; flips--)
            damaged[random_below(&random, (unsigned)size)] = (char)random_below(&random, 256);
        merge_damaged(damaged, size);
    }
    guard_free(damaged);
    rcuinfo__alloc_free(bytes);
}

/* Uses all functions that allocate, while one allocation fails. A line that is missing must be counted as lost. */
static void use_all(void)
{
    struct rcuinfo__report *other = rcuinfo__report_create(MOST);
    uint64_t lost = 0;
    renew(rcuinfo__report_create(MOST));
    for (int n = 0; n < 3 && report && other; n++) {
        char on[] = "0,4,8";
        on[0] = (char)('0' + n);
        lost += !ADD_TO(report, IN_EFFECT, on, 1, CB_NODES(n == 1 ? "1" : "4"), V(GROUP) = "0+9");
        lost += !ADD_TO(other, IN_EFFECT, "1-2", 1, CB_NODES("4"), V(GROUP) = "0+9");
    }
    if (report && other) {
        lost += !ADD_TO(report, IN_EFFECT, "0", 7, V(KEY) = "no_locks", V(GIVEN) = "true");
        merge(report, other);
        free(text_of(9, ALL));
        free(text_of(9, JSON));
        faults_fail_at(0);
        json_t *json = json_of(9, 0);
        CHECK(json_array_size(json_object_get(json, "hints")) == 3 || lost > 0 ||
              json_integer_value(json_object_get(json, "lost")) > 0);
        json_decref(json);
    }
    rcuinfo__report_free(other);
}

TEST(without_memory)
{
    for (nomem_start(); nomem_next();)
        NOMEM(use_all());
    CHECK(nomem.count > 19);
    counts_report("hints.report", "allocation points failed", (unsigned long)nomem.count);
}

static void begin(void)
{
    renew(make());
}

int main(void)
{
    test_run(begin);
    rcuinfo__report_free(report);
    return 0;
}
