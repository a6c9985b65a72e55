/* SPDX-License-Identifier: BSD-3-Clause */
/* texts: see texts.h. */
#include "linear/texts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "linear/history.h"

enum { SHORTEST = 4, STEP = 5 };

static char values[LINEAR_VALUES][SHORTEST + LINEAR_VALUES * STEP];
static const char *const keys[LINEAR_KEYS] = {"a", "access_style", "c", "cb_buffer_size"};

void texts_make(void)
{
    for (unsigned i = 1; i < LINEAR_VALUES; i++) {
        int head = snprintf(values[i], sizeof values[i], "%u", i);
        memset(values[i] + head, (int)('a' + i % 26), SHORTEST + i * STEP - (size_t)head);
    }
}

const char *texts_key(uint8_t number)
{
    return keys[number];
}

const char *texts_value(uint8_t number)
{
    return number ? values[number] : NULL;
}

uint8_t texts_key_number(const char *key)
{
    for (unsigned i = 0; i < LINEAR_KEYS; i++) {
        if (strcmp(key, keys[i]) == 0)
            return (uint8_t)i;
    }
    return LINEAR_GARBAGE;
}

uint8_t texts_value_number(const char *value)
{
    unsigned long number = strtoul(value, NULL, 10);
    return number > 0 && number < LINEAR_VALUES && strcmp(value, values[number]) == 0 ? (uint8_t)number
                                                                                      : LINEAR_GARBAGE;
}

uint8_t texts_length_number(size_t length)
{
    size_t number = (length - SHORTEST) / STEP;
    return length > SHORTEST && (length - SHORTEST) % STEP == 0 && number < LINEAR_VALUES ? (uint8_t)number
                                                                                          : LINEAR_GARBAGE;
}
