/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * write: all calls that write to an object.
 *
 * With the object's lock held, a write appends to the block of the current version. If the block is full, or if the
 * object may not append to it, the write copies the pairs to a free block out of a pool and retires the old block. If
 * no pool has a block that fits, it releases the lock, allocates one, and starts again, since malloc is never called
 * under the lock. In any case it publishes the new version by one exchange of the root.
 *
 * Invariant: if `appends` is set, the object has published the last entry that was ever written to its block. A write
 * clears it if it fails after its first entry, and so does taking a lock that was left behind in a fork. The next write
 * then copies.
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

#define MOST_PAIRS ((uint64_t)INT32_MAX) /* so that get_nkeys can return their number */

/* The arguments of a call, and its results. */
struct request {
    const struct rcuinfo__edit *edits;
    size_t n;
    const char *expected; /* if conditional: the value that the key must have; NULL: the key must be absent */
    uint32_t expected_length;
    bool conditional;             /* compare-and-set */
    bool internal;                /* not counted as a set, and allowed on read-only objects */
    bool met;                     /* out: the condition was met */
    bool published;               /* out: a new version was published */
    bool balance;                 /* out: rcuinfo__reclaim_balance is to be called */
    size_t failed;                /* out: index of the edit that deletes a missing key */
    struct rcuinfo__block *block; /* an unused block for a copy, or NULL */
    struct rcuinfo__shape shape;  /* out, with NO_BLOCK: the shape that the block must have */
};

/* The result of an attempt to carry out a request. */
enum outcome {
    DONE,
    NO_BLOCK,   /* to be tried again with a block of request.shape */
    NO_OBJECT,  /* the handle is stale, or the object is read-only */
    NO_SUCH_KEY /* an edit deletes a key that is not there */
};

/* Whether the version has the key. `newest` is the key's newest entry in it, or NULL. */
static bool is_there(const struct rcuinfo__entry *newest)
{
    return newest && !(newest->flags & RCUINFO__ENTRY_DELETED);
}

/* Whether the condition of compare-and-set is met. */
static bool as_expected(const struct request *request, const struct rcuinfo__entry *newest)
{
    if (!request->expected || !is_there(newest))
        return !request->expected && !is_there(newest); /* both absent */

    return newest->value_length == request->expected_length &&
           rcuinfo__text_equal(rcuinfo__log_value(newest), request->expected, request->expected_length);
}

/* Whether to check the invariant of a version: always if it is small, else every 1024th time, as it is slow then. */
static inline bool is_checked(const struct rcuinfo__entry *version)
{
    return version->pairs <= 64 || rcuinfo__log_version(version) % 1024 == 0;
}

/* Publishes a version with n more edits, and returns the one before. Call with the lock held. */
static inline const struct rcuinfo__entry *publish(struct rcuinfo__slot *slot, const struct rcuinfo__entry *version,
                                                   size_t n)
{
    RCUINFO__CHECK(!is_checked(version) || rcuinfo__log_valid(version));
    RCUINFO__SYNC_POINT(LOCKED);
    /* [P1] publish */
    const struct rcuinfo__entry *old = atomic_exchange_explicit(&slot->root, version, RCUINFO__ROOT_PUBLISH);
    RCUINFO__SYNC_POINT(PUBLISHED);
    RCUINFO__CHECK(rcuinfo__log_version(version) == rcuinfo__log_version(old) + 1);

    slot->sets = n < UINT32_MAX - slot->sets ? slot->sets + (uint32_t)n : UINT32_MAX;
    return old;
}

/* Publishes a version in a new block, and retires the old block. Returns whether to call rcuinfo__reclaim_balance. */
static bool publish_copy(struct rcuinfo__slot *slot, const struct rcuinfo__entry *version, size_t n)
{
    const struct rcuinfo__entry *old = publish(slot, version, n);
    slot->appends = true; /* the block is new, so no other object may append to it */
    if (old == RCUINFO__EMPTY)
        return false;

    struct rcuinfo__record *record = &rcuinfo__block_of(version)->record;
    record->drop = rcuinfo__block_of(old);
    size_t bytes = rcuinfo__block_announce(record->drop, record);
    return rcuinfo__recycle_retire(slot->index, record, bytes + sizeof *record);
}

/* Writes the edits, up to the first that fails, whose index is request->failed. `newest` is the newest entry of the
 * first edit's key, or NULL. */
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

/* Copies the version to another block, writes the edits there, and publishes that. */
static __attribute__((noinline)) enum outcome attempt_copy(struct rcuinfo__slot *slot, struct request *request,
                                                           const struct rcuinfo__entry *last)
{
    struct rcuinfo__writing writing;
    request->shape =
        rcuinfo__log_shape(last, slot->appends ? &slot->end : NULL, request->edits, request->n, slot->sets);
    if (last->pairs + (uint64_t)request->n > MOST_PAIRS)
        request->shape.text = UINT64_MAX / 2; /* no block is so large, so this fails */

    /* A block that an earlier attempt allocated may be too small by now. */
    if (!request->block)
        request->block = rcuinfo__recycle_reuse(&request->shape);
    if (!request->block || !rcuinfo__block_fits(request->block, &request->shape))
        return NO_BLOCK;

    /* Nothing is published before all edits are written, so a failure leaves the object as it was. */
    rcuinfo__log_copy(&writing, request->block, last);
    enum rcuinfo__wrote wrote = write_edits(request, &writing, rcuinfo__log_written(&writing, request->edits));
    RCUINFO__CHECK(wrote != RCUINFO__NO_ROOM);
    if (wrote != RCUINFO__WROTE)
        return NO_SUCH_KEY;

    request->block = NULL;
    request->balance = publish_copy(slot, rcuinfo__log_finish(&writing, rcuinfo__log_version(last) + 1), request->n);
    slot->end = writing.end;
    request->published = true;
    return DONE;
}

/* Tries to carry out a request. Call with the lock held. */
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
        if (!request->met || (!edit->value && !request->expected)) /* or delete what is absent, as expected */
            return DONE;
    }
    if (!edit->value && !is_there(newest)) { /* find this out before a copy is made in vain */
        request->failed = 0;
        return NO_SUCH_KEY;
    }

    /* Append to the block. An update may fail at its second edit or later: then the entries of the edits before it stay
     * behind the last published entry, where readers of older versions may already have followed a place to them. They
     * must never be written over, so the object may not append any more, and the next write copies. */
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

static inline void lock_slot(struct rcuinfo__slot *slot)
{
    RCUINFO__SYNC_POINT(TO_LOCK);
    rcuinfo__handle_lock(slot);
}

/* Carries out a request. Call with the lock held; returns without it. */
static __attribute__((noinline)) rcuinfo_status_t commit_locked(struct rcuinfo__slot *slot, rcuinfo_t info,
                                                                unsigned bits, struct request *request)
{
    enum outcome outcome;

    /* Each time around, the version may be another one, and need another block. */
    for (;;) {
        outcome = attempt(slot, info, bits, request);
        rcuinfo__lock_give(&slot->lock);
        if (outcome != NO_BLOCK)
            break;

        if (request->block)
            rcuinfo__recycle_free(request->block);
        request->block = rcuinfo__recycle_alloc(&request->shape);
        if (!request->block)
            return RCUINFO_ERR_NO_MEM;
        lock_slot(slot);
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
    lock_slot(slot);
    return commit_locked(slot, info, bits, request);
}

/* Sets a key or, with a NULL value, deletes it. */
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

    /* The usual case: the set appends one entry. All others go through a request. */
    lock_slot(slot);
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

/* The result of an update without changes: whether the handle is that of a live object that is not read-only. */
static rcuinfo_status_t update_nothing(rcuinfo_t info)
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
        return update_nothing(info);
    if (!changes)
        return RCUINFO_ERR_ARG;
    if (n > UINT32_MAX / sizeof(struct rcuinfo__edit)) /* no block has room for so many */
        return RCUINFO_ERR_NO_MEM;
    struct rcuinfo__edit *edits = rcuinfo__alloc(n * sizeof *edits);
    if (!edits)
        return RCUINFO_ERR_NO_MEM;

    /* Measure and hash before taking the lock. */
    for (request.failed = 0; request.failed < n && status == RCUINFO_SUCCESS; request.failed++) {
        const rcuinfo_change_t *change = &changes[request.failed];
        status = rcuinfo__build_edit(&edits[request.failed], change->key, change->value, RCUINFO__NATIVE_LIMITS);
    }

    if (status == RCUINFO_SUCCESS) {
        request.edits = edits;
        status = commit(info, RCUINFO__NATIVE_BITS, &request);
    } else {
        request.failed--; /* the loop went one too far */
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
