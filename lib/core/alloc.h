/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * alloc: the only caller of malloc and free in the library, so that a test can make any allocation fail.
 *
 * All may be called by any thread. Callers hold no object lock where they can help it.
 */
#ifndef RCUINFO_CORE_ALLOC_H
#define RCUINFO_CORE_ALLOC_H

#include <stddef.h>
#include <rcuinfo/info.h>

/* At least `bytes` bytes aligned for any type, or NULL. errno is left alone. */
RCUINFO_API void *rcuinfo__alloc(size_t bytes);

/* As rcuinfo__alloc, zeroed and aligned to 128 bytes; never to be freed once it is published. */
void *rcuinfo__alloc_slab(size_t bytes, void **to_free);

RCUINFO_API void rcuinfo__alloc_free(void *memory);

/* Fault injection: the k-th allocation of this process from now on fails, once; 0 switches it off. */
RCUINFO_API void rcuinfo__alloc_fail_at(int k);

/* How many allocations were made to fail since the process was started. */
RCUINFO_API int rcuinfo__alloc_faults(void);

#endif
