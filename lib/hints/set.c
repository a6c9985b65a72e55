/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * set: hint sets (rcuinfo/hints.h).
 *
 * A version of a hint set is one allocation: the parsed number of each row, and a reference on a version of the log
 * (the text), which has the hints in use as pairs. A pointer in the set leads to the current version, and readers load
 * it inside a read section. A writer, with the set's lock held, builds a new text from the old one, and publishes
 * numbers and text by one exchange of the pointer, so that both change at the same instant. The old version, with its
 * reference, is retired.
 *
 * The lock is a core/memory/lock.h, so that it is free in the child of a fork. A thread that holds it must not wait for
 * a grace period: a caller that waits for the lock inside a read section of its own would keep the grace period from
 * ending.
 */
#include <rcuinfo/hints.h>
#include <rcuinfo/view.h>

#include <pthread.h>
#include <string.h>

#include "core/memory/alloc.h"
#include "core/calls/build.h"
#include "core/debug.h"
#include "core/memory/lock.h"
#include "core/calls/object.h"
#include "core/rcu.h"
#include "core/memory/reader.h"
#include "core/memory/deferred.h"
#include "hints/check.h"

/* The result of rcuinfo_hint_set_read for a row: an error if the row has no number, or the hint no value. */
struct row {
    int64_t number;
    rcuinfo_status_t status;
};

/* Immutable once published. */
struct version {
    struct rcuinfo__deferred deferred; /* first, for rcuinfo__deferred_retire */
    const struct rcuinfo__entry *text; /* with a reference */
    struct row rows[];
};

struct rcuinfo_hint_set {
    _Atomic(struct version *) current; /* [P10] field: written with the lock held; readers load it in a read section */
    size_t rows;
    const rcuinfo_schema_t *schema;
    rcuinfo_hint_accept_t *accept;
    void *context;
    char padding[64];     /* keeps the lock off the cache line that readers use */
    rcuinfo__lock_t lock; /* for writers */
};

/* A new version that is being prepared. */
struct draft {
    rcuinfo_hint_set_t *hints;
    const struct version *old; /* the current version; NULL while the set is being created */
    struct version *new;
    rcuinfo_change_t *texts; /* the n pairs that change. At creation one per row, with NULL if it has no value */
    size_t n;
    struct version *replaced; /* to be retired without the lock, or NULL */
    int cancel_state;         /* the caller's */
};

/* The size of a version. */
static size_t bytes_of(const rcuinfo_hint_set_t *hints)
{
    return sizeof(struct version) + hints->rows * sizeof(struct row);
}

/* The value that a key has in a version, or NULL. */
static const char *value_of(const struct version *version, const char *key)
{
    rcuinfo_pair_t pair;
    bool found = rcuinfo__log_get(version->text, key, (uint32_t)strlen(key), &pair);
    return found ? pair.value : NULL;
}

/* Allocates the new version, with the numbers of the old one. */
static rcuinfo_status_t draft_begin(struct draft *draft)
{
    const rcuinfo_hint_set_t *hints = draft->hints;
    draft->new = rcuinfo__alloc(bytes_of(hints));
    draft->texts = rcuinfo__alloc((hints->rows + 1) * sizeof *draft->texts); /* + 1: an imposed key that has no row */
    if (!draft->new || !draft->texts)
        return RCUINFO_ERR_NO_MEM;

    if (draft->old)
        memcpy(draft->new->rows, draft->old->rows, hints->rows * sizeof(struct row));
    return RCUINFO_SUCCESS;
}

/* Frees what draft_begin allocated, unless it was published. */
static void draft_end(struct draft *draft)
{
    rcuinfo__alloc_free(draft->new);
    rcuinfo__alloc_free(draft->texts);
}

/* Sets the value of a key, and the number that rcuinfo_hint_check returned for it. `row`: that of the key, if any. */
static void draft_pair(struct draft *draft, size_t row, const char *key, const char *value, int64_t number)
{
    const rcuinfo_hint_t *hint = rcuinfo_schema_row(draft->hints->schema, row);
    rcuinfo_change_t *text = draft->old ? &draft->texts[draft->n++] : &draft->texts[row];
    *text = (rcuinfo_change_t){.key = key, .value = value};

    if (hint && rcuinfo__hint_has_number(hint))
        draft->new->rows[row] = (struct row){.number = number, .status = RCUINFO_SUCCESS};
}

/* Sets the hints of a user, except those that are to be ignored. */
static void draft_given(struct draft *draft, const rcuinfo_snapshot_t *given)
{
    const rcuinfo_hint_set_t *hints = draft->hints;
    const unsigned ignored = RCUINFO_FLAG_GET_ONLY | (draft->old ? RCUINFO_FLAG_FIXED : 0U);
    rcuinfo_pair_t pair;
    size_t row;

    for (size_t n = 0; rcuinfo_snapshot_nth(given, n, &pair) == RCUINFO_SUCCESS; n++) {
        if (rcuinfo_schema_find(hints->schema, pair.key, &row) != RCUINFO_SUCCESS)
            continue;

        const rcuinfo_hint_t *hint = rcuinfo_schema_row(hints->schema, row);
        int64_t number = 0;
        if (hint->flags & ignored || rcuinfo_hint_check(hint, pair.value, &number, NULL) != RCUINFO_SUCCESS)
            continue;

        /* A value that is in use already needs no consent. While the set is being created: the value so far. */
        const char *before = draft->old ? value_of(draft->old, hint->key) : draft->texts[row].value;
        if (before && strcmp(before, pair.value) == 0)
            continue;

        if (!hints->accept || hints->accept(hints->context, row, pair.value, number, !draft->old))
            draft_pair(draft, row, hint->key, pair.value, number);
    }
}

/* Builds the text of the new version from the old text, with the pairs that change. */
static rcuinfo_status_t draft_text(struct draft *draft, const struct rcuinfo__entry *from)
{
    struct rcuinfo__build build;
    rcuinfo_status_t status = rcuinfo__build_from(&build, from, draft->n, 0);

    for (size_t i = 0; i < draft->n && status == RCUINFO_SUCCESS; i++)
        status = rcuinfo__build_set(&build, draft->texts[i].key, draft->texts[i].value, RCUINFO__NATIVE_LIMITS);

    if (status == RCUINFO_SUCCESS)
        draft->new->text = rcuinfo__build_finish(&build, rcuinfo__log_version(from) + 1);
    else
        rcuinfo__build_drop(&build);
    return status;
}

/* Publishes the new version. Call with the lock held. Nothing can fail after the exchange. */
static rcuinfo_status_t draft_publish(struct draft *draft)
{
    rcuinfo_hint_set_t *hints = draft->hints;
    rcuinfo_status_t status = draft_text(draft, draft->old->text);
    if (status != RCUINFO_SUCCESS)
        return status;

    RCUINFO__SYNC_POINT(LOCKED);

    /* [P10] publish */
    struct version *old = atomic_exchange_explicit(&hints->current, draft->new, RCUINFO__ROOT_PUBLISH);
    rcuinfo__reader_unsettled = true;
    RCUINFO__SYNC_POINT(PUBLISHED);

    draft->new = NULL;
    old->deferred.drop = rcuinfo__block_of(old->text);
    old->deferred.bytes = bytes_of(hints) + rcuinfo__block_bytes(old->deferred.drop);
    if (RCUINFO__DEFECT(NO_GRACE_PERIOD))
        rcuinfo__alloc_free(old);
    else
        draft->replaced = old;
    return RCUINFO_SUCCESS;
}

/* Takes the lock. Disables cancellation, since a thread that is cancelled in accept would never release the lock. */
static void draft_lock(struct draft *draft)
{
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &draft->cancel_state);
    RCUINFO__SYNC_POINT(TO_LOCK);
    if (!RCUINFO__DEFECT(NO_LOCK))
        (void)rcuinfo__lock_take(&draft->hints->lock);
    draft->old = atomic_load_explicit(&draft->hints->current, RCUINFO__ROOT_LOAD); /* [P10] acquire */
}

static void draft_unlock(struct draft *draft)
{
    rcuinfo__lock_give(&draft->hints->lock);
    draft_end(draft);
    if (draft->replaced)
        rcuinfo__deferred_retire(&draft->replaced->deferred); /* may wait for a grace period */
    pthread_setcancelstate(draft->cancel_state, NULL);
}

rcuinfo_status_t rcuinfo_hint_set_merge(rcuinfo_hint_set_t *hints, rcuinfo_t info)
{
    struct draft draft = {.hints = hints};
    rcuinfo_view_t given;
    if (!hints)
        return RCUINFO_ERR_ARG;

    draft_lock(&draft);

    /* Load the info with the lock held: if two threads set it, the later one must not set an older version. */
    rcuinfo_status_t status = rcuinfo_view_begin(info, &given);
    if (status == RCUINFO_SUCCESS)
        status = draft_begin(&draft);
    if (status == RCUINFO_SUCCESS)
        draft_given(&draft, given.snapshot);
    if (status == RCUINFO_SUCCESS && draft.n)
        status = draft_publish(&draft);

    rcuinfo_view_end(&given);
    draft_unlock(&draft);
    return status;
}

rcuinfo_status_t rcuinfo_hint_set_impose(rcuinfo_hint_set_t *hints, const char *key, const char *value)
{
    struct draft draft = {.hints = hints};
    size_t row = SIZE_MAX; /* there is none */
    int64_t number = 0;
    if (!rcuinfo__text_key(key, RCUINFO_MAX_KEY))
        return RCUINFO_ERR_KEY;
    if (rcuinfo__text_value(value, RCUINFO_MAX_VALUE) == RCUINFO__TEXT_BAD)
        return RCUINFO_ERR_VALUE;
    if (!hints)
        return RCUINFO_ERR_ARG;

    bool recognized = rcuinfo_schema_find(hints->schema, key, &row) == RCUINFO_SUCCESS;
    const rcuinfo_hint_t *hint = recognized ? rcuinfo_schema_row(hints->schema, row) : NULL;
    rcuinfo_status_t status = hint ? rcuinfo_hint_check(hint, value, &number, NULL) : RCUINFO_SUCCESS;
    if (status != RCUINFO_SUCCESS)
        return status;

    draft_lock(&draft);

    /* Nothing changes if the value is in use already. */
    const char *before = value_of(draft.old, key);
    if (!before || strcmp(before, value) != 0) {
        status = draft_begin(&draft);
        if (status == RCUINFO_SUCCESS) {
            draft_pair(&draft, row, key, value, number);
            status = draft_publish(&draft);
        }
    }
    draft_unlock(&draft);
    return status;
}

/* Prepares the first version of a set: the defaults, replaced by the given hints, in the order of the rows. */
static rcuinfo_status_t draft_create(struct draft *draft, const rcuinfo_snapshot_t *given)
{
    const rcuinfo_hint_set_t *hints = draft->hints;
    rcuinfo_status_t status = draft_begin(draft);
    if (status != RCUINFO_SUCCESS)
        return status;

    for (size_t row = 0; row < hints->rows; row++) {
        const rcuinfo_hint_t *hint = rcuinfo_schema_row(hints->schema, row);
        int64_t number = 0;
        draft->texts[row] = (rcuinfo_change_t){.key = hint->key, .value = NULL};
        draft->new->rows[row].status = rcuinfo__hint_has_number(hint) ? RCUINFO_ERR_NOKEY : RCUINFO_ERR_ARG;

        /* The schema has checked the default; this returns its number. */
        if (hint->initial && rcuinfo_hint_check(hint, hint->initial, &number, NULL) == RCUINFO_SUCCESS)
            draft_pair(draft, row, hint->key, hint->initial, number);
    }

    draft_given(draft, given);

    /* Leave out the rows without a value. */
    for (size_t row = 0; row < hints->rows; row++) {
        if (draft->texts[row].value)
            draft->texts[draft->n++] = draft->texts[row];
    }

    return draft_text(draft, RCUINFO__EMPTY);
}

rcuinfo_status_t rcuinfo_hint_set_create(const rcuinfo_schema_t *schema, rcuinfo_t info, rcuinfo_hint_accept_t *accept,
                                         void *context, rcuinfo_hint_set_t **hints)
{
    rcuinfo_view_t given = {0};
    if (!schema || !hints)
        return RCUINFO_ERR_ARG;

    *hints = NULL;
    rcuinfo_status_t status = info == RCUINFO_NULL ? RCUINFO_SUCCESS : rcuinfo_view_begin(info, &given);
    if (status != RCUINFO_SUCCESS)
        return status;

    rcuinfo_hint_set_t *made = rcuinfo__alloc(sizeof *made);
    if (made) {
        struct draft draft = {.hints = made};
        *made = (rcuinfo_hint_set_t){
            .rows = rcuinfo_schema_count(schema), .schema = schema, .accept = accept, .context = context};

        /* If accept were cancelled, all this would leak. */
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &draft.cancel_state);
        status = draft_create(&draft, given.snapshot);
        if (status == RCUINFO_SUCCESS) {
            atomic_init(&made->current, draft.new);
            draft.new = NULL;
            *hints = made;
        } else {
            rcuinfo__alloc_free(made);
        }

        draft_end(&draft);
        pthread_setcancelstate(draft.cancel_state, NULL);
    }

    rcuinfo_view_end(&given);
    return made ? status : RCUINFO_ERR_NO_MEM;
}

rcuinfo_status_t rcuinfo_hint_set_get_info(const rcuinfo_hint_set_t *hints, rcuinfo_t *info)
{
    if (!hints || !info)
        return RCUINFO_ERR_ARG;
    *info = RCUINFO_NULL;

    /* Take a reference on the text inside the section; the version itself may go afterwards. */
    rcuinfo__rcu_read_lock();
    rcuinfo__reader_settle();
    const struct version *version = atomic_load_explicit(&hints->current, RCUINFO__ROOT_LOAD); /* [P10] acquire */
    const struct rcuinfo__entry *text = version->text;
    RCUINFO__SYNC_POINT(HOLD);
    bool held = rcuinfo__block_take(rcuinfo__block_of(text), 1);
    rcuinfo__rcu_read_unlock();

    return held ? rcuinfo__object_make(text, info) : RCUINFO_ERR_NO_MEM;
}

/* Reads the number of a row. */
static inline rcuinfo_status_t read_row(const rcuinfo_hint_set_t *hints, size_t row, int64_t *number)
{
    rcuinfo__rcu_read_lock();
    rcuinfo__reader_settle();
    const struct version *version = atomic_load_explicit(&hints->current, RCUINFO__ROOT_LOAD); /* [P10] acquire */
    RCUINFO__SYNC_POINT(READ);
    int64_t found = version->rows[row].number;
    rcuinfo_status_t status = version->rows[row].status;
    rcuinfo__rcu_read_unlock();

    if (__builtin_expect(status == RCUINFO_SUCCESS, 1))
        *number = found;
    return status;
}

/* The first read section of a thread, which registers it. Out of line, so that the common path needs no stack frame. */
static __attribute__((noinline)) rcuinfo_status_t read_first(const rcuinfo_hint_set_t *hints, size_t row,
                                                             int64_t *number)
{
    return read_row(hints, row, number);
}

/* Aligned, so that its speed does not depend on the code before it: when a branch ended at a multiple of 32 bytes, the
 * call took 6.5 ns instead of 4.2. (On Intel's Skylake family such a branch is not cached as decoded instructions.) */
__attribute__((aligned(64))) rcuinfo_status_t rcuinfo_hint_set_read(const rcuinfo_hint_set_t *hints, size_t row,
                                                                    int64_t *number)
{
    if (__builtin_expect(!hints || !number || row >= hints->rows, 0))
        return RCUINFO_ERR_ARG;
    return rcuinfo__rcu_registered() ? read_row(hints, row, number) : read_first(hints, row, number);
}

rcuinfo_status_t rcuinfo_hint_set_read_string(const rcuinfo_hint_set_t *hints, size_t row, char *value, size_t size,
                                              size_t *length)
{
    if (!hints || row >= hints->rows || (size > 0 && !value) || !length)
        return RCUINFO_ERR_ARG;

    const char *key = rcuinfo_schema_row(hints->schema, row)->key;
    rcuinfo_pair_t pair;

    rcuinfo__rcu_read_lock();
    rcuinfo__reader_settle();
    const struct version *version = atomic_load_explicit(&hints->current, RCUINFO__ROOT_LOAD); /* [P10] acquire */
    RCUINFO__SYNC_POINT(READ);
    bool found = rcuinfo__log_get(version->text, key, (uint32_t)strlen(key), &pair);
    if (found) {
        if (size > 0)
            rcuinfo__text_cut(value, pair.value, pair.value_length, size - 1);
        *length = pair.value_length;
    }
    rcuinfo__rcu_read_unlock();
    return found ? RCUINFO_SUCCESS : RCUINFO_ERR_NOKEY;
}

void rcuinfo_hint_set_free(rcuinfo_hint_set_t **hints)
{
    if (!hints || !*hints)
        return;

    struct version *version = atomic_load_explicit(&(*hints)->current, RCUINFO__ROOT_LOAD); /* [P10] acquire */
    rcuinfo__object_release(version->text);
    rcuinfo__alloc_free(version);
    rcuinfo__alloc_free(*hints);
    *hints = NULL;
}
