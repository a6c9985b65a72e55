# SPDX-License-Identifier: BSD-3-Clause
# Writers of one object do not exclude each other. Each copies in a read section, and old blocks are not retired, so
# that lost updates are the only effect.
s/^    rcuinfo__handle_lock(slot);/    rcuinfo__rcu_read_lock();\
    slot->appends = false;/
s/rcuinfo__lock_give(&slot->lock)/rcuinfo__rcu_read_unlock()/
s/^    slot->appends = true;/    slot->appends = false;/
s/^    return rcuinfo__recycle_retire(.*/    (void)bytes;\
    return false;/
