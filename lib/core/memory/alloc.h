/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * alloc: the only place in the library that calls malloc and free. A program that defines these functions replaces them
 * for all our libraries: tests/support/faults.c makes any allocation fail.
 *
 * Any thread may call these functions. No caller holds an object's lock.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <rcuinfo/info.h>

/* Allocates at least `bytes` bytes, aligned for any type; NULL on failure. Leaves errno alone. */
RCUINFO_API void *rcuinfo__alloc(size_t bytes);

/*
 * Allocates zeroed memory that is aligned to 128 bytes. *to_free is what rcuinfo__alloc_free takes; memory that has
 * been published must never be freed.
 */
RCUINFO_API void *rcuinfo__alloc_slab(size_t bytes, void **to_free);

RCUINFO_API void rcuinfo__alloc_free(void *memory);

/* Whether the calling thread is inside one of these functions: then it is in a signal handler. */
bool rcuinfo__alloc_active(void);
