/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * build: a large version under construction. Its nodes are copied from the version before when they are first changed;
 * those that carry the number of the new version are its own, and are changed in place.
 *
 * Callers owe: stock and list that are large enough (struct rcuinfo__need); a node is replaced after its parents.
 */
#ifndef RCUINFO_CORE_BUILD_H
#define RCUINFO_CORE_BUILD_H

#include <stdbool.h>
#include <stdint.h>

#include "core/stock.h"

struct rcuinfo__build {
    struct rcuinfo__stock *stock;
    uint64_t version;
    struct rcuinfo__node **replaced; /* nodes of the version before that this one lacks, parents before children */
    uint64_t replaced_n;
    uint64_t made_bytes;
    uint64_t replaced_bytes;
    uint8_t item_kind; /* of the items that are made */
};

/* An edit of one pair; a NULL value deletes. Lengths and hash are those of key and value. */
struct rcuinfo__edit {
    const char *key;
    const char *value;
    uint32_t key_length;
    uint32_t value_length;
    uint32_t hash;
};

/* A new node without children. */
struct rcuinfo__node *rcuinfo__build_node(struct rcuinfo__build *build, enum rcuinfo__kind kind);

/* A new item, which two parents are to own. */
struct rcuinfo__item *rcuinfo__build_item(struct rcuinfo__build *build, const struct rcuinfo__edit *edit,
                                          uint64_t number);

/* Makes *at, which is no item, this version's own and returns it. */
struct rcuinfo__node *rcuinfo__build_own(struct rcuinfo__build *build, struct rcuinfo__node **at);

/* Whether the node, no item, is this version's own. */
static inline bool rcuinfo__build_owns(const struct rcuinfo__build *build, const struct rcuinfo__node *node)
{
    return node->stamp == build->version;
}

/* The version has no use for a node any more. */
void rcuinfo__build_retire(struct rcuinfo__build *build, struct rcuinfo__node *node);

/* The same for an item, which two parents own. */
void rcuinfo__build_retire_item(struct rcuinfo__build *build, struct rcuinfo__item *item);

#endif
