/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * trie: the items of a large version by the hashes of their keys, highest bits first: forks of 16 ways over buckets of
 * up to 16 items.
 *
 * A bucket that overflows is split by the next bit that tells its hashes apart, within its fork while there are places,
 * else in a new fork below. What a removal leaves is put together again: two buckets that one bit tells apart, when
 * they have 8 items or fewer, or one of them none; a fork that has one bucket, with it. So depth and bytes are what the
 * hashes of the items that are left ask for. Items that share all bits make a chain of full buckets behind the first,
 * which alone is changed. An empty trie is NULL.
 *
 * Callers owe: as core/build.h; rcuinfo__trie_need_* is asked before each change, of the trie that it is made on.
 */
#ifndef RCUINFO_CORE_TRIE_H
#define RCUINFO_CORE_TRIE_H

#include "core/build.h"

/* The item of a key, or NULL. */
struct rcuinfo__item *rcuinfo__trie_find(const struct rcuinfo__node *root, const char *key, size_t length,
                                         uint32_t hash);

/* Adds an item whose key is not there. */
void rcuinfo__trie_need_add(struct rcuinfo__node *root, uint32_t hash, struct rcuinfo__need *need);
void rcuinfo__trie_add(struct rcuinfo__build *build, struct rcuinfo__node **root, struct rcuinfo__item *item);

/* Puts an item in the place of one with the same key, or, with NULL, takes that one out. One need for both. */
void rcuinfo__trie_need_change(struct rcuinfo__node *root, const struct rcuinfo__item *old, struct rcuinfo__need *need);
void rcuinfo__trie_replace(struct rcuinfo__build *build, struct rcuinfo__node **root, const struct rcuinfo__item *old,
                           struct rcuinfo__item *item);
void rcuinfo__trie_remove(struct rcuinfo__build *build, struct rcuinfo__node **root, const struct rcuinfo__item *old);

/* Whether the rules above hold, for `count` items. */
bool rcuinfo__trie_valid(struct rcuinfo__node *root, uint32_t count);

#endif
