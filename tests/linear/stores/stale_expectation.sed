# SPDX-License-Identifier: BSD-3-Clause
# Compare-and-set compares before the lock, and not again under it.
/^static enum outcome attempt_one/ i\
static _Thread_local uint32_t planned;
/^        change->met = as_expected/ d
/^static rcuinfo_status_t commit/,/^}/ {
/^        RCUINFO__SEAM(TO_LOCK);/ i\
        rcuinfo__rcu_read_lock();\
        struct rcuinfo__cell *before = rcuinfo__handle_root(info, bits);\
        planned = before && change->n == 1 ? rcuinfo__snapshot_find_hashed(\&before->snapshot, change->edits->key, change->edits->key_length, change->edits->hash) : RCUINFO__NOT_FOUND;\
        change->met = before \&\& change->conditional \&\& as_expected(\&before->snapshot, change, planned);\
        rcuinfo__rcu_read_unlock();
}
