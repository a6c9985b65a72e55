# SPDX-License-Identifier: BSD-3-Clause
# The version to copy from a full block is loaded before the lock is taken: the copy can lack a newer entry.
/^static inline const struct rcuinfo__entry \*publish(/ i\
static _Thread_local const struct rcuinfo__block *seen_block;\
static _Thread_local uint32_t seen_position;\

/^    return attempt_copy(slot, request, last);/ i\
    if (seen_block == rcuinfo__block_of(last) \&\& seen_position < last->position)\
        last = rcuinfo__block_entry(seen_block, seen_position);
/^static inline void lock_slot(/,/^}/ {
/^    RCUINFO__SYNC_POINT(TO_LOCK);/ i\
    struct rcuinfo__section section;\
    (void)rcuinfo__reader_begin(\&section, slot->index);\
    rcuinfo__reader_say(\&section, RCUINFO__READER_HIDDEN); /* nothing is reclaimed */\
    const struct rcuinfo__entry *seen = atomic_load(\&slot->root);\
    seen_block = seen ? rcuinfo__block_of(seen) : NULL;\
    seen_position = seen ? seen->position : 0;\
    rcuinfo__reader_end(\&section);
}
