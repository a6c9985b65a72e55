/* SPDX-License-Identifier: BSD-3-Clause */
/* sync: what a thread does at the sync points of the library (core/debug.h), whose copy with these must be linked. */
#pragma once

#include "core/debug.h"
#include "support/threads.h"

static _Thread_local struct {
    void (*each)(enum rcuinfo__sync_point point); /* what it does at each, but not while it does this; or NULL */
    void (*act)(void);                            /* what it does at this visit of this one */
    enum rcuinfo__sync_point point;
    unsigned visits; /* 0: it has acted */
} sync_now;

void rcuinfo__sync_point(enum rcuinfo__sync_point point)
{
    void (*each)(enum rcuinfo__sync_point point) = sync_now.each;
    sync_now.each = NULL;
    if (each)
        each(point);
    sync_now.each = each;
    if (point == sync_now.point && sync_now.visits > 0 && --sync_now.visits == 0)
        sync_now.act();
}

static inline void sync_at(enum rcuinfo__sync_point point, unsigned visits, void (*act)(void))
{
    sync_now.point = point;
    sync_now.visits = visits;
    sync_now.act = act;
}

static atomic_bool sync_stands, sync_goes_on; /* a thread has stopped; may continue */

/* For sync_at. */
static inline void sync_stop(void)
{
    atomic_store(&sync_stands, true);
    team_wait(&sync_goes_on);
}

/* Before another thread stops. */
static inline void sync_reset(void)
{
    atomic_store(&sync_stands, false);
    atomic_store(&sync_goes_on, false);
}
