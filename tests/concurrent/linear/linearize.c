/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * linearize: runs small random programs on the store. Each history has its own objects.
 *
 * A held snapshot is read again after each later operation of its thread, and after the objects have been freed. If its
 * contents change, its result becomes LINEAR_GARBAGE.
 *
 * usage: linearize [HISTORIES [SECONDS [SEED]]]     as linear/run.h says
 */
#include <stdlib.h>
#include <string.h>

#include <rcuinfo/rcuinfo.h>

#include "core/memory/block.h"
#include "linear/run.h"
#include "support/check.h"
#include "support/scale.h"
#include "support/threads.h"

enum {
    HISTORIES = TEST_SANITIZED ? 10000 : SCALED(110000),
    LEAST = 3 /* threads */,
    FILLED = 4 /* one history in so many has further pairs */
};

/* Additional contents of the objects of a history, so that one of the next changes may copy their block. */
struct fill {
    unsigned pairs; /* fixed ones, which come first; 0: nothing */
    unsigned bytes; /* of their values */
    unsigned sets;  /* of them */
    unsigned holes; /* pairs that were deleted again */
};

struct object {
    _Atomic rcuinfo_t handle;           /* RCUINFO_NULL: not made (yet) */
    uint64_t version;                   /* the store's number of the history's version 0; written before the handle */
    const struct rcuinfo__block *block; /* at the beginning */
};

static struct trial {
    struct linear_history *history;
    struct fill fill; /* of all objects */
    struct object objects[LINEAR_OBJECTS];
    const rcuinfo_snapshot_t *held[LINEAR_OPS]; /* open snapshots, by operation: of its thread until all have ended */
} trials[LINEAR_BATCH];

static atomic_ulong ended, copying; /* histories; those in which an object came to another block */

/* The strings of keys and values. A value consists of its number and a repeated letter, and has a length of its own, so
 * that the length or the text alone identifies it. A string that is not among them is LINEAR_GARBAGE; value 0 is
 * NULL. */
enum { SHORTEST = 4, STEP = 5 };

static char values[LINEAR_VALUES][SHORTEST + LINEAR_VALUES * STEP];
static const char *const keys[LINEAR_KEYS] = {"a", "access_style", "c", "cb_buffer_size"};

/* Runs before any thread starts. */
__attribute__((constructor)) static void make_texts(void)
{
    for (unsigned i = 1; i < LINEAR_VALUES; i++) {
        int head = snprintf(values[i], sizeof values[i], "%u", i);
        memset(values[i] + head, (int)('a' + i % 26), SHORTEST + i * STEP - (size_t)head);
    }
}

static const char *text_of(uint8_t number)
{
    return number ? values[number] : NULL;
}

static uint8_t key_number(const char *key)
{
    for (unsigned i = 0; i < LINEAR_KEYS; i++) {
        if (strcmp(key, keys[i]) == 0)
            return (uint8_t)i;
    }
    return LINEAR_GARBAGE;
}

static uint8_t value_number(const char *value)
{
    unsigned long number = strtoul(value, NULL, 10);
    return number > 0 && number < LINEAR_VALUES && strcmp(value, values[number]) == 0 ? (uint8_t)number
                                                                                      : LINEAR_GARBAGE;
}

static uint8_t length_number(size_t length)
{
    size_t number = (length - SHORTEST) / STEP;
    return length > SHORTEST && (length - SHORTEST) % STEP == 0 && number < LINEAR_VALUES ? (uint8_t)number
                                                                                          : LINEAR_GARBAGE;
}

enum { HOT = 64 }; /* sets after which a block gets as much room as there is for its pairs */

static struct fill fill_any(struct random *random)
{
    static const struct fill kinds[] = {
        {.pairs = 3, .bytes = 60}, {.pairs = 20, .bytes = 100}, {.pairs = 40, .bytes = 20}};
    struct fill fill = kinds[random_below(random, 3)]; /* the finder is bytes, or may come to be places, or is places */
    fill.sets = HOT + random_below(random, HOT);
    fill.holes = random_below(random, 3) == 0 ? random_below(random, 16) : 0;
    return fill;
}

static void fill_set(const struct fill *fill, rcuinfo_t object, const char *kind, unsigned number)
{
    char key[16], value[RCUINFO_MAX_VALUE];
    (void)snprintf(key, sizeof key, "%s%u", kind, number);
    memset(value, 'A' + (int)number % 26, fill->bytes);
    value[fill->bytes] = '\0';
    CHECK_OK(rcuinfo_set(object, key, value));
}

/* Returns whether the snapshot begins with the fixed pairs. */
static bool fill_whole(const struct fill *fill, const rcuinfo_snapshot_t *snapshot)
{
    for (unsigned i = 0; i < fill->pairs; i++) {
        const char letter[] = {(char)('A' + i % 26), '\0'};
        rcuinfo_pair_t pair, found;
        char key[16];
        (void)snprintf(key, sizeof key, "fixed%u", i);
        if (rcuinfo_snapshot_nth(snapshot, i, &pair) != RCUINFO_SUCCESS || strcmp(pair.key, key) != 0 ||
            pair.value_length != fill->bytes || strspn(pair.value, letter) != fill->bytes ||
            rcuinfo_snapshot_find(snapshot, key, &found) != RCUINFO_SUCCESS || found.value != pair.value)
            return false;
    }
    return true;
}

/* Creates an object with the pairs of `initial`; *zero is the store's number of the history's version 0. */
static rcuinfo_t make(const struct fill *fill, const struct linear_object *initial, uint64_t *zero)
{
    char key[16];
    rcuinfo_t object;
    CHECK_OK(rcuinfo_create(&object));
    for (unsigned i = 0; i < fill->pairs; i++)
        fill_set(fill, object, "fixed", i);
    for (unsigned i = 0; i < fill->holes; i++)
        fill_set(fill, object, "hole", i);
    for (unsigned i = 0; i < initial->count; i++)
        CHECK_OK(rcuinfo_set(object, keys[initial->pairs[i].key], text_of(initial->pairs[i].value)));
    for (unsigned i = 0; i < fill->sets; i++)
        fill_set(fill, object, "fixed", fill->pairs - 1);
    for (unsigned i = 0; i < fill->holes; i++) {
        (void)snprintf(key, sizeof key, "hole%u", i);
        CHECK_OK(rcuinfo_delete(object, key));
    }
    CHECK_OK(rcuinfo_object_version(object, zero));
    *zero -= initial->version;
    return object;
}

/* Converts a number of keys or a version number to one relative to that of a new object. */
static uint8_t beyond(uint64_t number, uint64_t fixed)
{
    return number >= fixed && number - fixed < LINEAR_GARBAGE ? (uint8_t)(number - fixed) : LINEAR_GARBAGE;
}

/* Returns whether lookups in a snapshot find exactly the listed pairs. */
static bool finds(const rcuinfo_snapshot_t *snapshot, const struct linear_object *contents)
{
    for (uint8_t key = 0; key < LINEAR_KEYS; key++) {
        rcuinfo_pair_t pair;
        uint8_t listed = 0;
        for (unsigned i = 0; i < contents->count; i++)
            listed = contents->pairs[i].key == key ? contents->pairs[i].value : listed;
        bool found = rcuinfo_snapshot_find(snapshot, keys[key], &pair) == RCUINFO_SUCCESS;
        if ((found ? value_number(pair.value) : 0) != listed)
            return false;
    }
    return true;
}

/* Reads the contents of an open snapshot. */
static struct linear_object read_snapshot(const struct trial *trial, const struct linear_op *op,
                                          const rcuinfo_snapshot_t *snapshot)
{
    struct linear_object contents = {.life = LINEAR_LIVE};
    size_t fixed = trial->fill.pairs;
    size_t count = rcuinfo_snapshot_count(snapshot) - fixed;
    contents.version = beyond(rcuinfo_snapshot_version(snapshot), trial->objects[op->object].version);
    contents.count = LINEAR_GARBAGE;
    if (count > LINEAR_KEYS || !fill_whole(&trial->fill, snapshot))
        return contents;
    for (size_t i = 0; i < count; i++) {
        rcuinfo_pair_t pair;
        CHECK_OK(rcuinfo_snapshot_nth(snapshot, fixed + i, &pair));
        contents.pairs[i].key = key_number(pair.key);
        contents.pairs[i].value = value_number(pair.value);
        if (pair.key_length != strlen(pair.key) || pair.value_length != strlen(pair.value))
            return contents;
    }
    contents.count = (uint8_t)count;
    if (!finds(snapshot, &contents))
        contents.count = LINEAR_GARBAGE;
    return contents;
}

static rcuinfo_status_t call(struct trial *trial, struct linear_op *op, rcuinfo_t handle, rcuinfo_t *made,
                             const rcuinfo_snapshot_t **snapshot)
{
    uint8_t *number = &op->result.number;
    struct object *object = &trial->objects[op->object];
    rcuinfo_change_t changes[LINEAR_CHANGES];
    char key[RCUINFO_MAX_KEY], value[RCUINFO_MAX_VALUE];
    size_t failed = 0;
    uint64_t version = 0;
    int found = 0, count = sizeof value;
    rcuinfo_status_t status;
    for (unsigned i = 0; i < LINEAR_CHANGES; i++)
        changes[i] = (rcuinfo_change_t){keys[op->changes[i].key], text_of(op->changes[i].value)};
    switch (op->kind) {
    case LINEAR_CREATE:
        *made = make(&trial->fill, &trial->history->initial.objects[op->object], &object->version);
        return RCUINFO_SUCCESS;
    case LINEAR_DUP:
        trial->objects[op->target].version = object->version;
        return rcuinfo_dup(handle, made);
    case LINEAR_FREE:
        return rcuinfo_free(&handle);
    case LINEAR_SNAPSHOT:
        return rcuinfo_snapshot_open(handle, snapshot);
    case LINEAR_SET:
        return rcuinfo_set(handle, changes[0].key, changes[0].value);
    case LINEAR_DELETE:
        return rcuinfo_delete(handle, changes[0].key);
    case LINEAR_COMPARE_AND_SET:
        status = rcuinfo_compare_and_set(handle, changes[0].key, text_of(op->expected), changes[0].value, &found);
        *number = (uint8_t)found;
        return status;
    case LINEAR_GET:
        status = rcuinfo_get(handle, changes[0].key, sizeof value - 1, value, &found);
        *number = found ? value_number(value) : 0;
        return status;
    case LINEAR_VALUELEN:
        status = rcuinfo_get_valuelen(handle, changes[0].key, &count, &found);
        *number = found ? length_number((size_t)count) : 0;
        return status;
    case LINEAR_GET_STRING:
        status = rcuinfo_get_string(handle, changes[0].key, &count, value, &found);
        *number = found ? value_number(value) : 0;
        if (found && length_number((size_t)count - 1) != *number)
            *number = LINEAR_GARBAGE;
        return status;
    case LINEAR_NKEYS:
        status = rcuinfo_get_nkeys(handle, &count);
        *number = status == RCUINFO_SUCCESS ? beyond((uint64_t)count, trial->fill.pairs) : 0;
        return status;
    case LINEAR_VERSION:
        status = rcuinfo_object_version(handle, &version);
        *number = status == RCUINFO_SUCCESS ? beyond(version, object->version) : 0;
        return status;
    case LINEAR_NTHKEY:
        status = rcuinfo_get_nthkey(handle, (int)trial->fill.pairs + op->nth, key);
        *number = status == RCUINFO_SUCCESS ? key_number(key) : 0;
        return status;
    default:
        status = rcuinfo_update(handle, changes, op->changed, &failed);
        *number = (uint8_t)failed;
        return status;
    }
}

/* Reads the held snapshots of a thread again, or those of all threads if `thread` is LINEAR_THREADS. */
static void read_held(struct trial *trial, unsigned thread)
{
    for (unsigned i = 0; i < trial->history->count; i++) {
        struct linear_op *op = &trial->history->ops[i];
        if ((thread < LINEAR_THREADS && op->thread != thread) || !trial->held[i])
            continue;
        struct linear_object now = read_snapshot(trial, op, trial->held[i]);
        if (memcmp(&now, &op->result.contents, sizeof now) != 0)
            op->result.contents.count = LINEAR_GARBAGE;
    }
}

/*
 * Performs one operation between its two stamps. A handle is loaded before the first stamp, and a new handle is stored
 * after the second, so the creation of an object has returned before any other operation on it is invoked. An operation
 * whose object does not exist yet is skipped, and its stamps stay 0.
 */
static void perform(unsigned number, struct linear_op *op)
{
    struct trial *trial = &trials[number];
    const rcuinfo_snapshot_t *snapshot = NULL;
    rcuinfo_t handle = atomic_load(&trial->objects[op->object].handle);
    rcuinfo_t made = RCUINFO_NULL;
    if (handle == RCUINFO_NULL && op->kind != LINEAR_CREATE)
        return;
    op->invoked = linear_stamp();
    rcuinfo_status_t status = call(trial, op, handle, &made, &snapshot);
    op->returned = linear_stamp();
    op->result.status = (uint8_t)status;
    if (made != RCUINFO_NULL)
        atomic_store(&trial->objects[op->kind == LINEAR_CREATE ? op->object : op->target].handle, made);
    if (snapshot)
        op->result.contents = read_snapshot(trial, op, snapshot);
    if (op->hold)
        trial->held[op - trial->history->ops] = snapshot;
    else
        rcuinfo_snapshot_close(snapshot);
    read_held(trial, op->thread);
}

/* The block of an object; NULL if it is not alive. */
static const struct rcuinfo__block *block_of(rcuinfo_t info)
{
    const rcuinfo_snapshot_t *snapshot;
    if (rcuinfo_snapshot_open(info, &snapshot) != RCUINFO_SUCCESS)
        return NULL;
    const struct rcuinfo__block *block = rcuinfo__block_of((const struct rcuinfo__entry *)(const void *)snapshot);
    rcuinfo_snapshot_close(snapshot);
    return block;
}

static unsigned make_any(unsigned number, struct linear_history *history, struct random *random)
{
    struct trial *trial = &trials[number];
    unsigned threads = LEAST + random_below(random, LINEAR_THREADS - LEAST + 1);
    linear_generate(history, random, threads);
    trial->history = history;
    trial->fill = random_below(random, FILLED) == 0 ? fill_any(random) : (struct fill){0};
    for (unsigned i = 0; i < LINEAR_OBJECTS; i++) {
        const struct linear_object *initial = &history->initial.objects[i];
        struct object *object = &trial->objects[i];
        rcuinfo_t handle = RCUINFO_NULL;
        if (initial->life == LINEAR_LIVE) {
            handle = make(&trial->fill, initial, &object->version);
            object->block = block_of(handle);
        }
        atomic_store(&object->handle, handle);
    }
    return threads;
}

static void end(unsigned number, struct linear_history *history)
{
    struct trial *trial = &trials[number];
    bool copied = false;
    for (unsigned i = 0; i < LINEAR_OBJECTS; i++) {
        struct object *object = &trial->objects[i];
        rcuinfo_t handle = atomic_load(&object->handle);
        const struct rcuinfo__block *block = block_of(handle);
        if (history->initial.objects[i].life == LINEAR_LIVE && block)
            copied |= block != object->block;
        rcuinfo_status_t status = rcuinfo_free(&handle);
        CHECK(status == RCUINFO_SUCCESS || status == RCUINFO_ERR_INFO);
    }
    atomic_fetch_add(&ended, 1);
    atomic_fetch_add(&copying, copied);
    read_held(trial, LINEAR_THREADS);
    for (unsigned i = 0; i < history->count; i++) {
        rcuinfo_snapshot_close(trial->held[i]);
        trial->held[i] = NULL;
    }
}

int main(int argc, char *argv[])
{
    static const struct linear_subject store = {"linear.histories", HISTORIES, true, make_any, perform, end};
    int status = linear_run(&store, argc, argv);
    unsigned long copies = atomic_load(&copying);
    CHECKF(status || copies >= atomic_load(&ended) / 10, "only %lu histories copied a block", copies);
    return status;
}
