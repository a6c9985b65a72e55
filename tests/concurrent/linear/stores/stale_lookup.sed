# SPDX-License-Identifier: BSD-3-Clause
# A write looks up its key before it takes the lock, and not again under the lock.
/^static inline bool is_checked(/ i\
static _Thread_local bool planned;\

/^    const struct rcuinfo__entry \*newest = rcuinfo__log_find(last, edit->key/ a\
    newest = planned ? newest : NULL;
/^        const struct rcuinfo__entry \*newest = rcuinfo__log_find(last, key/ a\
        newest = planned ? newest : NULL;
/^static rcuinfo_status_t commit(/,/^}/ {
/^    lock_slot(slot);/ i\
    rcuinfo__rcu_read_lock();\
    const struct rcuinfo__entry *before = rcuinfo__handle_root(info, bits);\
    planned = before \&\& rcuinfo__log_find(before, request->edits->key, request->edits->key_length, request->edits->hash);\
    rcuinfo__rcu_read_unlock();
}
/^    \/\* The usual case: the set appends one entry/ i\
    rcuinfo__rcu_read_lock();\
    const struct rcuinfo__entry *before = rcuinfo__handle_root(info, limits.generation_bits);\
    planned = before \&\& rcuinfo__log_find(before, key, edit.key_length, edit.hash);\
    rcuinfo__rcu_read_unlock();
