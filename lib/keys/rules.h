/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rules: hint files with sections, which say which objects the pairs are for. So hints can be given to programs that
 * cannot be changed. Lines are those of pack.h and also:
 *
 *   [OBJECT]              the following pairs are for calls that take the hints of such an object
 *                         (rcuinfo_hint_object_name)
 *   [OBJECT PATTERN]      same, if the name of the file, port or spawned command matches (fnmatch); a pattern without
 *                         a slash may also match what follows the last slash of the name; of a file, also what follows
 *                         a driver of ROMIO
 *   [impose] KEY VALUE    this pair replaces that of the program, if any; others only complement it
 *
 * Pairs before the first section are for all objects. If several pairs of the same key apply to a call, a pair with a
 * pattern wins over one without, that over a pair for all objects, and among equals the last one wins.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include <rcuinfo/hints.h>

#include "pack/line.h"
#include "keys/keys.h"

/* The rules of a file are a list in the order of the file; NULL: no rules. Immutable once loaded. */
struct rcuinfo__rule {
    rcuinfo_hint_object_t object; /* RCUINFO__OBJECT_ANY: all */
    const char *pattern;          /* "": none */
    const char *key;
    const char *value;
    size_t line; /* line number in the file, from 1 */
    bool imposed;
    struct rcuinfo__rule *next;
};

/* Opens a hint file. If there is none of that name, and it has the form PATTERN:KEY=VALUE[:KEY=VALUE...][,PATTERN:...],
 * the file that is opened has a section for each pattern of files. NULL: errno says why. */
FILE *rcuinfo__rules_open(const char *name, bool *is_inline);

/* Reads a file to its end. Returns SUCCESS; ERR_FORMAT: *fault is written; ERR_IO; ERR_NO_MEM. On errors *rules is
 * NULL. */
rcuinfo_status_t rcuinfo__rules_load(FILE *file, struct rcuinfo__rule **rules, rcuinfo_fault_t *fault);
void rcuinfo__rules_free(struct rcuinfo__rule *rules);

/* A hash of the rules, without their line numbers; 0: no rules. */
uint64_t rcuinfo__rules_digest(const struct rcuinfo__rule *rules);

/* Iterates over the rules for an object of that name (NULL: no name), in the order of the file and only the winner for
 * each key. Returns the next one after `rule` (NULL: the first one), or NULL at the end. Threads: any. */
const struct rcuinfo__rule *rcuinfo__rules_next(const struct rcuinfo__rule *rules, const struct rcuinfo__rule *rule,
                                                rcuinfo_hint_object_t object, const char *name);

/* The name of a file without a driver of ROMIO in front, such as "ufs:"; one letter is none. Pure. */
const char *rcuinfo__rules_file(const char *name);

/* The object of a section, whose parts are NUL-terminated. Returns SUCCESS; ERR_FORMAT: not valid, and `what` and
 * `offset` of the fault are written. Pure. */
rcuinfo_status_t rcuinfo__rules_section(const char *line, const struct rcuinfo__line *parts,
                                        rcuinfo_hint_object_t *object, rcuinfo_fault_t *fault);
