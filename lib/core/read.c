/* SPDX-License-Identifier: BSD-3-Clause */
/* read: all calls that read an object. Each of them loads the root once, inside a read section. */
#include <rcuinfo/info.h>
#include <rcuinfo/update.h>

#include "core/debug.h"
#include "core/handle.h"
#include "core/object.h"
#include "core/counters.h"

/* Ends the read section of a call that is counted as a get. */
static inline rcuinfo_status_t read_close(const struct rcuinfo__section *section, rcuinfo_status_t status)
{
    rcuinfo__reader_end(section);
    rcuinfo__counters_count(RCUINFO__COUNT_GETS);
    return status;
}

/* Checks the arguments and looks a key up. On SUCCESS the read section is open, and pair->key is NULL if the key is not
 * there. `valid`: whether the caller's other arguments are valid. */
static inline __attribute__((always_inline)) rcuinfo_status_t read_pair(rcuinfo_t info, const char *key, bool valid,
                                                                        struct rcuinfo__limits limits,
                                                                        struct rcuinfo__section *section,
                                                                        rcuinfo_pair_t *pair)
{
    uint32_t length = rcuinfo__text_key(key, limits.key);
    if (!length)
        return RCUINFO_ERR_KEY;
    if (!valid)
        return RCUINFO_ERR_ARG;

    const struct rcuinfo__entry *version = rcuinfo__handle_read(info, limits.generation_bits, section);
    if (!version)
        return RCUINFO_ERR_INFO;
    RCUINFO__SYNC_POINT(READ);
    if (!rcuinfo__log_get(version, key, length, pair))
        pair->key = NULL;
    return RCUINFO_SUCCESS;
}

rcuinfo_status_t rcuinfo__get(rcuinfo_t info, const char *key, int valuelen, char *value, int *flag,
                              struct rcuinfo__limits limits)
{
    struct rcuinfo__section section;
    rcuinfo_pair_t pair;
    rcuinfo_status_t status = read_pair(info, key, valuelen >= 0 && value && flag, limits, &section, &pair);
    if (status != RCUINFO_SUCCESS)
        return status;

    if (pair.key)
        rcuinfo__text_cut(value, pair.value, pair.value_length, (size_t)valuelen);
    *flag = pair.key != NULL;
    return read_close(&section, status);
}

rcuinfo_status_t rcuinfo__get_valuelen(rcuinfo_t info, const char *key, int *valuelen, int *flag,
                                       struct rcuinfo__limits limits)
{
    struct rcuinfo__section section;
    rcuinfo_pair_t pair;
    rcuinfo_status_t status = read_pair(info, key, valuelen && flag, limits, &section, &pair);
    if (status != RCUINFO_SUCCESS)
        return status;

    if (pair.key)
        *valuelen = (int)pair.value_length;
    *flag = pair.key != NULL;
    return read_close(&section, status);
}

rcuinfo_status_t rcuinfo__get_string(rcuinfo_t info, const char *key, int *buflen, char *value, int *flag,
                                     struct rcuinfo__limits limits)
{
    bool valid = buflen && *buflen >= 0 && (*buflen == 0 || value) && flag;
    struct rcuinfo__section section;
    rcuinfo_pair_t pair;
    rcuinfo_status_t status = read_pair(info, key, valid, limits, &section, &pair);
    if (status != RCUINFO_SUCCESS)
        return status;

    /* Value and length come from the same version. */
    if (pair.key) {
        if (*buflen > 0)
            rcuinfo__text_cut(value, pair.value, pair.value_length, (size_t)*buflen - 1);
        *buflen = (int)pair.value_length + 1;
    }
    *flag = pair.key != NULL;
    return read_close(&section, status);
}

rcuinfo_status_t rcuinfo__get_nthkey(rcuinfo_t info, int n, char *key, struct rcuinfo__limits limits)
{
    rcuinfo_status_t status = RCUINFO_SUCCESS;
    if (!key || n < 0)
        return RCUINFO_ERR_ARG;
    struct rcuinfo__section section;
    const struct rcuinfo__entry *version = rcuinfo__handle_read(info, limits.generation_bits, &section);
    if (!version)
        return RCUINFO_ERR_INFO;
    RCUINFO__SYNC_POINT(READ);

    if ((uint32_t)n >= version->pairs) {
        status = RCUINFO_ERR_ARG;
    } else {
        const struct rcuinfo__entry *entry = rcuinfo__log_nth_key(version, (uint32_t)n);
        if (entry->key_length < limits.key) /* the caller's buffer has that size */
            rcuinfo__text_copy(key, rcuinfo__log_key(entry), (size_t)entry->key_length + 1);
        else
            status = RCUINFO_ERR_KEY;
    }
    return read_close(&section, status);
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
    struct rcuinfo__section section;
    const struct rcuinfo__entry *version = rcuinfo__handle_read(info, limits.generation_bits, &section);
    if (!version)
        return RCUINFO_ERR_INFO;
    RCUINFO__SYNC_POINT(READ);
    *nkeys = (int)version->pairs;
    return read_close(&section, RCUINFO_SUCCESS);
}

rcuinfo_status_t rcuinfo_object_version(rcuinfo_t info, uint64_t *number)
{
    if (!number)
        return RCUINFO_ERR_ARG;
    struct rcuinfo__section section;
    const struct rcuinfo__entry *version = rcuinfo__handle_read(info, RCUINFO__NATIVE_BITS, &section);
    if (!version)
        return RCUINFO_ERR_INFO;
    RCUINFO__SYNC_POINT(READ);
    *number = rcuinfo__log_version(version);
    rcuinfo__reader_end(&section);
    return RCUINFO_SUCCESS;
}
