/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * window_expect: what MPI-4.1, section 12.2.7 (Window Info), lets a program expect of the hints of a window, as
 * questions to any kind of window: real ones of an MPI library, and the in-process window on hint sets. One process,
 * one thread.
 *
 * The program includes mpi.h, or its names on the native interface, and defines the functions of its kind of window.
 * Here a call that fails ends it. `expect_window` prints a line for each question, "yes" or "no" and the sentence.
 */
#ifndef TESTS_APPS_WINDOW_EXPECT_H
#define TESTS_APPS_WINDOW_EXPECT_H

#include <stdio.h>
#include <string.h>

#include "support/check.h"

struct pair {
    const char *key;
    const char *value;
};

/* The program's. */
static void *make_window(MPI_Info info);
static void set_info(void *window, MPI_Info info);
static MPI_Info get_info(void *window);
static void end_window(void *window);

#define EXPECT_VALUE 1024 /* bytes that hold every value */

/* The pairs end with a NULL key. */
#define PAIRS(...)                                                                                                     \
    (const struct pair[])                                                                                              \
    {                                                                                                                  \
        __VA_ARGS__,                                                                                                   \
        {                                                                                                              \
            NULL, NULL                                                                                                 \
        }                                                                                                              \
    }
#define NO_PAIRS ((const struct pair[]){{NULL, NULL}})

#define MUST(call) CHECKF((call) == MPI_SUCCESS, "%s", __func__)

/* NULL: no info. */
static MPI_Info info_of(const struct pair *pairs)
{
    MPI_Info info = MPI_INFO_NULL;
    if (!pairs)
        return info;
    MUST(MPI_Info_create(&info));
    for (; pairs->key; pairs++)
        MUST(MPI_Info_set(info, pairs->key, pairs->value));
    return info;
}

static void drop(MPI_Info info)
{
    if (info != MPI_INFO_NULL)
        MUST(MPI_Info_free(&info));
}

static void *create(const struct pair *pairs)
{
    MPI_Info info = info_of(pairs);
    void *window = make_window(info);
    drop(info);
    return window;
}

static void set(void *window, const struct pair *pairs)
{
    MPI_Info info = info_of(pairs);
    set_info(window, info);
    drop(info);
}

/* Of a new get_info: whether the key is there. */
static int get(void *window, const char *key, char *value)
{
    MPI_Info info = get_info(window);
    int flag = 0;
    MUST(MPI_Info_get(info, key, EXPECT_VALUE - 1, value, &flag));
    drop(info);
    return flag;
}

/* How many keys a new get_info gives. With `spoil` they are deleted from it, and one is added. */
static int count_keys(void *window, int spoil)
{
    MPI_Info info = get_info(window);
    int nkeys = -1;
    char key[MPI_MAX_INFO_KEY + 1];
    MUST(MPI_Info_get_nkeys(info, &nkeys));
    for (int n = 0; spoil && n < nkeys; n++) {
        MUST(MPI_Info_get_nthkey(info, 0, key));
        MUST(MPI_Info_delete(info, key));
    }
    if (spoil)
        MUST(MPI_Info_set(info, "rcuinfo_unknown", "1"));
    drop(info);
    return nkeys;
}

static int is(void *window, const char *key, const char *wanted)
{
    char value[EXPECT_VALUE];
    int there = get(window, key, value);
    return wanted ? there && strcmp(value, wanted) == 0 : !there;
}

/* Questions that take more than a look at the values. Each makes a window of its own, and leaves it in `window`. */
typedef int question(void **window);

static int ignores_ill_typed(void **window)
{
    *window = create(PAIRS({"no_locks", "perhaps"}));
    return !is(*window, "no_locks", "perhaps") && !is(*window, "no_locks", "true");
}

static int empty_set_changes_nothing(void **window)
{
    *window = create(PAIRS({"no_locks", "true"}));
    int count = count_keys(*window, 0);
    set(*window, NO_PAIRS);
    return is(*window, "no_locks", "true") && count_keys(*window, 0) == count;
}

static int each_get_is_new(void **window)
{
    *window = create(PAIRS({"no_locks", "true"}));
    int count = count_keys(*window, 0);
    return count_keys(*window, 1) == count && count_keys(*window, 0) == count && is(*window, "no_locks", "true");
}

static int reading_changes_nothing(void **window)
{
    char value[EXPECT_VALUE];
    *window = create(NULL);
    int count = count_keys(*window, 0);
    (void)get(*window, "no_locks", value);
    (void)get(*window, "rcuinfo_unknown", value);
    return count_keys(*window, 0) == count;
}

enum { EXPECTED = 4 };

/* What the window is created with, and what set_info is then given, one pair or none; and what get_info has to say,
 * NULL of a key that it must not have. Or the question. */
static const struct {
    const char *sentence;
    struct pair created, set, wanted[EXPECTED];
    question *ask;
} questions[] = {
    {"a hint with a default is given when the user has not set it",
     .wanted = {{"no_locks", "false"}, {"same_size", "false"}, {"accumulate_ops", "same_op_no_op"}}},
    {"a hint of the creating call is given", {"no_locks", "true"}, .wanted = {{"no_locks", "true"}}},
    {"the others keep their defaults then", {"no_locks", "true"}, .wanted = {{"same_size", "false"}}},
    {"an unknown key of the creating call is not given",
     {"rcuinfo_unknown", "1"},
     .wanted = {{"rcuinfo_unknown", NULL}}},
    {"a value that is none for its key is not used", .ask = ignores_ill_typed},
    {"a hint of set_info is given", .set = {"same_disp_unit", "true"}, .wanted = {{"same_disp_unit", "true"}}},
    {"set_info leaves what it does not name",
     {"no_locks", "true"},
     {"same_disp_unit", "true"},
     .wanted = {{"no_locks", "true"}}},
    {"set_info of the value that is there leaves it",
     {"accumulate_ordering", "none"},
     {"accumulate_ordering", "none"},
     .wanted = {{"accumulate_ordering", "none"}}},
    {"set_info of an empty info changes nothing", .ask = empty_set_changes_nothing},
    {"an unknown key of set_info is not given, and changes nothing",
     {"no_locks", "true"},
     {"rcuinfo_unknown", "1"},
     .wanted = {{"rcuinfo_unknown", NULL}, {"no_locks", "true"}}},
    {"a value that is none for its key, in set_info, changes nothing",
     {"same_size", "true"},
     {"same_size", "perhaps"},
     .wanted = {{"same_size", "true"}}},
    {"each get_info gives an info of its own", .ask = each_get_is_new},
    {"reading changes nothing", .ask = reading_changes_nothing},
};

/* Whether a window of these pairs says what is wanted. */
static int answers(struct pair created, struct pair given, const struct pair wanted[EXPECTED], void **window)
{
    int answer = 1;
    *window = create(created.key ? PAIRS(created) : NULL);
    if (given.key)
        set(*window, PAIRS(given));
    for (; wanted->key; wanted++)
        answer &= is(*window, wanted->key, wanted->value);
    return answer;
}

static void expect_window(FILE *to)
{
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        void *window = NULL;
        int answer = questions[i].ask ? questions[i].ask(&window)
                                      : answers(questions[i].created, questions[i].set, questions[i].wanted, &window);
        end_window(window);
        if (to)
            fprintf(to, "%-3s %s\n", answer ? "yes" : "no", questions[i].sentence);
    }
}

#endif
