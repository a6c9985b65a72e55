/* SPDX-License-Identifier: BSD-3-Clause */
/* print: a value of 0 is none, and one of 255 garbage. */
#include "linear/history.h"

#include <stdio.h>

#include <rcuinfo/info.h>

/* In the order of enum linear_kind. */
static const char *const names[] = {
    "create", "dup",          "free",       "update", "offer",  "set",     "delete",   "compare_and_set",
    "get",    "get_valuelen", "get_string", "nkeys",  "nthkey", "version", "snapshot",
};

static void print_pairs(const struct linear_pair *pairs, unsigned n)
{
    for (unsigned i = 0; i < n && i < LINEAR_KEYS; i++)
        printf(" %c=%u", 'a' + pairs[i].key, pairs[i].value);
}

static void print_contents(const struct linear_object *object)
{
    printf("version %u, %u keys", object->version, object->count);
    print_pairs(object->pairs, object->count);
    putchar('\n');
}

/* The arguments of the call; for a read of one key, the key. */
static void print_call(const struct linear_op *op)
{
    bool one = linear_single_key(op);
    printf("%s %c", names[op->kind], 'A' + op->object);
    if (op->kind == LINEAR_DUP)
        printf(" to %c", 'A' + op->target);
    if (op->kind == LINEAR_NTHKEY)
        printf(" %u", op->nth);
    if (op->kind >= LINEAR_GET && one)
        printf(" %c", 'a' + op->changes[0].key);
    else if (one || op->kind == LINEAR_UPDATE || op->kind == LINEAR_OFFER)
        print_pairs(op->changes, one ? 1 : op->changed);
    if (op->kind == LINEAR_COMPARE_AND_SET)
        printf(" if %u", op->expected);
}

/* The number as in history.h. */
static void print_result(const struct linear_op *op)
{
    const struct linear_result *result = &op->result;
    printf(" = %s, ", rcuinfo_status_string((rcuinfo_status_t)result->status));
    if (op->kind == LINEAR_SNAPSHOT)
        print_contents(&result->contents);
    else
        printf("%u\n", result->number);
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

void linear_print(const struct linear_history *history, uint32_t which)
{
    uint64_t start = history->ops[first_invoked(history, which)].invoked - 1;
    for (unsigned i = 0; i < LINEAR_OBJECTS; i++) {
        if (history->initial.objects[i].life == LINEAR_LIVE) {
            printf("  at first: %c = ", 'A' + i);
            print_contents(&history->initial.objects[i]);
        }
    }
    for (uint32_t left = which; left;) {
        unsigned next = first_invoked(history, left);
        const struct linear_op *op = &history->ops[next];
        left &= ~(UINT32_C(1) << next);
        printf(op->thread < LINEAR_THREADS ? "  thread %u, " : "  at last (%u), ", op->thread);
        printf("%u to %u: ", (unsigned)(op->invoked - start), (unsigned)(op->returned - start));
        print_call(op);
        print_result(op);
    }
}
