/* SPDX-License-Identifier: BSD-3-Clause */
/* tree: see tree.h. */
#include "core/tree.h"

#include "core/text.h"

static uint32_t text_bytes(uint32_t key_length, uint32_t value_length)
{
    return key_length + 1 + value_length + 1;
}

void rcuinfo__tree_need_item(uint32_t key_length, uint32_t value_length, struct rcuinfo__need *need)
{
    rcuinfo__need_add(need, RCUINFO__ITEM_HEADER + text_bytes(key_length, value_length), 1);
}

void rcuinfo__tree_need_nodes(const struct rcuinfo__tree *tree, const struct rcuinfo__edit *edit,
                              const struct rcuinfo__item *old, struct rcuinfo__need *need)
{
    if (old) {
        if (edit->value)
            rcuinfo__sequence_need_replace(tree->sequence, need);
        else
            rcuinfo__sequence_need_remove(tree->sequence, old, need);
        rcuinfo__trie_need_change(tree->trie, old, need);
        need->replaced += 2;
    } else if (edit->value) {
        rcuinfo__sequence_need_append(tree->sequence, need);
        rcuinfo__trie_need_add(tree->trie, edit->hash, need);
    }
}

void rcuinfo__tree_begin(struct rcuinfo__build *build, struct rcuinfo__tree *to, const struct rcuinfo__tree *from,
                         uint64_t version, struct rcuinfo__stock *stock, bool several)
{
    *to = from ? *from : (struct rcuinfo__tree){0};
    *build = (struct rcuinfo__build){.stock = stock,
                                     .version = version,
                                     .replaced = to->replaced,
                                     .item_kind = several ? RCUINFO__NODE_DRAFT : RCUINFO__NODE_ITEM};
}

void rcuinfo__tree_edit(struct rcuinfo__build *build, struct rcuinfo__tree *to, const struct rcuinfo__edit *edit,
                        struct rcuinfo__item *old)
{
    struct rcuinfo__item *item = NULL;
    if (edit->value) {
        item = rcuinfo__build_item(build, edit, old ? old->node.stamp : to->next++);
        to->text += text_bytes(edit->key_length, edit->value_length);
    }
    if (!old) {
        rcuinfo__sequence_append(build, &to->sequence, item);
        rcuinfo__trie_add(build, &to->trie, item);
        to->count++;
        return;
    }
    if (item) {
        rcuinfo__sequence_replace(build, &to->sequence, old, item);
        rcuinfo__trie_replace(build, &to->trie, old, item);
    } else {
        rcuinfo__sequence_remove(build, &to->sequence, old);
        rcuinfo__trie_remove(build, &to->trie, old);
        to->count--;
    }
    to->text -= text_bytes(old->node.key_length, old->node.value_length);
    rcuinfo__build_retire_item(build, old);
}

/* What is this version's own below a node of the sequence is kept, its items being drafts no more, or put back. */
static void end_sequence(struct rcuinfo__build *build, struct rcuinfo__node *node, bool keep)
{
    if (node->kind == RCUINFO__NODE_ITEM)
        return;
    if (node->kind == RCUINFO__NODE_DRAFT && keep) {
        node->kind = RCUINFO__NODE_ITEM;
        return;
    }
    if (node->kind != RCUINFO__NODE_DRAFT) {
        if (!rcuinfo__build_owns(build, node))
            return;
        for (uint32_t i = 0; i < node->n; i++)
            end_sequence(build, rcuinfo__node_inner(node)->child[i], keep);
    }
    if (!keep)
        rcuinfo__stock_put(build->stock, node);
}

/* Puts back what is this version's own below a node of the trie, but items. */
static void end_trie(struct rcuinfo__build *build, struct rcuinfo__node *node)
{
    if (!rcuinfo__build_owns(build, node))
        return;
    if (node->kind == RCUINFO__NODE_BUCKET && rcuinfo__node_bucket(node)->next)
        end_trie(build, &rcuinfo__node_bucket(node)->next->node);
    for (uint32_t i = 0; node->kind == RCUINFO__NODE_FORK && i < RCUINFO__FANOUT; i++) {
        struct rcuinfo__node *const *child = rcuinfo__node_inner(node)->child;
        if (child[i] && (i == 0 || child[i] != child[i - 1]))
            end_trie(build, child[i]);
    }
    rcuinfo__stock_put(build->stock, node);
}

void rcuinfo__tree_finish(struct rcuinfo__build *build, struct rcuinfo__tree *to, bool shared)
{
    if (build->item_kind == RCUINFO__NODE_DRAFT && to->sequence)
        end_sequence(build, to->sequence, true);
    uint64_t own = (shared ? 0 : to->own) + build->made_bytes;
    to->bytes += build->made_bytes - build->replaced_bytes;
    to->own = own < to->bytes ? own : to->bytes;
    to->replaced_bytes = build->replaced_bytes;
    to->replaced_n = build->replaced_n;
}

void rcuinfo__tree_abort(struct rcuinfo__build *build, struct rcuinfo__tree *to)
{
    if (to->trie)
        end_trie(build, to->trie);
    if (to->sequence)
        end_sequence(build, to->sequence, false);
}

void rcuinfo__tree_share(const struct rcuinfo__tree *tree)
{
    rcuinfo__node_share(tree->sequence);
    rcuinfo__node_share(tree->trie);
}

void rcuinfo__tree_drop(const struct rcuinfo__tree *tree, size_t *pooled)
{
    rcuinfo__node_drop(tree->sequence, pooled);
    rcuinfo__node_drop(tree->trie, pooled);
}

void rcuinfo__tree_settle(const struct rcuinfo__tree *tree, size_t *pooled)
{
    for (uint64_t i = 0; i < tree->replaced_n; i++)
        rcuinfo__node_give_up(tree->replaced[i], pooled);
}

bool rcuinfo__tree_valid(const struct rcuinfo__tree *tree)
{
    uint64_t text = 0;
    if (!rcuinfo__sequence_valid(tree->sequence, tree->count, tree->next) ||
        !rcuinfo__trie_valid(tree->trie, tree->count))
        return false;
    for (uint32_t n = 0; n < tree->count; n++) {
        const struct rcuinfo__item *item = rcuinfo__sequence_nth(tree->sequence, n);
        uint32_t bytes = text_bytes(item->node.key_length, item->node.value_length);
        if (item->hash != rcuinfo__text_hash(item->text, item->node.key_length) ||
            rcuinfo__trie_find(tree->trie, item->text, item->node.key_length, item->hash) != item ||
            item->text[item->node.key_length] || item->text[bytes - 1])
            return false;
        text += bytes;
    }
    return text == tree->text;
}
