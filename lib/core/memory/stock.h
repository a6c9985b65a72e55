/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stock: references on one block that dup and snapshots take again and again. An arena takes them in bulk, so that
 * threads do not all write to the count in the block. When references on another block are dropped again and again, the
 * stock moves to that one; and reclaim gives it back if it has not been used since reclaim last looked.
 */
#pragma once

#include "core/memory/arena.h"

/* Takes a reference on the version of an object out of this thread's arena, without a read section: the stock keeps the
 * block. NULL if the arena has none on that block, or is locked. */
const struct rcuinfo__entry *rcuinfo__stock_version(rcuinfo_t info, unsigned bits);

/* Takes a reference on a block, as rcuinfo__block_take. */
bool rcuinfo__stock_take(struct rcuinfo__block *block);

/* Drops a reference of a snapshot. Returns a block for the caller to retire, or NULL: this one, if that was the last
 * reference, or that of the stock, which moves to this one. */
RCUINFO__LAST struct rcuinfo__block *rcuinfo__stock_drop(struct rcuinfo__block *block);

/* Gives the stock of references back to its block. Returns the block if the caller is to retire it. Call with the lock
 * held. */
RCUINFO__LAST struct rcuinfo__block *rcuinfo__stock_return(struct rcuinfo__arena *arena);
