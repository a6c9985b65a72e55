/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * debug: what tests add to the library.
 *
 * RCUINFO__CHECK: an invariant that builds with RCUINFO_CHECKS (presets debug, asan, tsan) assert while they run.
 *
 * RCUINFO__SYNC_POINT: a place between two steps of a call where what other threads do matters most. In the copy of the
 * library that some tests are linked with (RCUINFO_SYNC_POINTS) it calls a function of the test, which may let others
 * run there, or stop.
 */
#ifndef RCUINFO_CORE_DEBUG_H
#define RCUINFO_CORE_DEBUG_H

#ifdef RCUINFO_CHECKS
#include <stdio.h>
#include <stdlib.h>
#define RCUINFO__CHECK(condition)                                                                                      \
    ((condition) ? (void)0 : (fprintf(stderr, "rcuinfo: %s:%d: broken: %s\n", __FILE__, __LINE__, #condition), abort()))
#else
#define RCUINFO__CHECK(condition) ((void)(0 && (condition)))
#endif

#ifdef RCUINFO_SYNC_POINTS
enum rcuinfo__sync_point {
    RCUINFO__SYNC_MATCHED,   /* a handle matched, its root is not loaded yet */
    RCUINFO__SYNC_READ,      /* in a read section, with a version */
    RCUINFO__SYNC_HOLD,      /* in a read section, before a reference is added to a version */
    RCUINFO__SYNC_TO_LOCK,   /* a write is about to take the lock, again where it had to make room */
    RCUINFO__SYNC_WRITTEN,   /* an entry is written, and the finder does not name it yet */
    RCUINFO__SYNC_LOCKED,    /* under the lock, before the publication */
    RCUINFO__SYNC_PUBLISHED, /* under the lock, what was replaced is not retired yet */
    RCUINFO__SYNC_CLOSED,    /* under the lock, the freed object not yet retired */
    RCUINFO__SYNC_OPENING,   /* a new object's generation is not published yet */
    RCUINFO__SYNC_RELEASE,   /* before an open snapshot's reference is dropped */
    RCUINFO__SYNC_DETACHED,  /* a batch is detached, its grace period not begun */
    RCUINFO__SYNC_PASSED,    /* its grace period has passed, nothing is recycled yet */
    RCUINFO__SYNC_POINTS
};
void rcuinfo__sync_point(enum rcuinfo__sync_point point);
#define RCUINFO__SYNC_POINT(name) rcuinfo__sync_point(RCUINFO__SYNC_##name)
#else
#define RCUINFO__SYNC_POINT(name) ((void)0)
#endif

#endif
