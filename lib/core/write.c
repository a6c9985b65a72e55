/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * write: every call that changes an object.
 *
 * Under the object's lock a write appends to the block of the current version. Where the block is full, or its end is
 * not the object's, the pairs are copied into a block out of a pool, and the old one is retired. Where the pools have
 * none that fits, the lock is given back, memory is made, and all begins anew: nothing comes from malloc under the
 * lock. The publication is one exchange of the root.
 *
 * Invariant: an object whose `appends` is set has published the last entry that was ever written to its block. A write
 * that gives up behind its first entry, and one whose thread was lost in a fork, leave the end to nobody: the next one
 * copies.
 */
#include <rcuinfo/info.h>
#include <rcuinfo/update.h>

#include "core/alloc.h"
#include "core/build.h"
#include "core/debug.h"
#include "core/handle.h"
#include "core/object.h"
#include "core/rcu.h"
#include "core/reclaim.h"
#include "core/recycle.h"
#include "core/store.h"

#define MOST_PAIRS ((uint64_t)INT32_MAX) /* get_nkeys is to say how many there are */

/* What one call wants. */
struct request {
    const struct rcuinfo__edit *edits;
    size_t n;
    const char *expected; /* of compare-and-set, with conditional set; NULL: absent */
    uint32_t expected_length;
    bool conditional;
    bool internal;                /* not counted as a set, and read-only objects take it, too */
    bool met;                     /* out: the condition held */
    bool published;               /* out: there is a new version */
    bool balance;                 /* out: the limits of reclaim want looking at */
    size_t failed;                /* out: the edit that deletes what is not there */
    struct rcuinfo__block *block; /* for a copy; NULL: none was made yet */
    struct rcuinfo__shape shape;  /* with NO_MEMORY: what the block should have been */
};

/* What an attempt comes to. */
enum outcome {
    DONE,
    NO_MEMORY,  /* the request says what it takes */
    NO_OBJECT,  /* the handle is stale, or the object read-only */
    NO_SUCH_KEY /* to delete */
};

static bool is_there(const struct rcuinfo__entry *newest)
{
    return newest && !(newest->flags & RCUINFO__ENTRY_DELETED);
}

/* Whether compare-and-set finds what it expects. */
static bool as_expected(const struct request *request, const struct rcuinfo__entry *newest)
{
    if (!request->expected || !is_there(newest))
        return !request->expected && !is_there(newest);
    return newest->value_length == request->expected_length &&
           rcuinfo__text_equal(rcuinfo__log_value(newest), request->expected, request->expected_length);
}

/* Invariants are looked at when it costs no more than the rest of a call: of large versions now and then. */
static inline bool looked_at(const struct rcuinfo__entry *version)
{
    return version->pairs <= 64 || rcuinfo__log_version(version) % 1024 == 0;
}

/* Under the lock. The root names the new version, of n edits, from here on. Returns what it named before. */
static inline const struct rcuinfo__entry *publish(struct rcuinfo__slot *slot, const struct rcuinfo__entry *version,
                                                   size_t n)
{
    RCUINFO__CHECK(!looked_at(version) || rcuinfo__log_valid(version));
    RCUINFO__SYNC_POINT(LOCKED);
    /* [P1] publish */
    const struct rcuinfo__entry *old = atomic_exchange_explicit(&slot->root, version, RCUINFO__ROOT_PUBLISH);
    RCUINFO__SYNC_POINT(PUBLISHED);
    RCUINFO__CHECK(rcuinfo__log_version(version) == rcuinfo__log_version(old) + 1);
    slot->sets = n < UINT32_MAX - slot->sets ? slot->sets + (uint32_t)n : UINT32_MAX;
    return old;
}

/* The same where the version is in another block, and that of the one before is to be retired. Returns whether the
 * limits of reclaim want looking at. */
static bool publish_copy(struct rcuinfo__slot *slot, const struct rcuinfo__entry *version, size_t n)
{
    const struct rcuinfo__entry *old = publish(slot, version, n);
    slot->appends = true;
    if (old == RCUINFO__EMPTY)
        return false;
    struct rcuinfo__record *record = &rcuinfo__block_of(version)->record;
    record->drop = rcuinfo__block_of(old);
    size_t bytes = rcuinfo__block_announce(record->drop, record);
    return rcuinfo__recycle_retire(slot->index, record, bytes + sizeof *record);
}

/* Writes the edits that are left, where `newest` is what there is of the first one's key. */
static enum rcuinfo__wrote write_edits(struct request *request, struct rcuinfo__writing *writing,
                                       const struct rcuinfo__entry *newest)
{
    enum rcuinfo__wrote wrote = RCUINFO__WROTE;
    for (request->failed = 0; request->failed < request->n; request->failed++) {
        const struct rcuinfo__edit *edit = &request->edits[request->failed];
        if (request->failed)
            newest = rcuinfo__log_written(writing, edit);
        wrote = rcuinfo__log_write(writing, edit, newest);
        if (wrote != RCUINFO__WROTE)
            break;
    }
    return wrote;
}

/* Copies the version's pairs, and writes the edits to the copy. */
static __attribute__((noinline)) enum outcome attempt_copy(struct rcuinfo__slot *slot, struct request *request,
                                                           const struct rcuinfo__entry *last)
{
    struct rcuinfo__writing writing;
    request->shape =
        rcuinfo__log_shape(last, slot->appends ? &slot->end : NULL, request->edits, request->n, slot->sets);
    if (last->pairs + (uint64_t)request->n > MOST_PAIRS)
        request->shape.text = UINT64_MAX / 2; /* of which there is no block */
    if (!request->block)
        request->block = rcuinfo__recycle_reuse(&request->shape);
    if (!request->block || !rcuinfo__block_fits(request->block, &request->shape))
        return NO_MEMORY;

    rcuinfo__log_copy(&writing, request->block, last);
    enum rcuinfo__wrote wrote = write_edits(request, &writing, rcuinfo__log_written(&writing, request->edits));
    RCUINFO__CHECK(wrote != RCUINFO__NO_ROOM);
    if (wrote != RCUINFO__WROTE) {
        rcuinfo__recycle_free(request->block);
        request->block = NULL;
        return NO_SUCH_KEY;
    }
    request->block = NULL;
    request->balance = publish_copy(slot, rcuinfo__log_finish(&writing, rcuinfo__log_version(last) + 1), request->n);
    slot->end = writing.end;
    request->published = true;
    return DONE;
}

/* Under the lock. */
static enum outcome attempt(struct rcuinfo__slot *slot, rcuinfo_t info, unsigned bits, struct request *request)
{
    struct rcuinfo__writing writing;
    const struct rcuinfo__edit *edit = request->edits;
    if (!rcuinfo__handle_matches(slot, info, bits) || (slot->read_only && !request->internal))
        return NO_OBJECT;
    const struct rcuinfo__entry *last = atomic_load_explicit(&slot->root, RCUINFO__ROOT_LOAD); /* [P1] acquire */
    const struct rcuinfo__entry *newest = rcuinfo__log_find(last, edit->key, edit->key_length, edit->hash);

    if (request->conditional) {
        request->met = as_expected(request, newest);
        if (!request->met || (!edit->value && !request->expected))
            return DONE;
    }
    if (!edit->value && !is_there(newest)) { /* before a block is made, only to find that out */
        request->failed = 0;
        return NO_SUCH_KEY;
    }
    if (slot->appends) {
        rcuinfo__log_continue(&writing, last, slot->end, request->n);
        switch (write_edits(request, &writing, newest)) {
        case RCUINFO__WROTE:
            (void)publish(slot, writing.last, request->n);
            slot->end = writing.end;
            request->published = true;
            return DONE;
        case RCUINFO__NO_KEY:
            slot->appends = request->failed == 0;
            return NO_SUCH_KEY;
        case RCUINFO__NO_ROOM:
            slot->appends = request->failed == 0;
            break;
        }
    }
    return attempt_copy(slot, request, last);
}

/* Takes the lock of an object. */
static inline void lock(struct rcuinfo__slot *slot)
{
    RCUINFO__SYNC_POINT(TO_LOCK);
    rcuinfo__handle_lock(slot);
}

/* Carries out a request; the lock is held before, and not after. */
static __attribute__((noinline)) rcuinfo_status_t commit_locked(struct rcuinfo__slot *slot, rcuinfo_t info,
                                                                unsigned bits, struct request *request)
{
    enum outcome outcome;
    for (;;) {
        outcome = attempt(slot, info, bits, request);
        rcuinfo__lock_give(&slot->lock);
        if (outcome != NO_MEMORY)
            break;
        if (request->block)
            rcuinfo__recycle_free(request->block);
        request->block = rcuinfo__recycle_alloc(&request->shape);
        if (!request->block)
            return RCUINFO_ERR_NO_MEM;
        lock(slot);
    }
    if (request->block)
        rcuinfo__recycle_free(request->block);
    if (request->balance)
        rcuinfo__reclaim_balance();
    if (request->published && !request->internal)
        rcuinfo__store_count(RCUINFO__COUNT_SETS);
    switch (outcome) {
    case NO_OBJECT:
        return RCUINFO_ERR_INFO;
    case NO_SUCH_KEY:
        return RCUINFO_ERR_NOKEY;
    default:
        return RCUINFO_SUCCESS;
    }
}

static rcuinfo_status_t commit(rcuinfo_t info, unsigned bits, struct request *request)
{
    struct rcuinfo__slot *slot = rcuinfo__handle_slot(info);
    if (!slot)
        return RCUINFO_ERR_INFO;
    lock(slot);
    return commit_locked(slot, info, bits, request);
}

/* One edit: a NULL value deletes. */
static inline rcuinfo_status_t commit_one(rcuinfo_t info, const char *key, const char *value,
                                          struct rcuinfo__limits limits)
{
    struct rcuinfo__slot *slot = rcuinfo__handle_slot(info);
    struct rcuinfo__edit edit;
    rcuinfo_status_t status = rcuinfo__build_edit(&edit, key, value, limits);
    if (status != RCUINFO_SUCCESS)
        return status;
    if (!slot)
        return RCUINFO_ERR_INFO;

    /* What most sets come to. */
    lock(slot);
    if (value && rcuinfo__handle_matches(slot, info, limits.generation_bits) && slot->appends && !slot->read_only) {
        const struct rcuinfo__entry *last = atomic_load_explicit(&slot->root, RCUINFO__ROOT_LOAD); /* [P1] acquire */
        const struct rcuinfo__entry *newest = rcuinfo__log_find(last, key, edit.key_length, edit.hash);
        const struct rcuinfo__entry *next = rcuinfo__log_append(last, &slot->end, &edit, newest);
        if (__builtin_expect(next != NULL, 1)) {
            (void)publish(slot, next, 1);
            rcuinfo__lock_give(&slot->lock);
            rcuinfo__store_count(RCUINFO__COUNT_SETS);
            return RCUINFO_SUCCESS;
        }
    }
    struct request request = {.edits = &edit, .n = 1};
    return commit_locked(slot, info, limits.generation_bits, &request);
}

rcuinfo_status_t rcuinfo__set(rcuinfo_t info, const char *key, const char *value, struct rcuinfo__limits limits)
{
    if (value)
        return commit_one(info, key, value, limits);
    return rcuinfo__text_key(key, limits.key) ? RCUINFO_ERR_VALUE : RCUINFO_ERR_KEY;
}

rcuinfo_status_t rcuinfo__delete(rcuinfo_t info, const char *key, struct rcuinfo__limits limits)
{
    return commit_one(info, key, NULL, limits);
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
    rcuinfo_status_t status = rcuinfo__build_edit(&edit, key, desired, RCUINFO__NATIVE_LIMITS);
    struct request request = {.edits = &edit, .n = 1, .conditional = true, .expected = expected};
    if (status != RCUINFO_SUCCESS)
        return status;
    if (expected && (request.expected_length = rcuinfo__text_value(expected, RCUINFO_MAX_VALUE)) == RCUINFO__TEXT_BAD)
        return RCUINFO_ERR_VALUE;
    if (!swapped)
        return RCUINFO_ERR_ARG;
    status = commit(info, RCUINFO__NATIVE_BITS, &request);
    if (status == RCUINFO_SUCCESS)
        *swapped = request.met;
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

static rcuinfo_status_t update(rcuinfo_t info, const rcuinfo_change_t *changes, size_t n, size_t *failed, bool internal)
{
    rcuinfo_status_t status = RCUINFO_SUCCESS;
    struct request request = {.n = n, .internal = internal};
    if (!n)
        return may_change(info);
    if (!changes)
        return RCUINFO_ERR_ARG;
    if (n > UINT32_MAX / sizeof(struct rcuinfo__edit))
        return RCUINFO_ERR_NO_MEM;
    struct rcuinfo__edit *edits = rcuinfo__alloc(n * sizeof *edits);
    if (!edits)
        return RCUINFO_ERR_NO_MEM;

    for (request.failed = 0; request.failed < n && status == RCUINFO_SUCCESS; request.failed++) {
        const rcuinfo_change_t *change = &changes[request.failed];
        status = rcuinfo__build_edit(&edits[request.failed], change->key, change->value, RCUINFO__NATIVE_LIMITS);
    }
    if (status == RCUINFO_SUCCESS) {
        request.edits = edits;
        status = commit(info, RCUINFO__NATIVE_BITS, &request);
    } else {
        request.failed--;
    }
    rcuinfo__alloc_free(edits);
    if (failed && (status == RCUINFO_ERR_KEY || status == RCUINFO_ERR_VALUE || status == RCUINFO_ERR_NOKEY))
        *failed = request.failed;
    return status;
}

rcuinfo_status_t rcuinfo_update(rcuinfo_t info, const rcuinfo_change_t *changes, size_t n, size_t *failed)
{
    return update(info, changes, n, failed, false);
}

rcuinfo_status_t rcuinfo__object_update(rcuinfo_t info, const rcuinfo_change_t *changes, size_t n)
{
    return update(info, changes, n, NULL, true);
}
