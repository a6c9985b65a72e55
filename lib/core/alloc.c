/* SPDX-License-Identifier: BSD-3-Clause */
/* alloc: see alloc.h. */
#include "core/alloc.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/order.h"

#define SLAB_ALIGNMENT 128

static _Atomic int countdown; /* allocations until one fails; 0: fault injection is off */
static _Atomic int faults;

static bool fails_now(void)
{
    int left = atomic_load_explicit(&countdown, RCUINFO__COUNT);

    /* Threads that allocate at once must not count one step twice, or no allocation would be the k-th. */
    while (__builtin_expect(left > 0, 0) &&
           !atomic_compare_exchange_weak_explicit(&countdown, &left, left - 1, RCUINFO__COUNT, RCUINFO__COUNT))
        ;
    if (left != 1)
        return false;

    atomic_fetch_add_explicit(&faults, 1, RCUINFO__COUNT);
    return true;
}

void *rcuinfo__alloc(size_t bytes)
{
    int saved = errno;
    void *memory = fails_now() ? NULL : malloc(bytes);
    errno = saved;
    return memory;
}

void *rcuinfo__alloc_slab(size_t bytes, void **to_free)
{
    int saved = errno;

    /* calloc maps fresh pages for this size, which stay untouched until they are used; with aligned_alloc we would have
     * to clear, and so touch, all of them. */
    char *memory = fails_now() ? NULL : calloc(1, bytes + SLAB_ALIGNMENT);
    errno = saved;
    *to_free = memory;
    if (!memory)
        return NULL;

    return memory + (SLAB_ALIGNMENT - (uintptr_t)memory % SLAB_ALIGNMENT) % SLAB_ALIGNMENT;
}

void rcuinfo__alloc_free(void *memory)
{
    free(memory);
}

void rcuinfo__alloc_fail_at(int k)
{
    atomic_store_explicit(&countdown, k, RCUINFO__COUNT);
}

int rcuinfo__alloc_faults(void)
{
    return atomic_load_explicit(&faults, RCUINFO__COUNT);
}
