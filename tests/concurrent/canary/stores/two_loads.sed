# SPDX-License-Identifier: BSD-3-Clause
# get takes the length of the value from one version and its bytes from the next.
/^rcuinfo_status_t rcuinfo__get(/ i\
static const char *again(rcuinfo_t info, const rcuinfo_pair_t *pair)\
{\
    rcuinfo_pair_t now;\
    struct rcuinfo__section section;\
    RCUINFO__SYNC_POINT(READ);\
    const struct rcuinfo__entry *version = rcuinfo__handle_read(info, RCUINFO__NATIVE_BITS, \&section);\
    const char *value = version \&\& rcuinfo__log_get(version, pair->key, pair->key_length, \&now) ? now.value : pair->value;\
    if (version)\
        rcuinfo__reader_end(\&section);\
    return value;\
}\

s/rcuinfo__text_cut(value, pair.value, pair.value_length, (size_t)valuelen)/rcuinfo__text_cut(value, again(info, \&pair), pair.value_length, (size_t)valuelen)/
