/* SPDX-License-Identifier: BSD-3-Clause */
/* print: a history as a person reads it. See history.h. */
#include "linear/history.h"

#include <rcuinfo/info.h>

static const char *const names[] = {
    "create", "dup",          "free",       "set",   "delete", "update",  "offer",    "compare_and_set",
    "get",    "get_valuelen", "get_string", "nkeys", "nthkey", "version", "snapshot", /* in the order of enum
                                                                                         linear_kind */
};

static void print_value(FILE *to, const char *before, unsigned value)
{
    fputs(before, to);
    if (value > 0 && value < LINEAR_VALUES)
        fprintf(to, "v%u", value);
    else
        fputs(value ? "garbage" : "absent", to);
}

static void print_key(FILE *to, const char *before, unsigned key)
{
    static const char *const keys[LINEAR_KEYS] = {"a", "b", "c", "d"};
    fprintf(to, "%s%s", before, key < LINEAR_KEYS ? keys[key] : "garbage");
}

static void print_pairs(FILE *to, const char *before, const struct linear_pair *pairs, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        print_key(to, i ? ", " : before, pairs[i].key);
        print_value(to, ": ", pairs[i].value);
    }
}

static void print_contents(FILE *to, const struct linear_object *object)
{
    fputc('{', to);
    print_pairs(to, "", object->pairs, object->count < LINEAR_KEYS ? object->count : LINEAR_KEYS);
    fprintf(to, "} version %u", object->version);
}

static void print_call(FILE *to, const struct linear_op *op)
{
    fprintf(to, "%s(", names[op->kind]);
    if (op->kind != LINEAR_CREATE)
        fputc('A' + op->object, to);
    if (linear_single_key(op))
        print_key(to, ", ", op->changes[0].key);
    if (op->kind == LINEAR_NTHKEY)
        fprintf(to, ", %u", op->nth);
    if (op->kind == LINEAR_COMPARE_AND_SET)
        print_value(to, ", ", op->expected);
    if (op->kind == LINEAR_SET || op->kind == LINEAR_COMPARE_AND_SET)
        print_value(to, ", ", op->changes[0].value);
    if (op->kind == LINEAR_UPDATE || op->kind == LINEAR_OFFER)
        print_pairs(to, ", ", op->changes, op->changed);
    fputs(") = ", to);
}

static void print_result(FILE *to, const struct linear_op *op)
{
    const struct linear_result *result = &op->result;
    if (op->kind == LINEAR_CREATE)
        fputc('A' + op->object, to);
    else if (op->kind == LINEAR_DUP)
        fputc('A' + op->target, to);
    else if (op->kind == LINEAR_COMPARE_AND_SET)
        fputs(result->number == 1 ? "swapped" : "not swapped", to);
    else if (op->kind < LINEAR_GET)
        fputs("success", to);
    else if (op->kind <= LINEAR_GET_STRING)
        print_value(to, "", result->number);
    else if (op->kind == LINEAR_NTHKEY)
        print_key(to, "", result->number);
    else if (op->kind == LINEAR_SNAPSHOT)
        print_contents(to, &result->contents);
    else
        fprintf(to, "%u", result->number);
}

static void print_op(FILE *to, const struct linear_op *op, uint64_t start)
{
    char times[48];
    snprintf(times, sizeof times, "%llu to %llu", (unsigned long long)(op->invoked - start + 1),
             (unsigned long long)(op->returned - start + 1));
    if (op->thread < LINEAR_THREADS)
        fprintf(to, "  thread %u  %-8s  ", op->thread, times);
    else
        fprintf(to, "  at last   %-8s  ", times);
    print_call(to, op);
    if (op->result.status == RCUINFO_SUCCESS)
        print_result(to, op);
    else
        fputs(rcuinfo_status_string((rcuinfo_status_t)op->result.status), to);
    if (op->kind == LINEAR_UPDATE && op->result.status == RCUINFO_ERR_NOKEY)
        fprintf(to, " (change %u)", op->result.number);
    fputc('\n', to);
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

void linear_print(FILE *to, const struct linear_history *history, uint32_t which)
{
    uint64_t start = history->ops[first_invoked(history, which)].invoked;
    for (unsigned i = 0; i < LINEAR_OBJECTS; i++) {
        if (history->initial.objects[i].life == LINEAR_LIVE) {
            fprintf(to, "  at first  %c = ", (char)('A' + i));
            print_contents(to, &history->initial.objects[i]);
            fputc('\n', to);
        }
    }
    for (uint32_t left = which; left;) {
        unsigned next = first_invoked(history, left);
        left &= ~(UINT32_C(1) << next);
        print_op(to, &history->ops[next], start);
    }
}
