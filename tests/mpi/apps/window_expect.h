/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * window_expect: questions on what MPI-4.1, section 12.2.7 (Window Info), lets a program expect of the hints of a
 * window. They apply to real windows of an MPI library and to the in-process window on hint sets.
 *
 * The program includes mpi.h, or defines its names for its own kind of window, and defines make_window. A call that
 * fails ends it. `expect_window` prints one line per question: "yes" or "no" and the sentence.
 */
#pragma once

#include <stdio.h>
#include <string.h>

#include "support/check.h"

struct pair {
    const char *key;
    const char *value;
};

/* Defined by the program. */
static MPI_Win make_window(MPI_Info info);

#define MUST(call) CHECKF((call) == MPI_SUCCESS, "%s", __func__)

/* Creates an info with this pair, or an empty one if the key is NULL. */
static MPI_Info info_of(struct pair pair)
{
    MPI_Info info;
    MUST(MPI_Info_create(&info));
    if (pair.key)
        MUST(MPI_Info_set(info, pair.key, pair.value));
    return info;
}

/* Creates a window with this hint, or with MPI_INFO_NULL if the key is NULL. */
static MPI_Win create(struct pair pair)
{
    if (!pair.key)
        return make_window(MPI_INFO_NULL);
    MPI_Info info = info_of(pair);
    MPI_Win window = make_window(info);
    MUST(MPI_Info_free(&info));
    return window;
}

static void set(MPI_Win window, struct pair pair)
{
    MPI_Info info = info_of(pair);
    MUST(MPI_Win_set_info(window, info));
    MUST(MPI_Info_free(&info));
}

/* Returns the number of keys that get_info gives. `spoil` deletes all keys from that info and adds one. */
static int count_keys(MPI_Win window, int spoil)
{
    MPI_Info info;
    int nkeys = -1;
    char key[MPI_MAX_INFO_KEY + 1];
    MUST(MPI_Win_get_info(window, &info));
    MUST(MPI_Info_get_nkeys(info, &nkeys));
    for (int n = 0; spoil && n < nkeys; n++) {
        MUST(MPI_Info_get_nthkey(info, 0, key));
        MUST(MPI_Info_delete(info, key));
    }
    if (spoil)
        MUST(MPI_Info_set(info, "rcuinfo_unknown", "1"));
    MUST(MPI_Info_free(&info));
    return nkeys;
}

/* Returns whether get_info gives the wanted value, or, if that is NULL, lacks the key. */
static int is(MPI_Win window, struct pair wanted)
{
    MPI_Info info;
    char value[MPI_MAX_INFO_VAL + 1];
    int flag = 0;
    MUST(MPI_Win_get_info(window, &info));
    MUST(MPI_Info_get(info, wanted.key, MPI_MAX_INFO_VAL - 1, value, &flag));
    MUST(MPI_Info_free(&info));
    return wanted.value ? flag && strcmp(value, wanted.value) == 0 : !flag;
}

enum { EXPECTED = 4 };

#define NO_LOCKS  "no_locks", "true"
#define SAME_SIZE "same_size", "true"
#define SAME_UNIT "same_disp_unit", "true"
#define UNORDERED "accumulate_ordering", "none"
#define UNKNOWN   "rcuinfo_unknown", "1"
#define NOT_THERE "rcuinfo_unknown", NULL

/* The window is created with one pair or none, and set_info then gets one pair or is not called. get_info must give the
 * wanted pairs, where the value NULL means that the key is absent, and must not give the unwanted ones. */
static const struct question {
    const char *sentence;
    struct pair created, set, wanted[EXPECTED], unwanted[EXPECTED];
    int set_empty, spoil; /* call set_info with an empty info; change the info of an earlier get_info */
    int as_many;          /* the number of keys must be the same at the end */
} questions[] = {
    {"a hint with a default is given when the user has not set it",
     .wanted = {{"no_locks", "false"}, {"same_size", "false"}, {"accumulate_ops", "same_op_no_op"}}},
    {"a hint of the creating call is given", {NO_LOCKS}, .wanted = {{NO_LOCKS}}},
    {"the others keep their defaults then", {NO_LOCKS}, .wanted = {{"same_size", "false"}}},
    {"an unknown key of the creating call is not given", {UNKNOWN}, .wanted = {{NOT_THERE}}},
    {"an invalid value is not used", .created = {"no_locks", "perhaps"},
     .unwanted = {{"no_locks", "perhaps"}, {NO_LOCKS}}},
    {"a hint of set_info is given", .set = {SAME_UNIT}, .wanted = {{SAME_UNIT}}},
    {"set_info leaves what it does not name", {NO_LOCKS}, {SAME_UNIT}, .wanted = {{NO_LOCKS}}},
    {"set_info of the value that is there leaves it", {UNORDERED}, {UNORDERED}, .wanted = {{UNORDERED}}},
    {"set_info of an empty info changes nothing", {NO_LOCKS}, .wanted = {{NO_LOCKS}}, .set_empty = 1, .as_many = 1},
    {"an unknown key of set_info is not given, and changes nothing",
     {NO_LOCKS},
     {UNKNOWN},
     .wanted = {{NOT_THERE}, {NO_LOCKS}}},
    {"an invalid value in set_info changes nothing", .created = {SAME_SIZE}, .set = {"same_size", "perhaps"},
     .wanted = {{SAME_SIZE}}},
    {"each get_info gives an info of its own", {NO_LOCKS}, .wanted = {{NO_LOCKS}}, .spoil = 1, .as_many = 1},
    {"reading changes nothing", .unwanted = {{"no_locks", "?"}, {UNKNOWN}}, .as_many = 1},
};

static int answer_of(const struct question *question)
{
    MPI_Win window = create(question->created);
    int count = count_keys(window, question->spoil), answer = 1;
    if (question->set.key || question->set_empty)
        set(window, question->set);
    for (const struct pair *pair = question->wanted; pair->key; pair++)
        answer &= is(window, *pair);
    for (const struct pair *pair = question->unwanted; pair->key; pair++)
        answer &= !is(window, *pair);
    answer &= !question->as_many || count_keys(window, 0) == count;
    MUST(MPI_Win_free(&window));
    return answer;
}

static void expect_window(FILE *to)
{
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        int answer = answer_of(&questions[i]);
        if (to)
            fprintf(to, "%-3s %s\n", answer ? "yes" : "no", questions[i].sentence);
    }
}
