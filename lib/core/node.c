/* SPDX-License-Identifier: BSD-3-Clause */
/* node: see node.h. */
#include "core/node.h"

#include "core/alloc.h"
#include "core/check.h"
#include "core/order.h"
#include "core/pool.h"

size_t rcuinfo__node_bytes(const struct rcuinfo__node *node)
{
    switch (node->kind) {
    case RCUINFO__NODE_LEAF:
    case RCUINFO__NODE_FORK:
        return sizeof(struct rcuinfo__inner);
    case RCUINFO__NODE_BRANCH:
        return sizeof(struct rcuinfo__branch);
    case RCUINFO__NODE_BUCKET:
        return sizeof(struct rcuinfo__bucket);
    default:
        return RCUINFO__ITEM_HEADER + node->key_length + 1 + node->value_length + 1;
    }
}

void rcuinfo__node_free(struct rcuinfo__node *node, size_t *pooled)
{
    uint64_t bytes = rcuinfo__node_bytes(node);
    uint32_t pool = rcuinfo__pool_of(&bytes);
    if (pooled)
        rcuinfo__pool_recycle(pool, node, (size_t)bytes, pooled);
    else
        rcuinfo__alloc_free(node);
}

void rcuinfo__node_share(struct rcuinfo__node *node)
{
    uint32_t before = atomic_fetch_add_explicit(&node->refs, 1, RCUINFO__REFS_TAKE);
    RCUINFO__CHECK(before);
    (void)before;
}

/* Whether the caller is the only owner left. Nobody but the caller can add one then. */
static bool sole(struct rcuinfo__node *node)
{
    return atomic_load_explicit(&node->refs, RCUINFO__REFS_SOLE) == 1; /* [P6] consume */
}

/* Whether the owner that went was the last. */
static bool dropped(struct rcuinfo__node *node)
{
    if (sole(node))
        return true;
    /* [P6] publish, [P6] consume */
    uint32_t before = atomic_fetch_sub_explicit(&node->refs, 1, RCUINFO__REFS_DROP);
    RCUINFO__CHECK(before);
    return before == 1;
}

/* The children of a node, each once; returns how many. */
static uint32_t children(struct rcuinfo__node *node, struct rcuinfo__node *list[RCUINFO__FANOUT + 1])
{
    uint32_t n = 0;
    if (node->kind == RCUINFO__NODE_BUCKET) {
        struct rcuinfo__bucket *bucket = rcuinfo__node_bucket(node);
        if (bucket->next)
            list[n++] = &bucket->next->node;
        for (uint32_t i = 0; i < node->n; i++)
            list[n++] = &bucket->item[i]->node;
    } else if (node->kind >= RCUINFO__NODE_LEAF) {
        struct rcuinfo__node *const *child = rcuinfo__node_inner(node)->child;
        for (uint32_t i = 0; i < node->n; i++) {
            /* The places of one bucket of a fork are neighbours. */
            if (child[i] && (i == 0 || child[i] != child[i - 1]))
                list[n++] = child[i];
        }
    }
    return n;
}

static void drop_children(struct rcuinfo__node *node, size_t *pooled)
{
    struct rcuinfo__node *list[RCUINFO__FANOUT + 1];
    uint32_t n = children(node, list);
    for (uint32_t i = 0; i < n; i++)
        rcuinfo__node_drop(list[i], pooled);
}

void rcuinfo__node_drop(struct rcuinfo__node *node, size_t *pooled)
{
    if (!dropped(node))
        return;
    drop_children(node, pooled);
    rcuinfo__node_free(node, pooled);
}

void rcuinfo__node_give_up(struct rcuinfo__node *node, size_t *pooled)
{
    if (!sole(node)) {
        struct rcuinfo__node *list[RCUINFO__FANOUT + 1];
        uint32_t n = children(node, list);
        for (uint32_t i = 0; i < n; i++)
            rcuinfo__node_share(list[i]); /* before the drop: whoever else owns the node may let go of it any time */
        if (!dropped(node))
            return;
        drop_children(node, pooled);
    }
    rcuinfo__node_free(node, pooled);
}
