/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * check: what schemas and hint sets ask of check.c. Pure.
 */
#ifndef RCUINFO_HINTS_CHECK_H
#define RCUINFO_HINTS_CHECK_H

#include <stdbool.h>

#include <rcuinfo/hints.h>

/* Whether a row's type, flags, range and words are such that a value can be checked against them. Key and default are
 * not looked at. */
bool rcuinfo__hint_declared(const rcuinfo_hint_t *hint);

/* Whether rcuinfo_hint_check gives a number for values of the row. */
bool rcuinfo__hint_has_number(const rcuinfo_hint_t *hint);

#endif
