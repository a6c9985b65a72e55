/* SPDX-License-Identifier: BSD-3-Clause */
/* export: writes a report as JSON or as CSV, a line of the report in each line of the file. */
#include "report/export.h"

#include <inttypes.h>

#include "core/memory/alloc.h"
#include "report/lines.h"

enum { FIELDS = RCUINFO__REPORT_FIELDS };

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
void rcuinfo__export_string(const char *text, FILE *file)
{
    const unsigned char *at = (const unsigned char *)text;
    fputc('"', file);

    while (*at) {
        /* What stays as it is, at once. */
        size_t plain = 0;
        while (at[plain] >= ' ' && at[plain] < 127 && at[plain] != '"' && at[plain] != '\\')
            plain++;
        fwrite(at, 1, plain, file);
        at += plain;
        if (!*at)
            break;
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

/* Not by rcuinfo__spans_print, as the text may be of any length. */
static void write_spans(const struct rcuinfo__span *span, FILE *file)
{
    for (; span; span = span->next) {
        fprintf(file, "%ld", span->first);
        if (span->last > span->first)
            fprintf(file, "-%ld", span->last);
        if (span->next)
            fputc(',', file);
    }
}

/* A field of CSV (RFC 4180). */
static void write_quoted(const char *text, FILE *file)
{
    fputc('"', file);
    for (; text && *text; text++) {
        if (*text == '"')
            fputc('"', file);
        fputc(*text, file);
    }
    fputs("\",", file);
}

bool rcuinfo__export_csv(const struct rcuinfo__report *report, FILE *file)
{
    size_t all;
    struct rcuinfo__report_line **lines = rcuinfo__report_lines(report, true, &all);
    if (!lines)
        return false;

    fputs("verdict,", file);
    for (int field = 0; field < FIELDS; field++)
        fprintf(file, "%s,", rcuinfo__report_names[field]);
    fputs("on,count\r\n", file);
    for (size_t n = 0; n < all; n++) {
        write_quoted(rcuinfo__report_verdicts[lines[n]->verdict], file);
        for (int field = 0; field < FIELDS; field++)
            write_quoted(lines[n]->fields[field], file);
        fputc('"', file);
        write_spans(lines[n]->on, file);
        fprintf(file, "\",%" PRIu64 "\r\n", lines[n]->count);
    }
    rcuinfo__alloc_free(lines);
    return true;
}

void rcuinfo__export_about(const char *const about[RCUINFO__REPORT_ABOUT], FILE *file)
{
    static const char *const names[RCUINFO__REPORT_ABOUT] = {
        [RCUINFO__REPORT_MPI] = "mpi",
        [RCUINFO__REPORT_COMMAND] = "command",
        [RCUINFO__REPORT_DATE] = "date",
    };
    for (int n = 0; n < RCUINFO__REPORT_ABOUT; n++) {
        if (about[n]) {
            fprintf(file, "\"%s\": ", names[n]);
            rcuinfo__export_string(about[n], file);
            fputs(", ", file);
        }
    }
}

void rcuinfo__export_line(const struct rcuinfo__report_line *line, long process, uint64_t count, FILE *file)
{
    fprintf(file, "{\"verdict\": \"%s\", ", rcuinfo__report_verdicts[line->verdict]);
    for (int field = 0; field < FIELDS; field++) {
        const char *text = line->fields[field];
        fprintf(file, "\"%s\": ", rcuinfo__report_names[field]);
        if (text)
            rcuinfo__export_string(text, file);
        else
            fputs("null", file);
        fputs(", ", file);
    }

    fputs("\"on\": \"", file);
    if (process >= 0)
        fprintf(file, "%ld", process);
    else
        write_spans(line->on, file);
    fprintf(file, "\", \"count\": %" PRIu64 "}", count);
}

bool rcuinfo__export_json(const struct rcuinfo__report *report, long processes, FILE *file)
{
    size_t all;
    struct rcuinfo__report_line **lines = rcuinfo__report_lines(report, true, &all);
    if (!lines)
        return false;

    fputc('{', file);
    rcuinfo__export_about((const char *const *)report->about, file);
    fprintf(file,
            "\"processes\": %ld, \"lost\": %" PRIu64 ", \"rules\": \"%" PRIu64 "\", \"rules_differ\": %s, \"hints\": [",
            processes, report->lost, report->rules, report->rules_differ ? "true" : "false");

    for (size_t n = 0; n < all; n++) {
        fputs(n ? ",\n" : "\n", file);
        rcuinfo__export_line(lines[n], -1, lines[n]->count, file);
    }

    fputs("\n]}\n", file);
    rcuinfo__alloc_free(lines);
    return true;
}
