# SPDX-License-Identifier: BSD-3-Clause
# A freed slot is reused at once, before readers that have matched its generation have loaded the root.
s/^#include "core\/build.h"/#include "core\/arena.h"\
&/
/^        rcuinfo__reclaim_slot(slot, owned);/ c\
    {\
        struct rcuinfo__arena *arena = rcuinfo__arena_enter(true);\
        rcuinfo__arena_give_slot(arena, slot);\
        rcuinfo__arena_settle(arena);\
        rcuinfo__arena_leave(arena);\
    }
