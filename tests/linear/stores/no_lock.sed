# SPDX-License-Identifier: BSD-3-Clause
# Changes of one object do not wait for each other. They stay in a read section and share neither stash nor list, so that
# all that goes wrong is that one undoes the other. There may be two versions of one number here, so a plan that was made
# for that number before is made anew each time: the condition in the store becomes true.
/^static rcuinfo_status_t commit/,/^}/ {
s/rcuinfo__lock_take(&slot->lock)/rcuinfo__rcu_read_lock()/
s/rcuinfo__lock_give(&slot->lock)/rcuinfo__rcu_read_unlock()/
}
s/slot->stash ? rcuinfo__cell_unstash(&slot->stash) : //
s/^    if (slot->queued && slot->mark == mark .*/    if (0)/
s/ || plan->version != old->version)/ || true)/
