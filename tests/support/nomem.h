/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nomem: makes each allocation of a call fail in turn.
 *
 *     for (nomem_start(); nomem_next();) {
 *         ... preparations for the call
 *         NOMEM(status = call());
 *         ... nomem.met: whether an allocation of the call failed; in the last pass none does
 *     }
 *     ... nomem.count: how many allocations the call makes
 *
 * Serves one thread, and one loop at a time. For programs linked with test_faults (faults.h).
 */
#pragma once

#include <rcuinfo/store.h>

#include "support/check.h"
#include "support/faults.h"

/* More than any tested call makes: a loop that reaches this number would not end. */
enum { NOMEM_MOST = 4096 };

static struct {
    int count;  /* allocations that failed since nomem_start */
    int met;    /* whether an allocation failed in the last NOMEM or NOMEM_AT */
    int faults; /* of the process before that */
} nomem;

static inline void nomem_start(void)
{
    nomem.count = -1;
    nomem.met = 1;
}

/* Whether there is another allocation to fail: all before it were met. */
static inline int nomem_next(void)
{
    nomem.count += nomem.met;
    CHECKF(nomem.count < NOMEM_MOST, "%d allocations in one call", NOMEM_MOST);
    return nomem.met;
}

static inline void nomem_arm(int k)
{
    nomem.faults = faults_met();
    faults_fail_at(k);
}

static inline int nomem_disarm(void)
{
    faults_fail_at(0);
    nomem.met = faults_met() > nomem.faults;
    return nomem.met;
}

/* Evaluates an expression while its k-th allocation fails; the result is whether it made that many. */
#define NOMEM_AT(k, ...) (nomem_arm(k), (void)(__VA_ARGS__), nomem_disarm())

/* The same inside the loop. */
#define NOMEM(...) NOMEM_AT(nomem.count + 1, __VA_ARGS__)

/* The loop for a call of the native interface without preparations, which makes at least so many allocations. The
 * statement is executed each time the call has failed. */
#define NOMEM_EACH(least, call, statement)                                                                             \
    for (nomem_start(); nomem_next();) {                                                                               \
        rcuinfo_status_t nomem_status;                                                                                 \
        CHECK_EQUAL(rcuinfo_store_drain(), 0); /* empties the pools */                                                 \
        if (NOMEM(nomem_status = (call)))                                                                              \
            statement;                                                                                                 \
        CHECK_STATUS(nomem_status, nomem.met ? RCUINFO_ERR_NO_MEM : RCUINFO_SUCCESS);                                  \
    }                                                                                                                  \
    CHECK(nomem.count >= (least))
