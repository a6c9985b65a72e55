/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * inside: access from an object to its log, for white-box tests. For one thread: results are valid until the object is
 * changed.
 */
#pragma once

#include <rcuinfo/rcuinfo.h>

#include "core/memory/arena.h"
#include "core/memory/handle.h"
#include "core/log/log.h"
#include "core/memory/reader.h"
#include "support/check.h"
#include "support/left.h"

/* The last entry of the object's version. */
static inline const struct rcuinfo__entry *root_of(rcuinfo_t info)
{
    struct rcuinfo__slot *slot = rcuinfo__handle_slot(info);
    return slot && rcuinfo__handle_matches(slot, info, RCUINFO__NATIVE_BITS) ? rcuinfo__handle_load(slot) : NULL;
}

static inline struct rcuinfo__block *block_of(rcuinfo_t info)
{
    return rcuinfo__block_of(root_of(info));
}

/* Does to an object what the first read by another thread does; returns it. */
static inline rcuinfo_t share(rcuinfo_t info)
{
    atomic_fetch_and(&rcuinfo__handle_slot(info)->generation, ~RCUINFO__HANDLE_OWNERS);
    return info;
}

/* Checks that the object's version is valid, and that it has the right end and use of its block, if it owns that. */
static inline void check_log(rcuinfo_t info)
{
    const struct rcuinfo__slot *slot = rcuinfo__handle_slot(info);
    const struct rcuinfo__entry *last = root_of(info);
    CHECK(rcuinfo__log_valid(last));
    if (!slot->appends)
        return;
    CHECK(slot->end.live == rcuinfo__log_text(last));
    CHECK(slot->end.live <= slot->end.text - rcuinfo__block_text(block_of(info)));
    CHECK(slot->end.text <= block_of(info)->extent);
}

/* The records of readers, or those that a thread has. */
static inline unsigned records(bool owned)
{
    unsigned n = 0;
    for (const struct rcuinfo__reader *one = rcuinfo__reader_first(); one; one = rcuinfo__reader_next(one))
        n += !owned || atomic_load(&one->taken);
    return n;
}

/* What this thread's record says in a place. */
static inline uint64_t said(unsigned place)
{
    return atomic_load(&rcuinfo__reader_self->says[place]);
}

/* Whether a block is free: an arena keeps it, or a slot for its next copy. */
static inline bool is_free(const struct rcuinfo__block *block)
{
    for (uint32_t i = 0; i < rcuinfo__arena_count; i++) {
        for (uint32_t size = 0; size < RCUINFO__ARENA_SIZES; size++) {
            const struct rcuinfo__block *one = rcuinfo__arenas[i].blocks[size];
            while (one && one != block)
                one = one->next;
            if (one)
                return true;
        }
    }
    for (uint64_t index = 0; index < RCUINFO__SLOTS; index++) {
        const struct rcuinfo__slot *slot = rcuinfo__handle_slot(index);
        if (slot && slot->spare == block)
            return true;
    }
    return false;
}

/* Bytes of free blocks that the arenas keep. */
static inline size_t kept_bytes(void)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < rcuinfo__arena_count; i++)
        bytes += atomic_load(&rcuinfo__arenas[i].kept);
    return bytes;
}

static inline size_t slots_in(const struct rcuinfo__slot *list)
{
    size_t n = 0;
    for (const struct rcuinfo__slot *slot = list; slot; slot = slot->next)
        n++;
    return n;
}

/* Bytes that wait for a scan. */
static inline size_t retired(void)
{
    return (size_t)left_stats().retired;
}

/* Sets until the pairs are in a different block; returns the bytes of the old one. */
static inline size_t replace_block(rcuinfo_t info, const char *key)
{
    const struct rcuinfo__block *block = block_of(info);
    size_t bytes = rcuinfo__block_bytes(block);
    while (block_of(info) == block)
        CHECK_OK(rcuinfo_set(info, key, "value"));
    return bytes;
}
