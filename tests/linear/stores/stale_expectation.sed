# SPDX-License-Identifier: BSD-3-Clause
# Compare-and-set does not compare again under the lock when the version has moved on.
/^static bool attempt/,/^}/ {
/^        plan_change(plan, old, change);/ c\
    {\
        bool conditional = change->conditional;\
        change->conditional = false;\
        plan_change(plan, old, change);\
        change->conditional = conditional;\
    }
}
