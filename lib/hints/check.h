/* SPDX-License-Identifier: BSD-3-Clause */
/* check: what schemas and hint sets need from check.c, besides rcuinfo_hint_check. Pure. */
#pragma once

#include <stdbool.h>

#include <rcuinfo/hints.h>

/* Whether the type, flags, range and words of a row are valid. Does not check the key and the default. */
bool rcuinfo__hint_declared(const rcuinfo_hint_t *hint);

/* Whether rcuinfo_hint_check returns a number for values of the row. */
bool rcuinfo__hint_has_number(const rcuinfo_hint_t *hint);
