/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * guard: output buffers of exactly the required size, on the heap, so that AddressSanitizer detects an overflow of one
 * byte; in other builds, guard bytes on both sides do. And input that ends at the end of mapped memory: reading beyond
 * it crashes in every build.
 */
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include "support/check.h"
#include "support/scale.h"

#define GUARD_BYTE 0xa5
#define GUARD_SIZE ((size_t)(TEST_ADDRESS_SANITIZER ? 0 : 64))

/* Makes a buffer of `size` bytes, all GUARD_BYTE. */
static inline char *guard_new(size_t size)
{
    char *memory = malloc(size + 2 * GUARD_SIZE + (size + 2 * GUARD_SIZE == 0));
    CHECK(memory);
    memset(memory, GUARD_BYTE, size + 2 * GUARD_SIZE);
    return memory + GUARD_SIZE;
}

/* Whether all bytes after the first `written` ones are unchanged since guard_new. */
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

/* The bytes of the pages that guard_page_copy fills, without the inaccessible page after them. */
static inline size_t guard_page_span(size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (size + page - 1) / page * page;
}

/* `size` bytes at the end of the memory, copied from `bytes`, or 0 if that is NULL. */
static inline char *guard_page_copy(const void *bytes, size_t size)
{
    size_t span = guard_page_span(size), page = (size_t)sysconf(_SC_PAGESIZE);
    char *memory = mmap(NULL, span + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED && mprotect(memory + span, page, PROT_NONE) == 0);
    if (bytes)
        memcpy(memory + span - size, bytes, size);
    return memory + span - size;
}

static inline void guard_page_free(char *copy, size_t size)
{
    size_t span = guard_page_span(size);
    CHECK(munmap(copy + size - span, span + (size_t)sysconf(_SC_PAGESIZE)) == 0);
}
