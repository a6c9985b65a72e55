/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_show: a report as a table, and as JSON.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "core/alloc.h"
#include "hints/report_lines.h"

enum { FIELDS = RCUINFO__REPORT_FIELDS, NUMBER = RCUINFO__REPORT_NUMBER };

static int order_of(const struct rcuinfo__report_line *line)
{
    int verdict = 0;
    while (verdict < RCUINFO__REPORT_VERDICTS &&
           !rcuinfo__report_same_text(line->fields[RCUINFO__REPORT_VERDICT],
                                      rcuinfo__report_verdict((enum rcuinfo__report_verdict)verdict)))
        verdict++;
    return verdict;
}

/* What belongs together, and in what order. Names come last: lines that differ in these alone are shown as one. */
static const enum rcuinfo__report_field sorted_by[] = {
    RCUINFO__REPORT_OBJECT,   RCUINFO__REPORT_KEY,   RCUINFO__REPORT_GIVEN,  RCUINFO__REPORT_IN_USE,
    RCUINFO__REPORT_FUNCTION, RCUINFO__REPORT_PLACE, RCUINFO__REPORT_SOURCE, RCUINFO__REPORT_SECTION,
    RCUINFO__REPORT_NOTE,     RCUINFO__REPORT_NAME,  RCUINFO__REPORT_GROUP,
};
enum { SORTED = sizeof sorted_by / sizeof *sorted_by, SHOWN = SORTED - 2 };

static int compare_texts(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

static int compare_up_to(const struct rcuinfo__report_line *a, const struct rcuinfo__report_line *b, int fields)
{
    int difference = order_of(a) - order_of(b);
    for (int n = 0; n < fields && difference == 0; n++)
        difference = compare_texts(a->fields[sorted_by[n]], b->fields[sorted_by[n]]);
    return difference;
}

static int compare_lines(const void *a, const void *b)
{
    return compare_up_to(*(struct rcuinfo__report_line *const *)a, *(struct rcuinfo__report_line *const *)b, SORTED);
}

/* All lines in their order; NULL: no memory. */
static struct rcuinfo__report_line **sorted(const struct rcuinfo__report *report)
{
    struct rcuinfo__report_line **lines = rcuinfo__alloc((report->n + 1) * sizeof *lines);
    size_t n = 0;
    if (!lines)
        return NULL;
    for (struct rcuinfo__report_line *line = report->first; line; line = line->next)
        lines[n++] = line;
    qsort(lines, n, sizeof *lines, compare_lines);
    return lines;
}

enum { VERDICT, KEY, VALUE, ON, OBJECT, COLUMNS, COLUMN = 48 /* bytes of a column at most */ };

/* A line of the table: lines that are the same but for the object's name. */
struct row {
    char columns[COLUMNS][COLUMN];
    const struct rcuinfo__report_line *line;
    uint64_t count;
    uint64_t processes;
};

/* Whether a byte continues a character of UTF-8: text is not cut before one. */
static bool is_inside_character(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

/* Text for a column: what cannot be shown becomes a question mark, what is too long ends with dots. */
static void fill(char column[COLUMN], const char *text)
{
    size_t n = 0;
    for (; text[n] && n < COLUMN - 1; n++)
        column[n] = (unsigned char)text[n] < ' ' || text[n] == 127 ? '?' : text[n];
    column[n] = '\0';
    if (!text[n])
        return;
    for (n = COLUMN - 4; n > 0 && is_inside_character(column[n]);)
        n--;
    strcpy(column + n, "...");
}

static void fill_value(char column[COLUMN], const struct rcuinfo__report_line *line)
{
    const char *given = line->fields[RCUINFO__REPORT_GIVEN], *in_use = line->fields[RCUINFO__REPORT_IN_USE];
    char text[4 * COLUMN];
    if (!in_use || rcuinfo__report_same_text(given, in_use))
        snprintf(text, sizeof text, "%s", given ? given : "");
    else
        snprintf(text, sizeof text, "%.*s -> %s", 2 * COLUMN, given ? given : "", in_use);
    fill(column, text);
}

static void fill_object(char column[COLUMN], const struct rcuinfo__report_line *line, size_t names)
{
    const char *object = line->fields[RCUINFO__REPORT_OBJECT], *name = line->fields[RCUINFO__REPORT_NAME];
    char text[4 * COLUMN], more[NUMBER + 16] = "";
    if (names > 1)
        snprintf(more, sizeof more, " and %zu more", names - 1);
    int room = COLUMN - 1 - (int)strlen(more) - (int)strlen(object ? object : "") - 1;
    room = room < 3 ? 3 : room; /* of the dots */
    size_t length = name ? strlen(name) : 0;
    bool is_cut = (int)length > room; /* of a path the end tells more */
    if (is_cut)
        name += (int)length - room + 3;
    while (is_cut && is_inside_character(*name))
        name++;
    snprintf(text, sizeof text, "%s%s%s%s%s", object ? object : "", name ? " " : "", is_cut ? "..." : "",
             name ? name : "", more);
    fill(column, text);
}

/* Makes a row of the lines that begin with lines[0]; returns how many they are. */
static size_t make_row(struct rcuinfo__report_line *const *lines, size_t n, long processes, struct row *row)
{
    struct rcuinfo__span *on = NULL;
    size_t names = 0, used = 0;
    char text[4 * COLUMN];
    bool is_known = true;
    row->line = lines[0];
    row->count = 0;
    for (; used < n && compare_up_to(lines[0], lines[used], SHOWN) == 0; used++) {
        names += used == 0 || !rcuinfo__report_same_text(lines[used - 1]->fields[RCUINFO__REPORT_NAME],
                                                         lines[used]->fields[RCUINFO__REPORT_NAME]);
        row->count += lines[used]->count;
        for (const struct rcuinfo__span *span = lines[used]->on; span; span = span->next)
            is_known &= rcuinfo__spans_add(&on, span->first, span->last);
    }
    row->processes = is_known ? rcuinfo__spans_length(on) : row->count;
    if (!is_known)
        strcpy(text, "?"); /* no memory */
    else if (!on->next && on->first == 0 && on->last == processes - 1)
        strcpy(text, "all");
    else
        (void)rcuinfo__spans_print(on, text, sizeof text);
    fill(row->columns[VERDICT], lines[0]->fields[RCUINFO__REPORT_VERDICT]);
    fill(row->columns[KEY], lines[0]->fields[RCUINFO__REPORT_KEY]);
    fill_value(row->columns[VALUE], lines[0]);
    fill(row->columns[ON], text);
    fill_object(row->columns[OBJECT], lines[0], names);
    rcuinfo__spans_free(on);
    return used;
}

/* Text behind the columns: of any length, else as there. */
static void print_text(const char *before, const char *text, const char *behind, FILE *file)
{
    fputs(before, file);
    for (; *text; text++)
        fputc((unsigned char)*text < ' ' || *text == 127 ? '?' : *text, file);
    fputs(behind, file);
}

static void print_row(const struct row *row, const int widths[COLUMNS], FILE *file)
{
    const char *const *fields = row->line->fields;
    for (int column = 0; column < COLUMNS; column++)
        fprintf(file, "%-*s  ", widths[column], row->columns[column]);
    if (fields[RCUINFO__REPORT_FUNCTION])
        print_text("", fields[RCUINFO__REPORT_FUNCTION], "", file);
    if (fields[RCUINFO__REPORT_PLACE])
        print_text(" at ", fields[RCUINFO__REPORT_PLACE], "", file);
    if (row->count > row->processes && row->count % row->processes == 0)
        fprintf(file, ", %" PRIu64 " times%s", row->count / row->processes, row->processes > 1 ? " each" : "");
    else if (row->count > row->processes)
        fprintf(file, ", %" PRIu64 " times in all", row->count);
    if (fields[RCUINFO__REPORT_SOURCE])
        print_text(", from ", fields[RCUINFO__REPORT_SOURCE], "", file);
    if (fields[RCUINFO__REPORT_SECTION])
        print_text(" (", fields[RCUINFO__REPORT_SECTION], ")", file);
    if (fields[RCUINFO__REPORT_NOTE])
        print_text("; ", fields[RCUINFO__REPORT_NOTE], "", file);
    fputc('\n', file);
}

void rcuinfo__report_print(struct rcuinfo__report *report, long processes, size_t most, FILE *file)
{
    static const char *const titles[COLUMNS] = {"verdict", "key", "value", "processes", "object"};
    int widths[COLUMNS];
    struct row row;
    rcuinfo__report_judge(report, processes);
    struct rcuinfo__report_line **lines = sorted(report);
    if (!lines)
        return;
    for (int column = 0; column < COLUMNS; column++)
        widths[column] = (int)strlen(titles[column]);
    size_t rows = 0;
    for (size_t n = 0; n < report->n; rows++) {
        n += make_row(lines + n, report->n - n, processes, &row);
        for (int column = 0; column < COLUMNS; column++) {
            int width = (int)strlen(row.columns[column]);
            widths[column] = width > widths[column] ? width : widths[column];
        }
    }
    if (rows == 0 && report->lost == 0) {
        fprintf(file, "rcuinfo: no hints were given by %ld process%s\n", processes, processes == 1 ? "" : "es");
        rcuinfo__alloc_free(lines);
        return;
    }
    fprintf(file, "rcuinfo: hints of %ld process%s\n", processes, processes == 1 ? "" : "es");
    for (int column = 0; column < COLUMNS; column++)
        fprintf(file, "%-*s  ", widths[column], titles[column]);
    fputs("call\n", file);
    size_t shown = most > 0 && rows > most ? most : rows;
    for (size_t n = 0, done = 0; done < shown; done++) {
        n += make_row(lines + n, report->n - n, processes, &row);
        print_row(&row, widths, file);
    }
    if (shown < rows)
        fprintf(file, "... and %zu more\n", rows - shown);
    if (report->rules_differ)
        fputs("The processes have read different hint files.\n", file);
    if (report->lost > 0)
        fprintf(file, "... and %" PRIu64 " that there was no room for\n", report->lost);
    rcuinfo__alloc_free(lines);
}

/* The bytes of the character of UTF-8 at `text`; 0: it is none. */
static int character_length(const unsigned char *text)
{
    int length = *text < 0x80                    ? 1
                 : *text >= 0xc2 && *text < 0xe0 ? 2
                 : (*text & 0xf0) == 0xe0        ? 3
                 : *text >= 0xf0 && *text < 0xf5 ? 4
                                                 : 0;
    for (int n = 1; n < length; n++) {
        if ((text[n] & 0xc0) != 0x80)
            return 0;
    }
    bool is_none = length > 2 && ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] > 0x9f) ||
                                  (text[0] == 0xf0 && text[1] < 0x90) || (text[0] == 0xf4 && text[1] > 0x8f));
    return is_none ? 0 : length;
}

/* A library that is loaded into every process brings no JSON library along, which might meet the program's own. */
static void write_string(const char *text, FILE *file)
{
    const unsigned char *at = (const unsigned char *)text;
    fputc('"', file);
    while (*at) {
        int length = character_length(at);
        if (length == 0)
            fputs("\\ufffd", file);
        else if (*at < ' ' || *at == 127)
            fprintf(file, "\\u%04x", *at);
        else if (*at == '"' || *at == '\\')
            fprintf(file, "\\%c", *at);
        else
            fwrite(at, 1, (size_t)length, file);
        at += length > 0 ? length : 1;
    }
    fputc('"', file);
}

void rcuinfo__report_write_json(struct rcuinfo__report *report, long processes, FILE *file)
{
    rcuinfo__report_judge(report, processes);
    struct rcuinfo__report_line **lines = sorted(report);
    if (!lines)
        return;
    fprintf(file,
            "{\"processes\": %ld, \"lost\": %" PRIu64 ", \"rules\": \"%" PRIu64
            "\", \"rules_differ\": %s, \"hints\": [",
            processes, report->lost, report->rules, report->rules_differ ? "true" : "false");
    for (size_t n = 0; n < report->n; n++) {
        fprintf(file, "%s\n{", n ? "," : "");
        for (int field = 0; field < FIELDS; field++) {
            const char *text = lines[n]->fields[field];
            fprintf(file, "\"%s\": ", rcuinfo__report_name((enum rcuinfo__report_field)field));
            if (text)
                write_string(text, file);
            else
                fputs("null", file);
            fputs(", ", file);
        }
        fputs("\"on\": \"", file);
        for (const struct rcuinfo__span *span = lines[n]->on; span; span = span->next) {
            fprintf(file, "%ld", span->first);
            if (span->last > span->first)
                fprintf(file, "-%ld", span->last);
            if (span->next)
                fputc(',', file);
        }
        fprintf(file, "\", \"count\": %" PRIu64 "}", lines[n]->count);
    }
    fputs("\n]}\n", file);
    rcuinfo__alloc_free(lines);
}
