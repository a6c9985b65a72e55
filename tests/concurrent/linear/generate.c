/* SPDX-License-Identifier: BSD-3-Clause */
#include "linear/history.h"

#include <string.h>

/* The shapes of programs. Changes are as frequent as reads, because reads alone cannot reveal a defect. */
static const struct shape {
    uint8_t objects;                      /* at most, at the beginning */
    uint8_t keys;                         /* at most */
    uint8_t length;                       /* of a thread, at most */
    uint8_t weights[LINEAR_SNAPSHOT + 1]; /* how frequent each kind is */
} shapes[] = {
    /* create, dup, free, update, offer, set, delete, compare-and-set, get, valuelen, get_string, nkeys, nthkey,
     * version, snapshot. Decided key by key: */
    {2, 2, 6, {0, 0, 0, 0, 0, 2, 1, 2, 2, 1, 1, 0, 0, 0, 0}},
    /* All that one object can do. */
    {1, 4, 4, {0, 0, 0, 2, 0, 2, 2, 1, 1, 1, 1, 1, 1, 1, 2}},
    /* Old versions of an object that goes on. */
    {1, 3, 5, {0, 0, 0, 2, 0, 4, 1, 0, 1, 0, 0, 0, 1, 0, 3}},
    /* Objects that come and go. */
    {2, 3, 4, {1, 4, 2, 2, 0, 3, 1, 1, 1, 0, 1, 1, 1, 1, 2}},
};

struct generator {
    struct linear_history *history;
    struct random *random;
    const struct shape *shape;
    uint8_t keys;
    uint8_t objects;               /* so far */
    uint8_t values;                /* given out so far */
    uint8_t key_of[LINEAR_VALUES]; /* for which key */
};

static uint8_t below(struct generator *g, unsigned n)
{
    return (uint8_t)random_below(g->random, n);
}

static struct linear_pair new_pair(struct generator *g, uint8_t key)
{
    struct linear_pair pair = {.key = key, .value = ++g->values};
    g->key_of[pair.value] = key;
    return pair;
}

/* Returns a value that the key may have at some time, or 0. */
static uint8_t some_value(struct generator *g, uint8_t key)
{
    uint8_t value = (uint8_t)(g->values - below(g, g->values + 1u));
    while (value && g->key_of[value] != key)
        value--;
    return value;
}

static void start(struct generator *g)
{
    struct linear_history *history = g->history;
    memset(history, 0, sizeof *history);
    g->keys = (uint8_t)(1 + below(g, g->shape->keys));
    g->objects = (uint8_t)(1 + below(g, g->shape->objects));
    for (uint8_t i = 0; i < g->objects; i++) {
        struct linear_object *object = &history->initial.objects[i];
        object->life = LINEAR_LIVE;
        object->version = object->count = below(g, g->keys + 1u);
        for (uint8_t j = 0; j < object->count; j++)
            object->pairs[j] = new_pair(g, j);
    }
}

static enum linear_kind any_kind(struct generator *g)
{
    unsigned kind = 0, sum = 0, n;
    for (unsigned i = 0; i <= LINEAR_SNAPSHOT; i++)
        sum += g->shape->weights[i];
    for (n = below(g, sum); n >= g->shape->weights[kind]; kind++)
        n -= g->shape->weights[kind];
    return (enum linear_kind)kind;
}

/* Adds an operation. If it would create more than LINEAR_OBJECTS objects, it becomes a snapshot. */
static void add(struct generator *g, uint8_t thread)
{
    struct linear_op *op = &g->history->ops[g->history->count++];
    op->kind = any_kind(g);
    op->thread = thread;
    op->object = below(g, g->objects);
    if ((op->kind == LINEAR_CREATE || op->kind == LINEAR_DUP) && g->objects == LINEAR_OBJECTS)
        op->kind = LINEAR_SNAPSHOT;
    if (op->kind == LINEAR_CREATE)
        op->object = g->objects++;
    if (op->kind == LINEAR_DUP)
        op->target = g->objects++;
    op->nth = below(g, g->keys);
    op->hold = below(g, 2);
    op->changed = op->kind == LINEAR_UPDATE ? (uint8_t)(2 + below(g, LINEAR_CHANGES - 1)) : 1;
    for (uint8_t i = 0; i < op->changed; i++) {
        uint8_t key = below(g, g->keys);
        op->changes[i].key = key;
        op->expected = some_value(g, key);
        if (op->kind == LINEAR_SET || (op->kind == LINEAR_UPDATE && below(g, 4) != 0) ||
            (op->kind == LINEAR_COMPARE_AND_SET && below(g, 4) != 0))
            op->changes[i] = new_pair(g, key);
    }
}

static void add_last(struct generator *g, enum linear_kind kind, uint8_t object, uint8_t key)
{
    g->history->ops[g->history->count++] =
        (struct linear_op){.kind = kind, .thread = LINEAR_THREADS, .object = object, .changes = {{.key = key}}};
}

void linear_generate(struct linear_history *history, struct random *random, unsigned threads)
{
    struct generator g = {.history = history, .random = random};
    g.shape = &shapes[below(&g, sizeof shapes / sizeof *shapes)];
    start(&g);
    /* The threads take turns, so that one can use an object that another creates. */
    for (unsigned rounds = 2 + below(&g, g.shape->length - 1u); rounds > 0; rounds--) {
        for (unsigned thread = 0; thread < threads; thread++)
            add(&g, (uint8_t)thread);
    }
    for (uint8_t object = 0; object < g.objects; object++) {
        if (g.shape != &shapes[0])
            add_last(&g, LINEAR_SNAPSHOT, object, 0);
        for (uint8_t key = 0; g.shape == &shapes[0] && key < g.keys; key++)
            add_last(&g, LINEAR_GET, object, key);
    }
}
