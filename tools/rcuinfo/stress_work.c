/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the threads of `rcuinfo stress` do. An operation follows from the seed, the thread and the operation's number
 * alone, never from what the store answered, so one seed repeats it.
 */
#include "stress.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <urcu/urcu-bp.h>

#include "support/age.h"
#include "support/selfcheck.h"

#define STORM 4   /* objects that one free replaces */
#define SETS  256 /* of a hot key, at most */

/* Takes the handle and the turn of the place at work; false while another thread replaces its object. */
static bool take(struct stress_worker *self)
{
    struct stress_place *place = &stress.places[self->place];

    self->turn = atomic_load(&place->turn);
    self->info = atomic_load(&place->handle);
    return self->turn % 2 == 0 && atomic_load(&place->turn) == self->turn;
}

/* A new value for a key of an object: mostly short. */
static unsigned long make_value(struct stress_worker *self, char *value, uint64_t object, unsigned key,
                                unsigned long number)
{
    size_t length = SELFCHECK_MIN + random_below(&self->random, 64);

    if (random_below(&self->random, 16) == 0)
        length = SELFCHECK_MIN + random_below(&self->random, SELFCHECK_MAX - SELFCHECK_MIN + 1);
    selfcheck_make_for(value, object, key * STRESS_THREADS_MAX + self->index, number, length);
    return number;
}

static uint64_t object_at_work(const struct stress_worker *self)
{
    return stress_object(self->place, self->turn);
}

static unsigned any_key(struct stress_worker *self)
{
    return random_below(&self->random, stress.all_keys);
}

/* A key that few other threads write: none where there are as many keys as threads. */
static unsigned own_key(struct stress_worker *self)
{
    unsigned keys = stress.options.keys;
    unsigned threads = stress.options.threads;

    if (keys < threads)
        return self->index % keys;
    return self->index + threads * random_below(&self->random, (keys - self->index - 1) / threads + 1);
}

/* The version after a change of this thread's own, which must be later than what it saw before. */
static void look_at_version(struct stress_worker *self, bool newer)
{
    uint64_t version;

    if (stress_met(rcuinfo_current_version(self->info, &version), "version"))
        stress_note_version(version, newer);
}

static void get_one(struct stress_worker *self, unsigned key)
{
    const char *name = stress.key_names[key];
    char value[RCUINFO_MAX_VALUE];
    int flag = 0;
    int size = sizeof value;

    if (random_below(&self->random, 2)) {
        if (!stress_met(rcuinfo_get(self->info, name, RCUINFO_MAX_VALUE - 1, value, &flag), "get"))
            return;
        size = flag ? (int)strnlen(value, sizeof value) + 1 : 0;
    } else if (!stress_met(rcuinfo_get_string(self->info, name, &size, value, &flag), "get_string")) {
        return;
    }
    if (flag)
        (void)stress_not_older(value, (size_t)size - 1, key);
    else if (key >= stress.options.keys)
        stress_violation("a key is lost: %u, which nobody deletes", key);
}

static void do_get(struct stress_worker *self)
{
    char name[RCUINFO_MAX_KEY];
    int number;

    get_one(self, any_key(self));
    if (random_below(&self->random, 4) > 0)
        return;
    look_at_version(self, false);
    if (stress_met(rcuinfo_get_nkeys(self->info, &number), "get_nkeys") &&
        (number <= STRESS_GROUP || number > (int)stress.all_keys))
        stress_violation("a wrong number of keys: %d", number);
    /* The keys that are never deleted stand first. */
    rcuinfo_status_t status = rcuinfo_get_nthkey(self->info, STRESS_GROUP, name);
    if (stress_met(status, "get_nthkey") && strcmp(name, stress.key_names[stress_counter_key()]) != 0)
        stress_violation("a key has lost its place: \"%.*s\"", RCUINFO_MAX_KEY, name);
}

static void do_set(struct stress_worker *self)
{
    unsigned key = own_key(self);
    char value[RCUINFO_MAX_VALUE];

    make_value(self, value, object_at_work(self), key, ++self->number);
    look_at_version(self, false);
    if (!stress_met(rcuinfo_set(self->info, stress.key_names[key], value), "set"))
        return;
    stress_note_own(key, self->number);
    look_at_version(self, true);
}

static void do_delete(struct stress_worker *self)
{
    rcuinfo_status_t status = rcuinfo_delete(self->info, stress.key_names[own_key(self)]);

    if (status != RCUINFO_ERR_NOKEY)
        (void)stress_met(status, "delete");
}

/* Counts up by one. Of two that swap the same number one must fail. */
static void do_swap(struct stress_worker *self)
{
    unsigned key = stress_counter_key();
    const char *name = stress.key_names[key];
    char old[RCUINFO_MAX_VALUE];
    char new[RCUINFO_MAX_VALUE];
    int flag = 0;

    if (!stress_met(rcuinfo_get(self->info, name, RCUINFO_MAX_VALUE - 1, old, &flag), "get"))
        return;
    if (!flag)
        stress_violation("a key is lost: the counter");
    struct stress_last before = stress_not_older(old, strnlen(old, sizeof old), key);
    make_value(self, new, object_at_work(self), key, before.number + 1);
    if (!stress_met(rcuinfo_compare_and_set(self->info, name, old, new, &flag), "compare_and_set") || !flag)
        return;
    stress_note_own(key, before.number + 1);
    if (!stress_met(rcuinfo_get(self->info, name, RCUINFO_MAX_VALUE - 1, old, &flag), "get"))
        return;
    if (stress_not_older(old, strnlen(old, sizeof old), key).number == before.number + 1 && strcmp(old, new) != 0)
        stress_violation("a lost change: \"%s\" and \"%s\" have both replaced number %lu", old, new, before.number);
}

/* Gives the whole group one number. With `first`, also a counter: the content of a new object. */
static bool write_group(struct stress_worker *self, bool first)
{
    rcuinfo_change_t changes[STRESS_GROUP + 1];
    char values[STRESS_GROUP + 1][RCUINFO_MAX_VALUE];
    size_t n = first ? STRESS_GROUP + 1 : STRESS_GROUP;

    ++self->number;
    for (unsigned i = 0; i < n; i++) {
        unsigned key = stress_group_key(i);

        make_value(self, values[i], object_at_work(self), key, i < STRESS_GROUP ? self->number : 1);
        changes[i] = (rcuinfo_change_t){stress.key_names[key], values[i]};
    }
    return stress_met(rcuinfo_update(self->info, changes, n, NULL), "update");
}

static void do_update(struct stress_worker *self)
{
    look_at_version(self, false);
    if (!write_group(self, false))
        return;
    for (unsigned i = 0; i < STRESS_GROUP; i++)
        stress_note_own(stress_group_key(i), self->number);
    look_at_version(self, true);
}

/* Free must succeed; the handle, as it was, is remembered and must be none from now on. */
static void free_own(struct stress_worker *self, rcuinfo_t info)
{
    rcuinfo_t freed = info;
    rcuinfo_status_t status = rcuinfo_free(&freed);

    if (status != RCUINFO_SUCCESS)
        stress_violation("an object cannot be freed: \"%s\"", rcuinfo_status_string(status));
    stress_gone(info);
    self->stale[random_below(&self->random, STRESS_STALE)] = info;
}

/* A dup is one version, not older than what was seen of its source, and goes its own way from then on. */
static void do_dup(struct stress_worker *self)
{
    unsigned key = own_key(self);
    const rcuinfo_snapshot_t *snapshot;
    char value[RCUINFO_MAX_VALUE];
    char found[RCUINFO_MAX_VALUE] = "";
    rcuinfo_t copy;
    int flag = 0;

    if (!stress_met(rcuinfo_dup(self->info, &copy), "dup"))
        return;
    if (rcuinfo_snapshot_open(copy, &snapshot) != RCUINFO_SUCCESS)
        stress_violation("a new dup is none");
    stress_note_version(rcuinfo_snapshot_version(snapshot), false);
    stress_one_version(snapshot, object_at_work(self));
    rcuinfo_snapshot_close(snapshot);
    make_value(self, value, object_at_work(self), key, ++self->number);
    if (rcuinfo_set(copy, stress.key_names[key], value) != RCUINFO_SUCCESS ||
        rcuinfo_get(copy, stress.key_names[key], RCUINFO_MAX_VALUE - 1, found, &flag) != RCUINFO_SUCCESS || !flag ||
        strcmp(found, value) != 0)
        stress_violation("a lost change: a dup does not hold \"%s\"", value);
    get_one(self, key);
    free_own(self, copy);
}

/* Opens a snapshot, which takes the place of another; that must be as it was. */
static void do_snapshot(struct stress_worker *self)
{
    struct stress_old *old = &self->old[random_below(&self->random, STRESS_OLD)];
    const rcuinfo_snapshot_t *snapshot;

    stress_close_old(old);
    if (!stress_met(rcuinfo_snapshot_open(self->info, &snapshot), "snapshot_open"))
        return;
    stress_note_version(rcuinfo_snapshot_version(snapshot), false);
    stress_one_version(snapshot, object_at_work(self));
    *old = stress_listen(snapshot, object_at_work(self));
}

/* Sets one key very often. Open snapshots, some of which are of this object, stay as they were. */
static void do_hot(struct stress_worker *self)
{
    unsigned key = own_key(self);
    char value[RCUINFO_MAX_VALUE];

    for (unsigned i = random_below(&self->random, SETS); i > 0; i--) {
        make_value(self, value, object_at_work(self), key, ++self->number);
        if (!stress_met(rcuinfo_set(self->info, stress.key_names[key], value), "set"))
            break;
        stress_note_own(key, self->number);
    }
    for (unsigned i = 0; i < STRESS_OLD; i++)
        stress_check_old(&self->old[i]);
}

/*
 * Stays for a while in a read section of its own, with a version that it has reached there: no grace period may pass it
 * by, which its age would show. The last call in there comes after the last look: it tells ThreadSanitizer, which does
 * not see a section of our own, that the look is before the end.
 */
static void do_stay(struct stress_worker *self)
{
    uint32_t before = 0;
    uint32_t after = 0;
    int number;

    urcu_bp_read_lock();
    const _Atomic uint32_t *age = age_of(self->info);
    if (age != NULL) {
        before = atomic_load(age);
        for (unsigned i = random_below(&self->random, 8); i > 0; i--)
            sched_yield();
        after = atomic_load(age);
    }
    (void)stress_met(rcuinfo_get_nkeys(self->info, &number), "get_nkeys");
    urcu_bp_read_unlock();
    if (before != after)
        stress_violation("a grace period has passed within a read section: age %u became %u", before, after);
    if (age != NULL)
        atomic_fetch_add_explicit(&self->ages, 1, memory_order_relaxed);
}

/* Puts a new object into the place at work, whose turn the caller has taken; `turn` is the new one. */
static void fill(struct stress_worker *self, uint64_t turn)
{
    struct stress_place *place = &stress.places[self->place];

    self->turn = turn;
    if (rcuinfo_create(&self->info) != RCUINFO_SUCCESS || !write_group(self, true))
        stress_violation("a new object is none");
    atomic_store(&place->handle, self->info);
    atomic_store(&place->turn, turn);
}

void stress_fill_place(struct stress_worker *self, unsigned place)
{
    self->place = place;
    fill(self, 2);
}

/* Replaces the objects of several places and frees those that were there, while others go on with their handles. */
static void do_free(struct stress_worker *self)
{
    for (int i = 0; i < STORM; i++) {
        struct random rest = self->random; /* what comes next does not depend on whether this place was to be had */
        rcuinfo_t old;

        if (i > 0)
            self->place = random_below(&self->random, stress.options.objects);
        if (take(self) &&
            atomic_compare_exchange_strong(&stress.places[self->place].turn, &self->turn, self->turn + 1)) {
            old = self->info;
            fill(self, self->turn + 2);
            free_own(self, old);
        }
        self->random = rest;
        (void)random_next(&self->random);
    }
}

static void do_stale(struct stress_worker *self)
{
    rcuinfo_t info = self->stale[random_below(&self->random, STRESS_STALE)];

    if (info != RCUINFO_NULL)
        stress_gone(info);
}

static void do_drain(struct stress_worker *self)
{
    (void)self;
    (void)rcuinfo_store_drain();
}

const struct stress_kind stress_kinds[STRESS_KINDS] = {
    {"get", 440, do_get},      {"set", 200, do_set},  {"delete", 20, do_delete},     {"swap", 60, do_swap},
    {"update", 60, do_update}, {"dup", 80, do_dup},   {"snapshot", 80, do_snapshot}, {"hot", 10, do_hot},
    {"stay", 20, do_stay},     {"free", 10, do_free}, {"stale", 20, do_stale},       {"drain", 1, do_drain},
};

static unsigned any_kind(struct stress_worker *self, unsigned sum)
{
    unsigned n = random_below(&self->random, sum);
    unsigned kind = 0;

    while (n >= stress.options.weights[kind])
        n -= stress.options.weights[kind++];
    return kind;
}

void stress_work(struct stress_worker *self)
{
    unsigned sum = 0;

    for (int i = 0; i < STRESS_KINDS; i++)
        sum += stress.options.weights[i];
    stress_self = self;
    while (!atomic_load_explicit(&stress.stop, memory_order_relaxed)) {
        uint64_t operation = atomic_load_explicit(&self->operation, memory_order_relaxed);

        self->random.state = stress.options.seed ^ (uint64_t)self->index << 48 ^ operation;
        self->random.state = random_next(&self->random);
        self->kind = any_kind(self, sum);
        self->place = random_below(&self->random, stress.options.objects);
        if (take(self)) {
            stress_kinds[self->kind].work(self);
            atomic_fetch_add_explicit(&self->counts[self->kind], 1, memory_order_relaxed);
        }
        atomic_store_explicit(&self->operation, operation + 1, memory_order_relaxed);
    }
    for (unsigned i = 0; i < STRESS_OLD; i++)
        stress_close_old(&self->old[i]);
}
