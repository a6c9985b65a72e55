/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `rcuinfo stress`: threads use one store in every way at once and check everything that they read. The main thread
 * monitors the bytes that await a grace period. At the end it prints what was done, and fails if that was too little to
 * be conclusive.
 *
 * Holders. A holder publishes one object at a time: its handle, and a turn. A thread that takes the turn (makes it odd)
 * may replace the object and free the old one; the others continue to use the handle that they loaded before. Holder
 * and turn identify an object. Every value contains the identity of its object, so data of a different object is
 * detected independently of the handles.
 *
 * Keys. The first --keys keys are set and deleted, each by as few threads as possible; the values that one writer gives
 * to one key have increasing numbers. The keys of the group are written only by updates, all with the same number. The
 * last key is a counter, incremented by compare_and_set.
 *
 * An operation depends only on the seed, the thread and the number of the operation, never on an answer of the store,
 * so the same seed repeats it.
 */
#include "command.h"

#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <rcuinfo/rcuinfo.h>

#include "core/memory/arena.h"
#include "core/memory/reclaim.h"
#include "core/text.h"
#include "stress/random.h"
#include "stress/selfcheck.h"
#include "stress/workload.h"

enum {
    THREADS_MOST = 256,
    OBJECTS_MOST = 10000,
    KEYS_MOST = 256,
    SECONDS_MOST = 31536000,
    WEIGHT_MOST = 1000000,
    PATIENCE_S = 120,   /* the timeout for calls that run at the end */
    LOOK_NS = 10000000, /* between checks of the retired bytes */
    GROUP = 4,          /* keys */
    STALE = 64,         /* freed handles that a thread remembers */
    OLD = 16,           /* snapshots that a thread keeps open */
    STORM = 4,          /* objects that one free replaces */
    SETS = 256,         /* of a hot key, at most */
    KINDS = 12,         /* of operations */
    GONE = KINDS,       /* calls whose object had been freed */
    COUNTS
};

struct holder {
    _Alignas(64) _Atomic uint64_t turn; /* even: the object of this turn has the handle below */
    _Atomic rcuinfo_t handle;
};

/* A kind of operation: its name in --mix, and how often it is done. */
struct kind {
    const char *name;
    unsigned weight;
    void (*work)(void);
};

/* The value of one key that a thread has seen last, in one turn; with the counter, also the version of the object. */
struct last {
    uint64_t turn;
    uint64_t version;
    unsigned long number;
    unsigned writer;
};

/* A snapshot that a thread keeps open, or that of its view. */
struct old {
    const rcuinfo_snapshot_t *snapshot;
    uint64_t object;
    uint64_t sum; /* of its content */
};

/* One thread. */
struct worker {
    _Alignas(64) unsigned index;
    uint64_t counts[COUNTS];
    unsigned long number; /* of the last value that it wrote */
    struct last *seen;    /* by holder and key */
    rcuinfo_t stale[STALE];
    struct old old[OLD];
    /* The current operation. */
    uint64_t operation;
    struct random random; /* seeded for each operation from the seed, the thread and the operation's number */
    const struct kind *kind;
    unsigned holder;
    uint64_t turn;
    rcuinfo_t info;
};

/* The options, and the state that all threads share. */
static struct {
    unsigned seconds, threads, objects, keys, seed;
    const char *mix;  /* the argument of --mix, or NULL */
    unsigned weights; /* the sum of the weights of all kinds */
    unsigned counter; /* the number of its key; the group has the keys before it, from `keys` on */
    atomic_bool stop;
} stress = {.seconds = 10, .threads = 8, .objects = 16, .keys = 8};

static char key_names[KEYS_MOST + GROUP + 1][RCUINFO_MAX_KEY];
static struct holder holders[OBJECTS_MOST];
static struct worker workers[THREADS_MOST];
static _Thread_local struct worker *self; /* NULL: the main thread */

/* The identity of the current object. */
static uint64_t current_object(void)
{
    return self->turn / 2 * stress.objects + self->holder;
}

/*
 * Reports a violation, the thread that saw it and how to repeat the run, and ends the process, as further answers of
 * the store would mean nothing.
 */
__attribute__((format(printf, 1, 2))) static _Noreturn void violation(const char *format, ...)
{
    static atomic_flag reported = ATOMIC_FLAG_INIT;
    static _Thread_local bool reporting; /* printing damaged data may crash: then the crash is reported as well */
    va_list arguments;

    while (!reporting && atomic_flag_test_and_set(&reported)) /* another thread reports, and ends the process */
        pause();
    reporting = true;

    fputs("\nrcuinfo: stress: violation: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);

    if (self != NULL)
        fprintf(stderr,
                "\nrcuinfo: stress: seen by thread %u in operation %" PRIu64 ": %s on holder %u, turn %" PRIu64
                ", handle %#" PRIx64,
                self->index, self->operation, self->kind->name, self->holder, self->turn, (uint64_t)self->info);
    fprintf(stderr,
            "\nrcuinfo: stress: to repeat: rcuinfo stress --seconds %u --threads %u --objects %u --keys %u --seed "
            "%u%s%s\nrcuinfo: stress: the seed determines the operations of each thread, but not how the "
            "threads interleave\n",
            stress.seconds, stress.threads, stress.objects, stress.keys, stress.seed, stress.mix ? " --mix " : "",
            stress.mix ? stress.mix : "");
    _exit(COMMAND_FAILED);
}

static void crashed(int number)
{
    violation("a call crashed: %s", strsignal(number));
}

/* Leaves the handlers of a sanitizer in place, whose report has more detail. */
static void catch_crashes(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE};

    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction action;

        if (sigaction(signals[i], NULL, &action) == 0 && action.sa_handler == SIG_DFL) {
            action.sa_handler = crashed;
            (void)sigaction(signals[i], &action, NULL);
        }
    }
}

/* Checks the status of a call whose object may have been freed. Returns false if it was. Any other status is a
 * violation, as is RCUINFO_ERR_INFO for a live object. */
static bool met(rcuinfo_status_t status, const char *call)
{
    if (status == RCUINFO_SUCCESS)
        return true;
    if (status == RCUINFO_ERR_NO_MEM) /* no fault of the store */
        command_die(COMMAND_FAILED, "stress: %s: out of memory", call);
    if (status != RCUINFO_ERR_INFO)
        violation("an unexpected status: %s returned \"%s\"", call, rcuinfo_status_string(status));
    if (atomic_load(&holders[self->holder].turn) == self->turn)
        violation("a live object was not found: %s returned \"%s\"", call, rcuinfo_status_string(status));
    self->counts[GONE]++;
    return false;
}

/* Checks that a value is whole, and was written for the object and the key. Returns its writer and number. */
static struct last check_value(const char *value, size_t length, uint64_t object, const char *name, unsigned *key)
{
    struct last last = {0};
    uint64_t found;

    if (strnlen(value, RCUINFO_MAX_VALUE) != length || !selfcheck_verify_for(value, &found, &last.writer, &last.number))
        violation("a torn value: %zu bytes of key \"%.*s\": \"%.*s\"", length, RCUINFO_MAX_KEY, name, RCUINFO_MAX_VALUE,
                  value);
    if (found != object)
        violation("another object's data: of object %" PRIx64 ", read from object %" PRIx64 ": \"%s\"", found, object,
                  value);
    *key = last.writer / THREADS_MOST;
    if (*key > stress.counter || strcmp(name, key_names[*key]) != 0)
        violation("another key's value: of key %u, read from key \"%.*s\": \"%s\"", *key, RCUINFO_MAX_KEY, name, value);
    last.writer %= THREADS_MOST;
    return last;
}

/* The value of a key of the current object that this thread saw last; reset when the holder has a new object. */
static struct last *seen(unsigned key)
{
    struct last *last = &self->seen[self->holder * (stress.counter + 1) + key];

    if (last->turn != self->turn)
        *last = (struct last){.turn = self->turn};
    return last;
}

/* Records that this thread has seen or written a value of a key. */
static void note(unsigned key, unsigned long number, unsigned writer)
{
    seen(key)->number = number;
    seen(key)->writer = writer;
}

/* Checks that a value of the current object is whole, and not older than the last one that this thread saw. Returns its
 * number. */
static unsigned long not_older(const char *value, size_t length, unsigned key)
{
    struct last now = check_value(value, length, current_object(), key_names[key], &key);
    const struct last *last = seen(key);

    /* The numbers of the counter increase across all writers; those of other keys, for each writer. */
    if ((now.writer == last->writer || key == stress.counter) && now.number < last->number)
        violation("an older version after a newer one: number %lu of key %u after %lu", now.number, key, last->number);
    note(key, now.number, now.writer);
    return now.number;
}

/* Checks that a version of the current object is not older than the last one that this thread saw; with `newer`, that
 * it is newer. */
static void note_version(uint64_t version, bool newer)
{
    uint64_t before = seen(stress.counter)->version;

    if (version < before + newer)
        violation("an older version after a newer one: version %" PRIu64 " after %" PRIu64 "%s", version, before,
                  newer ? " and a change by this thread" : "");
    seen(stress.counter)->version = version;
}

/* Checks that the pairs of a snapshot are whole values of the object, that a lookup finds each, and that the group has
 * one number. Returns a checksum of the content. */
static uint64_t check_snapshot(const rcuinfo_snapshot_t *snapshot, uint64_t object)
{
    uint64_t sum = rcuinfo_snapshot_version(snapshot);
    size_t count = rcuinfo_snapshot_count(snapshot);
    size_t in_group = 0, found = 0;
    struct last group = {0};
    rcuinfo_pair_t pair, same;

    for (size_t n = 0; n < count; n++) {
        unsigned key;

        if (rcuinfo_snapshot_nth(snapshot, n, &pair) != RCUINFO_SUCCESS)
            violation("a torn snapshot: pair %zu of %zu is missing", n, count);

        struct last last = check_value(pair.value, pair.value_length, object, pair.key, &key);
        if (rcuinfo_snapshot_find(snapshot, pair.key, &same) != RCUINFO_SUCCESS || same.value != pair.value)
            violation("a torn snapshot: key %u has different values by position and by lookup", key);

        sum = XXH3_64bits_withSeed(pair.key, pair.key_length + 1, sum);
        sum = XXH3_64bits_withSeed(pair.value, pair.value_length + 1, sum);
        if (key < stress.keys || key == stress.counter)
            continue;

        if (in_group++ > 0 && (last.number != group.number || last.writer != group.writer))
            violation("two versions in one: number %lu of thread %u with %lu of thread %u", last.number, last.writer,
                      group.number, group.writer);
        group = last;
    }

    if (in_group != GROUP)
        violation("a partial update: %zu of %d keys", in_group, GROUP);

    for (unsigned key = 0; key <= stress.counter; key++)
        found += rcuinfo_snapshot_find(snapshot, key_names[key], &same) == RCUINFO_SUCCESS;
    if (found != count)
        violation("a torn snapshot: it has %zu keys, but a lookup finds %zu", count, found);
    return sum;
}

/* Checks that a snapshot, if there is one, has not changed. */
static void check_old(const struct old *old)
{
    if (old->snapshot != NULL && check_snapshot(old->snapshot, old->object) != old->sum)
        violation("a snapshot has changed: now version %" PRIu64 " of object %" PRIx64 ", %zu keys",
                  rcuinfo_snapshot_version(old->snapshot), old->object, rcuinfo_snapshot_count(old->snapshot));
}

static void close_old(struct old *old)
{
    check_old(old);
    rcuinfo_snapshot_close(old->snapshot);
    old->snapshot = NULL;
}

/* Checks that every call rejects a freed handle. */
static void check_gone(rcuinfo_t info)
{
    const char *key = key_names[stress.counter];
    const rcuinfo_snapshot_t *snapshot;
    rcuinfo_t copy = info;
    uint64_t version;
    char value[RCUINFO_MAX_VALUE];
    int number;

    if (rcuinfo_get(info, key, RCUINFO_MAX_VALUE - 1, value, &number) != RCUINFO_ERR_INFO ||
        rcuinfo_get_nkeys(info, &number) != RCUINFO_ERR_INFO ||
        rcuinfo_object_version(info, &version) != RCUINFO_ERR_INFO ||
        rcuinfo_snapshot_open(info, &snapshot) != RCUINFO_ERR_INFO || rcuinfo_dup(info, &copy) != RCUINFO_ERR_INFO ||
        rcuinfo_set(info, key, "x") != RCUINFO_ERR_INFO || rcuinfo_delete(info, key) != RCUINFO_ERR_INFO ||
        rcuinfo_free(&info) != RCUINFO_ERR_INFO)
        violation("a freed handle was accepted: %#" PRIx64, (uint64_t)info);
}

/* Loads the handle and the turn of the current holder. Returns false while another thread is replacing its object. */
static bool take_holder(void)
{
    struct holder *holder = &holders[self->holder];

    self->turn = atomic_load(&holder->turn);
    self->info = atomic_load(&holder->handle);
    return self->turn % 2 == 0 && atomic_load(&holder->turn) == self->turn;
}

/* Makes a new value for a key of the current object, mostly a short one. */
static void make_value(char *value, unsigned key, unsigned long number)
{
    size_t length = SELFCHECK_MIN + random_below(&self->random, 64);

    if (random_below(&self->random, 16) == 0)
        length = SELFCHECK_MIN + random_below(&self->random, SELFCHECK_MAX - SELFCHECK_MIN + 1);
    selfcheck_make_for(value, current_object(), key * THREADS_MOST + self->index, number, length);
}

/* A key that few other threads write; no other thread does if there are at least as many keys as threads. */
static unsigned own_key(void)
{
    unsigned keys = stress.keys, threads = stress.threads;

    if (keys < threads)
        return self->index % keys;
    return self->index + threads * random_below(&self->random, (keys - self->index - 1) / threads + 1);
}

static void look_at_version(bool newer)
{
    uint64_t version;

    if (met(rcuinfo_object_version(self->info, &version), "version"))
        note_version(version, newer);
}

/* Sets a key to a new value. Returns false if the object had been freed. */
static bool set_one(unsigned key)
{
    char value[RCUINFO_MAX_VALUE];

    make_value(value, key, ++self->number);
    if (!met(rcuinfo_set(self->info, key_names[key], value), "set"))
        return false;
    note(key, self->number, self->index);
    return true;
}

/* Reads a key by one of two calls. Returns whether it exists; then stores its value and the number of that. */
static bool get_one(unsigned key, char value[RCUINFO_MAX_VALUE], unsigned long *number)
{
    const char *name = key_names[key];
    int flag = 0, size = RCUINFO_MAX_VALUE;

    if (random_below(&self->random, 2)) {
        if (!met(rcuinfo_get(self->info, name, RCUINFO_MAX_VALUE - 1, value, &flag), "get"))
            return false;
        size = flag ? (int)strnlen(value, RCUINFO_MAX_VALUE) + 1 : 0;
    } else if (!met(rcuinfo_get_string(self->info, name, &size, value, &flag), "get_string")) {
        return false;
    }
    if (flag)
        *number = not_older(value, (size_t)size - 1, key);
    else if (key >= stress.keys)
        violation("a key is lost: %u, which is never deleted", key);
    return flag;
}

static void do_get(void)
{
    char name[RCUINFO_MAX_KEY], value[RCUINFO_MAX_VALUE];
    unsigned long found;
    int number;

    (void)get_one(random_below(&self->random, stress.counter + 1), value, &found);
    if (random_below(&self->random, 4) > 0)
        return;
    look_at_version(false);
    if (met(rcuinfo_get_nkeys(self->info, &number), "get_nkeys") &&
        (number <= GROUP || number > (int)stress.counter + 1))
        violation("a wrong number of keys: %d", number);

    /* The keys that are never deleted come first. */
    rcuinfo_status_t status = rcuinfo_get_nthkey(self->info, GROUP, name);
    if (met(status, "get_nthkey") && strcmp(name, key_names[stress.counter]) != 0)
        violation("a key has moved: \"%.*s\"", RCUINFO_MAX_KEY, name);
}

static void do_set(void)
{
    unsigned key = own_key();

    look_at_version(false);
    if (set_one(key))
        look_at_version(true);
}

static void do_delete(void)
{
    rcuinfo_status_t status = rcuinfo_delete(self->info, key_names[own_key()]);

    if (status != RCUINFO_ERR_NOKEY)
        (void)met(status, "delete");
}

/* Increments the counter. If two threads try to replace the same number, one must fail. */
static void do_swap(void)
{
    const char *name = key_names[stress.counter];
    char old[RCUINFO_MAX_VALUE], new[RCUINFO_MAX_VALUE];
    unsigned long number;
    int flag = 0;

    if (!get_one(stress.counter, old, &number))
        return;
    unsigned long next = number + 1;
    make_value(new, stress.counter, next);
    if (!met(rcuinfo_compare_and_set(self->info, name, old, new, &flag), "compare_and_set") || !flag)
        return;
    note(stress.counter, next, self->index);
    if (get_one(stress.counter, old, &number) && number == next && strcmp(old, new) != 0)
        violation("a lost change: \"%s\" and \"%s\" both have number %lu", old, new, next);
}

/* Sets all keys of the group to one new number. With `first`, also creates the counter, as in a new object. */
static bool write_group(bool first)
{
    rcuinfo_change_t changes[GROUP + 1];
    char values[GROUP + 1][RCUINFO_MAX_VALUE];
    size_t n = first ? GROUP + 1 : GROUP;

    ++self->number;
    for (unsigned i = 0; i < n; i++) {
        make_value(values[i], stress.keys + i, i < GROUP ? self->number : 1);
        changes[i] = (rcuinfo_change_t){key_names[stress.keys + i], values[i]};
    }
    return met(rcuinfo_update(self->info, changes, n, NULL), "update");
}

static void do_update(void)
{
    look_at_version(false);
    if (!write_group(false))
        return;
    for (unsigned i = 0; i < GROUP; i++)
        note(stress.keys + i, self->number, self->index);
    look_at_version(true);
}

/* Frees an object that only this thread may free. Remembers the handle, which must be invalid from now on. */
static void free_own(rcuinfo_t info)
{
    rcuinfo_t freed = info;
    rcuinfo_status_t status = rcuinfo_free(&freed);

    if (status != RCUINFO_SUCCESS)
        violation("an object cannot be freed: \"%s\"", rcuinfo_status_string(status));
    check_gone(info);
    self->stale[random_below(&self->random, STALE)] = info;
}

/* Checks that a dup is a single version, not older than the last one seen of its source, and changes independently. */
static void do_dup(void)
{
    unsigned key = own_key();
    const rcuinfo_snapshot_t *snapshot;
    char value[RCUINFO_MAX_VALUE], found[RCUINFO_MAX_VALUE] = "";
    unsigned long number;
    rcuinfo_t copy;
    int flag = 0;

    if (!met(rcuinfo_dup(self->info, &copy), "dup"))
        return;
    if (rcuinfo_snapshot_open(copy, &snapshot) != RCUINFO_SUCCESS)
        violation("a new dup has an invalid handle");

    note_version(rcuinfo_snapshot_version(snapshot), false);
    (void)check_snapshot(snapshot, current_object());
    rcuinfo_snapshot_close(snapshot);

    make_value(value, key, ++self->number);
    if (rcuinfo_set(copy, key_names[key], value) != RCUINFO_SUCCESS ||
        rcuinfo_get(copy, key_names[key], RCUINFO_MAX_VALUE - 1, found, &flag) != RCUINFO_SUCCESS || !flag ||
        strcmp(found, value) != 0)
        violation("a lost change: a dup does not have \"%s\"", value);
    (void)get_one(key, found, &number);
    free_own(copy);
}

/* Opens a snapshot in place of an older one, which must not have changed. */
static void do_snapshot(void)
{
    struct old *old = &self->old[random_below(&self->random, OLD)];

    close_old(old);
    if (!met(rcuinfo_snapshot_open(self->info, &old->snapshot), "snapshot_open"))
        return;
    note_version(rcuinfo_snapshot_version(old->snapshot), false);
    old->object = current_object();
    old->sum = check_snapshot(old->snapshot, old->object);
}

/* Sets one key very often. Open snapshots, some of which are of this object, must not change. */
static void do_hot(void)
{
    unsigned key = own_key();

    for (unsigned i = random_below(&self->random, SETS); i > 0 && set_one(key); i--)
        continue;
    for (int i = 0; i < OLD; i++)
        check_old(&self->old[i]);
}

/* Stays for a while in a view, whose version must not change: its memory must not be used for another one. */
static void do_stay(void)
{
    rcuinfo_view_t view;

    if (!met(rcuinfo_view_begin(self->info, &view), "view_begin"))
        return;
    struct old held = {.snapshot = view.snapshot, .object = current_object()};
    held.sum = check_snapshot(held.snapshot, held.object);
    for (unsigned i = random_below(&self->random, 8); i > 0; i--) {
        sched_yield();
        check_old(&held);
    }
    rcuinfo_view_end(&view);
}

/* Puts a new object into the current holder, whose turn the caller has taken; `turn` is the new one. */
static void fill(uint64_t turn)
{
    struct holder *holder = &holders[self->holder];

    self->turn = turn;
    if (!met(rcuinfo_create(&self->info), "create") || !write_group(true))
        violation("a new object has an invalid handle");
    atomic_store(&holder->handle, self->info);
    atomic_store(&holder->turn, turn);
}

/* Replaces and frees the objects of several holders, while other threads continue to use their handles. */
static void do_free(void)
{
    for (int i = 0; i < STORM; i++) {
        struct random rest = self->random; /* restored below, as what follows must not depend on getting this holder */

        if (i > 0)
            self->holder = random_below(&self->random, stress.objects);
        if (take_holder() && atomic_compare_exchange_strong(&holders[self->holder].turn, &self->turn, self->turn + 1)) {
            rcuinfo_t old = self->info;

            fill(self->turn + 2);
            free_own(old);
        }
        self->random = rest;
        (void)random_next(&self->random);
    }
}

static void do_stale(void)
{
    rcuinfo_t info = self->stale[random_below(&self->random, STALE)];

    if (info != RCUINFO_NULL)
        check_gone(info);
}

static void do_drain(void)
{
    (void)rcuinfo_store_drain();
}

static struct kind kinds[KINDS] = {
    {"get", 440, do_get},      {"set", 200, do_set},  {"delete", 20, do_delete},     {"swap", 60, do_swap},
    {"update", 60, do_update}, {"dup", 80, do_dup},   {"snapshot", 80, do_snapshot}, {"hot", 10, do_hot},
    {"stay", 20, do_stay},     {"free", 10, do_free}, {"stale", 20, do_stale},       {"drain", 1, do_drain},
};

static const struct kind *any_kind(void)
{
    unsigned n = random_below(&self->random, stress.weights);
    const struct kind *kind = kinds;

    while (n >= kind->weight)
        n -= kind++->weight;
    return kind;
}

/* A thread: does operations until stress.stop is set. */
static void *work(void *worker)
{
    self = worker;
    for (; !atomic_load_explicit(&stress.stop, memory_order_relaxed); self->operation++) {
        self->random.state = stress.seed ^ (uint64_t)self->index << 48 ^ self->operation;
        self->random.state = random_next(&self->random);
        self->kind = any_kind();
        self->holder = random_below(&self->random, stress.objects);
        if (take_holder()) {
            self->kind->work();
            self->counts[self->kind - kinds]++;
        }
    }
    for (int i = 0; i < OLD; i++)
        close_old(&self->old[i]);
    return NULL;
}

/* Operations that --mix does not name get the weight 0. */
static void parse_mix(const char *text, void *into)
{
    char *copy = command_text("%s", text), *rest = copy, *name;

    *(const char **)into = text;
    for (int i = 0; i < KINDS; i++)
        kinds[i].weight = 0;
    while ((name = strsep(&rest, ",")) != NULL) {
        char *weight = strchrnul(name, '=');
        int kind = 0;

        if (*weight != '\0')
            *weight++ = '\0';
        while (kind < KINDS && strcmp(name, kinds[kind].name) != 0)
            kind++;
        if (kind == KINDS)
            command_die(COMMAND_USAGE, "stress: --mix: unknown operation '%s' (see rcuinfo --help)", name);
        kinds[kind].weight = (unsigned)command_number("stress", "mix", weight, 0, WEIGHT_MOST);
    }
    free(copy);
}

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void parse(int argc, char *argv[])
{
    const struct command_option options[] = {
        {"seconds", COMMAND_NUMBER, .into = &stress.seconds, .least = 1, .most = SECONDS_MOST},
        {"threads", COMMAND_NUMBER, .into = &stress.threads, .least = 1, .most = THREADS_MOST},
        {"objects", COMMAND_NUMBER, .into = &stress.objects, .least = 1, .most = OBJECTS_MOST},
        {"keys", COMMAND_NUMBER, .into = &stress.keys, .least = 1, .most = KEYS_MOST},
        {"seed", COMMAND_NUMBER, .into = &stress.seed, .most = UINT_MAX},
        {"mix", COMMAND_CALL, .into = &stress.mix, .take = parse_mix},
        {.name = NULL}};

    stress.seed = (unsigned)now_ns() ^ (unsigned)getpid() << 16;
    command_options(argc, argv, options, true);
    for (int i = 0; i < KINDS; i++)
        stress.weights += kinds[i].weight;
    if (optind < argc)
        command_die(COMMAND_USAGE, "stress: unexpected argument '%s' (see rcuinfo --help)", argv[optind]);
    if (stress.weights == 0)
        command_die(COMMAND_USAGE, "stress: --mix: nothing to do: all weights are 0");
}

static void set_up(void)
{
    stress.counter = stress.keys + GROUP;
    for (unsigned key = 0; key <= stress.counter; key++)
        workload_key(key_names[key], key);
    for (unsigned i = 0; i < stress.threads; i++) {
        workers[i] = (struct worker){.index = i, .kind = kinds};
        workers[i].seen = calloc(stress.objects, (stress.counter + 1) * sizeof(struct last));
        if (workers[i].seen == NULL)
            command_die(COMMAND_FAILED, "out of memory");
    }
}

/* Creates and frees objects until slots are reused. That begins when the queue of free slots is full, which it is from
 * then on, so every object of the run reuses a slot. */
static void fill_slots(void)
{
    rcuinfo_stats_t stats;

    do {
        for (int i = 0; i < 1024; i++) {
            rcuinfo_t info;

            if (!met(rcuinfo_create(&info), "create") || rcuinfo_free(&info) != RCUINFO_SUCCESS)
                violation("a new object has an invalid handle");
        }
        (void)rcuinfo_store_drain();
        rcuinfo_store_stats(&stats);
    } while (stats.reused_slots == 0);
}

/* The limit of retired bytes: the hard limit, the largest block, with room for half as many pairs again, that each
 * thread may be replacing and that each may be reading, and a step of each arena. */
static uint64_t retired_most(void)
{
    uint64_t version = 8192 + (uint64_t)(stress.counter + 1) * (RCUINFO_MAX_KEY + RCUINFO_MAX_VALUE + 64) * 3 / 2;

    return RCUINFO__RECLAIM_HARD_LIMIT + (uint64_t)stress.threads * 2 * version +
           RCUINFO__ARENAS * RCUINFO__RECLAIM_STEP;
}

static void check_limit(rcuinfo_stats_t *stats)
{
    rcuinfo_store_stats(stats);
    uint64_t most = stats->retired > stats->peak_retired ? stats->retired : stats->peak_retired;

    if (most > retired_most())
        violation("the limit is exceeded: %" PRIu64 " bytes await a grace period, limit %" PRIu64, most,
                  retired_most());
}

/* Starts the threads, monitors the limit, and waits for the last operations to end. */
static void run(void)
{
    pthread_t threads[THREADS_MOST] = {0};
    struct timespec now;
    rcuinfo_stats_t stats;

    for (unsigned i = 0; i < stress.threads; i++) {
        int error = pthread_create(&threads[i], NULL, work, &workers[i]);

        if (error != 0)
            command_die(COMMAND_FAILED, "stress: cannot create a thread: %s", strerror(error));
    }

    for (uint64_t end = now_ns() + stress.seconds * UINT64_C(1000000000); now_ns() < end;) {
        (void)nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL);
        check_limit(&stats);
        if (isatty(STDERR_FILENO))
            fprintf(stderr, "\rstress: %.0f s to go, %" PRIu64 " KiB retired   ",
                    ((double)end - (double)now_ns()) / 1e9, stats.retired >> 10);
    }
    if (isatty(STDERR_FILENO))
        fputc('\n', stderr);

    atomic_store(&stress.stop, true);
    clock_gettime(CLOCK_REALTIME, &now);
    now.tv_sec += PATIENCE_S;
    for (unsigned i = 0; i < stress.threads; i++) {
        if (pthread_timedjoin_np(threads[i], NULL, &now) != 0) {
            self = &workers[i];
            violation("a call has not returned");
        }
    }
}

/* Frees all objects, after which the store must be empty. */
static void check_end(rcuinfo_stats_t *stats)
{
    for (unsigned holder = 0; holder < stress.objects; holder++) {
        rcuinfo_t info = atomic_load(&holders[holder].handle);

        if (rcuinfo_free(&info) != RCUINFO_SUCCESS)
            violation("an object cannot be freed at the end");
    }
    if (rcuinfo_store_drain() != 0)
        violation("bytes that cannot be reclaimed");
    check_limit(stats);
    if (stats->live != 0 || stats->retired != 0)
        violation("a leak: %" PRIu64 " objects, %" PRIu64 " bytes", stats->live, stats->retired);
}

/* Fails if something happened less often than a conclusive run needs. */
static void check_enough(uint64_t number, uint64_t least, const char *what)
{
    if (number < least)
        command_die(COMMAND_FAILED, "stress: inconclusive: only %" PRIu64 " %s", number, what);
}

/* Prints the numbers of a run, and fails if it is inconclusive. */
static void report(const rcuinfo_stats_t *start, const rcuinfo_stats_t *end)
{
    uint64_t reuses = end->reused_slots - start->reused_slots;
    uint64_t grace_periods = end->grace_periods - start->grace_periods;
    uint64_t counts[COUNTS] = {0}, all = 0;

    for (int n = 0; n < COUNTS; n++) {
        for (unsigned i = 0; i < stress.threads; i++)
            counts[n] += workers[i].counts[n];
        all += n < KINDS ? counts[n] : 0;
    }

    printf("%" PRIu64 " operations in %u s by %u threads, seed %u\n", all, stress.seconds, stress.threads, stress.seed);
    for (int kind = 0; kind < KINDS; kind++)
        printf("  %-9s %12" PRIu64 "\n", kinds[kind].name, counts[kind]);
    printf("%" PRIu64 " slot reuses, %" PRIu64 " grace periods, %" PRIu64 " calls on freed objects\n%" PRIu64
           " bytes retired at the peak, limit %" PRIu64 "\n",
           reuses, grace_periods, counts[GONE], end->peak_retired, retired_most());

    for (int kind = 0; kind < KINDS; kind++)
        check_enough(counts[kind], kinds[kind].weight > 0, kinds[kind].name);
    check_enough(reuses, stress.seconds, "slot reuses");
    check_enough(grace_periods, stress.seconds, "grace periods");
}

int command_stress(int argc, char *argv[])
{
    rcuinfo_stats_t at_start, at_end;

    parse(argc, argv);
    set_up();
    catch_crashes();
    fill_slots();

    /* The functions that fill a holder work for the current thread: here, for the first worker. */
    self = &workers[0];
    for (self->holder = 0; self->holder < stress.objects; self->holder++)
        fill(2);
    self = NULL;

    rcuinfo_store_stats(&at_start);
    run();
    check_end(&at_end);
    report(&at_start, &at_end);
    return COMMAND_OK;
}
