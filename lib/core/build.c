/* SPDX-License-Identifier: BSD-3-Clause */
/* build: see build.h. */
#include "core/build.h"

#include <string.h>

#include "core/order.h"

static size_t bytes_of(enum rcuinfo__kind kind)
{
    return rcuinfo__node_bytes(&(struct rcuinfo__node){.kind = (uint8_t)kind});
}

static struct rcuinfo__node *take(struct rcuinfo__build *build, size_t bytes)
{
    build->made_bytes += bytes;
    return rcuinfo__stock_take(build->stock, bytes);
}

struct rcuinfo__node *rcuinfo__build_node(struct rcuinfo__build *build, enum rcuinfo__kind kind)
{
    struct rcuinfo__node *node = take(build, bytes_of(kind));
    atomic_init(&node->refs, 1);
    node->kind = (uint8_t)kind;
    node->level = 0;
    node->n = 0;
    node->stamp = build->version;
    return node;
}

struct rcuinfo__item *rcuinfo__build_item(struct rcuinfo__build *build, const struct rcuinfo__edit *edit,
                                          uint64_t number)
{
    size_t text = edit->key_length + 1 + edit->value_length + 1;
    struct rcuinfo__item *item = rcuinfo__node_item(take(build, RCUINFO__ITEM_HEADER + text));
    atomic_init(&item->node.refs, 2);
    item->node.kind = build->item_kind;
    item->node.key_length = (uint8_t)edit->key_length;
    item->node.value_length = (uint16_t)edit->value_length;
    item->node.stamp = number;
    item->hash = edit->hash;
    memcpy(item->text, edit->key, edit->key_length);
    item->text[edit->key_length] = '\0';
    memcpy(item->text + edit->key_length + 1, edit->value, edit->value_length);
    item->text[text - 1] = '\0';
    return item;
}

static void replace(struct rcuinfo__build *build, struct rcuinfo__node *node)
{
    build->replaced[build->replaced_n++] = node;
}

struct rcuinfo__node *rcuinfo__build_own(struct rcuinfo__build *build, struct rcuinfo__node **at)
{
    struct rcuinfo__node *old = *at;
    if (rcuinfo__build_owns(build, old))
        return old;
    size_t bytes = rcuinfo__node_bytes(old);
    struct rcuinfo__node *copy = take(build, bytes);
    /* Without the count, which others may be changing. */
    size_t counted = offsetof(struct rcuinfo__node, kind);
    memcpy((char *)copy + counted, (const char *)old + counted, bytes - counted);
    atomic_init(&copy->refs, 1);
    copy->stamp = build->version;
    build->replaced_bytes += bytes;
    replace(build, old);
    *at = copy;
    return copy;
}

void rcuinfo__build_retire(struct rcuinfo__build *build, struct rcuinfo__node *node)
{
    size_t bytes = rcuinfo__node_bytes(node);
    if (rcuinfo__build_owns(build, node)) {
        build->made_bytes -= bytes;
        rcuinfo__stock_put(build->stock, node);
    } else {
        build->replaced_bytes += bytes;
        replace(build, node);
    }
}

void rcuinfo__build_retire_item(struct rcuinfo__build *build, struct rcuinfo__item *item)
{
    size_t bytes = rcuinfo__node_bytes(&item->node);
    if (item->node.kind == RCUINFO__NODE_DRAFT) {
        build->made_bytes -= bytes;
        rcuinfo__stock_put(build->stock, &item->node);
    } else {
        build->replaced_bytes += bytes;
        replace(build, &item->node);
        replace(build, &item->node);
    }
}
