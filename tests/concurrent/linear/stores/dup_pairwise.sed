# SPDX-License-Identifier: BSD-3-Clause
# dup copies one pair after the other, and the version number before them.
/^#include <rcuinfo\/info.h>/ a\
#include <rcuinfo/update.h>
/^    rcuinfo_status_t status = rcuinfo__object_hold(info, flavour.generation_bits, &version);/ i\
    int count = 0, flag = 0;\
    uint64_t number = 0;\
    char key[RCUINFO_MAX_KEY], value[RCUINFO_MAX_VALUE];\
    if (rcuinfo_object_version(info, \&number) == RCUINFO_SUCCESS \&\& rcuinfo_get_nkeys(info, \&count) == RCUINFO_SUCCESS \&\&\
        count > 0 \&\& rcuinfo_create(newinfo) == RCUINFO_SUCCESS) {\
        for (int i = 0; i < count; i++) {\
            if (rcuinfo_get_nthkey(info, i, key) == RCUINFO_SUCCESS \&\&\
                rcuinfo_get(info, key, sizeof value - 1, value, \&flag) == RCUINFO_SUCCESS \&\& flag \&\&\
                rcuinfo_set(*newinfo, key, value) == RCUINFO_SUCCESS) {\
                const struct rcuinfo__entry *last = atomic_load(\&rcuinfo__handle_slot(*newinfo)->root);\
                rcuinfo__block_of(last)->version = number - last->position;\
            }\
        }\
        return RCUINFO_SUCCESS;\
    }
