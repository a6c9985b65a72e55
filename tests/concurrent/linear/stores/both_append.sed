# SPDX-License-Identifier: BSD-3-Clause
/^        status = rcuinfo__object_make(version, newinfo);/ a\
    if (status == RCUINFO_SUCCESS) {\
        struct rcuinfo__slot *from = rcuinfo__handle_slot(info);\
        struct rcuinfo__slot *to = rcuinfo__handle_slot(*newinfo);\
        (void)rcuinfo__lock_take(\&from->lock);\
        to->appends = from->appends \&\&\
                      rcuinfo__block_of(atomic_load(\&from->root)) == rcuinfo__block_of(version);\
        to->end = from->end;\
        rcuinfo__lock_give(\&from->lock);\
    }
