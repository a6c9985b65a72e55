/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * set: hint sets (rcuinfo/hints.h).
 *
 * A version of a hint set is one piece of memory: the parsed number of each row, and a reference on a version of the
 * core, which is the text of the hints in use. One pointer names the version of now. Readers load it inside a read
 * section. Who changes the set holds its lock, builds a new text out of the old one, and publishes both by one
 * exchange, so numbers and text change at one instant; the old version waits for a grace period, with its reference.
 *
 * The lock is the core's for its epoch: the child of a fork finds it free. Nobody who holds it waits for a grace
 * period, or a caller inside a read section of its own might wait for itself.
 */
#include <rcuinfo/hints.h>

#include <pthread.h>
#include <string.h>

#include "core/alloc.h"
#include "core/build.h"
#include "core/debug.h"
#include "core/lock.h"
#include "core/object.h"
#include "core/rcu.h"
#include "core/reclaim.h"
#include "core/recycle.h"
#include "hints/check.h"

/* What rcuinfo_hints_read says of a row: of one without a number, or without a value, the status tells. */
struct row {
    int64_t number;
    rcuinfo_status_t status;
};

/* Immutable once it is published. */
struct version {
    struct rcuinfo__record record; /* first, for rcuinfo__recycle_retire_foreign */
    const struct rcuinfo__entry *text;
    struct row rows[];
};

struct rcuinfo_hints {
    _Atomic(struct version *) current; /* [P10] field: written under the lock; readers in a read section */
    size_t rows;
    const rcuinfo_schema_t *schema;
    rcuinfo_hint_accept_t *accept;
    void *context;
    char apart[64];       /* readers' line is written to once a set, not three times */
    rcuinfo__lock_t lock; /* of those who change the set */
};

/* A new version that is being made. */
struct change {
    rcuinfo_hints_t *hints;
    const struct version *old; /* NULL: the set is being created */
    struct version *new;
    rcuinfo_change_t *texts; /* n of them; while the set is being created one for each row, its value may be NULL */
    size_t n;
};

static size_t bytes_of(const rcuinfo_hints_t *hints)
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

/* Room for the new version. Its numbers are the old one's, if there is one. */
static rcuinfo_status_t change_begin(struct change *change)
{
    const rcuinfo_hints_t *hints = change->hints;
    change->new = rcuinfo__alloc(bytes_of(hints));
    change->texts = rcuinfo__alloc((hints->rows + 1) * sizeof *change->texts);
    if (!change->new || !change->texts)
        return RCUINFO_ERR_NO_MEM;
    change->new->record.state = RCUINFO__RECORD_IDLE;
    if (change->old)
        memcpy(change->new->rows, change->old->rows, hints->rows * sizeof(struct row));
    return RCUINFO_SUCCESS;
}

/* Gives back what change_begin made and nothing took. */
static void change_end(struct change *change)
{
    rcuinfo__alloc_free(change->new);
    rcuinfo__alloc_free(change->texts);
}

/* Gives a row its value, with the number that rcuinfo_hint_check found. */
static void change_row(struct change *change, size_t row, const char *value, int64_t number)
{
    const rcuinfo_hint_t *hint = rcuinfo_schema_row(change->hints->schema, row);
    rcuinfo_change_t *text = change->old ? &change->texts[change->n++] : &change->texts[row];
    *text = (rcuinfo_change_t){.key = hint->key, .value = value};
    if (rcuinfo__hint_has_number(hint))
        change->new->rows[row] = (struct row){.number = number, .status = RCUINFO_SUCCESS};
}

/* The value that a row has before the change: what is in use, or, in a set that is being created, its default. */
static const char *value_before(const struct change *change, size_t row)
{
    if (!change->old)
        return change->texts[row].value;
    return value_of(change->old, rcuinfo_schema_row(change->hints->schema, row)->key);
}

/* One hint that a user gives. */
static void change_given(struct change *change, const rcuinfo_pair_t *given)
{
    const rcuinfo_hints_t *hints = change->hints;
    size_t row;
    int64_t number = 0;
    if (rcuinfo_schema_find(hints->schema, given->key, &row) != RCUINFO_SUCCESS)
        return;
    const rcuinfo_hint_t *hint = rcuinfo_schema_row(hints->schema, row);
    if (hint->flags & (RCUINFO_HINT_GET_ONLY | (change->old ? RCUINFO_HINT_FIXED : 0U)) ||
        rcuinfo_hint_check(hint, given->value, &number, NULL) != RCUINFO_SUCCESS)
        return;
    const char *before = value_before(change, row);
    if (before && strcmp(before, given->value) == 0)
        return;
    if (!hints->accept || hints->accept(hints->context, row, given->value, number, !change->old))
        change_row(change, row, given->value, number);
}

static void change_all_given(struct change *change, const rcuinfo_snapshot_t *given)
{
    rcuinfo_pair_t pair;
    for (size_t i = 0; rcuinfo_snapshot_nth(given, i, &pair) == RCUINFO_SUCCESS; i++)
        change_given(change, &pair);
}

/* The text of the new version: that one, with the change. */
static rcuinfo_status_t change_text(struct change *change, const struct rcuinfo__entry *from)
{
    struct rcuinfo__build build;
    rcuinfo_status_t status = rcuinfo__build_from(&build, from, change->n, 0);
    for (size_t i = 0; i < change->n && status == RCUINFO_SUCCESS; i++)
        status = rcuinfo__build_set(&build, change->texts[i].key, change->texts[i].value, RCUINFO__NATIVE_LIMITS);
    if (status == RCUINFO_SUCCESS)
        change->new->text = rcuinfo__build_finish(&build, rcuinfo__log_version(from) + 1);
    else
        rcuinfo__build_drop(&build);
    return status;
}

/* Under the lock. Nothing can fail after the exchange. */
static rcuinfo_status_t change_publish(struct change *change)
{
    rcuinfo_hints_t *hints = change->hints;
    rcuinfo_status_t status = change_text(change, change->old->text);
    if (status != RCUINFO_SUCCESS)
        return status;
    RCUINFO__SYNC_POINT(LOCKED);
    /* [P10] publish */
    struct version *old = atomic_exchange_explicit(&hints->current, change->new, RCUINFO__ROOT_PUBLISH);
    RCUINFO__SYNC_POINT(PUBLISHED);
    change->new = NULL;
    old->record.drop = rcuinfo__block_of(old->text);
    size_t bytes = bytes_of(hints) + rcuinfo__block_announce(old->record.drop, &old->record);
    rcuinfo__recycle_retire_foreign(&old->record, bytes);
    return RCUINFO_SUCCESS;
}

/* The lock, for the one who makes `change`. A thread that was cancelled with it, in accept, would keep it for ever. */
static void change_lock(struct change *change, int *cancel_state)
{
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, cancel_state);
    RCUINFO__SYNC_POINT(TO_LOCK);
    (void)rcuinfo__lock_take(&change->hints->lock);
    change->old = atomic_load_explicit(&change->hints->current, RCUINFO__ROOT_LOAD); /* [P10] acquire */
}

static void change_unlock(struct change *change, int cancel_state)
{
    rcuinfo__lock_give(&change->hints->lock);
    change_end(change);
    rcuinfo__reclaim_balance(); /* what was not done under the lock */
    pthread_setcancelstate(cancel_state, NULL);
}

rcuinfo_status_t rcuinfo_hints_set(rcuinfo_hints_t *hints, rcuinfo_t info)
{
    struct change change = {.hints = hints};
    const rcuinfo_snapshot_t *given = NULL;
    int cancel_state;
    if (!hints)
        return RCUINFO_ERR_ARG;
    change_lock(&change, &cancel_state);
    /* Loaded under the lock: of two threads that give one info, the second gives what is as new, or newer. */
    rcuinfo_status_t status = rcuinfo_snapshot_open(info, &given);
    if (status == RCUINFO_SUCCESS)
        status = change_begin(&change);
    if (status == RCUINFO_SUCCESS)
        change_all_given(&change, given);
    if (status == RCUINFO_SUCCESS && change.n)
        status = change_publish(&change);
    rcuinfo_snapshot_close(given);
    change_unlock(&change, cancel_state);
    return status;
}

rcuinfo_status_t rcuinfo_hints_impose(rcuinfo_hints_t *hints, const char *key, const char *value)
{
    struct change change = {.hints = hints};
    int cancel_state;
    size_t row;
    int64_t number = 0;
    if (!rcuinfo__text_key(key, RCUINFO_MAX_KEY))
        return RCUINFO_ERR_KEY;
    if (rcuinfo__text_value(value, RCUINFO_MAX_VALUE) == RCUINFO__TEXT_BAD)
        return RCUINFO_ERR_VALUE;
    if (!hints)
        return RCUINFO_ERR_ARG;
    bool recognized = rcuinfo_schema_find(hints->schema, key, &row) == RCUINFO_SUCCESS;
    rcuinfo_status_t status = RCUINFO_SUCCESS;
    if (recognized)
        status = rcuinfo_hint_check(rcuinfo_schema_row(hints->schema, row), value, &number, NULL);
    if (status != RCUINFO_SUCCESS)
        return status;
    change_lock(&change, &cancel_state);
    const char *before = value_of(change.old, key);
    if (!before || strcmp(before, value) != 0) {
        status = change_begin(&change);
        if (status == RCUINFO_SUCCESS && recognized)
            change_row(&change, row, value, number);
        else if (status == RCUINFO_SUCCESS)
            change.texts[change.n++] = (rcuinfo_change_t){.key = key, .value = value};
        if (status == RCUINFO_SUCCESS)
            status = change_publish(&change);
    }
    change_unlock(&change, cancel_state);
    return status;
}

/* The version that a set begins with: the defaults, then what is given, in the order of the rows. */
static rcuinfo_status_t change_create(struct change *change, const rcuinfo_snapshot_t *given)
{
    const rcuinfo_hints_t *hints = change->hints;
    rcuinfo_status_t status = change_begin(change);
    if (status != RCUINFO_SUCCESS)
        return status;
    for (size_t row = 0; row < hints->rows; row++) {
        const rcuinfo_hint_t *hint = rcuinfo_schema_row(hints->schema, row);
        int64_t number = 0;
        change->texts[row] = (rcuinfo_change_t){.key = hint->key, .value = NULL};
        change->new->rows[row].status = rcuinfo__hint_has_number(hint) ? RCUINFO_ERR_NOKEY : RCUINFO_ERR_ARG;
        /* The schema has checked it; here its number is found. */
        if (hint->initial && rcuinfo_hint_check(hint, hint->initial, &number, NULL) == RCUINFO_SUCCESS)
            change_row(change, row, hint->initial, number);
    }
    change_all_given(change, given);
    for (size_t row = 0; row < hints->rows; row++) {
        if (change->texts[row].value)
            change->texts[change->n++] = change->texts[row];
    }
    return change_text(change, RCUINFO__EMPTY);
}

rcuinfo_status_t rcuinfo_hints_create(const rcuinfo_schema_t *schema, rcuinfo_t info, rcuinfo_hint_accept_t *accept,
                                      void *context, rcuinfo_hints_t **hints)
{
    const rcuinfo_snapshot_t *given = NULL;
    int cancel_state;
    if (!schema || !hints)
        return RCUINFO_ERR_ARG;
    *hints = NULL;
    rcuinfo_status_t status = info == RCUINFO_NULL ? RCUINFO_SUCCESS : rcuinfo_snapshot_open(info, &given);
    if (status != RCUINFO_SUCCESS)
        return status;
    rcuinfo_hints_t *made = rcuinfo__alloc(sizeof *made);
    if (made) {
        struct change change = {.hints = made};
        *made = (rcuinfo_hints_t){
            .rows = rcuinfo_schema_count(schema), .schema = schema, .accept = accept, .context = context};
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state); /* or accept could leak all this */
        status = change_create(&change, given);
        if (status == RCUINFO_SUCCESS) {
            atomic_init(&made->current, change.new);
            change.new = NULL;
            *hints = made;
        } else {
            rcuinfo__alloc_free(made);
        }
        change_end(&change);
        pthread_setcancelstate(cancel_state, NULL);
    }
    rcuinfo_snapshot_close(given);
    return made ? status : RCUINFO_ERR_NO_MEM;
}

rcuinfo_status_t rcuinfo_hints_get(const rcuinfo_hints_t *hints, rcuinfo_t *info)
{
    if (!hints || !info)
        return RCUINFO_ERR_ARG;
    *info = RCUINFO_NULL;
    rcuinfo__rcu_read_lock();
    const struct version *version = atomic_load_explicit(&hints->current, RCUINFO__ROOT_LOAD); /* [P10] acquire */
    const struct rcuinfo__entry *text = version->text;
    RCUINFO__SYNC_POINT(HOLD);
    bool held = rcuinfo__block_take(rcuinfo__block_of(text));
    rcuinfo__rcu_read_unlock();
    return held ? rcuinfo__object_make(text, info) : RCUINFO_ERR_NO_MEM;
}

static inline rcuinfo_status_t read_row(const rcuinfo_hints_t *hints, size_t row, int64_t *number)
{
    rcuinfo__rcu_read_lock();
    const struct version *version = atomic_load_explicit(&hints->current, RCUINFO__ROOT_LOAD); /* [P10] acquire */
    RCUINFO__SYNC_POINT(READ);
    int64_t found = version->rows[row].number;
    rcuinfo_status_t status = version->rows[row].status;
    rcuinfo__rcu_read_unlock();
    if (__builtin_expect(status == RCUINFO_SUCCESS, 1))
        *number = found;
    return status;
}

/* The first read section of a thread. Out of line, so that the other calls need no room on the stack. */
static __attribute__((noinline)) rcuinfo_status_t read_first(const rcuinfo_hints_t *hints, size_t row, int64_t *number)
{
    return read_row(hints, row, number);
}

/* Aligned, so that how long it takes does not depend on what stands before it: where a branch ends at 32 bytes, Intel's
 * processors of the Skylake family fetch this code the slow way, and the call took twice as long. */
__attribute__((aligned(64))) rcuinfo_status_t rcuinfo_hints_read(const rcuinfo_hints_t *hints, size_t row,
                                                                 int64_t *number)
{
    if (__builtin_expect(!hints || !number || row >= hints->rows, 0))
        return RCUINFO_ERR_ARG;
    return rcuinfo__rcu_registered() ? read_row(hints, row, number) : read_first(hints, row, number);
}

rcuinfo_status_t rcuinfo_hints_read_string(const rcuinfo_hints_t *hints, size_t row, int *buflen, char *value)
{
    if (!hints || row >= hints->rows || !buflen || *buflen < 0 || (*buflen > 0 && !value))
        return RCUINFO_ERR_ARG;
    const char *key = rcuinfo_schema_row(hints->schema, row)->key;
    rcuinfo_pair_t pair;
    rcuinfo__rcu_read_lock();
    const struct version *version = atomic_load_explicit(&hints->current, RCUINFO__ROOT_LOAD); /* [P10] acquire */
    RCUINFO__SYNC_POINT(READ);
    bool found = rcuinfo__log_get(version->text, key, (uint32_t)strlen(key), &pair);
    if (found) {
        if (*buflen > 0)
            rcuinfo__text_cut(value, pair.value, pair.value_length, (size_t)*buflen - 1);
        *buflen = (int)pair.value_length + 1;
    }
    rcuinfo__rcu_read_unlock();
    return found ? RCUINFO_SUCCESS : RCUINFO_ERR_NOKEY;
}

void rcuinfo_hints_free(rcuinfo_hints_t **hints)
{
    if (!hints || !*hints)
        return;
    struct version *version = atomic_load_explicit(&(*hints)->current, RCUINFO__ROOT_LOAD); /* [P10] acquire */
    rcuinfo__object_release(version->text);
    rcuinfo__alloc_free(version);
    rcuinfo__alloc_free(*hints);
    *hints = NULL;
}
