/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * files: files to be read that have some text, or fail; and what long lines are made of.
 */
#ifndef TESTS_PACK_FILES_H
#define TESTS_PACK_FILES_H

#include <errno.h>
#include <stdint.h>

#include "support/check.h"

static inline FILE *files_of(const char *text, size_t size)
{
    FILE *file = fmemopen((void *)(uintptr_t)text, size, "r");
    CHECK(file);
    return file;
}

struct files_failing {
    int reads; /* that do not fail */
    int error; /* of the one that does; 0: none is said */
};

static inline ssize_t files_read(void *cookie, char *buffer, size_t size)
{
    struct files_failing *failing = cookie;
    if (--failing->reads < 0) {
        errno = failing->error;
        return -1;
    }
    memset(buffer, 'k', size);
    for (size_t i = 3; i < size; i += 4)
        buffer[i] = '\n';
    return (ssize_t)size;
}

/* Has lines, and then fails. */
static inline FILE *files_that_fail(struct files_failing *failing)
{
    FILE *file = fopencookie(failing, "r", (cookie_io_functions_t){.read = files_read});
    CHECK(file);
    return file;
}

/* So many times that byte, up to FILES_LONGEST, until it is asked for another number of the same one. */
enum { FILES_LONGEST = 20000 };
static inline const char *files_run(char byte, size_t n)
{
    static char runs[128][FILES_LONGEST + 1];
    CHECK(n <= FILES_LONGEST);
    memset(runs[(unsigned char)byte], byte, n);
    runs[(unsigned char)byte][n] = '\0';
    return runs[(unsigned char)byte];
}

#endif
