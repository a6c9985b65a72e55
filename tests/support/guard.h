/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * guard: output buffers of exactly the promised size. They lie on the heap, so that AddressSanitizer sees one byte too
 * many; in other builds guard bytes on both sides do.
 */
#ifndef TESTS_SUPPORT_GUARD_H
#define TESTS_SUPPORT_GUARD_H

#include <stdlib.h>
#include <string.h>

#include "support/scale.h"

#define GUARD_BYTE 0xa5
#define GUARD_SIZE ((size_t)(TEST_ADDRESS_SANITIZER ? 0 : 64))

/* A buffer of `size` bytes, each of them GUARD_BYTE. */
static inline char *guard_new(size_t size)
{
    char *memory = malloc(size + 2 * GUARD_SIZE + (size + 2 * GUARD_SIZE == 0));
    if (memory == NULL)
        abort();
    memset(memory, GUARD_BYTE, size + 2 * GUARD_SIZE);
    return memory + GUARD_SIZE;
}

/* Whether all but the first `written` bytes are as guard_new left them. */
static inline int guard_intact(const char *buffer, size_t size, size_t written)
{
    const unsigned char *bytes = (const unsigned char *)buffer - GUARD_SIZE;
    for (size_t i = 0; i < size + 2 * GUARD_SIZE; i++) {
        if ((i < GUARD_SIZE || i >= GUARD_SIZE + written) && bytes[i] != GUARD_BYTE)
            return 0;
    }
    return 1;
}

static inline void guard_free(char *buffer)
{
    free(buffer - GUARD_SIZE);
}

#endif
