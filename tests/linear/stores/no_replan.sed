# SPDX-License-Identifier: BSD-3-Clause
# Where the key stands is looked up before the lock, and not again under it.
/^static enum outcome attempt_one/ i\
static _Thread_local uint32_t planned;
/^    bool nothing_to_delete = / i\
    position = position < old->count \&\& planned < old->count ? planned : position;
/^static rcuinfo_status_t commit/,/^}/ {
/^        RCUINFO__SEAM(TO_LOCK);/ i\
        rcuinfo__rcu_read_lock();\
        struct rcuinfo__cell *before = rcuinfo__handle_root(info, bits);\
        planned = before && change->n == 1 ? rcuinfo__snapshot_find_hashed(\&before->snapshot, change->edits->key, change->edits->key_length, change->edits->hash) : RCUINFO__NOT_FOUND;\
        rcuinfo__rcu_read_unlock();
}
