/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * write: every call that makes, changes or ends an object.
 *
 * A change is planned in a read section, gets its memory while no lock is held, and is built and published under the
 * object's lock, planned anew if the version has moved on meanwhile. The publication is one exchange of the root.
 */
#include <rcuinfo/info.h>
#include <rcuinfo/update.h>

#include "core/alloc.h"
#include "core/check.h"
#include "core/handle.h"
#include "core/layer.h"
#include "core/rcu.h"
#include "core/read.h"
#include "core/reclaim.h"
#include "core/seam.h"
#include "core/stats.h"

/* What one call wants. */
struct change {
    const struct rcuinfo__edit *edits;
    size_t n;
    const char *expected; /* of compare-and-set, with conditional set; NULL: absent */
    uint32_t expected_length;
    bool conditional;
    bool met;      /* out: the condition held */
    size_t failed; /* out: the edit that deletes what is not there */
};

/* How it applies to one version. */
struct plan {
    uint64_t version;
    uint64_t bytes;    /* of the new snapshot; 0: nothing to publish */
    uint64_t scratch;  /* bytes */
    uint32_t position; /* of the key, for a single edit */
    rcuinfo_status_t status;
};

/* Whether compare-and-set finds what it expects at `position`. */
static bool as_expected(const struct rcuinfo__snapshot *s, const struct change *change, uint32_t position)
{
    if (!change->expected || position == RCUINFO__NOT_FOUND)
        return !change->expected && position == RCUINFO__NOT_FOUND;
    const struct rcuinfo__entry *entry = rcuinfo__snapshot_entry(s, position);
    return entry->value_length == change->expected_length &&
           rcuinfo__text_equal(rcuinfo__snapshot_value(s, entry), change->expected, change->expected_length);
}

static void plan_change(struct plan *plan, const struct rcuinfo__snapshot *s, struct change *change)
{
    const struct rcuinfo__edit *edit = change->edits;
    plan->status = RCUINFO_SUCCESS;
    plan->version = s->version;
    plan->bytes = 0;
    plan->scratch = 0;
    if (change->n != 1) {
        plan->bytes = rcuinfo__snapshot_plan_all(s, edit, change->n, &plan->scratch);
        return;
    }
    plan->position = rcuinfo__snapshot_find_hashed(s, edit->key, edit->key_length, edit->hash);
    bool nothing_to_delete = plan->position == RCUINFO__NOT_FOUND && !edit->value;
    if (change->conditional)
        change->met = as_expected(s, change, plan->position);
    else if (nothing_to_delete)
        plan->status = RCUINFO_ERR_NOKEY;
    if (!nothing_to_delete && (!change->conditional || change->met))
        plan->bytes = rcuinfo__snapshot_plan(s, edit, plan->position);
}

/* Plans on the version of now. Linearizes a call that turns out to change nothing. */
static void plan_now(struct plan *plan, rcuinfo_t info, struct change *change)
{
    rcuinfo__rcu_read_lock();
    struct rcuinfo__slot *slot = rcuinfo__handle_slot(info);
    const struct rcuinfo__cell *cell = rcuinfo__handle_root(info);
    if (cell && !slot->read_only)
        plan_change(plan, &cell->snapshot, change);
    else
        plan->status = RCUINFO_ERR_INFO;
    rcuinfo__rcu_read_unlock();
}

/* Memory for one attempt. */
struct room {
    struct rcuinfo__cell *cell;
    void *scratch;
    uint64_t scratch_bytes;
};

static bool room_fits(const struct room *room, const struct plan *plan)
{
    return room->cell && room->cell->capacity >= plan->bytes && room->scratch_bytes >= plan->scratch;
}

static void room_release(struct room *room)
{
    if (room->cell)
        rcuinfo__cell_free(room->cell);
    rcuinfo__alloc_free(room->scratch);
    *room = (struct room){0};
}

/* In place of one that was too small, if any. */
static rcuinfo_status_t room_make(struct room *room, const struct plan *plan)
{
    room_release(room);
    if (plan->bytes > UINT32_MAX || plan->scratch > UINT32_MAX * UINT64_C(8))
        return RCUINFO_ERR_NO_MEM;
    room->cell = rcuinfo__cell_alloc(plan->bytes);
    if (room->cell && plan->scratch) {
        room->scratch = rcuinfo__alloc(plan->scratch);
        room->scratch_bytes = plan->scratch;
    }
    return room->cell && (!plan->scratch || room->scratch) ? RCUINFO_SUCCESS : RCUINFO_ERR_NO_MEM;
}

/* Under the lock. The new version goes out, the old one goes to reclaim; returns whether to balance. */
static bool publish(struct rcuinfo__slot *slot, struct rcuinfo__cell *new)
{
    RCUINFO__CHECK(rcuinfo__snapshot_valid(&new->snapshot));
    RCUINFO__SEAM(LOCKED);
    /* [P1] publish */
    struct rcuinfo__cell *old = atomic_exchange_explicit(&slot->root, new, RCUINFO__ROOT_PUBLISH);
    RCUINFO__SEAM(PUBLISHED);
    RCUINFO__CHECK(new->snapshot.version == old->snapshot.version + 1);
    if (old == &rcuinfo__cell_empty)
        return false;
    new->record.drop = old;
    size_t bytes = rcuinfo__cell_retire(old, &new->record);
    return rcuinfo__reclaim_retire(slot->index, &new->record, bytes);
}

/* Under the lock, on a slot that matches. Returns false when the room is too small for what is there now. */
static bool attempt(struct rcuinfo__slot *slot, struct change *change, struct plan *plan, struct room *room,
                    bool *balance)
{
    const struct rcuinfo__snapshot *old =
        &atomic_load_explicit(&slot->root, RCUINFO__ROOT_CONSUME)->snapshot; /* [P1] consume */
    if (old->version != plan->version)
        plan_change(plan, old, change);
    if (plan->status != RCUINFO_SUCCESS || !plan->bytes)
        return true;
    if (!room_fits(room, plan))
        return false;
    if (change->n == 1) {
        rcuinfo__snapshot_apply(old, change->edits, plan->position, &room->cell->snapshot);
    } else {
        change->failed =
            rcuinfo__snapshot_apply_all(old, change->edits, change->n, room->scratch, &room->cell->snapshot);
        if (change->failed < change->n) {
            plan->status = RCUINFO_ERR_NOKEY;
            return true;
        }
    }
    *balance = publish(slot, room->cell);
    room->cell = NULL;
    return true;
}

static rcuinfo_status_t commit(rcuinfo_t info, struct change *change)
{
    struct room room = {0};
    struct plan plan;
    plan_now(&plan, info, change);
    struct rcuinfo__slot *slot = rcuinfo__handle_slot(info);
    bool balance = false;
    bool done = false;
    while (!done && plan.status == RCUINFO_SUCCESS && plan.bytes) {
        plan.status = room_make(&room, &plan);
        if (plan.status != RCUINFO_SUCCESS)
            break;
        RCUINFO__SEAM(PLANNED);
        rcuinfo__handle_lock(slot);
        if (rcuinfo__handle_matches(slot, info))
            done = attempt(slot, change, &plan, &room, &balance);
        else
            plan.status = RCUINFO_ERR_INFO;
        rcuinfo__handle_unlock(slot);
    }
    if (done && plan.status == RCUINFO_SUCCESS && plan.bytes)
        rcuinfo__stats_count(RCUINFO__COUNT_SETS);
    if (room.cell || room.scratch)
        room_release(&room);
    if (balance)
        rcuinfo__reclaim_balance();
    return plan.status;
}

static rcuinfo_status_t edit_make(struct rcuinfo__edit *edit, const char *key, const char *value, bool delete,
                                  struct rcuinfo__limits limits)
{
    edit->key = key;
    edit->value = delete ? NULL : value;
    edit->key_length = rcuinfo__text_key(key, limits.key);
    if (!edit->key_length)
        return RCUINFO_ERR_KEY;
    edit->value_length = delete ? 0 : rcuinfo__text_value(value, limits.value);
    if (edit->value_length == RCUINFO__TEXT_BAD)
        return RCUINFO_ERR_VALUE;
    edit->hash = rcuinfo__text_hash(key, edit->key_length);
    return RCUINFO_SUCCESS;
}

rcuinfo_status_t rcuinfo__set(rcuinfo_t info, const char *key, const char *value, struct rcuinfo__limits limits)
{
    struct rcuinfo__edit edit;
    rcuinfo_status_t status = edit_make(&edit, key, value, false, limits);
    return status == RCUINFO_SUCCESS ? commit(info, &(struct change){.edits = &edit, .n = 1}) : status;
}

rcuinfo_status_t rcuinfo__delete(rcuinfo_t info, const char *key, struct rcuinfo__limits limits)
{
    struct rcuinfo__edit edit;
    rcuinfo_status_t status = edit_make(&edit, key, NULL, true, limits);
    return status == RCUINFO_SUCCESS ? commit(info, &(struct change){.edits = &edit, .n = 1}) : status;
}

rcuinfo_status_t rcuinfo_set(rcuinfo_t info, const char *key, const char *value)
{
    return rcuinfo__set(info, key, value, RCUINFO__NATIVE_LIMITS);
}

rcuinfo_status_t rcuinfo_delete(rcuinfo_t info, const char *key)
{
    return rcuinfo__delete(info, key, RCUINFO__NATIVE_LIMITS);
}

rcuinfo_status_t rcuinfo_compare_and_set(rcuinfo_t info, const char *key, const char *expected, const char *desired,
                                         int *swapped)
{
    struct rcuinfo__edit edit;
    rcuinfo_status_t status = edit_make(&edit, key, desired, !desired, RCUINFO__NATIVE_LIMITS);
    struct change change = {.edits = &edit, .n = 1, .conditional = true, .expected = expected};
    if (status != RCUINFO_SUCCESS)
        return status;
    if (expected && (change.expected_length = rcuinfo__text_value(expected, RCUINFO_MAX_VALUE)) == RCUINFO__TEXT_BAD)
        return RCUINFO_ERR_VALUE;
    if (!swapped)
        return RCUINFO_ERR_ARG;
    status = commit(info, &change);
    if (status == RCUINFO_SUCCESS)
        *swapped = change.met;
    return status;
}

/* Whether the handle names an object that may be changed: what an update of nothing has to say. */
static rcuinfo_status_t may_change(rcuinfo_t info)
{
    rcuinfo__rcu_read_lock();
    bool may = rcuinfo__handle_root(info) && !rcuinfo__handle_slot(info)->read_only;
    rcuinfo__rcu_read_unlock();
    return may ? RCUINFO_SUCCESS : RCUINFO_ERR_INFO;
}

rcuinfo_status_t rcuinfo_update(rcuinfo_t info, const rcuinfo_change_t *changes, size_t n, size_t *failed)
{
    rcuinfo_status_t status = RCUINFO_SUCCESS;
    struct change change = {.n = n};
    if (!n)
        return may_change(info);
    if (!changes)
        return RCUINFO_ERR_ARG;
    if (n > UINT32_MAX / sizeof(struct rcuinfo__edit))
        return RCUINFO_ERR_NO_MEM;
    struct rcuinfo__edit *edits = rcuinfo__alloc(n * sizeof *edits);
    if (!edits)
        return RCUINFO_ERR_NO_MEM;
    for (change.failed = 0; change.failed < n; change.failed++) {
        const rcuinfo_change_t *one = &changes[change.failed];
        status = edit_make(&edits[change.failed], one->key, one->value, !one->value, RCUINFO__NATIVE_LIMITS);
        if (status != RCUINFO_SUCCESS)
            break;
    }
    if (status == RCUINFO_SUCCESS) {
        change.edits = edits;
        change.failed = 0; /* where a single delete fails */
        status = commit(info, &change);
    }
    rcuinfo__alloc_free(edits);
    if (failed && (status == RCUINFO_ERR_KEY || status == RCUINFO_ERR_VALUE || status == RCUINFO_ERR_NOKEY))
        *failed = change.failed;
    return status;
}

/*
 * A slot for a new object. When the table can grow no more, those that were freed and await a grace period are had by
 * waiting for it, where they are enough to leave the queue as long as it must be.
 */
static struct rcuinfo__slot *take_slot(void)
{
    struct rcuinfo__slot *slot = rcuinfo__handle_take();
    if (slot || rcuinfo__reclaim_waiting() < RCUINFO__HANDLE_KEEP * sizeof *slot || !rcuinfo__reclaim_flush())
        return slot;
    return rcuinfo__handle_take();
}

rcuinfo_status_t rcuinfo_create(rcuinfo_t *info)
{
    if (!info)
        return RCUINFO_ERR_ARG;
    struct rcuinfo__slot *slot = take_slot();
    *info = slot ? rcuinfo__handle_open(slot, &rcuinfo__cell_empty, false) : RCUINFO_NULL;
    return slot ? RCUINFO_SUCCESS : RCUINFO_ERR_NO_MEM;
}

/* Makes an object of the version that `info` has now. */
static rcuinfo_status_t make_dup(rcuinfo_t info, bool read_only, rcuinfo_t *newinfo)
{
    struct rcuinfo__cell *cell;
    *newinfo = RCUINFO_NULL;
    rcuinfo_status_t status = rcuinfo__read_hold(info, &cell);
    if (status != RCUINFO_SUCCESS)
        return status;
    struct rcuinfo__slot *slot = take_slot();
    if (!slot) {
        rcuinfo__read_release(cell);
        return RCUINFO_ERR_NO_MEM;
    }
    *newinfo = rcuinfo__handle_open(slot, cell, read_only);
    return RCUINFO_SUCCESS;
}

rcuinfo_status_t rcuinfo_dup(rcuinfo_t info, rcuinfo_t *newinfo)
{
    if (!newinfo)
        return RCUINFO_ERR_ARG;
    rcuinfo_status_t status = make_dup(info, false, newinfo);
    if (status == RCUINFO_SUCCESS)
        rcuinfo__stats_count(RCUINFO__COUNT_DUPS);
    return status;
}

/* Ends an object, also a read-only one when `forced`. */
static rcuinfo_status_t end_object(rcuinfo_t info, bool forced)
{
    struct rcuinfo__slot *slot = rcuinfo__handle_slot(info);
    bool balance = false;
    if (!slot || !rcuinfo__handle_matches(slot, info))
        return RCUINFO_ERR_INFO;
    rcuinfo__handle_lock(slot);
    bool may = rcuinfo__handle_matches(slot, info) && (forced || !slot->read_only);
    if (may) {
        rcuinfo__handle_close(slot);
        RCUINFO__SEAM(CLOSED);
        struct rcuinfo__cell *cell = atomic_load_explicit(&slot->root, RCUINFO__ROOT_CONSUME);
        slot->record.drop = NULL;
        size_t bytes = cell == &rcuinfo__cell_empty ? 0 : rcuinfo__cell_retire(cell, &slot->record);
        balance = rcuinfo__reclaim_retire(slot->index, &slot->record, bytes + sizeof *slot);
    }
    rcuinfo__handle_unlock(slot);
    if (balance)
        rcuinfo__reclaim_balance();
    return may ? RCUINFO_SUCCESS : RCUINFO_ERR_INFO;
}

rcuinfo_status_t rcuinfo_free(rcuinfo_t *info)
{
    if (!info)
        return RCUINFO_ERR_ARG;
    rcuinfo_status_t status = end_object(*info, false);
    if (status == RCUINFO_SUCCESS)
        *info = RCUINFO_NULL;
    return status;
}

rcuinfo_status_t rcuinfo__freeze(rcuinfo_t *info)
{
    rcuinfo_t frozen;
    rcuinfo_status_t status = make_dup(*info, true, &frozen);
    (void)end_object(*info, false);
    *info = frozen;
    return status;
}

void rcuinfo__discard(rcuinfo_t info)
{
    (void)end_object(info, true);
}
