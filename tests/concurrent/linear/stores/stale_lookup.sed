# SPDX-License-Identifier: BSD-3-Clause
/^static inline const struct rcuinfo__entry \*publish(/ i\
static _Thread_local bool planned;\
\
static bool look_up(rcuinfo_t info, unsigned bits, const struct rcuinfo__edit *edit)\
{\
    struct rcuinfo__section section;\
    const struct rcuinfo__entry *before = rcuinfo__handle_read(info, bits, \&section);\
    bool there = before \&\& rcuinfo__log_find(before, edit->key, edit->key_length, edit->hash);\
    if (before)\
        rcuinfo__reader_end(\&section);\
    return there;\
}\

/^    const struct rcuinfo__entry \*newest = rcuinfo__log_find(last, edit->key/ a\
    newest = planned ? newest : NULL;
/^static rcuinfo_status_t commit(/,/^}/ {
/^    lock_slot(slot);/ i\
    planned = look_up(info, bits, request->edits);
}
/^    \/\* The usual case: the set appends one entry/ i\
    planned = look_up(info, flavour.generation_bits, \&edit);
