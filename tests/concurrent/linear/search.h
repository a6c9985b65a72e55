/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * search: whether a history is linearizable, and the smallest part of it that is not.
 *
 * The search is that of Wing and Gong (1993) with Lowe's (2017) memory of the places where it has been: it lays
 * operations in an order, always one of those that nothing left out returned before, as long as the specification gives
 * their results; a place is the set of operations left and the state, and is entered once. Linearizability is local
 * (Herlihy and Wing, 1990), so objects that no dup ties together are decided by themselves, and so is each key of an
 * object on which nothing but single keys were looked at or changed (Lowe's partitioning).
 * A workspace serves one thread.
 */
#ifndef TOOLS_LINEAR_SEARCH_H
#define TOOLS_LINEAR_SEARCH_H

#include "linear/history.h"

struct linear_search;

/* Without memory the process ends. */
struct linear_search *linear_search_new(void);
void linear_search_free(struct linear_search *search);

/* From here on a search ends when so many places have been entered in all, and counts as explained what it has not
 * found out. Without this call there is no bound. */
void linear_search_bound(struct linear_search *search, size_t places);

/*
 * Whether some order of the operations in `must` explains their results. Those in `may`, each of which changed
 * something, may be in that order, once and at any place whatever their stamps say, or not: so when the answer is no,
 * they are not to blame.
 */
bool linear_explained(struct linear_search *search, const struct linear_history *history, uint32_t must, uint32_t may);

struct linear_verdict {
    bool linearizable;
    bool per_key;  /* every part was one key of one object */
    uint32_t part; /* the operations of the first part that has no order */
};

struct linear_verdict linear_check(struct linear_search *search, const struct linear_history *history);

/*
 * Operations of a part that has no order from which no more can be left out, or was within the bound: these have no
 * order wherever the others took effect, if they did. *others: those of the others that changed something. (Simply to
 * take operations away would not do: without the one that set a value, every read of that value is wrong.)
 */
uint32_t linear_shrink(struct linear_search *search, const struct linear_history *history, uint32_t part,
                       uint32_t *others);

#endif
