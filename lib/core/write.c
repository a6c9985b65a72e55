/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * write: every call that changes an object.
 *
 * A change is planned, built and published under the object's lock, in memory of the object's stash or of a pool. Where
 * they have none, or too little, the lock is given back, memory is made, and all begins anew: nothing comes from malloc
 * under the lock. The publication is one exchange of the root.
 */
#include <rcuinfo/info.h>
#include <rcuinfo/update.h>

#include "core/alloc.h"
#include "core/change.h"
#include "core/check.h"
#include "core/handle.h"
#include "core/layer.h"
#include "core/rcu.h"
#include "core/reclaim.h"
#include "core/seam.h"
#include "core/stats.h"

/* What 32-bit counts and this machine's sizes allow. */
#define MOST_SCRATCH (UINT32_MAX * UINT64_C(8) < SIZE_MAX ? UINT32_MAX * UINT64_C(8) : SIZE_MAX)

/* Memory for one attempt. Where there is too little, `bytes` and `scratch_bytes` say how much it takes. */
struct room {
    struct rcuinfo__cell *cell;
    uint64_t bytes;
    void *scratch;
    uint64_t scratch_bytes;
    bool balance;                /* out: the limits of reclaim want looking at */
    bool planned;                /* `plan` and `stock` are set */
    struct rcuinfo__plan plan;   /* of what is more than one edit of a flat version; stays until the version moves on */
    struct rcuinfo__stock stock; /* for the nodes of a large version */
};

/* Whether compare-and-set finds what it expects at `position`. */
static bool as_expected(const struct rcuinfo__snapshot *s, const struct rcuinfo__change *change, uint32_t position)
{
    if (position == RCUINFO__NOT_FOUND)
        return rcuinfo__change_expects(change, NULL, 0);
    const struct rcuinfo__entry *entry = rcuinfo__snapshot_entry(s, position);
    return rcuinfo__change_expects(change, rcuinfo__snapshot_value(s, entry), entry->value_length);
}

static void room_release(struct room *room)
{
    if (room->cell)
        rcuinfo__cell_free(room->cell);
    rcuinfo__alloc_free(room->scratch);
    room->cell = NULL;
    room->scratch = NULL;
}

/* In place of one that was too small, if any; the stock is added to. */
static rcuinfo_status_t room_make(struct room *room)
{
    room_release(room);
    if (room->bytes > UINT32_MAX || room->scratch_bytes > MOST_SCRATCH)
        return RCUINFO_ERR_NO_MEM;
    room->cell = rcuinfo__cell_alloc(room->bytes);
    if (room->cell && room->scratch_bytes)
        room->scratch = rcuinfo__alloc((size_t)room->scratch_bytes);
    bool stocked = !room->planned || !room->plan.large || rcuinfo__stock_fill(&room->stock, &room->plan.need);
    return room->cell && (!room->scratch_bytes || room->scratch) && stocked ? RCUINFO_SUCCESS : RCUINFO_ERR_NO_MEM;
}

/* Invariants are looked at when it costs no more than the rest of a call: of large versions now and then. */
static inline bool looked_at(const struct rcuinfo__snapshot *s)
{
    return s->count <= 256 || s->version % 256 == 0;
}

/* Under the lock. The new version goes out, the old one goes to reclaim. */
static void publish(struct rcuinfo__slot *slot, struct room *room)
{
    struct rcuinfo__cell *new = room->cell;
    room->cell = NULL;
    RCUINFO__CHECK(!looked_at(&new->snapshot) || rcuinfo__snapshot_valid(&new->snapshot));
    new->large = rcuinfo__snapshot_large(&new->snapshot);
    new->settled = !new->large || !atomic_load_explicit(&slot->root, RCUINFO__COUNT)->large;
    RCUINFO__SEAM(LOCKED);
    /* [P1] publish */
    struct rcuinfo__cell *old = atomic_exchange_explicit(&slot->root, new, RCUINFO__ROOT_PUBLISH);
    RCUINFO__SEAM(PUBLISHED);
    RCUINFO__CHECK(new->snapshot.version == old->snapshot.version + 1);
    if (old == &rcuinfo__cell_empty)
        return;
    new->record.drop = old;
    room->balance = rcuinfo__reclaim_retire(slot, &new->record, rcuinfo__cell_retire(old, &new->record, new));
}

/* What an attempt comes to. */
enum outcome {
    DONE,
    NO_ROOM,     /* the room says how much it takes */
    NO_OBJECT,   /* the handle is stale, or the object read-only */
    NO_SUCH_KEY, /* to delete */
};

/* Several edits, or a version that is large or becomes it. Nodes come out of the pools here, else out of the room. */
static __attribute__((noinline)) enum outcome attempt_planned(struct rcuinfo__slot *slot,
                                                              const struct rcuinfo__cell *cell,
                                                              struct rcuinfo__change *change, struct room *room)
{
    const struct rcuinfo__snapshot *old = &cell->snapshot;
    struct rcuinfo__plan *plan = &room->plan;
    if (!room->planned)
        rcuinfo__stock_init(&room->stock);
    if (!room->planned || plan->version != old->version)
        rcuinfo__change_plan(plan, old, change);
    room->planned = true;
    if (!plan->bytes)
        return plan->missing ? NO_SUCH_KEY : DONE;
    bool fits = room->scratch_bytes >= plan->scratch;
    if (fits && !room->cell)
        room->cell = slot->stash ? rcuinfo__cell_unstash(&slot->stash) : rcuinfo__cell_reuse(plan->bytes);
    fits = fits && room->cell && room->cell->capacity >= plan->bytes &&
           (!plan->large || rcuinfo__stock_pools(&room->stock, &plan->need));
    if (!fits || !rcuinfo__change_make(plan, old, change, rcuinfo__cell_shared(cell), room->scratch, &room->stock,
                                       &room->cell->snapshot)) {
        room->bytes = plan->bytes;
        room->scratch_bytes = plan->scratch;
        return NO_ROOM;
    }
    if (plan->missing)
        return NO_SUCH_KEY;
    publish(slot, room);
    change->changed = true;
    return DONE;
}

/* One edit of a flat version. Its room comes out of the stash, where the object is written to often, else out of a
 * pool. */
static enum outcome attempt_one(struct rcuinfo__slot *slot, const struct rcuinfo__cell *cell,
                                struct rcuinfo__change *change, struct room *room)
{
    const struct rcuinfo__snapshot *old = &cell->snapshot;
    const struct rcuinfo__edit *edit = change->edits;
    uint32_t position = rcuinfo__snapshot_find_hashed(old, edit->key, edit->key_length, edit->hash);
    bool nothing_to_delete = position == RCUINFO__NOT_FOUND && !edit->value;
    if (change->conditional) {
        change->met = as_expected(old, change, position);
        if (!change->met || nothing_to_delete)
            return DONE;
    } else if (nothing_to_delete) {
        return NO_SUCH_KEY;
    }
    room->bytes = rcuinfo__snapshot_plan(old, edit, position);
    if (__builtin_expect(room->bytes > RCUINFO__FLAT_MOST, 0))
        return attempt_planned(slot, cell, change, room);
    if (!room->cell)
        room->cell = slot->stash ? rcuinfo__cell_unstash(&slot->stash) : rcuinfo__cell_reuse(room->bytes);
    if (!room->cell || room->cell->capacity < room->bytes)
        return NO_ROOM;
    rcuinfo__snapshot_apply(old, edit, position, &room->cell->snapshot);
    publish(slot, room);
    change->changed = true;
    return DONE;
}

/* Under the lock. The version of now is the one that the change is planned and built on. */
static enum outcome attempt(struct rcuinfo__slot *slot, rcuinfo_t info, unsigned bits, struct rcuinfo__change *change,
                            struct room *room)
{
    if (!rcuinfo__handle_matches(slot, info, bits) || slot->read_only)
        return NO_OBJECT;
    const struct rcuinfo__cell *cell = atomic_load_explicit(&slot->root, RCUINFO__ROOT_CONSUME); /* [P1] consume */
    if (change->n == 1 && !rcuinfo__snapshot_large(&cell->snapshot))
        return attempt_one(slot, cell, change, room);
    return attempt_planned(slot, cell, change, room);
}

static rcuinfo_status_t commit(rcuinfo_t info, unsigned bits, struct rcuinfo__change *change)
{
    struct rcuinfo__slot *slot = rcuinfo__handle_slot(info);
    struct room room;
    room.cell = NULL;
    room.bytes = 0;
    room.scratch = NULL;
    room.scratch_bytes = 0;
    room.balance = false;
    room.planned = false;
    rcuinfo_status_t status = RCUINFO_SUCCESS;
    enum outcome outcome;
    if (!slot)
        return RCUINFO_ERR_INFO;
    do {
        RCUINFO__SEAM(TO_LOCK);
        rcuinfo__lock_take(&slot->lock);
        outcome = attempt(slot, info, bits, change, &room);
        rcuinfo__lock_give(&slot->lock);
        if (outcome == NO_ROOM)
            status = room_make(&room);
    } while (outcome == NO_ROOM && status == RCUINFO_SUCCESS);
    if (room.cell || room.scratch)
        room_release(&room);
    if (room.planned)
        rcuinfo__stock_release(&room.stock);
    if (room.balance)
        rcuinfo__reclaim_balance();
    if (outcome == NO_OBJECT)
        return RCUINFO_ERR_INFO;
    if (outcome == NO_SUCH_KEY)
        return RCUINFO_ERR_NOKEY;
    if (change->changed && !change->quiet)
        rcuinfo__stats_count(RCUINFO__COUNT_SETS);
    return status;
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
    return status == RCUINFO_SUCCESS
               ? commit(info, limits.generation_bits, &(struct rcuinfo__change){.edits = &edit, .n = 1})
               : status;
}

rcuinfo_status_t rcuinfo__delete(rcuinfo_t info, const char *key, struct rcuinfo__limits limits)
{
    struct rcuinfo__edit edit;
    rcuinfo_status_t status = edit_make(&edit, key, NULL, true, limits);
    return status == RCUINFO_SUCCESS
               ? commit(info, limits.generation_bits, &(struct rcuinfo__change){.edits = &edit, .n = 1})
               : status;
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
    struct rcuinfo__change change = {.edits = &edit, .n = 1, .conditional = true, .expected = expected};
    if (status != RCUINFO_SUCCESS)
        return status;
    if (expected && (change.expected_length = rcuinfo__text_value(expected, RCUINFO_MAX_VALUE)) == RCUINFO__TEXT_BAD)
        return RCUINFO_ERR_VALUE;
    if (!swapped)
        return RCUINFO_ERR_ARG;
    status = commit(info, RCUINFO__NATIVE_BITS, &change);
    if (status == RCUINFO_SUCCESS)
        *swapped = change.met;
    return status;
}

/* Whether the handle names an object that may be changed: what an update of nothing has to say. */
static rcuinfo_status_t may_change(rcuinfo_t info)
{
    rcuinfo__rcu_read_lock();
    bool may = rcuinfo__handle_root(info, RCUINFO__NATIVE_BITS) && !rcuinfo__handle_slot(info)->read_only;
    rcuinfo__rcu_read_unlock();
    return may ? RCUINFO_SUCCESS : RCUINFO_ERR_INFO;
}

static rcuinfo_status_t update(rcuinfo_t info, const rcuinfo_change_t *changes, size_t n, size_t *failed, bool quiet)
{
    rcuinfo_status_t status = RCUINFO_SUCCESS;
    struct rcuinfo__change change = {.n = n, .quiet = quiet};
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
        status = commit(info, RCUINFO__NATIVE_BITS, &change);
    }
    rcuinfo__alloc_free(edits);
    if (failed && (status == RCUINFO_ERR_KEY || status == RCUINFO_ERR_VALUE || status == RCUINFO_ERR_NOKEY))
        *failed = change.failed;
    return status;
}

rcuinfo_status_t rcuinfo_update(rcuinfo_t info, const rcuinfo_change_t *changes, size_t n, size_t *failed)
{
    return update(info, changes, n, failed, false);
}

rcuinfo_status_t rcuinfo__update(rcuinfo_t info, const rcuinfo_change_t *changes, size_t n)
{
    return update(info, changes, n, NULL, true);
}
