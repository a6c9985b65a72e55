/* SPDX-License-Identifier: BSD-3-Clause */
/* differ: finds what follows from other lines, above all the hints that differ between processes. */
#include <inttypes.h>
#include <stdlib.h>

#include "core/alloc.h"
#include "core/text.h"
#include "tuning/keys.h"
#include "tuning/lines.h"

static const char looked_up[] = "#"; /* in place of the name in a look-up */

/* Objects without a name, which are numbered, and lines that lack it have one list for each key. */
static const char *name_of(const struct rcuinfo__report_line *line)
{
    const char *name = line->fields[RCUINFO__REPORT_NAME];
    if (line->verdict == RCUINFO__REPORT_LOOK_UP)
        return looked_up;
    return name && *name != '#' ? name : "";
}

/* The list of lines with the key of that one and a name. */
static struct rcuinfo__report_line **hints_of(struct rcuinfo__report *report, const struct rcuinfo__report_line *line,
                                              const char *name)
{
    const char *key = line->fields[RCUINFO__REPORT_KEY];
    uint64_t hash = XXH3_64bits_withSeed(name, strlen(name), XXH3_64bits(key, strlen(key)));
    return &report->hints[hash % RCUINFO__REPORT_BUCKETS];
}

/* Lists the lines by what they are about: a job with a file for each process has very many. */
static void list_lines(struct rcuinfo__report *report)
{
    memset(report->hints, 0, sizeof report->hints);
    for (struct rcuinfo__report_line *line = report->first; line; line = line->next) {
        struct rcuinfo__report_line **list = hints_of(report, line, name_of(line));
        line->alike = *list;
        *list = line;
    }
}

/* Whether two lines are about the same hint of the same object, with any value. */
static bool same_hint(const struct rcuinfo__report_line *a, const struct rcuinfo__report_line *b)
{
    static const enum rcuinfo__report_field fields[] = {RCUINFO__REPORT_KEY,   RCUINFO__REPORT_OBJECT,
                                                        RCUINFO__REPORT_NAME,  RCUINFO__REPORT_GROUP,
                                                        RCUINFO__REPORT_PLACE, RCUINFO__REPORT_FUNCTION};
    bool is_same = a->verdict != RCUINFO__REPORT_DEFAULT && b->verdict != RCUINFO__REPORT_DEFAULT;
    for (size_t n = 0; is_same && n < sizeof fields / sizeof *fields; n++)
        is_same = rcuinfo__report_same_text(a->fields[fields[n]], b->fields[fields[n]]);
    return is_same;
}

/*
 * Compares a line with the lines of other values of the same hint. Returns the line of the value that most processes
 * gave; NULL if no other process gave another value. Lines that have a process in common are not compared: a process
 * may give two values one after the other, which is no difference between processes.
 */
static const struct rcuinfo__report_line *majority_of(struct rcuinfo__report *report,
                                                      const struct rcuinfo__report_line *line)
{
    const struct rcuinfo__report_line *most = line;
    bool differs = false;

    for (const struct rcuinfo__report_line *other = *hints_of(report, line, name_of(line)); other;
         other = other->alike) {
        /* Skip lines of the same value, of other hints, of the same processes, and values that were not passed on. */
        if (rcuinfo__report_same_text(line->fields[RCUINFO__REPORT_GIVEN], other->fields[RCUINFO__REPORT_GIVEN]) ||
            !same_hint(line, other) || !rcuinfo__spans_are_apart(line->on, other->on) ||
            other->verdict == RCUINFO__REPORT_LEFT)
            continue;

        differs = true;

        /* Of equally frequent values the line's own counts, or the first in the report, which comes last here. */
        uint64_t length = rcuinfo__spans_length(other->on), longest = rcuinfo__spans_length(most->on);
        if (length > longest || (length == longest && most != line))
            most = other;
    }
    return differs ? most : NULL;
}

/* The value of the majority, which is noted in a line of a minority. */
static char *describe_majority(const struct rcuinfo__report_line *most)
{
    char on[64];

    /* A long list of processes would not fit into a line. */
    if (rcuinfo__spans_print(most->on, on, sizeof on) >= sizeof on)
        strcpy(on, "most");
    return rcuinfo__report_format("'%s' on %s", most->fields[RCUINFO__REPORT_GIVEN], on);
}

/* Whether a line may be about the same hint of the same object, though it need not be: as the report was full, it lacks
 * the name; or the processes called MPI at different places, where objects without a name are numbered by place. Nor do
 * these numbers agree on all processes when calls that repeat are not examined. */
static bool may_be_same(const struct rcuinfo__report_line *a, const struct rcuinfo__report_line *b)
{
    const char *name = a->fields[RCUINFO__REPORT_NAME], *other = b->fields[RCUINFO__REPORT_NAME];
    if (b->verdict == RCUINFO__REPORT_DEFAULT || b->verdict == RCUINFO__REPORT_LOOK_UP ||
        !rcuinfo__report_same_text(a->fields[RCUINFO__REPORT_KEY], b->fields[RCUINFO__REPORT_KEY]) ||
        !rcuinfo__report_same_text(a->fields[RCUINFO__REPORT_OBJECT], b->fields[RCUINFO__REPORT_OBJECT]))
        return false;
    if (!other && !b->fields[RCUINFO__REPORT_GROUP])
        return b->verdict != RCUINFO__REPORT_UNUSED;
    return rcuinfo__report_same_text(a->fields[RCUINFO__REPORT_GROUP], b->fields[RCUINFO__REPORT_GROUP]) &&
           (rcuinfo__report_same_text(name, other) || (name && other && *name == '#' && *other == '#'));
}

/* How many processes gave the hint with any value, or may have; UINT64_MAX without memory. */
static uint64_t givers_of(struct rcuinfo__report *report, const struct rcuinfo__report_line *line)
{
    const char *const names[] = {name_of(line), ""};
    struct rcuinfo__span *on = NULL;
    bool is_known = true;

    /* The union of the processes of all lines that may be of the hint. */
    for (int n = 0; n < (*names[0] ? 2 : 1); n++) {
        for (const struct rcuinfo__report_line *other = *hints_of(report, line, names[n]); other;
             other = other->alike) {
            for (const struct rcuinfo__span *span = other->on; span && may_be_same(line, other); span = span->next)
                is_known = rcuinfo__spans_add(&on, span->first, span->last) && is_known;
        }
    }

    uint64_t givers = is_known ? rcuinfo__spans_length(on) : UINT64_MAX;
    rcuinfo__spans_free(on);
    return givers;
}

/* A key that the MPI library does not know may be known to a library above it. */
static void find_reader(struct rcuinfo__report *report, struct rcuinfo__report_line *line)
{
    const char *reader = NULL;
    for (const struct rcuinfo__report_line *other = *hints_of(report, line, looked_up); other; other = other->alike) {
        if (other->verdict == RCUINFO__REPORT_LOOK_UP && other->fields[RCUINFO__REPORT_NOTE] &&
            strcmp(other->fields[RCUINFO__REPORT_KEY], line->fields[RCUINFO__REPORT_KEY]) == 0)
            reader = other->fields[RCUINFO__REPORT_NOTE]; /* the first one in the report comes last here */
    }
    if (reader) {
        line->verdict = RCUINFO__REPORT_READ;
        line->fields[RCUINFO__REPORT_EVIDENCE] = "look-up";
        rcuinfo__report_replace(line, RCUINFO__REPORT_NOTE, rcuinfo__report_format("by %s", reader));
    }
}

void rcuinfo__report_judge(struct rcuinfo__report *report, long processes)
{
    bool is_whole = report->lost == 0 && !report->is_cut; /* no line may be missing */

    list_lines(report);
    for (struct rcuinfo__report_line *line = report->first; line; line = line->next) {
        if (line->verdict == RCUINFO__REPORT_UNKNOWN)
            find_reader(report, line);
        const rcuinfo_hint_t *row = rcuinfo__keys_row(rcuinfo__keys_object(line->fields[RCUINFO__REPORT_OBJECT]),
                                                      line->fields[RCUINFO__REPORT_KEY]);

        /* Must the hint be the same on all processes, and was it passed to the library? */
        if (!row || !(row->flags & RCUINFO_FLAG_SAME) || !line->fields[RCUINFO__REPORT_GROUP] ||
            line->verdict == RCUINFO__REPORT_LEFT || line->verdict == RCUINFO__REPORT_DEFAULT)
            continue;

        /* Did others give another value? Or did only some of the object's processes give the hint? */
        const struct rcuinfo__report_line *most = majority_of(report, line);
        const char *plus = most ? NULL : strchr(line->fields[RCUINFO__REPORT_GROUP], '+'); /* e.g. "0+4": 4 processes */
        uint64_t size = plus ? strtoull(plus + 1, NULL, 10) : 0;
        bool may_ask = is_whole && size > 1 && size <= (uint64_t)processes;
        uint64_t givers = may_ask ? givers_of(report, line) : UINT64_MAX;
        if (!most && givers >= size)
            continue;

        line->verdict = RCUINFO__REPORT_DIFFERS;
        char *note = most && most != line ? describe_majority(most) : NULL;
        if (!most)
            note = rcuinfo__report_format("given by %" PRIu64 " of its %" PRIu64 " processes", givers, size);
        rcuinfo__report_replace(line, RCUINFO__REPORT_NOTE, note);
    }
}
