/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * debug: assertions, sync points and defects, for tests.
 *
 * RCUINFO__CHECK asserts an invariant in builds with RCUINFO_CHECKS (presets debug, asan, tsan), in processes without a
 * defect.
 *
 * RCUINFO__SYNC_POINT marks a place between two steps of a call where interference by other threads matters most. In
 * the copy of the library built with RCUINFO_SYNC_POINTS it calls rcuinfo__sync_point, which a test defines to yield
 * there, to stop, or to act as another thread.
 *
 * RCUINFO__DEFECT is true, in that copy only, in a process that runs with this defect: one that a test must find, which
 * shows what that test is worth. The environment variable RCUINFO_DEFECT names it. tests/concurrent/defects.txt says
 * what each of them is, and what finds it.
 */
#pragma once

#ifdef RCUINFO_SYNC_POINTS
#define RCUINFO__DEFECTS(X)                                                                                            \
    X(NO_LOCK)                                                                                                         \
    X(TORN_UPDATE)                                                                                                     \
    X(SWAP_ALWAYS)                                                                                                     \
    X(VERSION_BACK)                                                                                                    \
    X(BYTES_BEYOND)                                                                                                    \
    X(TWO_LOADS)                                                                                                       \
    X(UNSAID)                                                                                                          \
    X(NO_LIMIT)                                                                                                        \
    X(FREE_TWICE)                                                                                                      \
    X(NO_GRACE_PERIOD)
#define RCUINFO__DEFECT_NUMBER(name) RCUINFO__DEFECT_##name,
enum rcuinfo__defect { RCUINFO__DEFECT_NONE, RCUINFO__DEFECTS(RCUINFO__DEFECT_NUMBER) };
extern enum rcuinfo__defect rcuinfo__defect;
#define RCUINFO__DEFECT(name) __builtin_expect(rcuinfo__defect == RCUINFO__DEFECT_##name, 0)
#else
#define RCUINFO__DEFECT(name) 0
#endif

#if defined RCUINFO_CHECKS && defined RCUINFO_SYNC_POINTS
#define RCUINFO__DEFECTIVE (rcuinfo__defect != RCUINFO__DEFECT_NONE)
#else
#define RCUINFO__DEFECTIVE 0
#endif

#ifdef RCUINFO_CHECKS
#include <stdio.h>
#include <stdlib.h>
#define RCUINFO__CHECK(condition)                                                                                      \
    (RCUINFO__DEFECTIVE || (condition)                                                                                 \
         ? (void)0                                                                                                     \
         : (fprintf(stderr, "rcuinfo: %s:%d: broken: %s\n", __FILE__, __LINE__, #condition), abort()))
#else
#define RCUINFO__CHECK(condition) ((void)(0 && (condition)))
#endif

#ifdef RCUINFO_SYNC_POINTS
enum rcuinfo__sync_point {
    RCUINFO__SYNC_MATCHED,   /* a handle has matched, its root is not loaded yet */
    RCUINFO__SYNC_LOADED,    /* its root is loaded, but not said yet */
    RCUINFO__SYNC_READ,      /* in a read section, a version is loaded and said */
    RCUINFO__SYNC_HOLD,      /* in a read section, before a reference is added */
    RCUINFO__SYNC_TO_LOCK,   /* before the lock of an object is taken, for the first time or again after malloc */
    RCUINFO__SYNC_WRITTEN,   /* an entry is written, the finder does not lead to it yet */
    RCUINFO__SYNC_LOCKED,    /* under the lock, before a version is published */
    RCUINFO__SYNC_PUBLISHED, /* under the lock, the old block is not retired yet */
    RCUINFO__SYNC_CLOSED,    /* a freed object is not retired yet */
    RCUINFO__SYNC_OPENING,   /* before the generation of a new object is published */
    RCUINFO__SYNC_RELEASE,   /* before the reference of a snapshot is dropped */
    RCUINFO__SYNC_HELPED,    /* in a scan, a reader was helped */
    RCUINFO__SYNC_DETACHED,  /* in a scan, before the fence */
    RCUINFO__SYNC_PASSED,    /* after it, the records are not read yet */
    RCUINFO__SYNC_SEEN,      /* a section was seen at its slot */
    RCUINFO__SYNC_FULL,      /* no slot is free, and those that are retired are not looked at yet */
    RCUINFO__SYNC_POINTS
};
void rcuinfo__sync_point(enum rcuinfo__sync_point point);
#define RCUINFO__SYNC_POINT(name) rcuinfo__sync_point(RCUINFO__SYNC_##name)
#else
#define RCUINFO__SYNC_POINT(name) ((void)0)
#endif
