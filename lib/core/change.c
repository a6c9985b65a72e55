/* SPDX-License-Identifier: BSD-3-Clause */
/* change: see change.h. */
#include "core/change.h"

#define MOST_PAIRS ((uint64_t)INT32_MAX) /* get_nkeys is to say how many there are */
#define ONE_WAY    48                    /* nodes that one edit replaces, and more: cells of one size serve most */

static void plan_flat(struct rcuinfo__plan *plan, const struct rcuinfo__snapshot *s,
                      const struct rcuinfo__change *change)
{
    plan->large = false;
    plan->bytes = rcuinfo__snapshot_plan_all(s, change->edits, change->n, &plan->scratch);
}

static uint64_t large_bytes(uint64_t replaced)
{
    uint64_t places = replaced < ONE_WAY ? ONE_WAY : replaced;
    return sizeof(struct rcuinfo__snapshot) + sizeof(struct rcuinfo__tree) + places * sizeof(struct rcuinfo__node *);
}

static struct rcuinfo__item *find(const struct rcuinfo__tree *tree, const struct rcuinfo__edit *edit)
{
    return rcuinfo__tree_find(tree, edit->key, edit->key_length, edit->hash);
}

/*
 * What many edits need is found out as they are made; this is where that begins. The nodes on their ways: edits have
 * some in common, and there are no more than pairs ask for. And those of the pairs that come in, which may be many more
 * than there are.
 */
static void guess_need(struct rcuinfo__plan *plan, const struct rcuinfo__snapshot *s,
                       const struct rcuinfo__change *change)
{
    bool large = rcuinfo__snapshot_large(s);
    uint64_t most = 16 + (s->count + (uint64_t)change->n) / 8;
    uint64_t fresh = large ? (uint64_t)change->n / 8 : most;
    for (size_t i = 0; large && i < change->n; i++) {
        const struct rcuinfo__tree *tree = rcuinfo__snapshot_tree(s);
        rcuinfo__tree_need_nodes(tree, &change->edits[i], find(tree, &change->edits[i]), &plan->need);
    }
    rcuinfo__need_limit(&plan->need, most, 3 * most + 2 * (uint64_t)change->n);
    rcuinfo__need_add(&plan->need, sizeof(struct rcuinfo__inner), fresh);
    rcuinfo__need_add(&plan->need, sizeof(struct rcuinfo__bucket), fresh);
    rcuinfo__need_add(&plan->need, sizeof(struct rcuinfo__branch), 1 + fresh / 8);
    for (uint32_t i = 0; !large && i < s->count; i++) {
        const struct rcuinfo__entry *entry = rcuinfo__snapshot_entry(s, i);
        rcuinfo__tree_need_item(entry->key_length, entry->value_length, &plan->need);
    }
    plan->need.replaced += ONE_WAY; /* the last edit asks for room whether it replaces anything or not */
    for (size_t i = 0; i < change->n; i++) {
        if (change->edits[i].value)
            rcuinfo__tree_need_item(change->edits[i].key_length, change->edits[i].value_length, &plan->need);
    }
}

static void plan_large(struct rcuinfo__plan *plan, const struct rcuinfo__snapshot *s,
                       const struct rcuinfo__change *change)
{
    const struct rcuinfo__edit *edit = change->edits;
    plan->large = true;
    plan->scratch = 0;
    rcuinfo__need_init(&plan->need);
    if (change->n == 1 && rcuinfo__snapshot_large(s)) {
        rcuinfo__tree_need_nodes(rcuinfo__snapshot_tree(s), edit, plan->item, &plan->need);
        if (edit->value)
            rcuinfo__tree_need_item(edit->key_length, edit->value_length, &plan->need);
    } else {
        guess_need(plan, s, change);
    }
    plan->bytes = s->count + (uint64_t)change->n > MOST_PAIRS ? UINT64_MAX : large_bytes(plan->need.replaced);
}

/* Bytes of the version if it were flat, once an edit has been made to what there is of its key. */
static uint64_t size_after(const struct rcuinfo__snapshot *s, const struct rcuinfo__edit *edit,
                           const struct rcuinfo__item *item)
{
    uint64_t text = rcuinfo__snapshot_text(s);
    uint64_t count = s->count;
    if (item) {
        text -= rcuinfo__snapshot_pair_bytes(item->node.key_length, item->node.value_length);
        count--;
    }
    if (edit->value) {
        text += rcuinfo__snapshot_pair_bytes(edit->key_length, edit->value_length);
        count++;
    }
    return rcuinfo__snapshot_size(count, text);
}

static void plan_one(struct rcuinfo__plan *plan, const struct rcuinfo__snapshot *s, struct rcuinfo__change *change)
{
    const struct rcuinfo__edit *edit = change->edits;
    const struct rcuinfo__item *item = plan->item = find(rcuinfo__snapshot_tree(s), edit);
    if (change->conditional)
        change->met = rcuinfo__change_expects(change, item ? rcuinfo__item_value(item) : NULL,
                                              item ? item->node.value_length : 0);
    else
        plan->missing = !item && !edit->value;
    if ((!item && !edit->value) || (change->conditional && !change->met))
        return;
    if (size_after(s, edit, item) < RCUINFO__FLAT_LEAST)
        plan_flat(plan, s, change);
    else
        plan_large(plan, s, change);
}

void rcuinfo__change_plan(struct rcuinfo__plan *plan, const struct rcuinfo__snapshot *s, struct rcuinfo__change *change)
{
    plan->version = s->version;
    plan->bytes = 0;
    plan->scratch = 0;
    plan->missing = false;
    plan->large = false;
    if (rcuinfo__snapshot_large(s) && change->n == 1) {
        plan_one(plan, s, change);
        return;
    }
    if (!rcuinfo__snapshot_large(s) && change->n > 1)
        plan_flat(plan, s, change);
    if (!plan->bytes || plan->bytes > RCUINFO__FLAT_MOST)
        plan_large(plan, s, change);
}

/* The plan for another attempt, in which there is twice as much of what ran short. */
static void plan_more(struct rcuinfo__plan *plan, const struct rcuinfo__stock *stock,
                      const struct rcuinfo__need *missing)
{
    rcuinfo__need_more(&plan->need, stock, missing);
    plan->bytes = large_bytes(plan->need.replaced);
}

enum edited { EDITED, NOT_THERE, SHORT };

/* Makes an edit of a version of several, if there is enough for it; else leaves in *need what ran short. */
static enum edited edit_checked(struct rcuinfo__build *build, struct rcuinfo__tree *to,
                                const struct rcuinfo__edit *edit, uint64_t places, struct rcuinfo__need *need)
{
    struct rcuinfo__item *old = find(to, edit);
    if (!old && !edit->value)
        return NOT_THERE;
    rcuinfo__need_init(need);
    rcuinfo__tree_need_nodes(to, edit, old, need);
    if (edit->value)
        rcuinfo__tree_need_item(edit->key_length, edit->value_length, need);
    if (!rcuinfo__stock_holds(build->stock, need, places - build->replaced_n))
        return SHORT;
    rcuinfo__tree_edit(build, to, edit, old);
    return EDITED;
}

/* Adds the pairs of a flat version. */
static enum edited adopt(struct rcuinfo__build *build, struct rcuinfo__tree *to, const struct rcuinfo__snapshot *flat,
                         uint64_t places, struct rcuinfo__need *need)
{
    enum edited edited = EDITED;
    for (uint32_t i = 0; edited == EDITED && i < flat->count; i++) {
        struct rcuinfo__pair pair;
        rcuinfo__snapshot_pair(flat, i, &pair);
        edited = edit_checked(build, to,
                              &(struct rcuinfo__edit){.key = pair.key,
                                                      .value = pair.value,
                                                      .key_length = pair.key_length,
                                                      .value_length = pair.value_length,
                                                      .hash = pair.hash},
                              places, need);
    }
    return edited;
}

static bool make_large(struct rcuinfo__plan *plan, const struct rcuinfo__snapshot *old, struct rcuinfo__change *change,
                       bool shared, struct rcuinfo__stock *stock, struct rcuinfo__snapshot *block)
{
    bool large = rcuinfo__snapshot_large(old);
    bool several = change->n > 1 || !large;
    uint64_t places = plan->need.replaced; /* in the list */
    struct rcuinfo__tree *to = (struct rcuinfo__tree *)(void *)(block + 1);
    struct rcuinfo__need need;
    struct rcuinfo__build build;
    enum edited edited = EDITED;
    rcuinfo__tree_begin(&build, to, large ? rcuinfo__snapshot_tree(old) : NULL, old->version + 1, stock, several);
    if (!several)
        rcuinfo__tree_edit(&build, to, change->edits, plan->item);
    if (!large)
        edited = adopt(&build, to, old, places, &need);
    for (change->failed = 0; several && edited == EDITED && change->failed < change->n; change->failed++)
        edited = edit_checked(&build, to, &change->edits[change->failed], places, &need);
    if (edited == EDITED && rcuinfo__snapshot_size(to->count, to->text) >= RCUINFO__FLAT_LEAST) {
        rcuinfo__tree_finish(&build, to, shared);
        rcuinfo__snapshot_head(block, old->version + 1);
        return true;
    }
    rcuinfo__tree_abort(&build, to);
    if (edited == SHORT)
        plan_more(plan, stock, &need);
    else if (edited == EDITED)
        plan_flat(plan, old, change);
    else {
        change->failed--;
        plan->missing = true;
    }
    return edited == NOT_THERE;
}

bool rcuinfo__change_make(struct rcuinfo__plan *plan, const struct rcuinfo__snapshot *old,
                          struct rcuinfo__change *change, bool shared, void *scratch, struct rcuinfo__stock *stock,
                          struct rcuinfo__snapshot *block)
{
    if (plan->large)
        return make_large(plan, old, change, shared, stock, block);
    change->failed = rcuinfo__snapshot_apply_all(old, change->edits, change->n, scratch, block);
    plan->missing = change->failed < change->n;
    return true;
}
