/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spans: sets of process numbers. A set is a list of spans in ascending order with gaps between them, e.g. 0-2, 5; NULL
 * is the empty set.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rcuinfo__span {
    long first;
    long last; /* included */
    struct rcuinfo__span *next;
};

void rcuinfo__spans_free(struct rcuinfo__span *list);

/* Adds the processes first to last. Returns false, and adds nothing, when there is no memory. */
bool rcuinfo__spans_add(struct rcuinfo__span **list, long first, long last);

/* Adds the processes of a text such as "0-2,5". Returns false when the text is no such list, and adds nothing, or
 * when there is no memory, and may have added some. */
bool rcuinfo__spans_add_list(struct rcuinfo__span **list, const char *on);

/* Writes the list as such a text: as many whole spans as fit into `size` bytes with the NUL. Returns the length of the
 * whole text, like snprintf. */
size_t rcuinfo__spans_print(const struct rcuinfo__span *list, char *text, size_t size);

/* The number of processes. */
uint64_t rcuinfo__spans_length(const struct rcuinfo__span *list);

/* Whether no process is in both sets. */
bool rcuinfo__spans_are_apart(const struct rcuinfo__span *a, const struct rcuinfo__span *b);
