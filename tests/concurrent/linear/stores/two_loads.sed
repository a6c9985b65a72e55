# SPDX-License-Identifier: BSD-3-Clause
/^        \*length = (int)pair.value_length + nul;/ c\
        struct rcuinfo__section other;\
        const struct rcuinfo__entry *again = rcuinfo__handle_read(info, flavour.generation_bits, \&other);\
        bool still = again \&\& rcuinfo__log_get(again, key, key_length, \&pair);\
        *length = still ? (int)pair.value_length + nul : nul;\
        if (again)\
            rcuinfo__reader_end(\&other);
