/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * both: a hint set of two numbers that are only ever set together, to one number.
 */
#ifndef TESTS_HINTS_BOTH_H
#define TESTS_HINTS_BOTH_H

#include <rcuinfo/rcuinfo.h>

#include "support/objects.h"

enum { FIRST = 0, SECOND = 1 };

static const rcuinfo_hint_t both_rows[2] = {{.key = "first", .type = RCUINFO_HINT_INT, .initial = "0"},
                                            {.key = "second", .type = RCUINFO_HINT_INT, .initial = "0"}};

static rcuinfo_schema_t *both_schema;
static rcuinfo_hint_set_t *both;

static inline void both_make(rcuinfo_hint_accept_t *accept)
{
    if (!both_schema)
        CHECK_OK(rcuinfo_schema_create(NULL, both_rows, 2, &both_schema, NULL));
    CHECK_OK(rcuinfo_hint_set_create(both_schema, RCUINFO_NULL, accept, NULL, &both));
}

/* `row` comes first in the info that is given. */
static inline void both_set(long number, long row)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%ld", number);
    rcuinfo_t info = OBJECT(both_rows[row].key, text, both_rows[!row].key, text);
    CHECK_OK(rcuinfo_hint_set_merge(both, info));
    CHECK_OK(rcuinfo_free(&info));
}

static inline long both_read(size_t row)
{
    int64_t number = -1;
    CHECK_OK(rcuinfo_hint_set_read(both, row, &number));
    return (long)number;
}

static inline long both_read_string(size_t row)
{
    char text[32];
    size_t length;
    CHECK_OK(rcuinfo_hint_set_read_string(both, row, sizeof text, text, &length));
    CHECK(length == strlen(text));
    return strtol(text, NULL, 10);
}

/* Of one info of what is in use; both numbers are there, and the same. */
static inline long both_get(void)
{
    rcuinfo_t info;
    int64_t numbers[2] = {-1, -1};
    int nkeys;
    CHECK_OK(rcuinfo_hint_set_get_info(both, &info));
    CHECK_OK(rcuinfo_get_nkeys(info, &nkeys));
    CHECK(nkeys == 2);
    for (size_t row = 0; row < 2; row++)
        CHECK_OK(rcuinfo_get_int64(info, both_rows[row].key, &numbers[row], NULL));
    CHECKF(numbers[0] == numbers[1], "torn: %ld and %ld", (long)numbers[0], (long)numbers[1]);
    CHECK_OK(rcuinfo_free(&info));
    return (long)numbers[0];
}

/* Whatever is read, by a thread that is alone, is that number. */
static inline void both_check(long number)
{
    for (size_t row = 0; row < 2; row++)
        CHECK(both_read(row) == number && both_read_string(row) == number);
    CHECK(both_get() == number);
}

static inline void both_end(void)
{
    rcuinfo_schema_free(&both_schema);
    CHECK(rcuinfo_store_drain() == 0);
}

#endif
