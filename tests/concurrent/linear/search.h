/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * search: whether a history is linearizable, and which part of it is not.
 *
 * The search is that of Wing and Gong (1993) with Lowe's (2017) memory of the places where it has been: it lays
 * operations in an order, always one of those that nothing left out returned before, as long as the specification gives
 * their results; a place is the set of operations left and the state, and is entered once as long as it is remembered.
 * Linearizability is local (Herlihy and Wing, 1990), so objects that no dup ties together are decided by themselves,
 * and so is each key of an object on which nothing but single keys were looked at or changed (Lowe's partitioning).
 * Each thread has a memory of its own.
 */
#ifndef TOOLS_LINEAR_SEARCH_H
#define TOOLS_LINEAR_SEARCH_H

#include "linear/history.h"

/* Whether some order of the operations in `which` explains their results. */
bool linear_explained(const struct linear_history *history, uint32_t which);

struct linear_verdict {
    bool linearizable;
    uint32_t part; /* the operations of the first part that has no order */
};

struct linear_verdict linear_check(const struct linear_history *history);

#endif
