/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * judge: finds what follows from other lines, above all the hints that differ between processes. The lines are sorted
 * by key and kind of object, and those of a kind again, so that the lines of one hint and of one object follow each
 * other.
 */
#include "report/judge.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/memory/alloc.h"
#include "keys/keys.h"
#include "report/lines.h"
#include "report/verdict.h"

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

static const enum rcuinfo__report_field of_kind[] = {RCUINFO__REPORT_KEY, RCUINFO__REPORT_OBJECT};
enum { OF_KEY = 1, OF_KIND = 2 };

static int compare_keys(const struct item *a, const struct item *b)
{
    return compare_fields(a, b, of_kind, OF_KEY);
}

static int compare_kinds(const struct item *a, const struct item *b)
{
    return compare_fields(a, b, of_kind, OF_KIND);
}

static int compare_groups(const struct item *a, const struct item *b)
{
    static const enum rcuinfo__report_field of_group[] = {RCUINFO__REPORT_GROUP};
    return compare_fields(a, b, of_group, 1);
}

static const char *identity_of(const struct item *item)
{
    const char *identity = item->line->fields[RCUINFO__REPORT_IDENTITY];
    return identity ? identity : item->line->fields[RCUINFO__REPORT_NAME];
}

/* Whether an object has a number on one process that it need not have on another one. */
static bool is_unnumbered(const struct item *item)
{
    const char *identity = identity_of(item);
    return identity && identity[0] == '#' && (identity[1] < '0' || identity[1] > '9');
}

static int compare_objects(const struct item *a, const struct item *b)
{
    int difference = compare_groups(a, b);
    return difference ? difference : compare_texts(identity_of(a), identity_of(b));
}

/* As compare_objects, but objects without a name are equal, since not all of them have a number. */
static int compare_unnumbered(const struct item *a, const struct item *b)
{
    int difference = compare_groups(a, b);
    bool are_numbers = identity_of(a) && identity_of(b) && *identity_of(a) == '#' && *identity_of(b) == '#';
    return difference || are_numbers ? difference : compare_texts(identity_of(a), identity_of(b));
}

static int compare_functions(const struct item *a, const struct item *b)
{
    return compare_texts(a->line->fields[RCUINFO__REPORT_FUNCTION], b->line->fields[RCUINFO__REPORT_FUNCTION]);
}

/* 0: the same hint of the same object, with any value. */
static int compare_hints(const struct item *a, const struct item *b)
{
    int difference = compare_objects(a, b);
    return difference ? difference : compare_functions(a, b);
}

/* The same for objects without numbers, where the calls must be at the same place, too. */
static int compare_places(const struct item *a, const struct item *b)
{
    int difference = compare_unnumbered(a, b);
    difference = difference ? difference : compare_functions(a, b);
    return difference ? difference
                      : compare_texts(a->line->fields[RCUINFO__REPORT_PLACE], b->line->fields[RCUINFO__REPORT_PLACE]);
}

/* Then come the values that most processes gave, and those that were first in the report. */
static int compare_lengths(const struct item *one, const struct item *other, int difference)
{
    if (difference == 0)
        difference = (one->length < other->length) - (one->length > other->length);
    return difference ? difference : (one->line->at > other->line->at) - (one->line->at < other->line->at);
}

static int sort_by_kind(const void *a, const void *b)
{
    return compare_lengths(a, b, compare_kinds(a, b));
}

static int sort_by_group(const void *a, const void *b)
{
    return compare_lengths(a, b, compare_groups(a, b));
}

static int sort_by_hint(const void *a, const void *b)
{
    return compare_lengths(a, b, compare_hints(a, b));
}

static int sort_by_place(const void *a, const void *b)
{
    return compare_lengths(a, b, compare_places(a, b));
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
 * Compares a line with the lines of other values of the same hint. Returns the longest line of
 * another value if it is longer than this line, else this line; NULL if no other process gave another value. Lines that
 * have a process in common are not compared: a process may give two values one after the other, which is no difference
 * between processes.
 */
static const struct rcuinfo__report_line *majority_of(const struct item *item, struct run hint,
                                                      const rcuinfo_hint_t *row)
{
    const struct rcuinfo__report_line *line = item->line;
    for (const struct item *other = hint.first; other < hint.last; other++) {
        /* Skip lines of the same value, those that have a process in common, and values that were not passed on. */
        if (!rcuinfo__verdict_same(row, line->fields[RCUINFO__REPORT_GIVEN],
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

/* least, most: how many gave the hint to the object; the lines of those between do not tell to which. Without memory
 * `least` is not known, and larger. */
static char *describe_givers(uint64_t least, uint64_t most, uint64_t size)
{
    if (least >= most)
        return rcuinfo__report_format("given by %" PRIu64 " of its %" PRIu64 " processes", most, size);
    return rcuinfo__report_format("given by %" PRIu64 " to %" PRIu64 " of its %" PRIu64 " processes", least, most,
                                  size);
}

/* Adds the processes of the lines of a run, with groups or without: the report was full, or the call failed or did not
 * return. Returns false without memory. */
static bool add_givers(struct rcuinfo__span **on, struct run run, bool has_group)
{
    bool is_known = true;
    for (const struct item *item = run.first; item < run.last; item++) {
        bool counts = (item->line->fields[RCUINFO__REPORT_GROUP] != NULL) == has_group &&
                      item->line->verdict != RCUINFO__REPORT_NEVER_APPLIED;
        for (const struct rcuinfo__span *span = item->line->on; span && counts; span = span->next)
            is_known = rcuinfo__spans_add(on, span->first, span->last) && is_known;
    }
    return is_known;
}

/* How many processes gave the hint with any value to an object, or may have, without its group; UINT64_MAX without
 * memory. */
static uint64_t givers_of(struct run object, const struct rcuinfo__span *groupless)
{
    struct rcuinfo__span *on = NULL;
    bool is_known = add_givers(&on, object, true);
    for (; groupless; groupless = groupless->next)
        is_known = rcuinfo__spans_add(&on, groupless->first, groupless->last) && is_known;
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

/* What the objects of a kind have in common. */
struct kind {
    rcuinfo_hint_object_t object;
    const char *key;
    const rcuinfo_hint_t *row;             /* of the key; NULL: none is known */
    const struct rcuinfo__span *groupless; /* processes of lines without a group */
    uint64_t processes;                    /* how many the report has all lines of; 0: lines may be missing */
};

static bool must_be_same(const struct kind *kind, const struct item *item)
{
    return rcuinfo__keys_must_be_same(kind->object, item->line->fields[RCUINFO__REPORT_COMPONENT], kind->key);
}

/* compare: whether lines are about the same hint. */
static void judge_object(struct run object, const struct kind *kind,
                         int (*compare)(const struct item *, const struct item *))
{
    const char *group = object.first->line->fields[RCUINFO__REPORT_GROUP];
    const char *plus = group ? strchr(group, '+') : NULL; /* e.g. "0+4": 4 processes */
    uint64_t size = plus ? strtoull(plus + 1, NULL, 10) : 0;
    uint64_t givers = size > 1 && size <= kind->processes ? givers_of(object, kind->groupless) : UINT64_MAX;
    struct run hint = {NULL, NULL};

    while (group && next_run(object, &hint, compare)) {
        for (struct item *item = hint.first; item < hint.last; item++) {
            /* Did others give another value? Or did only some of the object's processes give the hint? */
            struct rcuinfo__report_line *line = item->line;
            const struct rcuinfo__report_line *most = majority_of(item, hint, kind->row);
            if (line->verdict == RCUINFO__REPORT_LEFT || (!most && givers >= size) || !must_be_same(kind, item))
                continue;
            char *note = most && most != line ? describe_majority(most) : NULL;
            if (!most)
                note = describe_givers(givers_of(object, NULL), givers, size);
            line->verdict = RCUINFO__REPORT_DIFFERS;
            rcuinfo__report_replace(line, RCUINFO__REPORT_NOTE, note);
        }
    }
}

/* Judges the lines of a key of a kind of object, of one group. */
static void judge_group(struct run group, const struct kind *kind)
{
    struct run object = {NULL, NULL};
    bool are_numbered = true;
    for (const struct item *item = group.first; item < group.last; item++)
        are_numbered = are_numbered && !is_unnumbered(item);
    qsort(group.first, (size_t)(group.last - group.first), sizeof *group.first,
          are_numbered ? sort_by_hint : sort_by_place);
    while (next_run(group, &object, are_numbered ? compare_objects : compare_unnumbered))
        judge_object(object, kind, are_numbered ? compare_hints : compare_places);
}

/* Judges the lines of a key of a kind of object. */
static void judge_kind(struct run run, uint64_t processes)
{
    const char *const *fields = run.first->line->fields;
    struct kind kind = {.object = rcuinfo__keys_object(fields[RCUINFO__REPORT_OBJECT]),
                        .key = fields[RCUINFO__REPORT_KEY]};
    const struct rcuinfo__key *any = rcuinfo__keys_find(~0U, kind.object, kind.key);
    struct rcuinfo__span *groupless = NULL;
    struct run group = {NULL, NULL};

    const struct item *item = run.first;
    while (item < run.last && !must_be_same(&kind, item))
        item++;
    if (item == run.last)
        return;

    kind.row = rcuinfo__keys_row(kind.object, kind.key);
    kind.row = kind.row || !any ? kind.row : &any->hint;
    qsort(run.first, (size_t)(run.last - run.first), sizeof *run.first, sort_by_group);

    /* Without memory it is as if lines were missing. */
    kind.processes = add_givers(&groupless, run, false) ? processes : 0;
    kind.groupless = groupless;
    while (next_run(run, &group, compare_groups))
        judge_group(group, &kind);
    rcuinfo__spans_free(groupless);
}

bool rcuinfo__judge(struct rcuinfo__report *report, long processes)
{
    struct item *items = rcuinfo__alloc((report->n + 1) * sizeof *items);
    struct run all = {items, items}, key = {NULL, NULL};
    if (!items)
        return false;

    for (struct rcuinfo__report_line *line = report->first; line; line = line->next) {
        if (line->verdict != RCUINFO__REPORT_DEFAULT)
            *all.last++ = (struct item){line, rcuinfo__spans_length(line->on)};
    }
    qsort(items, (size_t)(all.last - items), sizeof *items, sort_by_kind);

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
