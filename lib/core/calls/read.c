/* SPDX-License-Identifier: BSD-3-Clause */
/* read: all calls that read an object. Each of them loads the root once, inside a read section. */
#include <rcuinfo/info.h>
#include <rcuinfo/update.h>

#include "core/debug.h"
#include "core/memory/handle.h"
#include "core/calls/object.h"
#include "core/calls/counters.h"

/* Ends the read section of a call that is counted as a get. */
static inline rcuinfo_status_t read_close(const struct rcuinfo__section *section, rcuinfo_status_t status)
{
    rcuinfo__reader_end(section);
    rcuinfo__counters_count(RCUINFO__COUNT_GETS);
    return status;
}

/* Looks a key up. If it is there, gets the length of its value, plus `nul`, and the value, cut to `room` bytes; -1: not
 * the value. `valid`: whether the caller's other arguments are valid. */
static inline __attribute__((always_inline)) rcuinfo_status_t read_value(rcuinfo_t info, const char *key, bool valid,
                                                                         char *value, int room, int *length, int nul,
                                                                         int *flag, struct rcuinfo__flavour flavour)
{
    struct rcuinfo__section section;
    rcuinfo_pair_t pair;
    uint32_t key_length = rcuinfo__text_key(key, flavour.limits.key);
    if (!key_length)
        return RCUINFO_ERR_KEY;
    if (!valid)
        return RCUINFO_ERR_ARG;

    const struct rcuinfo__entry *version = rcuinfo__handle_read(info, flavour.generation_bits, &section);
    if (!version)
        return RCUINFO_ERR_INFO;
    RCUINFO__SYNC_POINT(READ);
    bool there = rcuinfo__log_get(version, key, key_length, &pair);
    if (there) {
        if (room >= 0)
            rcuinfo__text_cut(value, pair.value, pair.value_length, (size_t)room);
        if (RCUINFO__DEFECT(TWO_LOADS)) {
            rcuinfo__reader_end(&section);
            version = rcuinfo__handle_read(info, flavour.generation_bits, &section);
            if (!version)
                return RCUINFO_ERR_INFO;
            (void)rcuinfo__log_get(version, key, key_length, &pair);
        }
        *length = (int)pair.value_length + nul;
    }
    *flag = there;
    return read_close(&section, RCUINFO_SUCCESS);
}

rcuinfo_status_t rcuinfo__get(rcuinfo_t info, const char *key, int valuelen, char *value, int *flag,
                              struct rcuinfo__flavour flavour)
{
    int length;
    return read_value(info, key, valuelen >= 0 && value && flag, value, valuelen, &length, 0, flag, flavour);
}

rcuinfo_status_t rcuinfo__get_valuelen(rcuinfo_t info, const char *key, int *valuelen, int *flag,
                                       struct rcuinfo__flavour flavour)
{
    return read_value(info, key, valuelen && flag, NULL, -1, valuelen, 0, flag, flavour);
}

rcuinfo_status_t rcuinfo__get_string(rcuinfo_t info, const char *key, int *buflen, char *value, int *flag,
                                     struct rcuinfo__flavour flavour)
{
    bool valid = buflen && *buflen >= 0 && (*buflen == 0 || value) && flag;
    return read_value(info, key, valid, value, valid ? *buflen - 1 : -1, buflen, 1, flag, flavour);
}

rcuinfo_status_t rcuinfo__get_nthkey(rcuinfo_t info, int n, char *key, struct rcuinfo__flavour flavour)
{
    rcuinfo_status_t status = RCUINFO_SUCCESS;
    if (!key || n < 0)
        return RCUINFO_ERR_ARG;
    struct rcuinfo__section section;
    const struct rcuinfo__entry *version = rcuinfo__handle_read(info, flavour.generation_bits, &section);
    if (!version)
        return RCUINFO_ERR_INFO;
    RCUINFO__SYNC_POINT(READ);

    if ((uint32_t)n >= version->pairs) {
        status = RCUINFO_ERR_ARG;
    } else {
        const struct rcuinfo__entry *entry = rcuinfo__log_nth_key(version, (uint32_t)n);
        if (entry->key_length < flavour.limits.key) /* the caller's buffer has that size */
            rcuinfo__text_copy(key, rcuinfo__log_key(entry), (size_t)entry->key_length + 1);
        else
            status = RCUINFO_ERR_KEY;
    }
    return read_close(&section, status);
}

rcuinfo_status_t rcuinfo_get(rcuinfo_t info, const char *key, int valuelen, char *value, int *flag)
{
    return rcuinfo__get(info, key, valuelen, value, flag, RCUINFO__NATIVE);
}

rcuinfo_status_t rcuinfo_get_valuelen(rcuinfo_t info, const char *key, int *valuelen, int *flag)
{
    return rcuinfo__get_valuelen(info, key, valuelen, flag, RCUINFO__NATIVE);
}

rcuinfo_status_t rcuinfo_get_string(rcuinfo_t info, const char *key, int *buflen, char *value, int *flag)
{
    return rcuinfo__get_string(info, key, buflen, value, flag, RCUINFO__NATIVE);
}

rcuinfo_status_t rcuinfo_get_nthkey(rcuinfo_t info, int n, char *key)
{
    return rcuinfo__get_nthkey(info, n, key, RCUINFO__NATIVE);
}

rcuinfo_status_t rcuinfo_get_nkeys(rcuinfo_t info, int *nkeys)
{
    return rcuinfo__get_nkeys(info, nkeys, RCUINFO__NATIVE);
}

rcuinfo_status_t rcuinfo__get_nkeys(rcuinfo_t info, int *nkeys, struct rcuinfo__flavour flavour)
{
    if (!nkeys)
        return RCUINFO_ERR_ARG;
    struct rcuinfo__section section;
    const struct rcuinfo__entry *version = rcuinfo__handle_read(info, flavour.generation_bits, &section);
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
