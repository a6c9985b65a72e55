/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/faults.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

static _Atomic int countdown; /* allocations until one fails; 0: none fails */
static _Atomic int met;

static bool fails_now(void)
{
    int left = atomic_load(&countdown);

    /* Concurrent allocations must not decrement from the same number, or none would be the k-th. */
    while (left > 0 && !atomic_compare_exchange_weak(&countdown, &left, left - 1))
        ;
    if (left != 1)
        return false;

    atomic_fetch_add(&met, 1);
    return true;
}

#define malloc(bytes)    (fails_now() ? NULL : malloc(bytes))
#define calloc(n, bytes) (fails_now() ? NULL : calloc(n, bytes))
#include "core/memory/alloc.c"

void faults_fail_at(int k)
{
    atomic_store(&countdown, k);
}

int faults_met(void)
{
    return atomic_load(&met);
}
