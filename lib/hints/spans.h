/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spans: sets of process numbers, as lists of spans in ascending order that do not touch; NULL is the empty one.
 */
#ifndef RCUINFO_HINTS_SPANS_H
#define RCUINFO_HINTS_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rcuinfo__span {
    long first;
    long last;
    struct rcuinfo__span *next;
};

void rcuinfo__spans_free(struct rcuinfo__span *list);

/* Adds the processes first to last. false: no memory, and nothing has been added. */
bool rcuinfo__spans_add(struct rcuinfo__span **list, long first, long last);

/* Adds those of a text as "0-2,5". false: no memory, or it is none, and then nothing has been added. */
bool rcuinfo__spans_add_list(struct rcuinfo__span **list, const char *on);

/* The list as text, at most so many bytes of it with the NUL; returns how long it is, as snprintf. */
size_t rcuinfo__spans_print(const struct rcuinfo__span *list, char *text, size_t size);

uint64_t rcuinfo__spans_length(const struct rcuinfo__span *list);

/* Whether no process is in both. */
bool rcuinfo__spans_are_apart(const struct rcuinfo__span *a, const struct rcuinfo__span *b);

#endif
