/* SPDX-License-Identifier: BSD-3-Clause */
/* hints: a hint set with one hint, the integer "number", which is 5 by default. */
#pragma once

#include <rcuinfo/hints.h>

#include "support/check.h"

static rcuinfo_schema_t *hints_schema;
static rcuinfo_hint_set_t *hints;

static inline void hints_begin(void)
{
    static const rcuinfo_hint_t row = {.key = "number", .type = RCUINFO_TYPE_INT, .initial = "5"};
    CHECK_OK(rcuinfo_schema_create(NULL, &row, 1, &hints_schema, NULL));
    CHECK_OK(rcuinfo_hint_set_create(hints_schema, RCUINFO_NULL, NULL, NULL, &hints));
}

static inline void hints_end(void)
{
    rcuinfo_hint_set_free(&hints);
    rcuinfo_schema_free(&hints_schema);
}
