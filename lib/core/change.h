/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * change: what one call wants to make of a version; and for all but one edit of a flat version that stays flat, how
 * much memory that takes, and the making. Decides whether the new version is flat or large.
 *
 * Callers owe: rcuinfo__change_plan, and memory as it says, before rcuinfo__change_make on a version of the same
 * number.
 */
#ifndef RCUINFO_CORE_CHANGE_H
#define RCUINFO_CORE_CHANGE_H

#include "core/snapshot.h"

struct rcuinfo__change {
    const struct rcuinfo__edit *edits;
    size_t n;
    const char *expected; /* of compare-and-set, with conditional set; NULL: absent */
    uint32_t expected_length;
    bool conditional;
    bool quiet;    /* not counted as a set */
    bool met;      /* out: the condition held */
    bool changed;  /* out: a version was published */
    size_t failed; /* out: the edit that deletes what is not there */
};

/* Whether compare-and-set finds what it expects: a value, or NULL for none. */
static inline bool rcuinfo__change_expects(const struct rcuinfo__change *change, const char *value, uint32_t length)
{
    if (!change->expected || !value)
        return !change->expected && !value;
    return length == change->expected_length && rcuinfo__text_equal(value, change->expected, length);
}

/* How it applies to one version. */
struct rcuinfo__plan {
    uint64_t version;
    uint64_t bytes;             /* of the new snapshot; 0: nothing to publish */
    uint64_t scratch;           /* bytes */
    bool missing;               /* what is to be deleted is not there */
    bool large;                 /* the new version is */
    struct rcuinfo__item *item; /* of the key, for a single edit of a large version, or NULL */
    struct rcuinfo__need need;  /* of a large one */
};

/* A single edit of a flat version is one that is to be made, and that makes it large. */
void rcuinfo__change_plan(struct rcuinfo__plan *plan, const struct rcuinfo__snapshot *s,
                          struct rcuinfo__change *change);

/*
 * Makes the new version. Returns whether it is done: `block` is the new version, or something is missing. Else the plan
 * has been changed, and it takes more memory, or other. `shared`: others have the old version too.
 */
bool rcuinfo__change_make(struct rcuinfo__plan *plan, const struct rcuinfo__snapshot *old,
                          struct rcuinfo__change *change, bool shared, void *scratch, struct rcuinfo__stock *stock,
                          struct rcuinfo__snapshot *block);

#endif
