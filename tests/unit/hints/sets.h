/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sets: the schema of the tests of hint sets, infos out of lists of strings, and what a set shows, as one text.
 */
#ifndef TESTS_HINTS_SETS_H
#define TESTS_HINTS_SETS_H

#include <stdint.h>

#include <rcuinfo/rcuinfo.h>

#include "support/objects.h"

enum sets_row { NO_LOCKS, ORDERING, EAGER, NOTE, DEPTH, SAME_SIZE, PROVIDER, MODEL, SETS_ROWS };

static const rcuinfo_hint_t sets_rows[SETS_ROWS] = {
    [NO_LOCKS] = {.key = "no_locks", .type = RCUINFO_HINT_BOOL, .initial = "false"},
    [ORDERING] = {.key = "accumulate_ordering",
                  .type = RCUINFO_HINT_CHOICE,
                  .flags = RCUINFO_HINT_LIST,
                  .allowed = "rar,raw,war,waw",
                  .alone = "none",
                  .initial = "rar,raw,war,waw"},
    [EAGER] = {.key = "eager", .type = RCUINFO_HINT_BOOL},
    [NOTE] = {.key = "note", .type = RCUINFO_HINT_STRING},
    [DEPTH] = {.key = "depth", .type = RCUINFO_HINT_INT, .least = 1, .most = 64, .initial = "8"},
    [SAME_SIZE] = {.key = "same_size", .type = RCUINFO_HINT_BOOL, .flags = RCUINFO_HINT_FIXED, .initial = "false"},
    [PROVIDER] = {.key = "provider", .type = RCUINFO_HINT_STRING, .flags = RCUINFO_HINT_GET_ONLY, .initial = "shm"},
    [MODEL] = {.key = "model", .type = RCUINFO_HINT_CHOICE, .flags = RCUINFO_HINT_GET_ONLY, .allowed = "a,b"},
};

/* What the defaults look like. */
#define SETS_DEFAULTS "no_locks=false accumulate_ordering=rar,raw,war,waw depth=8 same_size=false provider=shm "

static inline rcuinfo_schema_t *sets_schema(void)
{
    rcuinfo_schema_t *schema = NULL;
    CHECK_OK(rcuinfo_schema_create(NULL, sets_rows, SETS_ROWS, &schema, NULL));
    return schema;
}

/* The pairs of an info in their order, "key=value " each. */
enum { SETS_TEXT = 8 * RCUINFO_MAX_VALUE };
static inline const char *sets_text(rcuinfo_t info, char *text)
{
    const rcuinfo_snapshot_t *snapshot;
    rcuinfo_pair_t pair;
    size_t at = 0;
    text[0] = '\0';
    CHECK_OK(rcuinfo_snapshot_open(info, &snapshot));
    for (size_t i = 0; i < rcuinfo_snapshot_count(snapshot); i++) {
        CHECK_OK(rcuinfo_snapshot_nth(snapshot, i, &pair));
        at += (size_t)snprintf(text + at, SETS_TEXT - at, "%s=%s ", pair.key, pair.value);
        CHECK(at < SETS_TEXT);
    }
    rcuinfo_snapshot_close(snapshot);
    return text;
}

/* What rcuinfo_hint_set_get_info gives, in the same way. */
static inline const char *sets_used(const rcuinfo_hint_set_t *hints)
{
    static char text[SETS_TEXT];
    rcuinfo_t info;
    CHECK_OK(rcuinfo_hint_set_get_info(hints, &info));
    sets_text(info, text);
    CHECK_OK(rcuinfo_free(&info));
    return text;
}

/* A row's value is read as text and as number: both are those of `info`. */
static inline void sets_check_row(const rcuinfo_hint_set_t *hints, size_t row, rcuinfo_t info)
{
    char value[RCUINFO_MAX_VALUE], text[RCUINFO_MAX_VALUE];
    int64_t wanted = INT64_MIN, number = INT64_MIN;
    size_t length;
    int flag;
    CHECK_OK(rcuinfo_get(info, sets_rows[row].key, sizeof value - 1, value, &flag));
    CHECK_STATUS(rcuinfo_hint_set_read_string(hints, row, sizeof text, text, &length),
                 flag ? RCUINFO_SUCCESS : RCUINFO_ERR_NOKEY);
    if (sets_rows[row].type == RCUINFO_HINT_STRING) {
        CHECK_STATUS(rcuinfo_hint_set_read(hints, row, &number), RCUINFO_ERR_ARG);
    } else {
        CHECK_STATUS(rcuinfo_hint_set_read(hints, row, &number), flag ? RCUINFO_SUCCESS : RCUINFO_ERR_NOKEY);
        if (flag)
            CHECK_OK(rcuinfo_hint_check(&sets_rows[row], value, &wanted, NULL));
        CHECK_EQUAL(number, wanted);
    }
    if (flag)
        CHECK_TEXT(text, value);
}

/* In use is just this, however it is read. Reading changes nothing of it (on Open MPI a key shows once somebody has
 * read it). */
static inline void sets_check(const rcuinfo_hint_set_t *hints, const char *wanted)
{
    rcuinfo_t info;
    CHECK_TEXT(sets_used(hints), wanted);
    CHECK_OK(rcuinfo_hint_set_get_info(hints, &info));
    for (size_t row = 0; row < SETS_ROWS; row++)
        sets_check_row(hints, row, info);
    CHECK_OK(rcuinfo_free(&info));
    CHECK_TEXT(sets_used(hints), wanted);
}

/* Sets hints and frees the info. */
static inline void sets_set(rcuinfo_hint_set_t *hints, rcuinfo_t info)
{
    CHECK_OK(rcuinfo_hint_set_merge(hints, info));
    CHECK_OK(rcuinfo_free(&info));
}

/* Makes a set of an info, or of none, and frees the info. */
static inline rcuinfo_hint_set_t *sets_make(const rcuinfo_schema_t *schema, rcuinfo_t info,
                                            rcuinfo_hint_accept_t *accept, void *context)
{
    rcuinfo_hint_set_t *hints = NULL;
    CHECK_OK(rcuinfo_hint_set_create(schema, info, accept, context, &hints));
    CHECK(hints);
    if (info != RCUINFO_NULL)
        CHECK_OK(rcuinfo_free(&info));
    return hints;
}

static inline int64_t sets_read(const rcuinfo_hint_set_t *hints, size_t row)
{
    int64_t number = INT64_MIN;
    CHECK_OK(rcuinfo_hint_set_read(hints, row, &number));
    return number;
}

#endif
