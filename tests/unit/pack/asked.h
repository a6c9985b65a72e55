/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * asked: the bytes that are asked of malloc, all together, whether they are given back or not. Chunks of slots, which
 * stay for ever, come from calloc and do not count. The program is linked with -Wl,--wrap=malloc and the objects of the
 * library (rcuinfo_internal). Serves one thread.
 */
#ifndef TESTS_PACK_ASKED_H
#define TESTS_PACK_ASKED_H

#include <stddef.h>

/* Most that a call may ask for that is given so many bytes of input. */
#define ASKED_MOST(size) ((size_t)4096 + 32 * (size_t)(size))

void *__real_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes);

static size_t asked_sum;

void *__wrap_malloc(size_t bytes)
{
    asked_sum += bytes;
    return __real_malloc(bytes);
}

static inline void asked_begin(void)
{
    asked_sum = 0;
}

static inline size_t asked_bytes(void)
{
    return asked_sum;
}

#endif
