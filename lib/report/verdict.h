/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * verdict: what became of a hint, judged by what is known about it. A verdict never says more than that: whether the
 * library *read* the hint and whether it *stored* it are two facts, and a value that get_info returns may be no more
 * than the text that it was given. Pure.
 */
#pragma once

#include "keys/keys.h"
#include "report/report.h"

/* What is known about a hint. NULL texts: nothing. */
struct rcuinfo__facts {
    struct rcuinfo__mpi_version mpi;
    const char *component; /* of the library, that the object is of */
    const char *system;    /* the file system of a file */
    rcuinfo_hint_object_t object;
    const char *key;
    const char *given;
    const char *left;     /* why it was not passed on; NULL: it was */
    bool is_watched;      /* whether look-ups of the library would have been seen */
    bool was_looked_up;   /* by the library, in this call */
    const char *set;      /* the value that the library was seen to set for the key, in this call */
    bool is_answer;       /* the library has returned this pair, which the program passes on */
    bool is_change;       /* the call changes the hints of an object that had some before */
    const char *returned; /* what the library answers when it is asked for the hints of the object */
};

enum { RCUINFO__VERDICT_NOTE = 320 };

/* The fields of a line that follow from the facts. */
struct rcuinfo__judgement {
    enum rcuinfo__report_verdict verdict;
    const char *evidence; /* the facts that decided: "standard", "table", "look-up", "set" or "get_info", or NULL */
    const char *in_use;   /* the library's value */
    const char *section;
    char note[RCUINFO__VERDICT_NOTE];
};

/* Whether two values of a key mean the same, e.g. "TRUE" and "true", or "04" and "4", or, of a list, "a,b" and "b, a".
 * row: of the key; NULL: none is known, and only the same text does. */
bool rcuinfo__verdict_same(const rcuinfo_hint_t *row, const char *a, const char *b);

void rcuinfo__verdict(const struct rcuinfo__facts *facts, struct rcuinfo__judgement *judgement);
