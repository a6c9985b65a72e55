/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report: what became of the hints that were given: lines of text, equal ones counted, of one process or of many.
 * Nobody here knows of MPI; who records decides on each line's verdict, but for the one that takes several processes to
 * find.
 *
 * A report is one thread's at a time.
 */
#ifndef RCUINFO_HINTS_REPORT_H
#define RCUINFO_HINTS_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include <rcuinfo/hints.h>

/* What a line says. Each is a text; NULL: nothing. Verdict, key and value are never NULL. */
enum rcuinfo__report_field {
    RCUINFO__REPORT_VERDICT, /* as of rcuinfo__report_verdict */
    RCUINFO__REPORT_KEY,
    RCUINFO__REPORT_GIVEN,    /* the value */
    RCUINFO__REPORT_IN_USE,   /* the value that the real library says; NULL: it says none */
    RCUINFO__REPORT_OBJECT,   /* its kind */
    RCUINFO__REPORT_NAME,     /* of the object */
    RCUINFO__REPORT_GROUP,    /* whose object it is: first process and how many, as "0+4"; NULL: not known */
    RCUINFO__REPORT_FUNCTION, /* that was given the hint */
    RCUINFO__REPORT_PLACE,    /* of the call */
    RCUINFO__REPORT_SOURCE,   /* FILE:LINE of a rule; NULL: the program */
    RCUINFO__REPORT_SECTION,  /* of the standard, that reserves the key */
    RCUINFO__REPORT_NOTE,
    RCUINFO__REPORT_FIELDS
};

/* The name of a field, as in JSON. */
RCUINFO_API const char *rcuinfo__report_name(enum rcuinfo__report_field field);

/* In the order in which they are shown. DIFFERS is found here. */
enum rcuinfo__report_verdict {
    RCUINFO__REPORT_DIFFERS,
    RCUINFO__REPORT_BAD_VALUE,
    RCUINFO__REPORT_UNKNOWN,
    RCUINFO__REPORT_LEFT,
    RCUINFO__REPORT_IGNORED,
    RCUINFO__REPORT_CHANGED,
    RCUINFO__REPORT_CANNOT_KNOW,
    RCUINFO__REPORT_TAKEN,
    RCUINFO__REPORT_VERDICTS
};
RCUINFO_API const char *rcuinfo__report_verdict(enum rcuinfo__report_verdict verdict);

struct rcuinfo__report;

/* An empty one, of at most so many lines: what is more is counted. NULL: no memory. */
RCUINFO_API struct rcuinfo__report *rcuinfo__report_create(size_t most);
RCUINFO_API void rcuinfo__report_free(struct rcuinfo__report *report);

/* Adds what the processes `on`, as "0-2,5", saw `count` times in all. false: no memory, no room, no whole line, or `on`
 * is no such list; it is counted as lost. */
RCUINFO_API bool rcuinfo__report_add(struct rcuinfo__report *report, const char *const fields[RCUINFO__REPORT_FIELDS],
                                     const char *on, uint64_t count);
/* Counts what others have lost. */
RCUINFO_API void rcuinfo__report_lose(struct rcuinfo__report *report, uint64_t lost);
RCUINFO_API bool rcuinfo__report_is_empty(const struct rcuinfo__report *report);

/* Replaces a field of every line, once: `change` gives another text in place of one, of rcuinfo__alloc; NULL: it stays.
 */
RCUINFO_API void rcuinfo__report_change(struct rcuinfo__report *report, enum rcuinfo__report_field field,
                                        char *(*change)(void *context, const char *text), void *context);

/* Says of which process all lines are, that were added as those of one, and the digest of the rules that it has read;
 * 0: none. */
RCUINFO_API void rcuinfo__report_sign(struct rcuinfo__report *report, long process, uint64_t rules);
/* Notes which rules another has read, and whether it knows of different ones. */
RCUINFO_API void rcuinfo__report_compare_rules(struct rcuinfo__report *report, uint64_t rules, bool differ);

/* As bytes, for another process; NULL: no memory. To be freed by rcuinfo__alloc_free. */
RCUINFO_API void *rcuinfo__report_pack(const struct rcuinfo__report *report, size_t *size);
/* Adds what rcuinfo__report_pack made of another. */
RCUINFO_API void rcuinfo__report_merge(struct rcuinfo__report *report, const void *bytes, size_t size);

/* Writes it as a table of at most `most` lines (0: all), and as JSON, of so many processes. Lines that differ in the
 * object's name alone are one line of the table. */
RCUINFO_API void rcuinfo__report_print(struct rcuinfo__report *report, long processes, size_t most, FILE *file);
RCUINFO_API void rcuinfo__report_write_json(struct rcuinfo__report *report, long processes, FILE *file);

#endif
