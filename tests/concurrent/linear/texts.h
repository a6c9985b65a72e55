/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * texts: the strings behind the numbers of keys and values. Each value has a length of its own and is all of one
 * letter with its number in front, so that its length alone, and every part of it, tells which it is.
 */
#ifndef TOOLS_LINEAR_TEXTS_H
#define TOOLS_LINEAR_TEXTS_H

#include <stddef.h>
#include <stdint.h>

/* Once, before any thread uses the rest. */
void texts_make(void);

const char *texts_key(uint8_t number);
const char *texts_value(uint8_t number); /* NULL for 0 */

/* The number of a text, or LINEAR_GARBAGE. */
uint8_t texts_key_number(const char *key);
uint8_t texts_value_number(const char *value);
uint8_t texts_length_number(size_t length);

#endif
