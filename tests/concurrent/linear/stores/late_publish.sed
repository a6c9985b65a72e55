# SPDX-License-Identifier: BSD-3-Clause
# Simulates on every processor what release and acquire would allow in place of sequential consistency: other threads
# see the previous version until the publishing thread has loaded two more roots.
/^    uint32_t index;  / a\
    _Atomic(const struct rcuinfo__entry *) late;\
    _Atomic(_Atomic uint32_t *) writer;
/^    _Alignas(64) rcuinfo__lock_t lock;/ a\
    _Atomic uint32_t late_until;
/^extern _Atomic(struct rcuinfo__slot / a\
extern _Thread_local _Atomic uint32_t rcuinfo__late_loads;
/^static inline const struct rcuinfo__entry \*rcuinfo__handle_load(/ s/(const /(/
/^    return atomic_load_explicit(&slot->root, RCUINFO__ROOT_LOAD);/ c\
    const struct rcuinfo__entry *version = atomic_load_explicit(\&slot->root, RCUINFO__ROOT_LOAD);\
    _Atomic uint32_t *writer = atomic_load(\&slot->writer);\
    atomic_fetch_add(\&rcuinfo__late_loads, 1);\
    if (writer \&\& writer != \&rcuinfo__late_loads \&\& atomic_load(writer) < atomic_load(\&slot->late_until))\
        return atomic_load(\&slot->late);\
    return version;
/^static _Atomic uint32_t used = / a\
_Thread_local _Atomic uint32_t rcuinfo__late_loads;
/^    uint64_t flags = RCUINFO__HANDLE_LIVE/ a\
    atomic_store(\&slot->writer, NULL);
/^    RCUINFO__SYNC_POINT(PUBLISHED);/ i\
    atomic_store(\&slot->late, old);\
    atomic_store(\&slot->late_until, atomic_load(\&rcuinfo__late_loads) + 2);\
    atomic_store(\&slot->writer, \&rcuinfo__late_loads);
s/^    if (request->owned ? .* : rcuinfo__block_drop(old, slot->index))/    if (false) \/* it stays, as others may still see it *\//
