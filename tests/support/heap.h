/* SPDX-License-Identifier: BSD-3-Clause */
/* heap: how much malloc has handed out. */
#ifndef TEST_HEAP_H
#define TEST_HEAP_H

#include <malloc.h>
#include <stddef.h>

/* In bytes; 0 where a sanitizer allocates. */
static inline size_t heap_bytes(void)
{
#if __GLIBC_PREREQ(2, 33)
    return mallinfo2().uordblks;
#else
    return (unsigned)mallinfo().uordblks;
#endif
}

#endif
