/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * inside_malloc: tells a signal handler whether it interrupts malloc or free: then it must neither fork nor stop its
 * thread, in any program. Defines both, so include it in one file of a program. With a sanitizer, which has an
 * allocator of its own, the answer is always yes.
 */
#pragma once

#include <stdbool.h>
#include <stdlib.h>

#include "support/scale.h"

#if TEST_SANITIZED
static inline bool inside_malloc(void)
{
    return true;
}
#else
static _Thread_local volatile unsigned inside_malloc_depth;

/* glibc's names for its own. */
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t n, size_t bytes);
void __libc_free(void *memory);

static inline bool inside_malloc(void)
{
    return inside_malloc_depth > 0;
}

/* For the library, too. */
#pragma GCC visibility push(default)
void *malloc(size_t bytes)
{
    inside_malloc_depth++;
    void *memory = __libc_malloc(bytes);
    inside_malloc_depth--;
    return memory;
}

void *calloc(size_t n, size_t bytes)
{
    inside_malloc_depth++;
    void *memory = __libc_calloc(n, bytes);
    inside_malloc_depth--;
    return memory;
}

void free(void *memory)
{
    inside_malloc_depth++;
    __libc_free(memory);
    inside_malloc_depth--;
}
#pragma GCC visibility pop
#endif
