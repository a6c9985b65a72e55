# SPDX-License-Identifier: BSD-3-Clause
/^        \*buflen = (int)pair.value_length + 1;/ c\
        struct rcuinfo__section other;\
        const struct rcuinfo__entry *again = rcuinfo__handle_read(info, limits.generation_bits, \&other);\
        bool there = again \&\& rcuinfo__log_get(again, key, pair.key_length, \&pair);\
        *buflen = there ? (int)pair.value_length + 1 : 1;\
        if (again)\
            rcuinfo__reader_end(\&other);
