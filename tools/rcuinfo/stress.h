/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file stress.h
 * What the parts of `rcuinfo stress` share: stress.c reads the options, starts the threads, watches and reports;
 * stress_work.c holds what the threads do; stress_check.c what they check, and how a violation is reported.
 *
 * Places. A place shows one object at a time, as its handle and a turn. A thread that takes the turn (makes it odd) may
 * put another object in, and frees the one that was there; all others go on with the handle that they took before.
 * Place and turn are the identity of an object: every value says for which it was written, so a handle that answers
 * with the data of another object is told whatever the handles look like.
 *
 * Keys. The first --keys ones are set and deleted, each by as few threads as possible; the values of one writer in one
 * key carry rising numbers. Those of the group are written by updates only, all with one number. The last is counted up
 * by compare_and_set.
 */
#ifndef RCUINFO_TOOLS_STRESS_H
#define RCUINFO_TOOLS_STRESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <rcuinfo/rcuinfo.h>

#include "support/random.h"

#define STRESS_THREADS_MAX 256
#define STRESS_KEYS_MAX    256
#define STRESS_GROUP       4
#define STRESS_STALE       64 /* freed handles that a thread remembers */
#define STRESS_OLD         16 /* snapshots that a thread keeps open */

struct stress_worker;

/** What a thread can do in one operation: its name in --mix, and how often it is done when nobody says. */
struct stress_kind {
    const char *name;
    unsigned weight;
    void (*work)(struct stress_worker *self);
};

#define STRESS_KINDS 12

extern const struct stress_kind stress_kinds[STRESS_KINDS];

struct stress_options {
    unsigned seconds;
    unsigned threads;
    unsigned objects;
    unsigned keys;
    uint64_t seed;
    const char *mix; /* as it was given; NULL: it was not */
    unsigned weights[STRESS_KINDS];
};

struct stress_place {
    _Alignas(64) _Atomic uint64_t turn; /* even: the handle is that of the object of this turn */
    _Atomic rcuinfo_t handle;
};

/* What a thread has seen last of one key of an object. */
struct stress_last {
    unsigned long number;
    unsigned writer;
};

/* What a thread has seen last of one place. */
struct stress_seen {
    uint64_t turn;
    uint64_t version;
};

/* A snapshot that a thread keeps open, and what it said at first. */
struct stress_old {
    const rcuinfo_snapshot_t *snapshot;
    uint64_t object;
    uint64_t version;
    size_t count;
    uint64_t listed; /* a checksum of the pairs, in order */
    uint64_t found;  /* a checksum of what each key is found to have */
};

/* One thread. What is atomic is read by the watching thread. */
struct stress_worker {
    _Alignas(64) unsigned index;
    _Atomic uint64_t operation; /* number of the one at work, from 0 */
    _Atomic uint64_t counts[STRESS_KINDS];
    _Atomic uint64_t ages;    /* looks at an age inside a read section */
    _Atomic uint64_t on_gone; /* calls that met an object which was freed meanwhile */
    struct random random;     /* made anew for each operation, out of the seed, the thread and the operation's number */
    unsigned long number;     /* of the last value that it wrote */
    struct stress_seen *seen;
    struct stress_last *last; /* by place and key */
    rcuinfo_t stale[STRESS_STALE];
    struct stress_old old[STRESS_OLD];
    /* Of the operation at work, for reports. */
    unsigned kind; /* of stress_kinds */
    unsigned place;
    uint64_t turn;
    rcuinfo_t info;
};

/** What all threads work on. */
struct stress {
    struct stress_options options;
    unsigned all_keys; /* keys, the group and the counter */
    char (*key_names)[RCUINFO_MAX_KEY];
    struct stress_place *places;
    struct stress_worker *workers;
    atomic_bool stop;
};

extern struct stress stress;

/** The worker of the calling thread; NULL in the one that watches. */
extern _Thread_local struct stress_worker *stress_self;

static inline unsigned stress_group_key(unsigned n)
{
    return stress.options.keys + n;
}

static inline unsigned stress_counter_key(void)
{
    return stress.options.keys + STRESS_GROUP;
}

/** The identity of the object of a place's turn. */
static inline uint64_t stress_object(unsigned place, uint64_t turn)
{
    return turn / 2 * stress.options.objects + place;
}

/** Operations until told to stop. */
void stress_work(struct stress_worker *self);

/** Puts the first object into a place. */
void stress_fill_place(struct stress_worker *self, unsigned place);

/** Reports what was seen, by whom, and how to repeat it, and ends the process with COMMAND_FAILED. */
_Noreturn void stress_violation(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Makes signals that mean a crash report one. */
void stress_catch_crashes(void);

/** A call that may also find its object freed: whether it met it. Any other status is a violation, and so is a live
 * object that is said not to be there. */
bool stress_met(rcuinfo_status_t status, const char *call);

/** The value must be whole, of the object and of the key. Tells who wrote it and its number. */
struct stress_last stress_whole(const char *value, size_t length, uint64_t object, unsigned key);

/** As stress_whole, of the object at work, and not older than what this thread saw of the key. */
struct stress_last stress_not_older(const char *value, size_t length, unsigned key);

/** The version is not older than what this thread saw of the object at work; with `newer` it must be later. */
void stress_note_version(uint64_t version, bool newer);

/** What this thread has written itself. */
void stress_note_own(unsigned key, unsigned long number);

/** All pairs of a snapshot are whole values of the object and are found by their keys; the group shows one number. */
void stress_one_version(const rcuinfo_snapshot_t *snapshot, uint64_t object);

/** What a snapshot says now; that it still says the same, if it is open; and this before it is closed. */
struct stress_old stress_listen(const rcuinfo_snapshot_t *snapshot, uint64_t object);
void stress_check_old(const struct stress_old *old);
void stress_close_old(struct stress_old *old);

/** A freed handle must be none, for every call. */
void stress_gone(rcuinfo_t info);

#endif
