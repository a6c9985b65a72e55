# SPDX-License-Identifier: BSD-3-Clause
# dup copies one pair after the other, and the version number before them.
/^#include <rcuinfo\/info.h>/ a\
#include <rcuinfo/update.h>
/^    rcuinfo_status_t status = make_dup(info, limits.generation_bits, false, newinfo);/ c\
    int count = 0, flag = 0;\
    uint64_t version = 0;\
    char key[RCUINFO_MAX_KEY], value[RCUINFO_MAX_VALUE];\
    rcuinfo_status_t status = rcuinfo_version(info, &version);\
    if (status == RCUINFO_SUCCESS)\
        status = rcuinfo_get_nkeys(info, &count);\
    if (status != RCUINFO_SUCCESS || count == 0)\
        return make_dup(info, limits.generation_bits, false, newinfo);\
    status = rcuinfo_create(newinfo);\
    for (int i = 0; i < count; i++) {\
        if (rcuinfo_get_nthkey(info, i, key) == RCUINFO_SUCCESS &&\
            rcuinfo_get(info, key, sizeof value - 1, value, &flag) == RCUINFO_SUCCESS && flag &&\
            rcuinfo_set(*newinfo, key, value) == RCUINFO_SUCCESS)\
            atomic_load(&rcuinfo__handle_slot(*newinfo)->root)->snapshot.version = version;\
    }
