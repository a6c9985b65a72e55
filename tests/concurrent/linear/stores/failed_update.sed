# SPDX-License-Identifier: BSD-3-Clause
# An update that fails behind its first entry keeps the end of its block, though the finder names what it has written, and
# the next writes its entries there, and its text behind.
# core/log_write.c, log.h: what does not find the place of a key, or a pair by its key, goes on without.
/^        case RCUINFO__NO_KEY:/ {
n
s/^ *slot->appends = request->failed == 0;/            slot->end = writing.end;/
}
s/^    while (\(atomic_load_explicit(rcuinfo__log_place(.*\) != wanted)/    for (uint32_t left = block->mask; left \&\& \1 != wanted; left--)/
/^    return rcuinfo__log_find(last, rcuinfo__log_key(entry), entry->key_length, entry->hash);/ c\
    const struct rcuinfo__entry *newest = rcuinfo__log_find(last, rcuinfo__log_key(entry), entry->key_length, entry->hash);\
    return newest ? newest : entry;
