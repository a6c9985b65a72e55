# SPDX-License-Identifier: BSD-3-Clause
# After an update that fails after its first entry, the object may still append, although the finder leads to that
# update's entries. The next write overwrites these entries and puts its text behind theirs.
# core/log_write.c, log.h: a search that fails because of this ends instead of looping or returning NULL.
/^        case RCUINFO__NO_KEY:/ {
n
s/^ *slot->appends = request->failed == 0;/            slot->end = writing.end;/
}
s/^    while (\(atomic_load_explicit(rcuinfo__log_place(.*\) != wanted)/    for (uint32_t left = block->mask; left \&\& \1 != wanted; left--)/
/^    return rcuinfo__log_find(last, rcuinfo__log_key(entry), entry->key_length, entry->hash);/ c\
    const struct rcuinfo__entry *newest = rcuinfo__log_find(last, rcuinfo__log_key(entry), entry->key_length, entry->hash);\
    return newest ? newest : entry;
