# SPDX-License-Identifier: BSD-3-Clause
# get_string takes the value from one version and its length from the next.
/^        \*buflen = entry->value_length + 1;/ c\
        const struct rcuinfo__snapshot *again = read_open(info, limits.generation_bits);\
        uint32_t there = again ? rcuinfo__snapshot_find(again, key, length) : RCUINFO__NOT_FOUND;\
        *buflen = there != RCUINFO__NOT_FOUND ? rcuinfo__snapshot_entry(again, there)->value_length + 1 : 1;\
        if (again)\
            read_close();
