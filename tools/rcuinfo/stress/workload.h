/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * workload: random keys and values from a small alphabet, chosen so that overrides, deletes, long keys and values that
 * cross the sizes at which storage changes are all common.
 */
#pragma once

#include <stdio.h>
#include <string.h>
#include <rcuinfo/info.h>

#include "stress/random.h"

/* Key number n of the alphabet: every seventh is long, every 35th as long as possible. Writes at most RCUINFO_MAX_KEY
 * bytes. */
static inline void workload_key(char *key, unsigned n)
{
    int head = snprintf(key, RCUINFO_MAX_KEY, n % 3 ? "k%u" : "hint_number_%u", n);
    size_t length = n % 35 == 0 ? RCUINFO_MAX_KEY - 1 : n % 7 == 0 ? 40 + n % 200 : (size_t)head;
    for (size_t i = (size_t)head; i < length; i++)
        key[i] = (char)('A' + i % 23);
    key[length < (size_t)head ? (size_t)head : length] = '\0';
}

/* A value of random length: mostly short, sometimes around 128 bytes or at the limit. */
static inline void workload_value(char *value, struct random *r)
{
    static const unsigned edges[] = {0, 1, 126, 127, 128, 129, 130, RCUINFO_MAX_VALUE - 2, RCUINFO_MAX_VALUE - 1};
    unsigned length = random_below(r, 24), fill = random_below(r, 26);
    if (random_below(r, 8) == 0)
        length = edges[random_below(r, sizeof edges / sizeof *edges)];
    for (unsigned i = 0; i < length; i++)
        value[i] = (char)('a' + (i + fill) % 26);
    value[length] = '\0';
}
