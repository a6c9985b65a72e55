/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * driver: calls of the native interface on several objects, their dups and open snapshots. The calls and arguments are
 * decoded from bytes, of a fuzzer or random ones. The result of a call is compared with the naive model; after a
 * thorough call also the whole object, and that its previous version has not changed. A difference ends the process.
 */
#pragma once

#include "fuzz/fuzz.h"

/* The first byte of a call is DRIVER_OBJECTS times one of these, plus the number of the object. The numbers from
 * DRIVER_CALLS up to DRIVER_CREATE, and those after DRIVER_CLOSE, repeat the calls. */
enum driver_call {
    DRIVER_SET,
    DRIVER_SET_TOO,
    DRIVER_DELETE,
    DRIVER_DELETE_NTH,
    DRIVER_GROW,
    DRIVER_DUP,
    DRIVER_UPDATE,
    DRIVER_COMPARE_AND_SET,
    DRIVER_GET,
    DRIVER_NTHKEY,
    DRIVER_OPEN,
    DRIVER_FREE,
    DRIVER_CALLS,
    DRIVER_CREATE = 39,
    DRIVER_DRAIN,
    DRIVER_CLOSE,
};

enum { DRIVER_OBJECTS = 6 };

/* If the call changes an object, its allocation number fail_at fails; 0: none. */
void driver_call(struct fuzz_input *in, bool thorough, int fail_at);

/* Checks all objects, and frees them. */
void driver_end(void);
