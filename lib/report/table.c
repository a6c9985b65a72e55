/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * table: shows a report to people. Lines that differ only in the object's name and in the call are one row; rows of the
 * same objects and calls are a group with one heading. Nothing is wider than the terminal, unless it is a single word.
 */
#include "report/table.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/memory/alloc.h"
#include "report/lines.h"
#include "report/page.h"

enum { FEW_VALUES = 3, MOST_VALUES = 8, WIDEST_KEY = 28, WIDEST_VALUE = 16, HEADING_INDENT = 4, NARROW_INDENT = 8 };

struct row {
    struct rcuinfo__report_line *const *lines;
    size_t n;
    char *heading;            /* of its group */
    size_t at;                /* number of the first line of its group */
    uint64_t count;           /* how often the hint was given */
    struct rcuinfo__span *on; /* by these processes */
};

static bool is_default(const struct row *row)
{
    return row->lines[0]->verdict == RCUINFO__REPORT_DEFAULT;
}

static int compare_lines(const void *a, const void *b)
{
    return rcuinfo__report_compare(*(struct rcuinfo__report_line *const *)a, *(struct rcuinfo__report_line *const *)b,
                                   RCUINFO__REPORT_FIELDS);
}

/* Values that no hint gave are in groups of their own. */
static int compare_groups(const void *a, const void *b)
{
    const struct row *one = a, *other = b;
    int difference = (int)is_default(one) - (int)is_default(other);
    return difference ? difference : strcmp(one->heading, other->heading);
}

/* Values that no hint gave come last. Groups are in the order of their first calls. The problems come first in a group,
 * and the values of a key by the processes that gave them. */
static int compare_rows(const void *a, const void *b)
{
    const struct row *one = a, *other = b;
    int difference = (int)is_default(one) - (int)is_default(other);
    if (difference == 0)
        difference = (one->at > other->at) - (one->at < other->at);
    if (difference == 0)
        difference = strcmp(one->lines[0]->fields[RCUINFO__REPORT_KEY], other->lines[0]->fields[RCUINFO__REPORT_KEY]);
    if (difference == 0)
        difference = (int)one->lines[0]->verdict - (int)other->lines[0]->verdict;
    if (difference == 0)
        difference = (one->on->first > other->on->first) - (one->on->first < other->on->first);
    return difference != 0 ? difference
                           : rcuinfo__report_compare(one->lines[0], other->lines[0], RCUINFO__REPORT_COMMON);
}

static bool is_same_call(const struct rcuinfo__report_line *a, const struct rcuinfo__report_line *b)
{
    return rcuinfo__report_same_text(a->fields[RCUINFO__REPORT_FUNCTION], b->fields[RCUINFO__REPORT_FUNCTION]) &&
           rcuinfo__report_same_text(a->fields[RCUINFO__REPORT_PLACE], b->fields[RCUINFO__REPORT_PLACE]);
}

/* How many different calls the lines of a row have. */
static size_t count_calls(const struct row *row)
{
    size_t calls = 0;
    for (size_t n = 0; n < row->n; n++) {
        size_t before = 0;
        while (before < n && !is_same_call(row->lines[before], row->lines[n]))
            before++;
        calls += before == n;
    }
    return calls;
}

/* "OBJECT NAME and 2 more, COMPONENT: FUNCTION at PLACE and 1 more call". A rule that no
 * call took may be for any object. */
static char *make_heading(const struct row *row)
{
    size_t first = 0; /* the first line that has a name, if there is one */
    while (first + 1 < row->n && !row->lines[first]->fields[RCUINFO__REPORT_NAME])
        first++;
    const struct rcuinfo__report_line *line = row->lines[first];
    const char *object = line->fields[RCUINFO__REPORT_OBJECT], *name = line->fields[RCUINFO__REPORT_NAME];
    const char *function = line->fields[RCUINFO__REPORT_FUNCTION], *place = line->fields[RCUINFO__REPORT_PLACE];
    const char *component = line->fields[RCUINFO__REPORT_COMPONENT];
    char more[64] = "", others[64] = "";
    size_t names = 0, calls = count_calls(row);

    for (size_t n = 0; n < row->n; n++)
        names += row->lines[n]->fields[RCUINFO__REPORT_NAME] &&
                 (n == 0 || !rcuinfo__report_same_text(row->lines[n]->fields[RCUINFO__REPORT_NAME],
                                                       row->lines[n - 1]->fields[RCUINFO__REPORT_NAME]));
    if (names > 1)
        snprintf(more, sizeof more, " and %zu more", names - 1);
    if (names > 0 && !row->lines[0]->fields[RCUINFO__REPORT_NAME])
        strcat(more, ", and others");
    if (calls > 1)
        snprintf(others, sizeof others, " and %zu more call%s", calls - 1, calls > 2 ? "s" : "");

    if (!object && line->verdict == RCUINFO__REPORT_NEVER_APPLIED)
        object = "any object";
    return rcuinfo__report_format("%s%s%s%s%s%s%s%s%s%s%s", object ? object : "", name ? " " : "", name ? name : "",
                                  more, component && object ? ", " : "", component ? component : "",
                                  function ? ": " : "", function ? function : "", place ? " at " : "",
                                  place ? place : "", others);
}

/* Fills a row with lines[0] and the lines after it that belong to the same row. Returns how many they are; 0: no
 * memory. */
static size_t fill_row(struct row *row, struct rcuinfo__report_line *const *lines, size_t n)
{
    *row = (struct row){.lines = lines};
    bool is_whole = true;

    row->at = lines[0]->at;
    do {
        row->count += lines[row->n]->count;
        row->at = lines[row->n]->at < row->at ? lines[row->n]->at : row->at;
        for (const struct rcuinfo__span *span = lines[row->n]->on; span; span = span->next)
            is_whole &= rcuinfo__spans_add(&row->on, span->first, span->last);
    } while (++row->n < n && rcuinfo__report_compare(lines[0], lines[row->n], RCUINFO__REPORT_COMMON) == 0);

    row->heading = is_whole ? make_heading(row) : NULL;
    return row->heading ? row->n : 0;
}

static void free_rows(struct row *rows, size_t n)
{
    for (size_t row = 0; row < n; row++) {
        rcuinfo__spans_free(rows[row].on);
        rcuinfo__alloc_free(rows[row].heading);
    }
    rcuinfo__alloc_free(rows);
}

/* Sorts rows, first so that those of a group follow each other. */
static void sort_rows(struct row *rows, size_t n)
{
    qsort(rows, n, sizeof *rows, compare_groups);
    for (size_t first = 0, end; first < n; first = end) {
        size_t at = rows[first].at;
        for (end = first; end < n && compare_groups(&rows[first], &rows[end]) == 0; end++)
            at = rows[end].at < at ? rows[end].at : at;
        for (size_t row = first; row < end; row++)
            rows[row].at = at;
    }
    qsort(rows, n, sizeof *rows, compare_rows);
}

/* Makes the *n rows of lines, which it sorts. NULL: no memory. */
static struct row *make_rows(struct rcuinfo__report_line **lines, size_t count, size_t *n)
{
    /* + 1, so that an empty report does not look like lack of memory. */
    struct row *rows = rcuinfo__alloc((count + 1) * sizeof *rows);
    *n = 0;

    qsort(lines, count, sizeof *lines, compare_lines);
    for (size_t done = 0, used; rows && done < count; done += used) {
        used = fill_row(&rows[(*n)++], lines + done, count - done);
        if (used == 0) {
            free_rows(rows, *n);
            return NULL;
        }
    }
    if (rows)
        sort_rows(rows, *n);
    return rows;
}

/* The columns at which values and verdicts begin. */
struct layout {
    size_t values, verdicts;
};

/* Writes a list of processes; of a long one the beginning and "...". */
static void put_spans(struct rcuinfo__page *page, const struct rcuinfo__span *on)
{
    char text[256];
    bool is_cut = rcuinfo__spans_print(on, text, sizeof text) >= sizeof text;
    RCUINFO__PAGE_PUT(page, text, is_cut ? "..." : "");
}

static void put_processes(struct rcuinfo__page *page, const struct row *row, long processes)
{
    char text[64];
    bool is_all = !row->on->next && row->on->first == 0 && row->on->last == processes - 1;

    if (!is_all) {
        RCUINFO__PAGE_PUT(page, row->on->next || row->on->first != row->on->last ? ", processes " : ", process ");
        put_spans(page, row->on);
    }
    /* How often each process gave it is not recorded. */
    if (row->count > rcuinfo__spans_length(row->on)) {
        snprintf(text, sizeof text, ", %" PRIu64 " times%s", row->count,
                 rcuinfo__spans_length(row->on) > 1 ? " in all" : "");
        RCUINFO__PAGE_PUT(page, text);
    }
}

/* A quotation mark if a blank at an end of the text would not be seen. */
static const char *mark_of(const char *text)
{
    size_t length = strlen(text);
    return length > 0 && (*text == ' ' || text[length - 1] == ' ') ? "'" : "";
}

/* The value that was given, an arrow, and the value in use, or "" in place of some; then NULL. */
enum { VALUES = 8 };
static void values_of(const struct rcuinfo__report_line *line, const char *values[VALUES])
{
    const char *given = line->fields[RCUINFO__REPORT_GIVEN], *in_use = line->fields[RCUINFO__REPORT_IN_USE];
    bool is_default = line->verdict == RCUINFO__REPORT_DEFAULT;
    bool is_other = in_use && !is_default && strcmp(given, in_use) != 0;
    values[1] = is_default && in_use ? in_use : given;
    values[0] = values[2] = mark_of(values[1]);
    values[3] = is_other ? " -> " : "";
    values[5] = is_other ? in_use : "";
    values[4] = values[6] = mark_of(values[5]);
    values[7] = NULL;
}

/* Writes the values of n rows that are shown as one, each with its processes: of many the first. */
static void put_values(struct rcuinfo__page *page, const struct row *rows, size_t n)
{
    for (size_t row = 0; row < n && row < MOST_VALUES; row++) {
        const char *values[VALUES];
        values_of(rows[row].lines[0], values);
        RCUINFO__PAGE_PUT(page, row == 0 ? ": " : ", ");
        put_spans(page, rows[row].on);
        RCUINFO__PAGE_PUT(page, ":");
        rcuinfo__page_put(page, values);
    }
    RCUINFO__PAGE_PUT(page, n > MOST_VALUES ? ", ..." : "");
}

/* Writes a row; or n rows that `alike` has found, as one: "KEY  9 values  VERDICT: PROCESSES:VALUE, ..." */
static void put_row(struct rcuinfo__page *page, const struct row *row, size_t n, const struct layout *layout,
                    long processes)
{
    const char *const *fields = row->lines[0]->fields;
    const char *note = fields[RCUINFO__REPORT_NOTE];
    char count[32];
    const char *values[VALUES] = {count};

    page->indent = layout->verdicts + RCUINFO__PAGE_LEAST > page->width ? NARROW_INDENT : layout->verdicts;
    RCUINFO__PAGE_PUT(page, "  ", fields[RCUINFO__REPORT_KEY]);
    rcuinfo__page_put_up_to(page, layout->values);

    snprintf(count, sizeof count, "%zu values", n);
    if (n == 1)
        values_of(row->lines[0], values);
    rcuinfo__page_put(page, values);
    rcuinfo__page_put_up_to(page, layout->verdicts);

    RCUINFO__PAGE_PUT(page, rcuinfo__report_verdicts[row->lines[0]->verdict]);
    if (n > 1) {
        put_values(page, row, n);
    } else {
        RCUINFO__PAGE_PUT(page, note ? ": " : "", note ? note : "");
        put_processes(page, row, processes);
    }
    bool have_source = fields[RCUINFO__REPORT_SOURCE] != NULL;
    for (size_t other = 1; other < n && have_source; other++)
        have_source = rcuinfo__report_same_text(fields[RCUINFO__REPORT_SOURCE],
                                                row[other].lines[0]->fields[RCUINFO__REPORT_SOURCE]);
    if (have_source)
        RCUINFO__PAGE_PUT(page, ", from ", fields[RCUINFO__REPORT_SOURCE]);
    rcuinfo__page_end(page);
}

/* How many rows from this one on are shown as one: rows of a key and a verdict that differ in their values, if these
 * are more than a few; else 1. */
static size_t alike(const struct row *row, size_t n)
{
    size_t same = 1;
    while (same < n && strcmp(row->heading, row[same].heading) == 0 &&
           row->lines[0]->verdict == row[same].lines[0]->verdict &&
           rcuinfo__report_same_text(row->lines[0]->fields[RCUINFO__REPORT_KEY],
                                     row[same].lines[0]->fields[RCUINFO__REPORT_KEY]))
        same++;
    return same > FEW_VALUES ? same : 1;
}

/* "rcuinfo: 12 hints of 4 processes: 3 not used, 9 in effect" */
static void put_summary(struct rcuinfo__page *page, const struct row *rows, size_t n, long processes)
{
    size_t counts[RCUINFO__REPORT_VERDICTS] = {0};
    char text[128];

    for (size_t row = 0; row < n; row++)
        counts[rows[row].lines[0]->verdict]++;
    n -= counts[RCUINFO__REPORT_DEFAULT];
    snprintf(text, sizeof text, "rcuinfo: %zu hint%s of %ld process%s%s", n, n == 1 ? "" : "s", processes,
             processes == 1 ? "" : "es", n > 0 ? ":" : "");
    RCUINFO__PAGE_PUT(page, text);
    for (int verdict = 0, shown = 0; verdict < RCUINFO__REPORT_VERDICTS; verdict++) {
        if (counts[verdict] > 0 && verdict != RCUINFO__REPORT_DEFAULT) {
            snprintf(text, sizeof text, "%s %zu %s", shown++ ? "," : "", counts[verdict],
                     rcuinfo__report_verdicts[verdict]);
            RCUINFO__PAGE_PUT(page, text);
        }
    }
    rcuinfo__page_end(page);
}

static void widen(size_t *column, const char *text, size_t most)
{
    size_t columns = rcuinfo__page_columns(text, strlen(text));
    if (columns <= most && columns > *column)
        *column = columns;
}

/* The narrowest columns in which all keys and values fit that are not too wide. */
static struct layout lay_out(const struct row *rows, size_t n)
{
    size_t key_columns = 0, value_columns = 0;
    for (size_t row = 0; row < n; row++) {
        char value[WIDEST_VALUE + 2];
        const char *values[VALUES];
        values_of(rows[row].lines[0], values);
        snprintf(value, sizeof value, "%s%s%s%s%s%s%s", values[0], values[1], values[2], values[3], values[4],
                 values[5], values[6]);
        widen(&key_columns, rows[row].lines[0]->fields[RCUINFO__REPORT_KEY], WIDEST_KEY);
        widen(&value_columns, value, WIDEST_VALUE);
    }
    size_t values = 2 + key_columns + 2;
    return (struct layout){values, values + value_columns + 2};
}

static void put_table(struct rcuinfo__page *page, const struct row *rows, size_t n,
                      char *const about[RCUINFO__REPORT_ABOUT], long processes, size_t most)
{
    const char *mpi = about[RCUINFO__REPORT_MPI], *command = about[RCUINFO__REPORT_COMMAND];
    const char *date = about[RCUINFO__REPORT_DATE], *heading = "";
    struct layout layout = lay_out(rows, n);
    size_t at = 0, same;

    put_summary(page, rows, n, processes);
    if (mpi && command && date) { /* "MPICH 4.0.2: ./app 1, 2026-11-26T15:00:00Z" */
        RCUINFO__PAGE_PUT(page, mpi, ": ", command, ", ", date);
        rcuinfo__page_end(page);
    }
    for (size_t shown = 0; at < n && (most == 0 || shown < most); at += same, shown++) {
        if (is_default(&rows[at]) && (at == 0 || !is_default(&rows[at - 1]))) {
            fputs("Values in use for which no hint was given:\n", page->file);
            heading = "";
        }
        if (strcmp(heading, rows[at].heading) != 0) {
            heading = rows[at].heading;
            page->indent = HEADING_INDENT;
            RCUINFO__PAGE_PUT(page, heading);
            rcuinfo__page_end(page);
        }
        same = alike(&rows[at], n - at);
        put_row(page, &rows[at], same, &layout, processes);
    }
    if (at < n)
        fprintf(page->file, "... and %zu more; --hints-report=all shows them\n", n - at);
}

void rcuinfo__table_print_rest(const struct rcuinfo__report *report, FILE *file)
{
    if (report->rules_differ)
        fputs("The processes have read different hint files.\n", file);
    if (report->lost > 0)
        fprintf(file, "... and %" PRIu64 " more, not recorded for lack of room or memory\n", report->lost);
}

bool rcuinfo__table_print(const struct rcuinfo__report *report, long processes, size_t most, size_t width, FILE *file)
{
    struct rcuinfo__page page = {.file = file, .width = width, .indent = HEADING_INDENT};
    size_t count = 0, n = 0;
    struct rcuinfo__report_line **lines = rcuinfo__report_lines(report, most == 0, &count);
    struct row *rows = lines ? make_rows(lines, count, &n) : NULL;

    if (!rows)
        fputs("rcuinfo: no memory for the report\n", file);
    else if (n == 0 && report->lost == 0)
        fprintf(file, "rcuinfo: no hints were given by %ld process%s\n", processes, processes == 1 ? "" : "es");
    else
        put_table(&page, rows, n, report->about, processes, most);

    rcuinfo__table_print_rest(report, file);
    if (rows)
        free_rows(rows, n);
    rcuinfo__alloc_free(lines);
    return rows != NULL;
}
