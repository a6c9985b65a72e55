/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spec: the sequential specification of each call. An object is a map in insertion order with a version number. It is
 * derived from include/rcuinfo, not from lib/, and shares no code with the store.
 */
#include "linear/history.h"

#include <string.h>

#include <rcuinfo/info.h>

static unsigned find(const struct linear_object *object, uint8_t key)
{
    unsigned position = 0;
    while (position < object->count && object->pairs[position].key != key)
        position++;
    return position;
}

static uint8_t value_of(const struct linear_object *object, uint8_t key)
{
    unsigned position = find(object, key);
    return position < object->count ? object->pairs[position].value : 0;
}

/* Applies one change. Returns false if it deletes a missing key. */
static bool change(struct linear_object *object, struct linear_pair pair)
{
    unsigned position = find(object, pair.key);
    if (pair.value) {
        object->pairs[position] = pair;
        object->count = (uint8_t)(object->count + (position == object->count));
        return true;
    }
    if (position == object->count)
        return false;
    object->count--;
    memmove(&object->pairs[position], &object->pairs[position + 1],
            (object->count - position) * sizeof object->pairs[0]);
    object->pairs[object->count] = (struct linear_pair){0, 0};
    return true;
}

static void update(struct linear_object *object, const struct linear_op *op, struct linear_result *result)
{
    struct linear_object after = *object;
    for (uint8_t i = 0; i < (linear_single_key(op) ? 1 : op->changed); i++) {
        if (!change(&after, op->changes[i])) {
            result->status = RCUINFO_ERR_NOKEY;
            result->number = i;
            return;
        }
    }
    after.version++;
    *object = after;
}

static void offer(struct linear_object *object, const struct linear_op *op)
{
    for (uint8_t i = 0; i < op->changed; i++) {
        struct linear_pair pair = op->changes[i];
        if (pair.key != op->nth || pair.value > value_of(object, pair.key))
            (void)change(object, pair);
    }
}

static void compare_and_set(struct linear_object *object, const struct linear_op *op, struct linear_result *result)
{
    if (value_of(object, op->changes[0].key) != op->expected)
        return;
    result->number = 1;
    if (op->expected || op->changes[0].value) {
        (void)change(object, op->changes[0]);
        object->version++;
    }
}

struct linear_result linear_apply(struct linear_state *state, const struct linear_op *op)
{
    struct linear_object *object = &state->objects[op->object];
    struct linear_result result = {.status = RCUINFO_SUCCESS};
    if (op->kind != LINEAR_CREATE && object->life != LINEAR_LIVE)
        return (struct linear_result){.status = RCUINFO_ERR_INFO};
    switch (op->kind) {
    case LINEAR_CREATE:
        *object = (struct linear_object){.life = LINEAR_LIVE};
        break;
    case LINEAR_DUP:
        state->objects[op->target] = *object;
        break;
    case LINEAR_FREE:
        *object = (struct linear_object){.life = LINEAR_FREED};
        break;
    case LINEAR_SET:
    case LINEAR_DELETE:
    case LINEAR_UPDATE:
        update(object, op, &result);
        break;
    case LINEAR_OFFER:
        offer(object, op);
        break;
    case LINEAR_COMPARE_AND_SET:
        compare_and_set(object, op, &result);
        break;
    case LINEAR_NKEYS:
        result.number = object->count;
        break;
    case LINEAR_NTHKEY:
        if (op->nth < object->count)
            result.number = object->pairs[op->nth].key;
        else
            result.status = RCUINFO_ERR_ARG;
        break;
    case LINEAR_VERSION:
        result.number = object->version;
        break;
    case LINEAR_SNAPSHOT:
        result.contents = *object;
        break;
    default: /* get, get_valuelen, get_string */
        result.number = value_of(object, op->changes[0].key);
    }
    return result;
}
