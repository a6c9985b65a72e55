# SPDX-License-Identifier: BSD-3-Clause
# Where the key stands is not looked up again under the lock when the version has moved on.
/^static bool attempt/,/^}/ {
/^        plan_change(plan, old, change);/ c\
    {\
        uint32_t position = plan->position;\
        plan_change(plan, old, change);\
        if (change->n == 1 && plan->bytes && plan->position < old->count && position < old->count) {\
            plan->position = position;\
            plan->bytes = rcuinfo__snapshot_plan(old, change->edits, position);\
        }\
    }
}
