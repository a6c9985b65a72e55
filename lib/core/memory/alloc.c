/* SPDX-License-Identifier: BSD-3-Clause */
/* alloc: see alloc.h. */
#include "core/memory/alloc.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define SLAB_ALIGNMENT 128

static _Thread_local volatile bool active;

bool rcuinfo__alloc_active(void)
{
    return active;
}

void *rcuinfo__alloc(size_t bytes)
{
    int saved = errno;
    active = true;
    void *memory = malloc(bytes);
    active = false;
    errno = saved;
    return memory;
}

void *rcuinfo__alloc_slab(size_t bytes, void **to_free)
{
    int saved = errno;

    /* calloc maps fresh pages for this size, which stay untouched until they are used; with aligned_alloc we would have
     * to clear, and so touch, all of them. */
    active = true;
    char *memory = calloc(1, bytes + SLAB_ALIGNMENT);
    active = false;
    errno = saved;
    *to_free = memory;
    if (!memory)
        return NULL;

    return memory + (SLAB_ALIGNMENT - (uintptr_t)memory % SLAB_ALIGNMENT) % SLAB_ALIGNMENT;
}

void rcuinfo__alloc_free(void *memory)
{
    active = true;
    free(memory);
    active = false;
}
