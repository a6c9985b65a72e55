# SPDX-License-Identifier: BSD-3-Clause
# Writers of one object do not exclude each other. Each copies in a read section that hides what it reads, and old blocks
# are not retired, so that lost updates are the only effect.
/^static inline void lock_slot(/ i\
static _Thread_local struct rcuinfo__section unlocked;\

s/^    rcuinfo__handle_lock(slot);/    (void)rcuinfo__reader_begin(\&unlocked, slot->index);\
    rcuinfo__reader_say(\&unlocked, RCUINFO__READER_HIDDEN);\
    slot->appends = false;/
s/rcuinfo__lock_give(&slot->lock)/rcuinfo__reader_end(\&unlocked)/
s/^    slot->appends = true;/    slot->appends = false;/
s/^    if (request->owned ? .* : rcuinfo__block_drop(old, slot->index))/    if (false)/
