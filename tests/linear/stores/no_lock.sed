# SPDX-License-Identifier: BSD-3-Clause
# Changes of one object do not wait for each other. They stay in a read section and share neither stash nor list, so that
# all that goes wrong is that one undoes the other. Nor is a version known by its number: there may be two of one.
/^static rcuinfo_status_t commit/,/^}/ {
s/rcuinfo__lock_take(&slot->lock)/rcuinfo__rcu_read_lock()/
s/rcuinfo__lock_give(&slot->lock)/rcuinfo__rcu_read_unlock()/
}
s/slot->stash ? rcuinfo__cell_unstash(&slot->stash) : //
s/^    if (slot->queued && slot->mark == mark .*/    if (0)/
s/ || plan->version != old->version)/ || true)/
