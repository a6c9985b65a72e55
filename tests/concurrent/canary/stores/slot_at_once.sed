# SPDX-License-Identifier: BSD-3-Clause
s/^#include "core\/build.h"/#include "core\/arena.h"\
&/
/^        rcuinfo__reclaim_slot(slot, owned);/ c\
    {\
        struct rcuinfo__arena *arena = rcuinfo__arena_enter(true);\
        rcuinfo__arena_give_slot(arena, slot);\
        rcuinfo__arena_settle(arena);\
        rcuinfo__arena_leave(arena);\
    }
