/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * write: all calls that write to an object.
 *
 * With the object's lock held, a write appends to the block of the current version. If the block is full, or if the
 * object may not append to it, the write copies the pairs to a free block out of an arena and retires the old block. If
 * the arena has none that fits, it releases the lock, allocates one, and starts again, since malloc is never called
 * under the lock. In any case it publishes the new version by one store of the root.
 *
 * Invariant: if `appends` is set, the object has published the last entry that was ever written to its block. An update
 * clears it if the block is full after its first entry, and so does taking a lock that was left behind in a fork. The
 * next write then copies. An update that deletes a missing key fails before its first entry.
 */
#include <rcuinfo/info.h>
#include <rcuinfo/update.h>

#include <string.h>

#include "core/memory/alloc.h"
#include "core/memory/arena.h"
#include "core/calls/build.h"
#include "core/debug.h"
#include "core/memory/handle.h"
#include "core/calls/object.h"
#include "core/memory/reclaim.h"
#include "core/calls/counters.h"

#define MOST_PAIRS ((uint64_t)INT32_MAX) /* so that get_nkeys can return their number */
#define SPARING    1024                  /* entries of a block that has less room for further sets if memory is short */

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
    struct rcuinfo__block *old;   /* out: to be retired without the lock, or NULL */
    bool owned;                   /* out: nobody can be reading that */
    bool scarce;                  /* a block with the usual room was not to be had */
    size_t failed;                /* out: index of the first edit that deletes a missing key or does not fit */
    struct rcuinfo__block *block; /* an unused block for a copy, or NULL */
    struct rcuinfo__shape shape;  /* out, with ERR_NO_MEM: the shape that the block must have */
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

/* Publishes a version with n more edits, and returns the one before. Call with the lock held. */
static inline const struct rcuinfo__entry *publish(struct rcuinfo__slot *slot, const struct rcuinfo__entry *version,
                                                   size_t n)
{
    const struct rcuinfo__entry *old = atomic_load_explicit(&slot->root, RCUINFO__RELAXED);
    RCUINFO__CHECK(rcuinfo__log_may_be_valid(version));
    RCUINFO__CHECK(rcuinfo__log_version(version) == rcuinfo__log_version(old) + 1);
    RCUINFO__SYNC_POINT(LOCKED);
    atomic_store_explicit(&slot->root, version, RCUINFO__ROOT_PUBLISH); /* [P1] publish */
    rcuinfo__reader_unsettled = true;
    RCUINFO__SYNC_POINT(PUBLISHED);

    slot->sets = n < UINT32_MAX - slot->sets ? slot->sets + (uint32_t)n : UINT32_MAX;
    return old;
}

/* Publishes a version in a new block. */
static void publish_copy(struct rcuinfo__slot *slot, const struct rcuinfo__entry *version, struct request *request)
{
    struct rcuinfo__block *old = rcuinfo__block_of(publish(slot, version, request->n));
    rcuinfo__reader_settle(); /* that store, before the block is retired, and the owner looked at */
    slot->appends = true;     /* the block is new, so no other object may append to it */
    request->published = true;

    /* [P12] acquire: a thread that shares the object from now on finds the new root. */
    request->owned = rcuinfo__block_is_sole(old) &&
                     rcuinfo__handle_owned(atomic_load_explicit(&slot->generation, RCUINFO__GENERATION_LOAD));
    if (request->owned ? !rcuinfo__arena_keep_spare(slot, old) : rcuinfo__block_drop(old, slot->index))
        request->old = old;
}

/* Whether each delete finds its key; if not, request->failed is the first that does not. `newest` is the newest entry
 * of the first edit's key, or NULL. */
static bool deletes_find(struct request *request, const struct rcuinfo__entry *last,
                         const struct rcuinfo__entry *newest)
{
    for (request->failed = 0; request->failed < request->n; request->failed++) {
        const struct rcuinfo__edit *edit = &request->edits[request->failed];
        if (edit->value)
            continue;
        if (request->failed)
            newest = rcuinfo__log_find(last, edit->key, edit->key_length, edit->hash);
        if (edit->earlier ? !edit->earlier->value : !is_there(newest))
            return false;
    }
    return true;
}

/* Writes the edits. Returns false at the first that does not fit, whose index is request->failed. `newest` is as above.
 */
static bool write_edits(struct request *request, struct rcuinfo__writing *writing, const struct rcuinfo__entry *newest)
{
    for (request->failed = 0; request->failed < request->n; request->failed++) {
        const struct rcuinfo__edit *edit = &request->edits[request->failed];
        if (request->failed)
            newest = rcuinfo__log_written(writing, edit);
        if (!rcuinfo__log_write(writing, edit, newest))
            return false;
    }
    return true;
}

/* Copies the version to another block, writes the edits there, and publishes that. */
static __attribute__((noinline)) rcuinfo_status_t attempt_copy(struct rcuinfo__slot *slot, struct request *request,
                                                               const struct rcuinfo__entry *last)
{
    struct rcuinfo__writing writing;
    uint32_t sets = request->scarce && slot->sets > last->pairs / 64 ? last->pairs / 64 : slot->sets;
    request->shape = rcuinfo__log_shape(last, slot->appends ? &slot->end : NULL, request->edits, request->n, sets);
    if (last->pairs + (uint64_t)request->n > MOST_PAIRS)
        request->shape.text = UINT64_MAX / 2; /* no block is so large, so this fails */

    /* A block that an earlier attempt allocated may be too small by now. */
    if (!request->block)
        request->block = rcuinfo__arena_spare(slot, &request->shape);
    if (!request->block)
        request->block = rcuinfo__arena_reuse(&request->shape);
    if (!request->block || !rcuinfo__block_fits(request->block, &request->shape))
        return RCUINFO_ERR_NO_MEM;

    /* Nothing is published before all edits are written, so a failure leaves the object as it was. */
    rcuinfo__log_copy(&writing, request->block, last);
    bool fit = write_edits(request, &writing, rcuinfo__log_written(&writing, request->edits));
    RCUINFO__CHECK(fit);

    request->block = NULL;
    publish_copy(slot, rcuinfo__log_finish(&writing, rcuinfo__log_version(last) + 1), request);
    slot->end = writing.end;
    return RCUINFO_SUCCESS;
}

/* Tries to carry out a request. Returns SUCCESS; ERR_NO_MEM: to be tried again with a block of request->shape;
 * ERR_INFO: the handle is stale, or the object is read-only; ERR_NOKEY. Call with the lock held. */
static rcuinfo_status_t attempt(struct rcuinfo__slot *slot, rcuinfo_t info, unsigned bits, struct request *request)
{
    struct rcuinfo__writing writing;
    const struct rcuinfo__edit *edit = request->edits;
    if (!rcuinfo__handle_matches(slot, info, bits) || (rcuinfo__handle_read_only(slot) && !request->internal))
        return RCUINFO_ERR_INFO;
    if (!request->n)
        return RCUINFO_SUCCESS;

    const struct rcuinfo__entry *last = atomic_load_explicit(&slot->root, RCUINFO__ROOT_LOAD); /* [P1] acquire */
    const struct rcuinfo__entry *newest = rcuinfo__log_find(last, edit->key, edit->key_length, edit->hash);

    if (request->conditional) {
        request->met = RCUINFO__DEFECT(SWAP_ALWAYS) || as_expected(request, newest);
        if (!request->met || (!edit->value && !request->expected)) /* or delete what is absent, as expected */
            return RCUINFO_SUCCESS;
    }
    if (!deletes_find(request, last, newest)) /* find this out before anything is written or copied in vain */
        return RCUINFO_ERR_NOKEY;

    /* Append to the block. If the second edit of an update or a later one does not fit, the entries of the edits before
     * it stay after the last published entry, where readers of older versions may already have followed a place to
     * them. They must never be written over, so the object may not append any more, and the next write copies. */
    if (slot->appends) {
        rcuinfo__log_continue(&writing, last, slot->end, request->n);
        if (write_edits(request, &writing, newest)) {
            if (RCUINFO__DEFECT(TORN_UPDATE) && request->n > 1)
                (void)publish(slot, rcuinfo__block_entry(rcuinfo__block_of(last), writing.last->position - 1), 1);
            (void)publish(slot, writing.last, request->n);
            slot->end = writing.end;
            request->published = true;
            return RCUINFO_SUCCESS;
        }
        slot->appends = request->failed == 0;
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
    rcuinfo_status_t status;
    /* Each time around, the version may be another one, and need another block. */
    for (;;) {
        status = attempt(slot, info, bits, request);
        rcuinfo__lock_give(&slot->lock);
        if (status != RCUINFO_ERR_NO_MEM)
            break;

        if (request->block)
            rcuinfo__arena_free(request->block);
        request->block = rcuinfo__arena_alloc(&request->shape);
        if (!request->block && (request->scarce || request->shape.entries < SPARING))
            return RCUINFO_ERR_NO_MEM;
        request->scarce |= !request->block; /* the usual room of a large object is half of its pairs: try with less */
        lock_slot(slot);
    }

    if (request->block)
        rcuinfo__arena_free(request->block);
    if (request->old && request->owned)
        rcuinfo__arena_end_block(request->old);
    else if (request->old)
        rcuinfo__reclaim_retire(request->old);
    if (request->published && !request->internal)
        rcuinfo__counters_count(RCUINFO__COUNT_SETS);
    return status;
}

static rcuinfo_status_t commit(rcuinfo_t info, unsigned bits, struct request *request)
{
    struct rcuinfo__slot *slot = rcuinfo__handle_slot(info);
    if (!slot)
        return RCUINFO_ERR_INFO;
    lock_slot(slot);
    return commit_locked(slot, info, bits, request);
}

/* Appends the set of a key, in the two usual cases: to the object's block, or for the first set of an object, to the
 * block that its slot has kept. Returns the new version; NULL if there is no room. */
static inline const struct rcuinfo__entry *append_one(struct rcuinfo__slot *slot, const struct rcuinfo__edit *edit)
{
    const struct rcuinfo__entry *last = atomic_load_explicit(&slot->root, RCUINFO__ROOT_LOAD); /* [P1] acquire */
    const struct rcuinfo__entry *newest = rcuinfo__log_find(last, edit->key, edit->key_length, edit->hash);
    if (__builtin_expect(slot->appends, 1))
        return rcuinfo__log_append(last, &slot->end, edit, newest);
    if (last != RCUINFO__EMPTY || !slot->spare)
        return NULL;

    struct rcuinfo__block *block = slot->spare;
    rcuinfo__block_renew(block);
    struct rcuinfo__writing writing = {.block = block, .end = {.text = rcuinfo__block_text(block)}};
    if (!rcuinfo__log_write(&writing, edit, NULL))
        return NULL;
    slot->spare = NULL;
    slot->appends = true;
    slot->end = writing.end;
    return rcuinfo__log_finish(&writing, 1);
}

/* Sets a key or, with a NULL value, deletes it. */
static inline rcuinfo_status_t commit_one(rcuinfo_t info, const char *key, const char *value,
                                          struct rcuinfo__flavour flavour)
{
    struct rcuinfo__slot *slot = rcuinfo__handle_slot(info);
    struct rcuinfo__edit edit;
    rcuinfo_status_t status = rcuinfo__build_edit(&edit, key, value, flavour.limits);
    if (status != RCUINFO_SUCCESS)
        return status;
    if (!slot)
        return RCUINFO_ERR_INFO;

    /* The usual case: the set appends one entry. All others go through a request. */
    lock_slot(slot);
    if (value && rcuinfo__handle_matches(slot, info, flavour.generation_bits) && !rcuinfo__handle_read_only(slot)) {
        const struct rcuinfo__entry *next = append_one(slot, &edit);
        if (__builtin_expect(next != NULL, 1)) {
            (void)publish(slot, next, 1);
            rcuinfo__lock_give(&slot->lock);
            rcuinfo__counters_count(RCUINFO__COUNT_SETS);
            return RCUINFO_SUCCESS;
        }
    }

    struct request request = {.edits = &edit, .n = 1};
    return commit_locked(slot, info, flavour.generation_bits, &request);
}

rcuinfo_status_t rcuinfo__set(rcuinfo_t info, const char *key, const char *value, struct rcuinfo__flavour flavour)
{
    if (value)
        return commit_one(info, key, value, flavour);
    return rcuinfo__text_key(key, flavour.limits.key) ? RCUINFO_ERR_VALUE : RCUINFO_ERR_KEY;
}

rcuinfo_status_t rcuinfo__delete(rcuinfo_t info, const char *key, struct rcuinfo__flavour flavour)
{
    return commit_one(info, key, NULL, flavour);
}

rcuinfo_status_t rcuinfo_set(rcuinfo_t info, const char *key, const char *value)
{
    return rcuinfo__set(info, key, value, RCUINFO__NATIVE);
}

rcuinfo_status_t rcuinfo_delete(rcuinfo_t info, const char *key)
{
    return rcuinfo__delete(info, key, RCUINFO__NATIVE);
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

/* Makes an edit of a change: measures and hashes it, and links it to the last edit of the same key. If both set the
 * key, the former gets the value of the latter, which is left out. `places` is a hash table of those last edits, by
 * index plus one, with mask + 1 places. */
static rcuinfo_status_t add_change(struct rcuinfo__edit *edits, size_t *n, uint32_t *places, size_t mask,
                                   const rcuinfo_change_t *change)
{
    struct rcuinfo__edit *edit = &edits[*n];
    rcuinfo_status_t status = rcuinfo__build_edit(edit, change->key, change->value, RCUINFO__NATIVE_LIMITS);
    if (status != RCUINFO_SUCCESS)
        return status;

    size_t place = edit->hash & mask;
    while (places[place] && strcmp(edits[places[place] - 1].key, edit->key) != 0)
        place = (place + 1) & mask;

    struct rcuinfo__edit *earlier = places[place] ? &edits[places[place] - 1] : NULL;
    if (earlier && earlier->value && edit->value) {
        earlier->value = edit->value;
        earlier->value_length = edit->value_length;
    } else {
        edit->earlier = earlier;
        places[place] = (uint32_t)(*n += 1);
    }
    return status;
}

static rcuinfo_status_t update(rcuinfo_t info, const rcuinfo_change_t *changes, size_t n, size_t *failed, bool internal)
{
    rcuinfo_status_t status = RCUINFO_SUCCESS;
    struct request request = {.internal = internal};

    if (!n)
        return commit(info, RCUINFO__NATIVE_BITS, &request);
    if (!changes)
        return RCUINFO_ERR_ARG;
    if (n > UINT32_MAX / (sizeof *request.edits + 4 * sizeof(uint32_t))) /* no block has room for that many */
        return RCUINFO_ERR_NO_MEM;

    /* The edits, and after them the table of add_change, at most half full. */
    size_t places = (size_t)1 << (64 - __builtin_clzll(2 * (uint64_t)n - 1));
    struct rcuinfo__edit *edits = rcuinfo__alloc(n * sizeof *edits + places * sizeof(uint32_t));
    if (!edits)
        return RCUINFO_ERR_NO_MEM;
    memset(edits + n, 0, places * sizeof(uint32_t));

    /* Measure and hash before taking the lock. */
    for (uint32_t i = 0; i < n && status == RCUINFO_SUCCESS; i++) {
        request.failed = request.n;
        edits[request.n].change = i;
        status = add_change(edits, &request.n, (uint32_t *)(edits + n), places - 1, &changes[i]);
    }

    request.edits = edits;
    if (status == RCUINFO_SUCCESS)
        status = commit(info, RCUINFO__NATIVE_BITS, &request);
    if (failed && (status == RCUINFO_ERR_KEY || status == RCUINFO_ERR_VALUE || status == RCUINFO_ERR_NOKEY))
        *failed = edits[request.failed].change;
    rcuinfo__alloc_free(edits);
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
