# SPDX-License-Identifier: BSD-3-Clause
# An update looks for the keys of its deletes while it writes. If one is missing after the first entry, the object may
# still append, although the finder leads to the entries before it. The next write overwrites these entries and puts its
# text after theirs.
# core/log/log_write.c, log.h: a search that fails because of this ends instead of looping or returning NULL.
s/^    if (!deletes_find(request, last, newest))/    if (!deletes_find(request, last, newest) \&\& request->failed == 0)/
/^        slot->appends = request->failed == 0;/ i\
        if (!deletes_find(request, last, newest)) {\
            slot->end = writing.end;\
            return RCUINFO_ERR_NOKEY;\
        }
s/^    RCUINFO__CHECK(edit->value || there);/    if (!edit->value \&\& !there)\
        return false;/
s/^    while (\(atomic_load_explicit(rcuinfo__log_place(.*\) != wanted)/    for (uint32_t left = block->mask; left \&\& \1 != wanted; left--)/
/^    return rcuinfo__log_find(last, rcuinfo__log_key(entry), entry->key_length, entry->hash);/ c\
    const struct rcuinfo__entry *newest = rcuinfo__log_find(last, rcuinfo__log_key(entry), entry->key_length, entry->hash);\
    return newest ? newest : entry;
