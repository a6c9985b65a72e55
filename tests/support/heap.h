/* SPDX-License-Identifier: BSD-3-Clause */
/* heap: how much malloc has handed out, and a check that it does not grow. */
#pragma once

#include <malloc.h>
#include <stddef.h>

#include <rcuinfo/rcuinfo.h>

#include "support/check.h"
#include "support/scale.h"

/* In bytes; 0 where a sanitizer allocates. */
static inline size_t heap_bytes(void)
{
#if __GLIBC_PREREQ(2, 33)
    return mallinfo2().uordblks;
#else
    return (unsigned)mallinfo().uordblks;
#endif
}

/* Calls `use` often. Each call frees what it creates, so the second half must reuse the memory of the first. */
static inline void heap_check_steady(void (*use)(void), int many)
{
    if (TEST_SANITIZED)
        return;
    const size_t most_kept = (size_t)1 << 20;
    size_t before = 0, after;
    for (int n = 0; n < 2 * many; n++) {
        use();
        if (n % many == many - 1)
            CHECK_EQUAL(rcuinfo_store_drain(), 0);
        if (n == many)
            before = heap_bytes();
    }
    after = heap_bytes();
    CHECKF(after < before + most_kept, "%zu bytes, and then %zu", before, after);
}
