/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * judge: finds what follows from other lines, above all the hints that differ between processes. The lines are sorted
 * by what they are about, so that the lines of one hint, of one object, and of one key follow each other.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "core/alloc.h"
#include "tuning/keys.h"
#include "tuning/lines.h"

struct item {
    struct rcuinfo__report_line *line;
    uint64_t length; /* number of its processes */
};

/* The items first to last - 1. */
struct run {
    struct item *first, *last;
};

/* NULL comes first. */
static int compare_texts(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) : (a != NULL) - (b != NULL);
}

static int compare_fields(const struct item *a, const struct item *b, const enum rcuinfo__report_field *fields, int n)
{
    int difference = 0;
    for (int field = 0; field < n && difference == 0; field++)
        difference = compare_texts(a->line->fields[fields[field]], b->line->fields[fields[field]]);
    return difference;
}

static const enum rcuinfo__report_field of_hint[] = {RCUINFO__REPORT_KEY,   RCUINFO__REPORT_OBJECT,
                                                     RCUINFO__REPORT_GROUP, RCUINFO__REPORT_NAME,
                                                     RCUINFO__REPORT_PLACE, RCUINFO__REPORT_FUNCTION};
enum { OF_KEY = 1, OF_KIND = 2, OF_GROUP = 3, OF_HINT = 6 };

static int compare_keys(const struct item *a, const struct item *b)
{
    return compare_fields(a, b, of_hint, OF_KEY);
}

static int compare_kinds(const struct item *a, const struct item *b)
{
    return compare_fields(a, b, of_hint, OF_KIND);
}

/* Objects without a name are numbered. */
static const char *name_of(const struct item *item)
{
    const char *name = item->line->fields[RCUINFO__REPORT_NAME];
    return name && *name == '#' ? "#" : name;
}

/*
 * Whether lines may be about the same object, though they need not be: the processes called MPI at different places,
 * where objects without a name are numbered by place; nor do these numbers agree on all processes when calls that
 * repeat are not examined.
 */
static int compare_objects(const struct item *a, const struct item *b)
{
    int difference = compare_fields(a, b, of_hint, OF_GROUP);
    return difference ? difference : compare_texts(name_of(a), name_of(b));
}

/* Whether lines are about the same hint of the same object, with any value. */
static int compare_hints(const struct item *a, const struct item *b)
{
    int difference = compare_objects(a, b);
    return difference ? difference : compare_fields(a, b, of_hint, OF_HINT);
}

/* Then come the values that most processes gave, and those that were first in the report. */
static int compare_items(const void *a, const void *b)
{
    const struct item *one = a, *other = b;
    int difference = compare_hints(one, other);
    if (difference == 0)
        difference = (one->length < other->length) - (one->length > other->length);
    return difference ? difference : (one->line->at > other->line->at) - (one->line->at < other->line->at);
}

/* Sets *part to its next part of a run, whose items compare as equal. {NULL, NULL}: to the first. false: there is none.
 */
static bool next_run(struct run run, struct run *part, int (*compare)(const struct item *, const struct item *))
{
    part->first = part->last ? part->last : run.first;
    part->last = part->first;
    while (part->last < run.last && compare(part->first, part->last) == 0)
        part->last++;
    return part->first < run.last;
}

/*
 * Compares a line with the lines of other values of the same hint. Returns the line of the value that most processes
 * gave; NULL if no other process gave another value. Lines that have a process in common are not compared: a process
 * may give two values one after the other, which is no difference between processes.
 */
static const struct rcuinfo__report_line *majority_of(const struct item *item, struct run hint)
{
    const struct rcuinfo__report_line *line = item->line;
    for (const struct item *other = hint.first; other < hint.last; other++) {
        /* Skip lines of the same value, of the same processes, and values that were not passed on. */
        if (!rcuinfo__report_same_text(line->fields[RCUINFO__REPORT_GIVEN],
                                       other->line->fields[RCUINFO__REPORT_GIVEN]) &&
            rcuinfo__spans_are_apart(line->on, other->line->on) && other->line->verdict != RCUINFO__REPORT_LEFT)
            return other->length > item->length ? other->line : line;
    }
    return NULL;
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

/* Whether a line lacks the name and group of its object, as the report was full. */
static bool is_nameless(const struct rcuinfo__report_line *line)
{
    return !line->fields[RCUINFO__REPORT_NAME] && !line->fields[RCUINFO__REPORT_GROUP];
}

/* Adds the processes of the lines of a run, with names or without. Returns false without memory. */
static bool add_givers(struct rcuinfo__span **on, struct run run, bool nameless)
{
    bool is_known = true;
    for (const struct item *item = run.first; item < run.last; item++) {
        bool counts = is_nameless(item->line) == nameless && item->line->verdict != RCUINFO__REPORT_UNUSED;
        for (const struct rcuinfo__span *span = item->line->on; span && counts; span = span->next)
            is_known = rcuinfo__spans_add(on, span->first, span->last) && is_known;
    }
    return is_known;
}

/* How many processes gave the hint with any value to an object, or may have, without its name; UINT64_MAX without
 * memory. */
static uint64_t givers_of(struct run object, const struct rcuinfo__span *nameless)
{
    struct rcuinfo__span *on = NULL;
    bool is_known = add_givers(&on, object, false);
    for (; nameless; nameless = nameless->next)
        is_known = rcuinfo__spans_add(&on, nameless->first, nameless->last) && is_known;
    uint64_t givers = is_known ? rcuinfo__spans_length(on) : UINT64_MAX;
    rcuinfo__spans_free(on);
    return givers;
}

/* A key that the MPI library does not know may be known to a library above it: the first look-up in the report counts.
 */
static void judge_key(struct run key)
{
    const struct item *reader = NULL;
    for (const struct item *item = key.first; item < key.last; item++) {
        if (item->line->verdict == RCUINFO__REPORT_LOOK_UP && item->line->fields[RCUINFO__REPORT_NOTE] &&
            (!reader || item->line->at < reader->line->at))
            reader = item;
    }
    for (struct item *item = key.first; item < key.last && reader; item++) {
        if (item->line->verdict == RCUINFO__REPORT_UNKNOWN) {
            item->line->verdict = RCUINFO__REPORT_READ;
            item->line->fields[RCUINFO__REPORT_EVIDENCE] = "look-up";
            rcuinfo__report_replace(item->line, RCUINFO__REPORT_NOTE,
                                    rcuinfo__report_format("by %s", reader->line->fields[RCUINFO__REPORT_NOTE]));
        }
    }
}

/* processes: how many the report has all lines of; 0: lines may be missing. */
static void judge_object(struct run object, const struct rcuinfo__span *nameless, uint64_t processes)
{
    const char *group = object.first->line->fields[RCUINFO__REPORT_GROUP];
    const char *plus = group ? strchr(group, '+') : NULL; /* e.g. "0+4": 4 processes */
    uint64_t size = plus ? strtoull(plus + 1, NULL, 10) : 0;
    uint64_t givers = size > 1 && size <= processes ? givers_of(object, nameless) : UINT64_MAX;
    struct run hint = {NULL, NULL};

    while (group && next_run(object, &hint, compare_hints)) {
        for (struct item *item = hint.first; item < hint.last; item++) {
            /* Did others give another value? Or did only some of the object's processes give the hint? */
            struct rcuinfo__report_line *line = item->line;
            const struct rcuinfo__report_line *most = majority_of(item, hint);
            if (line->verdict == RCUINFO__REPORT_LEFT || (!most && givers >= size))
                continue;
            char *note = most && most != line ? describe_majority(most) : NULL;
            if (!most)
                note = rcuinfo__report_format("given by %" PRIu64 " of its %" PRIu64 " processes", givers, size);
            line->verdict = RCUINFO__REPORT_DIFFERS;
            rcuinfo__report_replace(line, RCUINFO__REPORT_NOTE, note);
        }
    }
}

/* Judges the lines of a key of a kind of object, if all processes must give it the same value. */
static void judge_kind(struct run kind, uint64_t processes)
{
    const struct rcuinfo__report_line *line = kind.first->line;
    const rcuinfo_hint_t *row = rcuinfo__keys_row(rcuinfo__keys_object(line->fields[RCUINFO__REPORT_OBJECT]),
                                                  line->fields[RCUINFO__REPORT_KEY]);
    struct rcuinfo__span *nameless = NULL;
    struct run object = {NULL, NULL};
    if (!row || !(row->flags & RCUINFO_FLAG_SAME))
        return;

    /* Without memory it is as if lines were missing. */
    processes = add_givers(&nameless, kind, true) ? processes : 0;
    while (next_run(kind, &object, compare_objects))
        judge_object(object, nameless, processes);
    rcuinfo__spans_free(nameless);
}

bool rcuinfo__report_judge(struct rcuinfo__report *report, long processes)
{
    struct item *items = rcuinfo__alloc((report->n + 1) * sizeof *items);
    struct run all = {items, items}, key = {NULL, NULL};
    if (!items)
        return false;

    for (struct rcuinfo__report_line *line = report->first; line; line = line->next) {
        if (line->verdict != RCUINFO__REPORT_DEFAULT)
            *all.last++ = (struct item){line, rcuinfo__spans_length(line->on)};
    }
    qsort(items, (size_t)(all.last - items), sizeof *items, compare_items);

    uint64_t whole = report->lost == 0 && !report->is_cut ? (uint64_t)processes : 0;
    while (next_run(all, &key, compare_keys)) {
        struct run kind = {NULL, NULL};
        judge_key(key);
        while (next_run(key, &kind, compare_kinds))
            judge_kind(kind, whole);
    }
    rcuinfo__alloc_free(items);
    return true;
}
