/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * show: writes a report as a table or as JSON.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "core/alloc.h"
#include "core/debug.h"
#include "tuning/lines.h"

enum { FIELDS = RCUINFO__REPORT_FIELDS, NUMBER = RCUINFO__REPORT_NUMBER };

/* Lines are sorted by their verdicts first, in the order of enum rcuinfo__report_verdict. */
static int order_of(const struct rcuinfo__report_line *line)
{
    int verdict = 0;
    while (verdict < RCUINFO__REPORT_VERDICTS &&
           !rcuinfo__report_same_text(line->fields[RCUINFO__REPORT_VERDICT],
                                      rcuinfo__report_verdict((enum rcuinfo__report_verdict)verdict)))
        verdict++;
    return verdict;
}

/* The sort keys after the verdict. Name and group come last, since lines that differ only in these are one row. */
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

/* The lines of a report, sorted. NULL: no memory. */
static struct rcuinfo__report_line **sort_lines(const struct rcuinfo__report *report)
{
    /* + 1, so that an empty report does not look like lack of memory. */
    struct rcuinfo__report_line **lines = rcuinfo__alloc((report->n + 1) * sizeof *lines);
    size_t n = 0;
    if (!lines)
        return NULL;

    for (struct rcuinfo__report_line *line = report->first; line; line = line->next)
        lines[n++] = line;
    qsort(lines, n, sizeof *lines, compare_lines);
    return lines;
}

enum { VERDICT, KEY, VALUE, ON, OBJECT, COLUMNS, COLUMN = 48 /* bytes of a cell, with the NUL */ };

/* A row of the table: lines that are the same except for the object's name. */
struct row {
    char columns[COLUMNS][COLUMN];
    const struct rcuinfo__report_line *line; /* the first of them */
    uint64_t count;                          /* of all of them */
    uint64_t processes;                      /* how many gave one */
};

/* Whether this is a continuation byte of UTF-8, 10xxxxxx. Text is never cut in front of one. */
static bool is_inside_character(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

/* Copies a text to a cell, or to a part of one, of `size` bytes with the NUL. Control characters become question marks,
 * and a text that is too long ends with dots. */
static void fill(char *column, size_t size, const char *text)
{
    size_t n = 0;
    for (; n < size - 1 && text[n]; n++)
        column[n] = (char)((unsigned char)text[n] < ' ' || text[n] == 127 ? '?' : text[n]);
    column[n] = '\0';
    if (!text[n])
        return;

    /* Leave room for the dots, and do not cut a character. */
    for (n = size - 4; n > 0 && is_inside_character(text[n]);)
        n--;
    strcpy(column + n, "...");
}

/* "GIVEN", or "GIVEN -> IN USE" if these differ. */
static void fill_value(char column[COLUMN], const struct rcuinfo__report_line *line)
{
    const char *given = line->fields[RCUINFO__REPORT_GIVEN], *in_use = line->fields[RCUINFO__REPORT_IN_USE];
    if (!in_use || rcuinfo__report_same_text(given, in_use)) {
        fill(column, COLUMN, given);
        return;
    }

    /* Each value may have half of the cell, and what the other one leaves of it. */
    enum { ARROW = sizeof " -> " - 1, HALF = (COLUMN - 1 - ARROW) / 2 };
    size_t second = strlen(in_use);
    char first[COLUMN], text[4 * COLUMN];

    fill(first, COLUMN - ARROW - (second < HALF ? second : HALF), given);
    snprintf(text, sizeof text, "%s -> %s", first, in_use);
    fill(column, COLUMN, text);
}

/* "OBJECT NAME", or "OBJECT NAME and 2 more". */
static void fill_object(char column[COLUMN], const struct rcuinfo__report_line *line, size_t names)
{
    const char *object = line->fields[RCUINFO__REPORT_OBJECT], *name = line->fields[RCUINFO__REPORT_NAME];
    char text[4 * COLUMN], more[NUMBER + 16] = "";

    if (names > 1)
        snprintf(more, sizeof more, " and %zu more", names - 1);

    int room = COLUMN - 1 - (int)strlen(more) - (int)strlen(object ? object : "") - 1;
    room = room < 3 ? 3 : room; /* for the dots */
    size_t length = name ? strlen(name) : 0;

    /* Cut a name at its front: the end of a path says more. */
    bool is_cut = (int)length > room;
    if (is_cut)
        name += (int)length - room + 3;
    while (is_cut && is_inside_character(*name))
        name++;

    snprintf(text, sizeof text, "%s%s%s%s%s", object ? object : "", name ? " " : "", is_cut ? "..." : "",
             name ? name : "", more);
    fill(column, COLUMN, text);
}

/* Fills a row with lines[0] and the lines behind it that differ only in their names. Returns how many they are. */
static size_t fill_row(struct rcuinfo__report_line *const *lines, size_t n, long processes, struct row *row)
{
    struct rcuinfo__span *on = NULL;
    size_t names = 0, used = 0;
    char text[4 * COLUMN];
    bool is_known = true;

    row->line = lines[0];
    row->count = 0;

    do {
        /* Lines of one name follow each other, as they are sorted. */
        names += used == 0 || !rcuinfo__report_same_text(lines[used - 1]->fields[RCUINFO__REPORT_NAME],
                                                         lines[used]->fields[RCUINFO__REPORT_NAME]);
        row->count += lines[used]->count;
        for (const struct rcuinfo__span *span = lines[used]->on; span; span = span->next)
            is_known &= rcuinfo__spans_add(&on, span->first, span->last);
    } while (++used < n && compare_up_to(lines[0], lines[used], SHOWN) == 0);

    RCUINFO__CHECK(!is_known || on);

    /* Without the union, no "N times" is shown. */
    row->processes = is_known ? rcuinfo__spans_length(on) : row->count;

    if (!is_known)
        strcpy(text, "?"); /* no memory for their union */
    else if (!on->next && on->first == 0 && on->last == processes - 1)
        strcpy(text, "all");
    else
        (void)rcuinfo__spans_print(on, text, sizeof text);

    fill(row->columns[VERDICT], COLUMN, lines[0]->fields[RCUINFO__REPORT_VERDICT]);
    fill(row->columns[KEY], COLUMN, lines[0]->fields[RCUINFO__REPORT_KEY]);
    fill_value(row->columns[VALUE], lines[0]);
    fill(row->columns[ON], COLUMN, text);
    fill_object(row->columns[OBJECT], lines[0], names);
    rcuinfo__spans_free(on);
    return used;
}

/* Prints a text behind the columns, of any length. Control characters become question marks. */
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

    /* How often each process gave it is not recorded. */
    if (row->count > row->processes)
        fprintf(file, ", %" PRIu64 " times%s", row->count, row->processes > 1 ? " in all" : "");

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
    struct rcuinfo__report_line **lines = sort_lines(report);
    if (!lines)
        return;

    /* Make all rows once for the widths of the columns, and again to print them. */
    for (int column = 0; column < COLUMNS; column++)
        widths[column] = (int)strlen(titles[column]);

    size_t rows = 0;
    for (size_t n = 0; n < report->n; rows++) {
        n += fill_row(lines + n, report->n - n, processes, &row);
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
        n += fill_row(lines + n, report->n - n, processes, &row);
        print_row(&row, widths, file);
    }

    if (shown < rows)
        fprintf(file, "... and %zu more\n", rows - shown);
    if (report->rules_differ)
        fputs("The processes have read different hint files.\n", file);
    if (report->lost > 0)
        fprintf(file, "... and %" PRIu64 " more, lost for lack of room\n", report->lost);
    rcuinfo__alloc_free(lines);
}

/* The length of the UTF-8 character at `text`; 0 if the bytes are not a valid one. */
static int character_length(const unsigned char *text)
{
    /* By the first byte: 0xxxxxxx, 110xxxxx (but not C0 and C1, which are always too long), 1110xxxx, 11110xxx. */
    int length = *text < 0x80                    ? 1
                 : *text >= 0xc2 && *text < 0xe0 ? 2
                 : (*text & 0xf0) == 0xe0        ? 3
                 : *text >= 0xf0 && *text < 0xf5 ? 4
                                                 : 0;

    for (int n = 1; n < length; n++) {
        if ((text[n] & 0xc0) != 0x80)
            return 0;
    }

    /* Too many bytes for the character, a surrogate, or beyond U+10FFFF. */
    bool is_invalid = length > 2 && ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] > 0x9f) ||
                                     (text[0] == 0xf0 && text[1] < 0x90) || (text[0] == 0xf4 && text[1] > 0x8f));
    return is_invalid ? 0 : length;
}

/* Not by a JSON library: this library is loaded into other people's programs, where that could clash with theirs. */
void rcuinfo__report_write_string(const char *text, FILE *file)
{
    const unsigned char *at = (const unsigned char *)text;
    fputc('"', file);

    while (*at) {
        int length = character_length(at);

        /* The replacement character. */
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
    struct rcuinfo__report_line **lines = sort_lines(report);
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
                rcuinfo__report_write_string(text, file);
            else
                fputs("null", file);
            fputs(", ", file);
        }

        /* Not by rcuinfo__spans_print, as the text may be of any length. */
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
