/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_lines: what a report is made of, for the files that make, judge and show one. Lines are found by a hash of
 * their fields, and each is one allocation with its texts.
 */
#ifndef RCUINFO_HINTS_REPORT_LINES_H
#define RCUINFO_HINTS_REPORT_LINES_H

#include <string.h>

#include "hints/report.h"
#include "hints/spans.h"

enum {
    RCUINFO__REPORT_BUCKETS = 256,
    RCUINFO__REPORT_NUMBER = 24 /* bytes of a number in decimal */
};

struct rcuinfo__report_line {
    const char *fields[RCUINFO__REPORT_FIELDS];
    struct rcuinfo__span *on;
    uint64_t count;
    struct rcuinfo__report_line *next; /* in the order of their coming */
    struct rcuinfo__report_line *same_bucket;
    void *changed[RCUINFO__REPORT_FIELDS]; /* memory of fields that were replaced */
    char text[];
};

struct rcuinfo__report {
    struct rcuinfo__report_line *first;
    struct rcuinfo__report_line **end;
    struct rcuinfo__report_line *buckets[RCUINFO__REPORT_BUCKETS];
    size_t n;
    size_t most;
    uint64_t lost; /* additions */
    uint64_t rules;
    bool rules_differ;
};

static inline bool rcuinfo__report_same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Finds what the standard wants to be the same on all processes of an object, and is not: another value, or none.
 * `processes` are here; of an object that has more, nobody knows what the others have given. */
void rcuinfo__report_judge(struct rcuinfo__report *report, long processes);

#endif
