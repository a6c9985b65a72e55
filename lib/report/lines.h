/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lines: the representation of a report. A hash table finds a line by its fields. A line and its texts are one
 * allocation.
 */
#pragma once

#include <string.h>

#include "report/report.h"
#include "report/spans.h"

enum { RCUINFO__REPORT_BUCKETS = 4096 };

struct rcuinfo__report_line {
    enum rcuinfo__report_verdict verdict;
    const char *fields[RCUINFO__REPORT_FIELDS];
    struct rcuinfo__span *on; /* its processes */
    uint64_t count;
    size_t at; /* number of the line, in the order in which they were added */
    struct rcuinfo__report_line *next;
    struct rcuinfo__report_line *same_bucket;
    void *changed[RCUINFO__REPORT_FIELDS]; /* memory of fields that were replaced */
    char text[];
};

struct rcuinfo__report {
    struct rcuinfo__report_line *first;
    struct rcuinfo__report_line **end;
    struct rcuinfo__report_line *buckets[RCUINFO__REPORT_BUCKETS];
    size_t n;       /* number of lines */
    size_t most;    /* lines; of those without names a quarter more, see rcuinfo__report_add */
    uint64_t lost;  /* sum of the counts of lines that could not be added */
    uint64_t rules; /* digest of the rules of this process */
    bool rules_differ;
    bool is_cut; /* lines may be missing: a file cannot be read, or is cut short */
    char *about[RCUINFO__REPORT_ABOUT];
};

/* Formats a text in memory of rcuinfo__alloc. NULL: no memory. */
char *rcuinfo__report_format(const char *form, ...) __attribute__((format(printf, 1, 2)));

/* Replaces a field by a text of rcuinfo__alloc; NULL: none, or no memory. */
void rcuinfo__report_replace(struct rcuinfo__report_line *line, enum rcuinfo__report_field field, char *text);

static inline bool rcuinfo__report_same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Unites lines that have become the same as their fields were replaced. Without memory some stay apart. */
void rcuinfo__report_unite(struct rcuinfo__report *report);

/* Compares by the verdict, then by that many fields. */
int rcuinfo__report_compare(const struct rcuinfo__report_line *a, const struct rcuinfo__report_line *b, int fields);

/* Returns the *n lines that are shown, in the order of the calls. NULL: no memory. */
struct rcuinfo__report_line **rcuinfo__report_lines(const struct rcuinfo__report *report, bool with_defaults,
                                                    size_t *n);
