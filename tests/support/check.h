/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * check: assertions for programs with threads and child processes. A failure ends the process at once, in any thread.
 * The assertions are active in release builds too.
 */
#pragma once

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((format(printf, 4, 5), noreturn)) static inline void
check_failed(const char *file, int line, const char *condition, const char *format, ...)
{
    va_list arguments;
    fprintf(stderr, "%s:%d: failed: %s: ", file, line, condition);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    abort();
}

/* The condition must hold; the rest is a printf format and its arguments. */
#define CHECKF(condition, ...)                                                                                         \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            check_failed(__FILE__, __LINE__, #condition, __VA_ARGS__);                                                 \
    } while (0)

#define CHECK(condition) CHECKF(condition, "%s", __func__)

/* Two numbers must be equal, or one in a range, its ends included; two texts must be the same. */
#define CHECK_EQUAL(is, wanted)                                                                                        \
    do {                                                                                                               \
        long long check_is = (long long)(is), check_wanted = (long long)(wanted);                                      \
        CHECKF(check_is == check_wanted, "%s is %lld, not %lld", #is, check_is, check_wanted);                         \
    } while (0)

#define CHECK_RANGE(is, least, most)                                                                                   \
    do {                                                                                                               \
        long long check_is = (long long)(is);                                                                          \
        CHECKF(check_is >= (long long)(least) && check_is <= (long long)(most), "%s is %lld", #is, check_is);          \
    } while (0)

#define CHECK_TEXT(is, wanted)                                                                                         \
    do {                                                                                                               \
        const char *check_is = (is), *check_wanted = (wanted);                                                         \
        CHECKF(strcmp(check_is, check_wanted) == 0, "%s is \"%s\", not \"%s\"", #is, check_is, check_wanted);          \
    } while (0)

/* A call of the native interface must give RCUINFO_SUCCESS, or another status. */
#define CHECK_STATUS(call, wanted)                                                                                     \
    do {                                                                                                               \
        rcuinfo_status_t check_status = (call);                                                                        \
        CHECKF(check_status == (wanted), "%s gives \"%s\"", #call, rcuinfo_status_string(check_status));               \
    } while (0)

#define CHECK_OK(call) CHECK_STATUS(call, RCUINFO_SUCCESS)
