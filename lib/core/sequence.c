/* SPDX-License-Identifier: BSD-3-Clause */
/* sequence: see sequence.h. */
#include "core/sequence.h"

#include <string.h>

#include "core/check.h"

#define FEWEST    (RCUINFO__FANOUT / 2)
#define MOST_DEEP 16 /* branches above a leaf: 8^16 is more than there is memory */

static bool is_branch(const struct rcuinfo__node *node)
{
    return node->kind == RCUINFO__NODE_BRANCH;
}

/* The place of the child that has, or would have, this number. */
static uint32_t place_of(const struct rcuinfo__branch *branch, uint64_t number)
{
    uint32_t place = 0;
    for (uint32_t i = 1; i < branch->inner.node.n; i++)
        place += branch->first[i] <= number;
    return place;
}

static uint32_t place_in_leaf(struct rcuinfo__node *leaf, const struct rcuinfo__item *item)
{
    uint32_t place = 0;
    while (rcuinfo__node_inner(leaf)->child[place] != &item->node)
        place++;
    RCUINFO__CHECK(place < leaf->n);
    return place;
}

static uint32_t items_below(struct rcuinfo__node *node)
{
    uint32_t items = 0;
    if (!is_branch(node))
        return node->n;
    for (uint32_t i = 0; i < node->n; i++)
        items += rcuinfo__node_branch(node)->count[i];
    return items;
}

/* A lower bound of the numbers below a node, as high as is known. */
static uint64_t lowest_below(struct rcuinfo__node *node)
{
    return is_branch(node) ? rcuinfo__node_branch(node)->first[0] : rcuinfo__node_inner(node)->child[0]->stamp;
}

/* Copies n children, within a node too. The two are of one kind. */
static void move(struct rcuinfo__node *to, uint32_t to_place, struct rcuinfo__node *from, uint32_t place, uint32_t n)
{
    memmove(&rcuinfo__node_inner(to)->child[to_place], &rcuinfo__node_inner(from)->child[place],
            n * sizeof(struct rcuinfo__node *));
    if (!is_branch(to))
        return;
    struct rcuinfo__branch *into = rcuinfo__node_branch(to);
    const struct rcuinfo__branch *out = rcuinfo__node_branch(from);
    memmove(&into->first[to_place], &out->first[place], n * sizeof into->first[0]);
    memmove(&into->count[to_place], &out->count[place], n * sizeof into->count[0]);
}

static void cut(struct rcuinfo__node *node, uint32_t place)
{
    node->n--;
    move(node, place, node, place + 1, node->n - place);
}

static void add_last(struct rcuinfo__node *node, struct rcuinfo__node *child, uint64_t first, uint32_t count)
{
    uint32_t place = node->n++;
    rcuinfo__node_inner(node)->child[place] = child;
    if (is_branch(node)) {
        rcuinfo__node_branch(node)->first[place] = first;
        rcuinfo__node_branch(node)->count[place] = count;
    }
}

static struct rcuinfo__node *new_node(struct rcuinfo__build *build, uint32_t level)
{
    struct rcuinfo__node *node = rcuinfo__build_node(build, level ? RCUINFO__NODE_BRANCH : RCUINFO__NODE_LEAF);
    node->level = (uint8_t)level;
    return node;
}

static void need_level(struct rcuinfo__need *need, bool branch, uint32_t nodes)
{
    if (nodes)
        rcuinfo__need_add(need, branch ? sizeof(struct rcuinfo__branch) : sizeof(struct rcuinfo__inner), nodes);
}

static struct rcuinfo__node *last_child(struct rcuinfo__node *node)
{
    return rcuinfo__node_inner(node)->child[node->n - 1];
}

/* The lowest level on the right edge that has room, or the one above the root. */
static uint32_t level_with_room(struct rcuinfo__node *root)
{
    uint32_t level = root->level + 1U;
    for (struct rcuinfo__node *node = root;; node = last_child(node)) {
        if (node->n < RCUINFO__FANOUT)
            level = node->level;
        if (!is_branch(node))
            return level;
    }
}

void rcuinfo__sequence_need_append(struct rcuinfo__node *root, struct rcuinfo__need *need)
{
    uint32_t branches = root ? root->level + (level_with_room(root) > root->level ? 1U : 0U) : 0;
    need_level(need, false, 1);
    need_level(need, true, branches);
    need->replaced += branches + 1;
}

/* From the root down to the level with room the nodes are copied; below it each gets a new right neighbour. */
void rcuinfo__sequence_append(struct rcuinfo__build *build, struct rcuinfo__node **root, struct rcuinfo__item *item)
{
    if (!*root)
        *root = new_node(build, 0);
    uint32_t room = level_with_room(*root);
    if (room > (*root)->level) {
        struct rcuinfo__node *above = new_node(build, room);
        add_last(above, *root, lowest_below(*root), items_below(*root));
        *root = above;
    }
    struct rcuinfo__node *node = rcuinfo__build_own(build, root);
    while (node->level > room) {
        rcuinfo__node_branch(node)->count[node->n - 1]++;
        node = rcuinfo__build_own(build, &rcuinfo__node_inner(node)->child[node->n - 1]);
    }
    struct rcuinfo__node *child = &item->node;
    for (uint32_t level = 0; level < room; level++) {
        struct rcuinfo__node *neighbour = new_node(build, level);
        add_last(neighbour, child, item->node.stamp, 1);
        child = neighbour;
    }
    add_last(node, child, item->node.stamp, 1);
}

void rcuinfo__sequence_need_replace(struct rcuinfo__node *root, struct rcuinfo__need *need)
{
    need_level(need, false, 1);
    need_level(need, true, root->level);
    need->replaced += root->level + 1U;
}

void rcuinfo__sequence_replace(struct rcuinfo__build *build, struct rcuinfo__node **root,
                               const struct rcuinfo__item *old, struct rcuinfo__item *item)
{
    struct rcuinfo__node *node = rcuinfo__build_own(build, root);
    while (is_branch(node)) {
        uint32_t place = place_of(rcuinfo__node_branch(node), old->node.stamp);
        node = rcuinfo__build_own(build, &rcuinfo__node_inner(node)->child[place]);
    }
    rcuinfo__node_inner(node)->child[place_in_leaf(node, old)] = &item->node;
}

void rcuinfo__sequence_need_remove(struct rcuinfo__node *root, const struct rcuinfo__item *item,
                                   struct rcuinfo__need *need)
{
    for (struct rcuinfo__node *node = root;;) {
        /* With a neighbour, of which a copy may be needed. */
        uint32_t nodes = node->n <= FEWEST && node != root ? 2 : 1;
        need_level(need, is_branch(node), nodes);
        need->replaced += nodes;
        if (!is_branch(node))
            return;
        node = rcuinfo__node_inner(node)->child[place_of(rcuinfo__node_branch(node), item->node.stamp)];
    }
}

/* The children at `left` and beside it become one: `kept` of the two, which is this version's own. */
static void merge(struct rcuinfo__build *build, struct rcuinfo__branch *parent, uint32_t left, uint32_t kept)
{
    struct rcuinfo__node **child = parent->inner.child;
    struct rcuinfo__node *node = child[kept];
    struct rcuinfo__node *other = child[kept == left ? left + 1 : left];
    if (kept != left)
        move(node, other->n, node, 0, node->n);
    move(node, kept == left ? node->n : 0, other, 0, other->n);
    node->n = (uint16_t)(node->n + other->n);
    rcuinfo__build_retire(build, other);
    child[left] = node;
    parent->count[left] += parent->count[left + 1];
    cut(&parent->inner.node, left + 1);
}

/* The children at `left` and beside it share what they have. */
static void even_out(struct rcuinfo__build *build, struct rcuinfo__branch *parent, uint32_t left)
{
    struct rcuinfo__node *a = rcuinfo__build_own(build, &parent->inner.child[left]);
    struct rcuinfo__node *b = rcuinfo__build_own(build, &parent->inner.child[left + 1]);
    uint32_t wanted = (a->n + b->n) / 2U;
    if (a->n < wanted) {
        uint32_t moved = wanted - a->n;
        move(a, a->n, b, 0, moved);
        move(b, 0, b, moved, b->n - moved);
        b->n = (uint16_t)(b->n - moved);
    } else {
        uint32_t moved = a->n - wanted;
        move(b, moved, b, 0, b->n);
        move(b, 0, a, wanted, moved);
        b->n = (uint16_t)(b->n + moved);
    }
    a->n = (uint16_t)wanted;
    parent->count[left] = items_below(a);
    parent->count[left + 1] = items_below(b);
    parent->first[left + 1] = lowest_below(b);
}

/* The child at `place`, this version's own, has too few children. */
static void mend(struct rcuinfo__build *build, struct rcuinfo__branch *parent, uint32_t place)
{
    struct rcuinfo__node **child = parent->inner.child;
    if (!child[place]->n) {
        rcuinfo__build_retire(build, child[place]);
        cut(&parent->inner.node, place);
    } else if (parent->inner.node.n > 1) {
        uint32_t left = place ? place - 1 : 0;
        if (child[left]->n + child[left + 1]->n <= RCUINFO__FANOUT)
            merge(build, parent, left, place);
        else
            even_out(build, parent, left);
    }
}

void rcuinfo__sequence_remove(struct rcuinfo__build *build, struct rcuinfo__node **root,
                              const struct rcuinfo__item *item)
{
    struct rcuinfo__branch *above[MOST_DEEP];
    uint32_t places[MOST_DEEP];
    uint32_t depth = 0;
    struct rcuinfo__node *node = rcuinfo__build_own(build, root);
    for (; is_branch(node); depth++) {
        struct rcuinfo__branch *branch = rcuinfo__node_branch(node);
        above[depth] = branch;
        places[depth] = place_of(branch, item->node.stamp);
        branch->count[places[depth]]--;
        node = rcuinfo__build_own(build, &branch->inner.child[places[depth]]);
    }
    cut(node, place_in_leaf(node, item));
    while (depth-- && node->n < FEWEST) {
        mend(build, above[depth], places[depth]);
        node = &above[depth]->inner.node;
    }
    while (*root && (!(*root)->n || (is_branch(*root) && (*root)->n == 1))) {
        node = *root;
        *root = node->n ? rcuinfo__node_inner(node)->child[0] : NULL;
        rcuinfo__build_retire(build, node);
    }
}

struct rcuinfo__item *rcuinfo__sequence_nth(struct rcuinfo__node *root, uint32_t n)
{
    struct rcuinfo__node *node = root;
    while (is_branch(node)) {
        const struct rcuinfo__branch *branch = rcuinfo__node_branch(node);
        uint32_t place = 0;
        while (n >= branch->count[place])
            n -= branch->count[place++];
        node = branch->inner.child[place];
    }
    return rcuinfo__node_item(rcuinfo__node_inner(node)->child[n]);
}

/* One node and what is below it. `last`: it is at the right end. Numbers are from *number on, which is moved on. */
static bool node_valid(struct rcuinfo__node *node, uint32_t level, bool last, uint64_t *number, uint32_t *items)
{
    if (node->level != level || is_branch(node) != (level > 0) || !node->n || node->n > RCUINFO__FANOUT ||
        (!last && node->n < FEWEST))
        return false;
    for (uint32_t i = 0; i < node->n; i++) {
        struct rcuinfo__node *child = rcuinfo__node_inner(node)->child[i];
        uint32_t below = 0;
        if (!level) {
            if (child->stamp < *number || child->kind != RCUINFO__NODE_ITEM)
                return false;
            *number = child->stamp + 1;
            *items += 1;
            continue;
        }
        if (i && rcuinfo__node_branch(node)->first[i] < *number)
            return false;
        *number = i ? rcuinfo__node_branch(node)->first[i] : *number;
        if (!node_valid(child, level - 1, last && i + 1U == node->n, number, &below) ||
            below != rcuinfo__node_branch(node)->count[i])
            return false;
        *items += below;
    }
    return true;
}

bool rcuinfo__sequence_valid(struct rcuinfo__node *root, uint32_t count, uint64_t end)
{
    uint64_t number = 0;
    uint32_t items = 0;
    if (!root)
        return !count;
    return node_valid(root, root->level, true, &number, &items) && items == count && number <= end;
}
