/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sequence: the items of a large version in insertion order, a B+-tree of leaves and branches with counts.
 *
 * Nodes have up to 16 children. All but those at the right end, where alone items are added, have at least 8: what a
 * removal leaves with fewer is merged with a neighbour, or gets some of its children. So depth and bytes are within a
 * constant of those of a fresh tree, whatever was removed. An empty tree is NULL.
 *
 * Callers owe: as core/build.h; rcuinfo__sequence_need_* is asked before each change, of the tree that it is made on.
 */
#ifndef RCUINFO_CORE_SEQUENCE_H
#define RCUINFO_CORE_SEQUENCE_H

#include "core/build.h"

/* Adds an item whose number is higher than all others. */
void rcuinfo__sequence_need_append(struct rcuinfo__node *root, struct rcuinfo__need *need);
void rcuinfo__sequence_append(struct rcuinfo__build *build, struct rcuinfo__node **root, struct rcuinfo__item *item);

/* Puts an item in the place of one with the same number. */
void rcuinfo__sequence_need_replace(struct rcuinfo__node *root, struct rcuinfo__need *need);
void rcuinfo__sequence_replace(struct rcuinfo__build *build, struct rcuinfo__node **root,
                               const struct rcuinfo__item *old, struct rcuinfo__item *item);

void rcuinfo__sequence_need_remove(struct rcuinfo__node *root, const struct rcuinfo__item *item,
                                   struct rcuinfo__need *need);
void rcuinfo__sequence_remove(struct rcuinfo__build *build, struct rcuinfo__node **root,
                              const struct rcuinfo__item *item);

/* The item that n others come before; there is one. */
struct rcuinfo__item *rcuinfo__sequence_nth(struct rcuinfo__node *root, uint32_t n);

/* Whether the rules above hold, for `count` items with numbers below `end`. */
bool rcuinfo__sequence_valid(struct rcuinfo__node *root, uint32_t count, uint64_t end);

#endif
