/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * selfcheck: values that tell of themselves whether they are whole. A value names its writer, a number and its own
 * length, and every byte after that follows from these three; a mixture of two values never verifies.
 */
#ifndef TESTS_SUPPORT_SELFCHECK_H
#define TESTS_SUPPORT_SELFCHECK_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SELFCHECK_MIN 32
#define SELFCHECK_MAX 1023

/* Writes the value of `length` bytes (SELFCHECK_MIN to SELFCHECK_MAX) and a NUL. */
static inline void selfcheck_make(char *value, unsigned writer, unsigned long number, size_t length)
{
    int head = snprintf(value, SELFCHECK_MIN, "%u:%lu:%zu:", writer, number, length);
    for (size_t i = (size_t)head; i < length; i++)
        value[i] = (char)('a' + (i * 7 + number * 13 + writer) % 26);
    value[length] = '\0';
}

/* A length that differs from number to number and crosses what is stored inline and what is not. */
static inline size_t selfcheck_length(unsigned writer, unsigned long number)
{
    return SELFCHECK_MIN + (size_t)((number * 131 + writer * 17) % (SELFCHECK_MAX - SELFCHECK_MIN + 1));
}

/* Whether a value is whole; tells who wrote it and which it is. */
static inline int selfcheck_verify(const char *value, unsigned *writer, unsigned long *number)
{
    char whole[SELFCHECK_MAX + 1];
    size_t length = 0;
    if (sscanf(value, "%u:%lu:%zu:", writer, number, &length) != 3)
        return 0;
    if (length < SELFCHECK_MIN || length > SELFCHECK_MAX || strlen(value) != length)
        return 0;
    selfcheck_make(whole, *writer, *number, length);
    return strcmp(value, whole) == 0;
}

#endif
