# SPDX-License-Identifier: BSD-3-Clause
# Changes of one object do not wait for each other. They plan anew each time, since the version number of the plan tells
# nothing any more, and stay in a read section, so that all that goes wrong is that one undoes the other.
/^static rcuinfo_status_t commit/,/^}/ {
s/rcuinfo__handle_lock(slot)/rcuinfo__rcu_read_lock()/
s/rcuinfo__handle_unlock(slot)/rcuinfo__rcu_read_unlock()/
}
/^    if (old->version != plan->version)/ d
