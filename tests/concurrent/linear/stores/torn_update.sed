# SPDX-License-Identifier: BSD-3-Clause
# An update that appends publishes all changes but the last one a moment early. The version number does not reveal this:
# it advances with the last change, as it should.
/^static bool write_edits(/ i\
static _Thread_local struct rcuinfo__slot *appended_to;\

/^static bool write_edits(/,/^}/ {
/^    }/ i\
        if (writing->published \&\& request->failed + 2 == request->n) {\
            atomic_store(\&appended_to->root, writing->last);\
            RCUINFO__SYNC_POINT(PUBLISHED);\
        }
}
/^        if (write_edits(request, &writing, newest)) {/ i\
        appended_to = slot;
