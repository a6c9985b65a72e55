# SPDX-License-Identifier: BSD-3-Clause
/^        request->met = as_expected/ d
/^static rcuinfo_status_t commit(/,/^}/ {
/^    lock_slot(slot);/ i\
    struct rcuinfo__section section;\
    const struct rcuinfo__entry *before = rcuinfo__handle_read(info, bits, \&section);\
    const struct rcuinfo__edit *edit = request->edits;\
    request->met = before \&\& request->conditional \&\&\
        as_expected(request, rcuinfo__log_find(before, edit->key, edit->key_length, edit->hash));\
    if (before)\
        rcuinfo__reader_end(\&section);
}
