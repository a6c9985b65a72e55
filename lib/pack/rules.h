/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rules: a hint file that says which pairs are to be handed to whom, for programs that cannot be changed. Lines are
 * those of pack.h, and besides:
 *
 *   [OBJECT]              what follows is for calls that give hints to such an object (rcuinfo_hint_object_name)
 *   [OBJECT PATTERN]      ... whose name matches (fnmatch; of a file, port or spawn)
 *   [impose] KEY VALUE    this pair also takes the place of the program's own
 *
 * Lines before the first section are for all objects. Of several pairs of one key that apply to a call, one with a
 * pattern goes before one without, that before one of all objects, and a later one before an earlier one.
 */
#ifndef RCUINFO_PACK_RULES_H
#define RCUINFO_PACK_RULES_H

#include <stdbool.h>
#include <stdio.h>

#include <rcuinfo/hints.h>

#include "pack/line.h"

struct rcuinfo__rule {
    rcuinfo_hint_object_t object; /* RCUINFO_HINT_OBJECTS: all */
    const char *pattern;          /* "": none */
    const char *key;
    const char *value;
    size_t line; /* of the file, from 1 on */
    bool imposed;
    struct rcuinfo__rule *next;
};

/* Immutable once loaded. */
struct rcuinfo__rules;

/* Reads a file to its end. SUCCESS; ERR_FORMAT: *fault has been written; ERR_IO; ERR_NO_MEM. *rules is NULL but on
 * SUCCESS. */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo__rules_load(FILE *file, struct rcuinfo__rules **rules, rcuinfo_fault_t *fault);
RCUINFO_API void rcuinfo__rules_free(struct rcuinfo__rules *rules);

/* The same number for the same rules, whatever their file is called; 0 for NULL. */
RCUINFO_API uint64_t rcuinfo__rules_digest(const struct rcuinfo__rules *rules);

/* The rule behind `rule` (NULL: the first one) that counts for an object of that name (NULL: it has none); NULL: there
 * is none. In the order of the file, one for each key. Any thread. */
RCUINFO_API const struct rcuinfo__rule *rcuinfo__rules_next(const struct rcuinfo__rules *rules,
                                                            const struct rcuinfo__rule *rule,
                                                            rcuinfo_hint_object_t object, const char *name);

/* Whose pairs follow a section, taken apart with a NUL behind each part. SUCCESS; ERR_FORMAT: `what` and `offset` of
 * the fault say why there is none. Pure. */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo__rules_section(const char *line, const struct rcuinfo__line *parts,
                                                        rcuinfo_hint_object_t *object, rcuinfo_fault_t *fault);

#endif
