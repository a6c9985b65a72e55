/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * read: all calls that read an object. Each of them loads the root once, inside a read section.
 */
#include <rcuinfo/snapshot.h>
#include <rcuinfo/update.h>

#include "core/debug.h"
#include "core/handle.h"
#include "core/object.h"
#include "core/rcu.h"
#include "core/recycle.h"
#include "core/store.h"

/* Begins a read section and returns the object's version. For a stale handle, ends the section and returns NULL. */
static inline const struct rcuinfo__entry *read_open(rcuinfo_t info, unsigned bits)
{
    rcuinfo__rcu_read_lock();
    const struct rcuinfo__entry *version = rcuinfo__handle_root(info, bits);
    RCUINFO__SYNC_POINT(READ);
    if (__builtin_expect(version != NULL, 1))
        return version;
    rcuinfo__rcu_read_unlock();
    return NULL;
}

/* Ends the read section of a call that is counted as a get. */
static inline rcuinfo_status_t read_close(rcuinfo_status_t status)
{
    rcuinfo__rcu_read_unlock();
    rcuinfo__store_count(RCUINFO__COUNT_GETS);
    return status;
}

/* Checks the arguments and looks a key up. On SUCCESS a read section is open, and pair->key is NULL if the key is not
 * there. `valid`: whether the caller's other arguments are valid. */
static inline __attribute__((always_inline)) rcuinfo_status_t
read_pair(rcuinfo_t info, const char *key, bool valid, struct rcuinfo__limits limits, rcuinfo_pair_t *pair)
{
    uint32_t length = rcuinfo__text_key(key, limits.key);
    if (!length)
        return RCUINFO_ERR_KEY;
    if (!valid)
        return RCUINFO_ERR_ARG;

    const struct rcuinfo__entry *version = read_open(info, limits.generation_bits);
    if (!version)
        return RCUINFO_ERR_INFO;
    if (!rcuinfo__log_get(version, key, length, pair))
        pair->key = NULL;
    return RCUINFO_SUCCESS;
}

rcuinfo_status_t rcuinfo__get(rcuinfo_t info, const char *key, int valuelen, char *value, int *flag,
                              struct rcuinfo__limits limits)
{
    rcuinfo_pair_t pair;
    rcuinfo_status_t status = read_pair(info, key, valuelen >= 0 && value && flag, limits, &pair);
    if (status != RCUINFO_SUCCESS)
        return status;

    if (pair.key)
        rcuinfo__text_cut(value, pair.value, pair.value_length, (size_t)valuelen);
    *flag = pair.key != NULL;
    return read_close(status);
}

rcuinfo_status_t rcuinfo__get_valuelen(rcuinfo_t info, const char *key, int *valuelen, int *flag,
                                       struct rcuinfo__limits limits)
{
    rcuinfo_pair_t pair;
    rcuinfo_status_t status = read_pair(info, key, valuelen && flag, limits, &pair);
    if (status != RCUINFO_SUCCESS)
        return status;

    if (pair.key)
        *valuelen = (int)pair.value_length;
    *flag = pair.key != NULL;
    return read_close(status);
}

rcuinfo_status_t rcuinfo__get_string(rcuinfo_t info, const char *key, int *buflen, char *value, int *flag,
                                     struct rcuinfo__limits limits)
{
    bool valid = buflen && *buflen >= 0 && (*buflen == 0 || value) && flag;
    rcuinfo_pair_t pair;
    rcuinfo_status_t status = read_pair(info, key, valid, limits, &pair);
    if (status != RCUINFO_SUCCESS)
        return status;

    /* Value and length come from the same version. */
    if (pair.key) {
        if (*buflen > 0)
            rcuinfo__text_cut(value, pair.value, pair.value_length, (size_t)*buflen - 1);
        *buflen = (int)pair.value_length + 1;
    }
    *flag = pair.key != NULL;
    return read_close(status);
}

rcuinfo_status_t rcuinfo__get_nthkey(rcuinfo_t info, int n, char *key, struct rcuinfo__limits limits)
{
    rcuinfo_status_t status = RCUINFO_SUCCESS;
    if (!key || n < 0)
        return RCUINFO_ERR_ARG;
    const struct rcuinfo__entry *version = read_open(info, limits.generation_bits);
    if (!version)
        return RCUINFO_ERR_INFO;

    if ((uint32_t)n >= version->pairs) {
        status = RCUINFO_ERR_ARG;
    } else {
        const struct rcuinfo__entry *entry = rcuinfo__log_nth_key(version, (uint32_t)n);
        if (entry->key_length < limits.key) /* the caller's buffer has that size */
            rcuinfo__text_copy(key, rcuinfo__log_key(entry), (size_t)entry->key_length + 1);
        else
            status = RCUINFO_ERR_KEY;
    }
    return read_close(status);
}

rcuinfo_status_t rcuinfo_get(rcuinfo_t info, const char *key, int valuelen, char *value, int *flag)
{
    return rcuinfo__get(info, key, valuelen, value, flag, RCUINFO__NATIVE_LIMITS);
}

rcuinfo_status_t rcuinfo_get_valuelen(rcuinfo_t info, const char *key, int *valuelen, int *flag)
{
    return rcuinfo__get_valuelen(info, key, valuelen, flag, RCUINFO__NATIVE_LIMITS);
}

rcuinfo_status_t rcuinfo_get_string(rcuinfo_t info, const char *key, int *buflen, char *value, int *flag)
{
    return rcuinfo__get_string(info, key, buflen, value, flag, RCUINFO__NATIVE_LIMITS);
}

rcuinfo_status_t rcuinfo_get_nthkey(rcuinfo_t info, int n, char *key)
{
    return rcuinfo__get_nthkey(info, n, key, RCUINFO__NATIVE_LIMITS);
}

rcuinfo_status_t rcuinfo_get_nkeys(rcuinfo_t info, int *nkeys)
{
    return rcuinfo__get_nkeys(info, nkeys, RCUINFO__NATIVE_LIMITS);
}

rcuinfo_status_t rcuinfo__get_nkeys(rcuinfo_t info, int *nkeys, struct rcuinfo__limits limits)
{
    if (!nkeys)
        return RCUINFO_ERR_ARG;
    const struct rcuinfo__entry *version = read_open(info, limits.generation_bits);
    if (!version)
        return RCUINFO_ERR_INFO;
    *nkeys = (int)version->pairs;
    return read_close(RCUINFO_SUCCESS);
}

rcuinfo_status_t rcuinfo_current_version(rcuinfo_t info, uint64_t *number)
{
    if (!number)
        return RCUINFO_ERR_ARG;
    const struct rcuinfo__entry *version = read_open(info, RCUINFO__NATIVE_BITS);
    if (!version)
        return RCUINFO_ERR_INFO;
    *number = rcuinfo__log_version(version);
    rcuinfo__rcu_read_unlock();
    return RCUINFO_SUCCESS;
}

rcuinfo_status_t rcuinfo__object_hold(rcuinfo_t info, unsigned bits, const struct rcuinfo__entry **version)
{
    rcuinfo_status_t status = RCUINFO_ERR_INFO;

    /* The root and the reference in one read section, so that the block cannot go in between. */
    rcuinfo__rcu_read_lock();
    *version = rcuinfo__handle_root(info, bits);
    RCUINFO__SYNC_POINT(HOLD);
    if (*version)
        status = rcuinfo__block_take(rcuinfo__block_of(*version)) ? RCUINFO_SUCCESS : RCUINFO_ERR_NO_MEM;
    rcuinfo__rcu_read_unlock();
    return status;
}

void rcuinfo__object_release(const struct rcuinfo__entry *version)
{
    struct rcuinfo__block *block = rcuinfo__block_of(version);
    RCUINFO__SYNC_POINT(RELEASE);

    size_t bytes = rcuinfo__block_bytes(block); /* the block may be gone after the drop */
    uint64_t owners;
    if (rcuinfo__block_drop(block, true, &owners))
        rcuinfo__recycle_free(block);
    else if (!owners) /* retired by all its objects already: now it waits for their grace periods only */
        rcuinfo__recycle_count(bytes);
}

rcuinfo_status_t rcuinfo__snapshot_open(rcuinfo_t info, const rcuinfo_snapshot_t **snapshot,
                                        struct rcuinfo__limits limits)
{
    const struct rcuinfo__entry *version;
    if (!snapshot)
        return RCUINFO_ERR_ARG;
    rcuinfo_status_t status = rcuinfo__object_hold(info, limits.generation_bits, &version);
    *snapshot = status == RCUINFO_SUCCESS ? RCUINFO__BLOCK_CAST(const rcuinfo_snapshot_t, version) : NULL;
    return status;
}

rcuinfo_status_t rcuinfo_snapshot_open(rcuinfo_t info, const rcuinfo_snapshot_t **snapshot)
{
    return rcuinfo__snapshot_open(info, snapshot, RCUINFO__NATIVE_LIMITS);
}

void rcuinfo_snapshot_close(const rcuinfo_snapshot_t *snapshot)
{
    if (snapshot)
        rcuinfo__object_release(rcuinfo__object_opened(snapshot));
}

size_t rcuinfo_snapshot_count(const rcuinfo_snapshot_t *snapshot)
{
    return snapshot ? rcuinfo__object_opened(snapshot)->pairs : 0;
}

uint64_t rcuinfo_snapshot_version(const rcuinfo_snapshot_t *snapshot)
{
    return snapshot ? rcuinfo__log_version(rcuinfo__object_opened(snapshot)) : 0;
}

rcuinfo_status_t rcuinfo_snapshot_nth(const rcuinfo_snapshot_t *snapshot, size_t n, rcuinfo_pair_t *pair)
{
    if (!snapshot || !pair || n >= rcuinfo__object_opened(snapshot)->pairs)
        return RCUINFO_ERR_ARG;
    *pair = rcuinfo__log_pair(rcuinfo__log_nth(rcuinfo__object_opened(snapshot), (uint32_t)n));
    return RCUINFO_SUCCESS;
}

rcuinfo_status_t rcuinfo_snapshot_find(const rcuinfo_snapshot_t *snapshot, const char *key, rcuinfo_pair_t *pair)
{
    uint32_t length = rcuinfo__text_key(key, RCUINFO_MAX_KEY);
    if (!length)
        return RCUINFO_ERR_KEY;
    if (!snapshot || !pair)
        return RCUINFO_ERR_ARG;
    return rcuinfo__log_get(rcuinfo__object_opened(snapshot), key, length, pair) ? RCUINFO_SUCCESS : RCUINFO_ERR_NOKEY;
}
