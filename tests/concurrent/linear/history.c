/* SPDX-License-Identifier: BSD-3-Clause */
/* history: see history.h. */
#include "linear/history.h"

#include <rcuinfo/info.h>

bool linear_single_key(const struct linear_op *op)
{
    switch (op->kind) {
    case LINEAR_SET:
    case LINEAR_DELETE:
    case LINEAR_COMPARE_AND_SET:
    case LINEAR_GET:
    case LINEAR_VALUELEN:
    case LINEAR_GET_STRING:
        return true;
    default:
        return false;
    }
}

bool linear_changed(const struct linear_op *op)
{
    if (op->kind == LINEAR_COMPARE_AND_SET)
        return op->result.number == 1 && (op->expected || op->changes[0].value);
    return op->kind <= LINEAR_OFFER && op->result.status == RCUINFO_SUCCESS;
}

unsigned linear_overlaps(const struct linear_history *history)
{
    unsigned pairs = 0;
    for (unsigned i = 0; i < history->count; i++) {
        for (unsigned j = i + 1; j < history->count; j++) {
            const struct linear_op *a = &history->ops[i], *b = &history->ops[j];
            pairs += a->object == b->object && a->invoked < b->returned && b->invoked < a->returned;
        }
    }
    return pairs;
}
