/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * window_expect: what MPI-4.1, section 12.2.7 (Window Info), lets a program expect of the hints of a window, as
 * questions to any kind of window: real ones of an MPI library, and the in-process window on hint sets. One process,
 * one thread.
 *
 * A kind of window answers by the functions below, and ends the program when a call fails. `expect_window` prints a
 * line for each question, "yes" or "no" and the sentence.
 */
#ifndef TESTS_APPS_WINDOW_EXPECT_H
#define TESTS_APPS_WINDOW_EXPECT_H

#include <stdio.h>
#include <string.h>

struct pair {
    const char *key;
    const char *value;
};

#define EXPECT_VALUE 1024 /* bytes that hold every value */

/* The pairs end with a NULL key; `pairs` NULL: no info is given. */
struct window_kind {
    void *(*create)(const struct pair *pairs);
    void (*set)(void *window, const struct pair *pairs);
    int (*get)(void *window, const char *key, char *value); /* of a new get_info: whether the key is there */
    int (*count)(void *window);                             /* of a new get_info: how many keys */
    int (*spoil)(void *window); /* deletes all keys of what get_info gives, and adds one; how many it deleted */
    void (*free)(void *window);
};

#define PAIRS(...)                                                                                                     \
    (const struct pair[])                                                                                              \
    {                                                                                                                  \
        __VA_ARGS__,                                                                                                   \
        {                                                                                                              \
            NULL, NULL                                                                                                 \
        }                                                                                                              \
    }
#define NO_PAIRS ((const struct pair[]){{NULL, NULL}})

static int is(const struct window_kind *kind, void *window, const char *key, const char *wanted)
{
    char value[EXPECT_VALUE];
    int there = kind->get(window, key, value);
    return wanted ? there && strcmp(value, wanted) == 0 : !there;
}

/* Each makes a window of its own, asks, and leaves it in `window` to be freed. */
typedef int question(const struct window_kind *kind, void **window);

static int gives_defaults(const struct window_kind *kind, void **window)
{
    *window = kind->create(NULL);
    return is(kind, *window, "no_locks", "false") && is(kind, *window, "same_size", "false") &&
           is(kind, *window, "accumulate_ops", "same_op_no_op");
}

static int gives_what_was_created(const struct window_kind *kind, void **window)
{
    *window = kind->create(PAIRS({"no_locks", "true"}));
    return is(kind, *window, "no_locks", "true");
}

static int creation_leaves_defaults(const struct window_kind *kind, void **window)
{
    *window = kind->create(PAIRS({"no_locks", "true"}));
    return is(kind, *window, "same_size", "false");
}

static int ignores_unknown_at_creation(const struct window_kind *kind, void **window)
{
    *window = kind->create(PAIRS({"rcuinfo_unknown", "1"}));
    return is(kind, *window, "rcuinfo_unknown", NULL);
}

static int ignores_ill_typed(const struct window_kind *kind, void **window)
{
    *window = kind->create(PAIRS({"no_locks", "perhaps"}));
    return !is(kind, *window, "no_locks", "perhaps") && !is(kind, *window, "no_locks", "true");
}

static int set_changes(const struct window_kind *kind, void **window)
{
    *window = kind->create(NULL);
    kind->set(*window, PAIRS({"same_disp_unit", "true"}));
    return is(kind, *window, "same_disp_unit", "true");
}

static int set_leaves_the_rest(const struct window_kind *kind, void **window)
{
    *window = kind->create(PAIRS({"no_locks", "true"}));
    kind->set(*window, PAIRS({"same_disp_unit", "true"}));
    return is(kind, *window, "no_locks", "true");
}

static int empty_set_changes_nothing(const struct window_kind *kind, void **window)
{
    *window = kind->create(PAIRS({"no_locks", "true"}));
    int count = kind->count(*window);
    kind->set(*window, NO_PAIRS);
    return is(kind, *window, "no_locks", "true") && kind->count(*window) == count;
}

static int set_again_keeps(const struct window_kind *kind, void **window)
{
    *window = kind->create(PAIRS({"accumulate_ordering", "none"}));
    kind->set(*window, PAIRS({"accumulate_ordering", "none"}));
    return is(kind, *window, "accumulate_ordering", "none");
}

static int ignores_unknown_in_set(const struct window_kind *kind, void **window)
{
    *window = kind->create(PAIRS({"no_locks", "true"}));
    kind->set(*window, PAIRS({"rcuinfo_unknown", "1"}));
    return is(kind, *window, "rcuinfo_unknown", NULL) && is(kind, *window, "no_locks", "true");
}

static int ignored_values_change_nothing(const struct window_kind *kind, void **window)
{
    *window = kind->create(PAIRS({"same_size", "true"}));
    kind->set(*window, PAIRS({"same_size", "perhaps"}));
    return is(kind, *window, "same_size", "true");
}

static int each_get_is_new(const struct window_kind *kind, void **window)
{
    *window = kind->create(PAIRS({"no_locks", "true"}));
    int count = kind->count(*window);
    return kind->spoil(*window) == count && kind->count(*window) == count && is(kind, *window, "no_locks", "true");
}

static int reading_changes_nothing(const struct window_kind *kind, void **window)
{
    char value[EXPECT_VALUE];
    *window = kind->create(NULL);
    int count = kind->count(*window);
    (void)kind->get(*window, "no_locks", value);
    (void)kind->get(*window, "rcuinfo_unknown", value);
    return kind->count(*window) == count;
}

static const struct {
    const char *sentence;
    question *ask;
} questions[] = {
    {"a hint with a default is given when the user has not set it", gives_defaults},
    {"a hint of the creating call is given", gives_what_was_created},
    {"the others keep their defaults then", creation_leaves_defaults},
    {"an unknown key of the creating call is not given", ignores_unknown_at_creation},
    {"a value that is none for its key is not used", ignores_ill_typed},
    {"a hint of set_info is given", set_changes},
    {"set_info leaves what it does not name", set_leaves_the_rest},
    {"set_info of the value that is there leaves it", set_again_keeps},
    {"set_info of an empty info changes nothing", empty_set_changes_nothing},
    {"an unknown key of set_info is not given, and changes nothing", ignores_unknown_in_set},
    {"a value that is none for its key, in set_info, changes nothing", ignored_values_change_nothing},
    {"each get_info gives an info of its own", each_get_is_new},
    {"reading changes nothing", reading_changes_nothing},
};

static void expect_window(const struct window_kind *kind, FILE *to)
{
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        void *window = NULL;
        int answer = questions[i].ask(kind, &window);
        kind->free(window);
        if (to)
            fprintf(to, "%-3s %s\n", answer ? "yes" : "no", questions[i].sentence);
    }
}

#endif
