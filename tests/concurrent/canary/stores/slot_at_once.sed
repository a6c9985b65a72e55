# SPDX-License-Identifier: BSD-3-Clause
# A freed slot is reused at once, before readers that have matched its generation have loaded the root.
/^rcuinfo_status_t rcuinfo__free(/ i\
static rcuinfo__lock_t giving; /* by one thread at a time */\

/^        balance = rcuinfo__recycle_retire(slot->index, &slot->record, / c\
        (void)bytes;\
        (void)rcuinfo__lock_take(\&giving);\
        rcuinfo__handle_give(slot);\
        rcuinfo__lock_give(\&giving);
