/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report: a list of the hints that were given, each with a verdict on what became of it. A report is about one process
 * or many; equal lines are counted. It does not depend on MPI. The caller decides on the verdict of each line, except
 * for what follows from other lines (judge.c): DIFFERS, and READ by a library above MPI.
 *
 * Threads: one thread at a time uses a report.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include <rcuinfo/hints.h>

/* The fields of a line, besides its verdict, in the order in which lines are sorted. Each is a text or NULL; KEY and
 * GIVEN are never NULL. */
enum rcuinfo__report_field {
    RCUINFO__REPORT_OBJECT,    /* the kind of the object */
    RCUINFO__REPORT_COMPONENT, /* the part of the library that the object is of, e.g. "romio"; NULL: not known */
    RCUINFO__REPORT_KEY,
    RCUINFO__REPORT_GIVEN,  /* the value that was given; "" if none was */
    RCUINFO__REPORT_IN_USE, /* the value that the real library returned or set itself; NULL: none */
    RCUINFO__REPORT_NOTE,
    RCUINFO__REPORT_SOURCE, /* FILE:LINE that gave the hint, of a hint file or ROMIO_HINTS; NULL: none did */
    RCUINFO__REPORT_COMMON, /* the lines of a row of the table have the fields up to here in common */
    RCUINFO__REPORT_NAME = RCUINFO__REPORT_COMMON, /* of the object */
    RCUINFO__REPORT_IDENTITY,                      /* of the object on all processes; NULL: its name is */
    RCUINFO__REPORT_FUNCTION,                      /* the function that was called with the hint */
    RCUINFO__REPORT_PLACE,                         /* of the call */
    RCUINFO__REPORT_GROUP,    /* its processes: the first, their number, and a digest unless they are all: "0+4" */
    RCUINFO__REPORT_EVIDENCE, /* what the verdict follows from, see verdict.h */
    RCUINFO__REPORT_SECTION,  /* the section of the standard that reserves the key */
    RCUINFO__REPORT_FIELDS
};

/* The names of the fields in JSON. */
extern const char *const rcuinfo__report_names[RCUINFO__REPORT_FIELDS];

/* In this order in the table, for each key. */
enum rcuinfo__report_verdict {
    RCUINFO__REPORT_DIFFERS,   /* found by judge.c */
    RCUINFO__REPORT_NO_RETURN, /* the call did not return */
    RCUINFO__REPORT_FAILED,    /* the call returned an error: NOTE */
    RCUINFO__REPORT_BAD_VALUE,
    RCUINFO__REPORT_UNKNOWN,
    RCUINFO__REPORT_LEFT,
    RCUINFO__REPORT_NOT_USED,
    RCUINFO__REPORT_CHANGED,
    RCUINFO__REPORT_NEVER_APPLIED, /* of a rule: no call took it */
    RCUINFO__REPORT_NOT_KNOWN,
    RCUINFO__REPORT_READ,
    RCUINFO__REPORT_IN_EFFECT,
    RCUINFO__REPORT_DEFAULT, /* no hint: IN_USE is a value of the library for which none was given */
    RCUINFO__REPORT_LOOK_UP, /* no hint: NOTE is a library that looks KEY up. Not shown. */
    RCUINFO__REPORT_VERDICTS
};
extern const char *const rcuinfo__report_verdicts[RCUINFO__REPORT_VERDICTS];
/* The verdict of that text; RCUINFO__REPORT_VERDICTS: there is none, or the text is NULL. */
enum rcuinfo__report_verdict rcuinfo__report_find_verdict(const char *text);

struct rcuinfo__report;

/* Creates an empty report for about `most` lines; more are only counted. NULL: no memory. */
struct rcuinfo__report *rcuinfo__report_create(size_t most);
void rcuinfo__report_free(struct rcuinfo__report *report);

struct rcuinfo__report_line;

/* Adds a line that occurred `count` times in all on the processes `on`, e.g. "0-2,5". If there is no memory or no room,
 * or if the line lacks a field or `on` is invalid, returns NULL and counts it as lost. DEFAULTs
 * take up to half of the room; further ones are ignored. */
struct rcuinfo__report_line *rcuinfo__report_add(struct rcuinfo__report *report, enum rcuinfo__report_verdict verdict,
                                                 const char *const fields[RCUINFO__REPORT_FIELDS], const char *on,
                                                 uint64_t count);

/* Says that lines of a process may be missing: its file cannot be read, or is cut short. */
void rcuinfo__report_cut(struct rcuinfo__report *report);

/* Adds to the count of lost lines, those that were lost elsewhere. */
void rcuinfo__report_lose(struct rcuinfo__report *report, uint64_t lost);
/* Whether a hint of this source is in a line, other than one that says that it is NEVER_APPLIED. */
bool rcuinfo__report_used(const struct rcuinfo__report *report, const char *source);
/* Whether it has no hints. */
bool rcuinfo__report_is_empty(const struct rcuinfo__report *report);

/* For a report whose lines were all added as those of a single process: sets the number of that process, and the digest
 * of the rules that it has read (0: none). */
void rcuinfo__report_sign(struct rcuinfo__report *report, long process, uint64_t rules);
/* Says what the report is of: the MPI library and its version, the command line, the date. Each is a text or NULL. */
enum rcuinfo__report_about {
    RCUINFO__REPORT_MPI,
    RCUINFO__REPORT_COMMAND,
    RCUINFO__REPORT_DATE,
    RCUINFO__REPORT_ABOUT
};
void rcuinfo__report_describe(struct rcuinfo__report *report, const char *const about[RCUINFO__REPORT_ABOUT]);
/* Compares with the digest of the rules that another process has read. `differ`: that process knows already that not
 * all digests are equal. */
void rcuinfo__report_compare_rules(struct rcuinfo__report *report, uint64_t rules, bool differ);

/* Packs the report for another process. Free the bytes by rcuinfo__alloc_free. NULL: no memory. */
void *rcuinfo__report_pack(const struct rcuinfo__report *report, size_t *size);
/* Adds the lines of a packed report. Bytes that are no such report add nothing. */
void rcuinfo__report_merge(struct rcuinfo__report *report, const void *bytes, size_t size);
