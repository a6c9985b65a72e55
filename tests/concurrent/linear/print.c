/* SPDX-License-Identifier: BSD-3-Clause */
/* print: a history as a person reads it. See history.h. */
#include "linear/history.h"

#include <rcuinfo/info.h>

static void print_value(FILE *to, unsigned value)
{
    if (value == 0)
        fputs("absent", to);
    else if (value < LINEAR_VALUES)
        fprintf(to, "v%u", value);
    else
        fputs("garbage", to);
}

static void print_key(FILE *to, unsigned key)
{
    if (key < LINEAR_KEYS)
        fputc((int)('a' + key), to);
    else
        fputs("garbage", to);
}

static void print_contents(FILE *to, const struct linear_object *object)
{
    fputc('{', to);
    for (unsigned i = 0; i < object->count && i < LINEAR_KEYS; i++) {
        fputs(i ? ", " : "", to);
        print_key(to, object->pairs[i].key);
        fputs(": ", to);
        print_value(to, object->pairs[i].value);
    }
    fprintf(to, "} version %u", object->version);
}

static const char *const names[] = {
    [LINEAR_CREATE] = "create",
    [LINEAR_DUP] = "dup",
    [LINEAR_FREE] = "free",
    [LINEAR_SET] = "set",
    [LINEAR_DELETE] = "delete",
    [LINEAR_UPDATE] = "update",
    [LINEAR_OFFER] = "offer",
    [LINEAR_COMPARE_AND_SET] = "compare_and_set",
    [LINEAR_GET] = "get",
    [LINEAR_VALUELEN] = "get_valuelen",
    [LINEAR_GET_STRING] = "get_string",
    [LINEAR_NKEYS] = "nkeys",
    [LINEAR_NTHKEY] = "nthkey",
    [LINEAR_VERSION] = "version",
    [LINEAR_SNAPSHOT] = "snapshot",
};

static void print_call(FILE *to, const struct linear_op *op)
{
    const struct linear_pair *one = &op->changes[0];
    fprintf(to, "%s(", names[op->kind]);
    if (op->kind != LINEAR_CREATE)
        fputc('A' + op->object, to);
    if (linear_single_key(op)) {
        fputs(", ", to);
        print_key(to, one->key);
    }
    if (op->kind == LINEAR_NTHKEY)
        fprintf(to, ", %u", op->nth);
    if (op->kind == LINEAR_COMPARE_AND_SET) {
        fputs(", ", to);
        print_value(to, op->expected);
    }
    if (op->kind == LINEAR_SET || op->kind == LINEAR_COMPARE_AND_SET) {
        fputs(", ", to);
        print_value(to, one->value);
    }
    for (unsigned i = 0; (op->kind == LINEAR_UPDATE || op->kind == LINEAR_OFFER) && i < op->changed; i++) {
        fputs(", ", to);
        print_key(to, op->changes[i].key);
        fputs(": ", to);
        print_value(to, op->changes[i].value);
    }
    fputs(") = ", to);
}

static void print_result(FILE *to, const struct linear_op *op)
{
    const struct linear_result *result = &op->result;
    if (result->status != RCUINFO_SUCCESS) {
        fputs(rcuinfo_status_string((rcuinfo_status_t)result->status), to);
        if (op->kind == LINEAR_UPDATE && result->status == RCUINFO_ERR_NOKEY)
            fprintf(to, " (change %u)", result->number);
        return;
    }
    switch (op->kind) {
    case LINEAR_CREATE:
        fputc('A' + op->object, to);
        break;
    case LINEAR_DUP:
        fputc('A' + op->target, to);
        break;
    case LINEAR_GET:
    case LINEAR_VALUELEN:
    case LINEAR_GET_STRING:
        print_value(to, result->number);
        break;
    case LINEAR_NTHKEY:
        print_key(to, result->number);
        break;
    case LINEAR_COMPARE_AND_SET:
        fputs(result->number == 1 ? "swapped" : "not swapped", to);
        break;
    case LINEAR_NKEYS:
    case LINEAR_VERSION:
        fprintf(to, "%u", result->number);
        break;
    case LINEAR_SNAPSHOT:
        print_contents(to, &result->contents);
        break;
    default:
        fputs("success", to);
    }
}

/* Place of a stamp among those of the operations in `which`, from 1. */
static unsigned place(const struct linear_history *history, uint32_t which, uint64_t stamp)
{
    unsigned before = 0;
    for (unsigned i = 0; i < history->count; i++) {
        if (which & UINT32_C(1) << i)
            before += (unsigned)(history->ops[i].invoked < stamp) + (unsigned)(history->ops[i].returned < stamp);
    }
    return before + 1;
}

static unsigned first_invoked(const struct linear_history *history, uint32_t which)
{
    unsigned first = (unsigned)__builtin_ctz(which);
    for (unsigned i = first + 1; i < history->count; i++) {
        if (which & UINT32_C(1) << i && history->ops[i].invoked < history->ops[first].invoked)
            first = i;
    }
    return first;
}

static void print_op(FILE *to, const struct linear_op *op, const char *times)
{
    if (op->thread < LINEAR_THREADS)
        fprintf(to, "  thread %u  %-8s  ", op->thread, times);
    else
        fprintf(to, "  at last   %-8s  ", times);
    print_call(to, op);
    print_result(to, op);
    fputc('\n', to);
}

void linear_print(FILE *to, const struct linear_history *history, uint32_t which)
{
    char times[32];
    for (unsigned i = 0; i < LINEAR_OBJECTS; i++) {
        if (history->initial.objects[i].life == LINEAR_LIVE) {
            fprintf(to, "  at first  %c = ", (char)('A' + i));
            print_contents(to, &history->initial.objects[i]);
            fputc('\n', to);
        }
    }
    for (uint32_t left = which; left;) {
        unsigned next = first_invoked(history, left);
        const struct linear_op *op = &history->ops[next];
        left &= ~(UINT32_C(1) << next);
        snprintf(times, sizeof times, "%u to %u", place(history, which, op->invoked),
                 place(history, which, op->returned));
        print_op(to, op, times);
    }
}
