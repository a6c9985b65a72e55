/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * node: the blocks that a large version consists of, the count of their owners, and how it is settled.
 *
 * Items (one a pair) hang in two trees: leaves and branches keep them in insertion order, buckets and forks by their
 * hashes. Once published, everything in a node but its count is immutable.
 *
 * The count of a node says how many parents own it: nodes, and for the two roots a version. A version that is made of
 * another has copies of some nodes, and shares the children of these with the originals. It does not count itself at
 * them: until the replacement is settled, original and copy own their common children jointly. It is settled once the
 * object drops its reference on the older version (core/cell.c): rcuinfo__node_give_up for each node that the newer one
 * replaced, parents before children. lib/DESIGN.md says why that is sound.
 *
 * Callers owe: give_up, and share where nothing else keeps the node, are the holder of reclaim's lock's.
 */
#ifndef RCUINFO_CORE_NODE_H
#define RCUINFO_CORE_NODE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RCUINFO__FANOUT 16

enum rcuinfo__kind {
    RCUINFO__NODE_ITEM,
    RCUINFO__NODE_DRAFT, /* an item of a version of several edits that is not published yet */
    RCUINFO__NODE_LEAF,
    RCUINFO__NODE_BRANCH,
    RCUINFO__NODE_FORK,
    RCUINFO__NODE_BUCKET
};

struct rcuinfo__node {
    _Atomic uint32_t refs; /* [P6] field: parents that own it */
    uint8_t kind;
    union {
        uint8_t level;      /* of a branch: 1 and up; of a leaf 0 */
        uint8_t key_length; /* of an item */
    };
    union {
        uint16_t n;            /* children; of a fork always 16 */
        uint16_t value_length; /* of an item */
    };
    uint64_t stamp; /* of an item its insertion number, else the version that it was made for */
};

/* One pair. */
struct rcuinfo__item {
    struct rcuinfo__node node;
    uint32_t hash;
    char text[]; /* "key\0value\0" */
};
#define RCUINFO__ITEM_HEADER offsetof(struct rcuinfo__item, text)

/* A leaf, whose children are items in insertion order; and a fork, whose children are forks and buckets by the next
 * four bits of the hash. A bucket that fewer bits tell from the others fills all its places, an aligned power of two of
 * them. NULL: no such hash. */
struct rcuinfo__inner {
    struct rcuinfo__node node;
    struct rcuinfo__node *child[RCUINFO__FANOUT];
};

/* Above the leaves, or above branches one level below. */
struct rcuinfo__branch {
    struct rcuinfo__inner inner;
    uint64_t first[RCUINFO__FANOUT]; /* no insertion number below the child is lower */
    uint32_t count[RCUINFO__FANOUT]; /* items below the child */
};

/* Items of similar hashes, in no order. Only where more than 16 share a hash is there a next one, full of the same. */
struct rcuinfo__bucket {
    struct rcuinfo__node node;
    struct rcuinfo__bucket *next;
    uint32_t hash[RCUINFO__FANOUT];
    struct rcuinfo__item *item[RCUINFO__FANOUT];
};

static inline struct rcuinfo__item *rcuinfo__node_item(struct rcuinfo__node *node)
{
    return (struct rcuinfo__item *)(void *)node;
}

static inline struct rcuinfo__inner *rcuinfo__node_inner(struct rcuinfo__node *node)
{
    return (struct rcuinfo__inner *)(void *)node;
}

static inline struct rcuinfo__branch *rcuinfo__node_branch(struct rcuinfo__node *node)
{
    return (struct rcuinfo__branch *)(void *)node;
}

static inline struct rcuinfo__bucket *rcuinfo__node_bucket(struct rcuinfo__node *node)
{
    return (struct rcuinfo__bucket *)(void *)node;
}

static inline const char *rcuinfo__item_value(const struct rcuinfo__item *item)
{
    return item->text + item->node.key_length + 1;
}

/* Bytes that a node needs. */
size_t rcuinfo__node_bytes(const struct rcuinfo__node *node);

/* One more parent owns the node. */
void rcuinfo__node_share(struct rcuinfo__node *node);

/* One parent less: the last one frees the node and drops its children. `pooled` as in core/pool.h; NULL: to malloc. */
void rcuinfo__node_drop(struct rcuinfo__node *node, size_t *pooled);

/*
 * One parent less, where the children that the node has in common with its replacement are owned jointly. The last
 * parent's leaves them to the replacement; else they get one owner more. What the caller owns of the children that were
 * replaced as well passes to the caller, who gives it up later.
 */
void rcuinfo__node_give_up(struct rcuinfo__node *node, size_t *pooled);

/* Puts a node that nobody owns into its pool, or gives it to malloc. */
void rcuinfo__node_free(struct rcuinfo__node *node, size_t *pooled);

#endif
