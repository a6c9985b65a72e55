# SPDX-License-Identifier: BSD-3-Clause
# get_string takes the value from one version and its length from the next.
/^        \*buflen = (int)pair.value_length + 1;/ c\
        const struct rcuinfo__entry *again = read_open(info, limits.generation_bits);\
        bool there = again \&\& rcuinfo__log_get(again, key, pair.key_length, \&pair);\
        *buflen = there ? (int)pair.value_length + 1 : 1;\
        if (again)\
            rcuinfo__rcu_read_unlock();
