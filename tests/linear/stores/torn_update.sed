# SPDX-License-Identifier: BSD-3-Clause
# The first of several changes can be seen without the others for a moment. The version number tells nothing:
# it moves on with the last one, as it should.
/^    publish(slot, room);/ i\
    struct rcuinfo__cell *first = change->n > 1 ? rcuinfo__cell_alloc(8192) : NULL;\
    if (first) {\
        const struct rcuinfo__edit *edit = change->edits;\
        uint32_t position = rcuinfo__snapshot_find_hashed(old, edit->key, edit->key_length, edit->hash);\
        rcuinfo__snapshot_apply(old, edit, position, &first->snapshot);\
        first->snapshot.version = old->version;\
        publish(slot, \&(struct room){.cell = first});\
    }
