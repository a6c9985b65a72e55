/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tree: one version of a large object, as the roots of two trees over its items (core/sequence.h, core/trie.h), most
 * of which it has in common with the version before; and what it takes to settle with that one.
 *
 * Callers owe: a tree is settled, shared and dropped as core/node.h says; a tree under construction is either finished
 * or aborted.
 */
#ifndef RCUINFO_CORE_TREE_H
#define RCUINFO_CORE_TREE_H

#include "core/build.h"
#include "core/sequence.h"
#include "core/trie.h"

struct rcuinfo__tree {
    struct rcuinfo__node *sequence;
    struct rcuinfo__node *trie;
    uint64_t next;           /* insertion number */
    uint64_t text;           /* bytes of all "key\0value\0" */
    uint64_t bytes;          /* of all nodes */
    uint64_t own;            /* of these, those that no other object has: at least, and those of its own making */
    uint64_t replaced_bytes; /* of the nodes below */
    uint64_t replaced_n;
    uint32_t count;
    struct rcuinfo__node *replaced[]; /* nodes of the version before that this one lacks, parents before children */
};

/* The item of a key, or NULL. */
static inline struct rcuinfo__item *rcuinfo__tree_find(const struct rcuinfo__tree *tree, const char *key, size_t length,
                                                       uint32_t hash)
{
    return rcuinfo__trie_find(tree->trie, key, length, hash);
}

/* The item that n others come before; there is one. */
static inline const struct rcuinfo__item *rcuinfo__tree_nth(const struct rcuinfo__tree *tree, uint32_t n)
{
    return rcuinfo__sequence_nth(tree->sequence, n);
}

/* Adds what an edit needs: for nodes but its item, and for the item. `old` is what there is of its key, or NULL. */
void rcuinfo__tree_need_nodes(const struct rcuinfo__tree *tree, const struct rcuinfo__edit *edit,
                              const struct rcuinfo__item *old, struct rcuinfo__need *need);
void rcuinfo__tree_need_item(uint32_t key_length, uint32_t value_length, struct rcuinfo__need *need);

/* Begins the version with this number, from the one before or, with NULL, an empty one. `several`: more than one edit
 * is to come. The stock stays the caller's. */
void rcuinfo__tree_begin(struct rcuinfo__build *build, struct rcuinfo__tree *to, const struct rcuinfo__tree *from,
                         uint64_t version, struct rcuinfo__stock *stock, bool several);

/* Makes one edit, for which there is all that it needs. `old` is what there is of its key, or NULL: then it is no
 * delete. */
void rcuinfo__tree_edit(struct rcuinfo__build *build, struct rcuinfo__tree *to, const struct rcuinfo__edit *edit,
                        struct rcuinfo__item *old);

/* Ends the construction. `shared`: other objects or open snapshots have the version before as well. */
void rcuinfo__tree_finish(struct rcuinfo__build *build, struct rcuinfo__tree *to, bool shared);

/* Gives up the construction: all that it took is in the stock again. */
void rcuinfo__tree_abort(struct rcuinfo__build *build, struct rcuinfo__tree *to);

/* One more owner of both roots, and one less. */
void rcuinfo__tree_share(const struct rcuinfo__tree *tree);
void rcuinfo__tree_drop(const struct rcuinfo__tree *tree, size_t *pooled);

/* Settles a version with the one that it was made of. The caller has either taken that one's roots over, or shared
 * them.
 */
void rcuinfo__tree_settle(const struct rcuinfo__tree *tree, size_t *pooled);

/* Whether the invariants hold; looks at every node. */
bool rcuinfo__tree_valid(const struct rcuinfo__tree *tree);

#endif
