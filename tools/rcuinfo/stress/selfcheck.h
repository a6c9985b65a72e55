/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * selfcheck: values that can be verified by themselves. A value has the object that it was written for (0 if that does
 * not matter), its writer, a number and its own length, and every byte after that is a function of these four; a
 * mixture of two values never verifies.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SELFCHECK_MIN 48
#define SELFCHECK_MAX 1023

/* Writes the value of `length` bytes (SELFCHECK_MIN to SELFCHECK_MAX) and a NUL. */
static inline void selfcheck_make_for(char *value, uint64_t object, unsigned writer, unsigned long number,
                                      size_t length)
{
    int head = snprintf(value, SELFCHECK_MIN, "%llx:%x:%lx:%zx:", (unsigned long long)object, writer, number, length);
    unsigned turn = (unsigned)((object * 5 + writer + number * 13) % 26);
    for (size_t i = (size_t)head; i < length; i++)
        value[i] = (char)('a' + (i * 7 + turn) % 26);
    value[length] = '\0';
}

static inline void selfcheck_make(char *value, unsigned writer, unsigned long number, size_t length)
{
    selfcheck_make_for(value, 0, writer, number, length);
}

/* Whether a value is whole; returns its object, writer and number. */
static inline int selfcheck_verify_for(const char *value, uint64_t *object, unsigned *writer, unsigned long *number)
{
    char whole[SELFCHECK_MAX + 1];
    unsigned long fields[4];
    const char *at = value;
    for (int i = 0; i < 4; i++) {
        char *end;
        fields[i] = strtoul(at, &end, 16);
        if (end == at || *end != ':')
            return 0;
        at = end + 1;
    }
    if (fields[3] < SELFCHECK_MIN || fields[3] > SELFCHECK_MAX || strlen(value) != fields[3])
        return 0;
    *object = fields[0];
    *writer = (unsigned)fields[1];
    *number = fields[2];
    selfcheck_make_for(whole, *object, *writer, *number, fields[3]);
    return strcmp(value, whole) == 0;
}

static inline int selfcheck_whole(const char *value)
{
    uint64_t object;
    unsigned writer;
    unsigned long number;
    return selfcheck_verify_for(value, &object, &writer, &number) && object == 0;
}
