/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * differ: finds the hints that differ between processes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/alloc.h"
#include "tuning/keys.h"
#include "tuning/lines.h"

enum { NUMBER = RCUINFO__REPORT_NUMBER };

/* The kind of object by its name; RCUINFO_HINT_OBJECTS if there is none. */
static rcuinfo_hint_object_t object_of(const char *name)
{
    int object = 0;
    while (object < RCUINFO_HINT_OBJECTS &&
           !rcuinfo__report_same_text(rcuinfo_hint_object_name((rcuinfo_hint_object_t)object), name))
        object++;
    return (rcuinfo_hint_object_t)object;
}

/* Whether two lines are about the same hint of the same object, with any value. */
static bool same_hint(const struct rcuinfo__report_line *a, const struct rcuinfo__report_line *b)
{
    static const enum rcuinfo__report_field fields[] = {RCUINFO__REPORT_KEY,   RCUINFO__REPORT_OBJECT,
                                                        RCUINFO__REPORT_NAME,  RCUINFO__REPORT_GROUP,
                                                        RCUINFO__REPORT_PLACE, RCUINFO__REPORT_FUNCTION};
    for (size_t n = 0; n < sizeof fields / sizeof *fields; n++) {
        if (!rcuinfo__report_same_text(a->fields[fields[n]], b->fields[fields[n]]))
            return false;
    }
    return true;
}

/*
 * Compares a line with the lines of other values of the same hint. Returns the line of the value that most processes
 * gave; NULL if no other process gave another value. Lines that have a process in common are not compared: a process
 * may give two values one after the other, which is no difference between processes.
 */
static const struct rcuinfo__report_line *majority_of(const struct rcuinfo__report *report,
                                                      const struct rcuinfo__report_line *line)
{
    const char *left = rcuinfo__report_verdict(RCUINFO__REPORT_LEFT);
    const struct rcuinfo__report_line *most = line;
    bool differs = false;

    for (const struct rcuinfo__report_line *other = report->first; other; other = other->next) {
        /* Skip lines of the same value, of other hints, of the same processes, and values that were not passed on. */
        if (rcuinfo__report_same_text(line->fields[RCUINFO__REPORT_GIVEN], other->fields[RCUINFO__REPORT_GIVEN]) ||
            !same_hint(line, other) || !rcuinfo__spans_are_apart(line->on, other->on) ||
            rcuinfo__report_same_text(other->fields[RCUINFO__REPORT_VERDICT], left))
            continue;

        differs = true;

        /* Of equally frequent values the first one counts. */
        if (rcuinfo__spans_length(other->on) > rcuinfo__spans_length(most->on))
            most = other;
    }
    return differs ? most : NULL;
}

/* Replaces the note of a line by a text of rcuinfo__alloc. */
static void set_note(struct rcuinfo__report_line *line, char *text)
{
    rcuinfo__alloc_free(line->changed[RCUINFO__REPORT_NOTE]);
    line->fields[RCUINFO__REPORT_NOTE] = line->changed[RCUINFO__REPORT_NOTE] = text;
}

static bool is_verdict(const struct rcuinfo__report_line *line, enum rcuinfo__report_verdict verdict)
{
    return strcmp(line->fields[RCUINFO__REPORT_VERDICT], rcuinfo__report_verdict(verdict)) == 0;
}

/* Notes in a line of a minority the value of the majority. Without memory the line gets no note. */
static void note_majority(struct rcuinfo__report_line *line, const struct rcuinfo__report_line *most)
{
    char on[64];

    /* A long list of processes would not fit into a line. */
    if (rcuinfo__spans_print(most->on, on, sizeof on) >= sizeof on)
        strcpy(on, "most");

    size_t size = strlen(most->fields[RCUINFO__REPORT_GIVEN]) + sizeof on + sizeof "'' on ";
    char *note = rcuinfo__alloc(size);
    if (!note)
        return;

    snprintf(note, size, "'%s' on %s", most->fields[RCUINFO__REPORT_GIVEN], on);
    set_note(line, note);
}

/* Notes a text about another one. */
static void note_text(struct rcuinfo__report_line *line, const char *format, const char *about)
{
    char *text = rcuinfo__alloc(strlen(format) + strlen(about));
    if (!text)
        return;
    sprintf(text, format, about); /* NOLINT */
    set_note(line, text);
}

/* How many processes gave the hint with any value; UINT64_MAX if not known, as lines were lost. */
static uint64_t givers_of(const struct rcuinfo__report *report, const struct rcuinfo__report_line *line)
{
    struct rcuinfo__span *on = NULL;
    bool is_known = report->lost == 0;

    /* The union of the processes of all lines of the hint. */
    for (const struct rcuinfo__report_line *other = report->first; other; other = other->next) {
        for (const struct rcuinfo__span *span = other->on; span && same_hint(line, other); span = span->next)
            is_known = rcuinfo__spans_add(&on, span->first, span->last) && is_known;
    }

    uint64_t givers = is_known ? rcuinfo__spans_length(on) : UINT64_MAX;
    rcuinfo__spans_free(on);
    return givers;
}

/* The number of processes of a group, e.g. 4 of "0+4"; 0: not known. */
static uint64_t size_of(const char *group)
{
    const char *plus = strchr(group, '+');
    return plus ? strtoull(plus + 1, NULL, 10) : 0;
}

/* Notes a text with two numbers. */
static void note_numbers(struct rcuinfo__report_line *line, const char *format, uint64_t a, uint64_t b)
{
    char *text = rcuinfo__alloc(strlen(format) + 2 * (size_t)NUMBER);
    if (!text)
        return;
    sprintf(text, format, a, b);
    set_note(line, text);
}

/* A key that the MPI library does not know may be known to a library above it. */
static void find_reader(const struct rcuinfo__report *report, struct rcuinfo__report_line *line)
{
    for (const struct rcuinfo__report_line *other = report->first; other; other = other->next) {
        const char *reader = is_verdict(other, RCUINFO__REPORT_LOOK_UP) ? other->fields[RCUINFO__REPORT_NOTE] : NULL;
        if (reader && strcmp(other->fields[RCUINFO__REPORT_KEY], line->fields[RCUINFO__REPORT_KEY]) == 0) {
            line->fields[RCUINFO__REPORT_VERDICT] = rcuinfo__report_verdict(RCUINFO__REPORT_READ);
            line->fields[RCUINFO__REPORT_EVIDENCE] = "look-up";
            note_text(line, "by %s", reader);
            return;
        }
    }
}

/* Whether another process took the rule. */
static bool is_rule_used(const struct rcuinfo__report *report, const struct rcuinfo__report_line *line)
{
    const struct rcuinfo__report_line *other = report->first;
    while (other &&
           (is_verdict(other, RCUINFO__REPORT_UNUSED) ||
            !rcuinfo__report_same_text(other->fields[RCUINFO__REPORT_SOURCE], line->fields[RCUINFO__REPORT_SOURCE])))
        other = other->next;
    return other != NULL;
}

/* Looks at what other lines say about a line. */
static void combine(const struct rcuinfo__report *report, struct rcuinfo__report_line *line)
{
    if (is_verdict(line, RCUINFO__REPORT_UNKNOWN))
        find_reader(report, line);
    line->is_hidden = is_verdict(line, RCUINFO__REPORT_LOOK_UP) ||
                      (is_verdict(line, RCUINFO__REPORT_UNUSED) && is_rule_used(report, line));
}

void rcuinfo__report_judge(struct rcuinfo__report *report, long processes)
{
    for (struct rcuinfo__report_line *line = report->first; line; line = line->next) {
        combine(report, line);
        const rcuinfo_hint_t *row =
            rcuinfo__keys_row(object_of(line->fields[RCUINFO__REPORT_OBJECT]), line->fields[RCUINFO__REPORT_KEY]);

        /* Must the hint be the same on all processes, and was it passed to the library? */
        bool is_same = row && (row->flags & RCUINFO_HINT_SAME) && line->fields[RCUINFO__REPORT_GROUP] &&
                       !rcuinfo__report_same_text(line->fields[RCUINFO__REPORT_VERDICT],
                                                  rcuinfo__report_verdict(RCUINFO__REPORT_LEFT));

        /* Did others give another value? */
        const struct rcuinfo__report_line *most = is_same ? majority_of(report, line) : NULL;
        if (most)
            line->fields[RCUINFO__REPORT_VERDICT] = rcuinfo__report_verdict(RCUINFO__REPORT_DIFFERS);
        if (most)
            set_note(line, NULL);
        if (most && most != line)
            note_majority(line, most);

        /* Or did only some of the object's processes give the hint? */
        uint64_t size = is_same && !most ? size_of(line->fields[RCUINFO__REPORT_GROUP]) : 0;
        uint64_t givers = size > 1 && size <= (uint64_t)processes ? givers_of(report, line) : UINT64_MAX;
        if (givers < size) {
            line->fields[RCUINFO__REPORT_VERDICT] = rcuinfo__report_verdict(RCUINFO__REPORT_DIFFERS);
            note_numbers(line, "given by %" PRIu64 " of its %" PRIu64 " processes", givers, size);
        }
    }
}
