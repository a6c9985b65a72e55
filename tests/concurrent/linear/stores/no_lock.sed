# SPDX-License-Identifier: BSD-3-Clause
# Changes of one object do not wait for each other. Each copies, in a read section, and what it replaces is left alone, so
# that all that goes wrong is that one undoes the other.
s/^    rcuinfo__handle_lock(slot);/    rcuinfo__rcu_read_lock();\
    slot->appends = false;/
s/rcuinfo__lock_give(&slot->lock)/rcuinfo__rcu_read_unlock()/
s/^    slot->appends = true;/    slot->appends = false;/
s/^    return rcuinfo__recycle_retire(.*/    (void)bytes;\
    return false;/
