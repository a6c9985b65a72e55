/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * store: calls of the library, with keys 1 and 2, which have the same hash, so that a search for one meets the other. A
 * value is a number below 10; 0: none. What each version that was published contains is noted, and compared with what
 * is found in it.
 *
 * Callers must call store_begin in before().
 */
#pragma once

#include <rcuinfo/info.h>
#include <rcuinfo/update.h>
#include <rcuinfo/view.h>

#include "calls.h"
#include "model.h"

extern "C" {
uint64_t model_capacity;
bool model_places, model_stocks, model_owners;

/* core/calls/object.h */
rcuinfo_status_t rcuinfo__object_make(const struct rcuinfo__entry *version, rcuinfo_t *info);
rcuinfo_status_t rcuinfo__view_begin(rcuinfo_t info, rcuinfo_view_t *view);
}

static const unsigned key_count = 2;
static const char *const keys[key_count + 1] = {"", "a", "b"};
static const uint64_t generation_step = UINT64_C(1) << 20;
static const uint64_t first_handle = generation_step + 2; /* the first slots are reserved */

static bool denies_membarrier;

/* A lock that a thread of the parent process held at a fork: the next one that takes it learns that. */
static const void *left_lock;

/* What a version contains, and what each thread is about to change. */
struct contents {
    const rcuinfo__entry *version;
    unsigned values[key_count + 1];
};
static contents published[64];
static unsigned published_used;
static unsigned changes[machine::most_threads][2];

static contents contents_of(const rcuinfo__entry *version)
{
    for (unsigned i = 0; i < published_used; i++) {
        if (published[i].version == version)
            return published[i];
    }
    return contents(); /* the empty version */
}

static void note_contents(const rcuinfo__entry *version, const contents &before, const unsigned *change)
{
    unsigned i = 0;
    while (i < published_used && published[i].version != version)
        i++;
    RL_ASSERT(i < sizeof published / sizeof *published);
    published_used += i == published_used;
    published[i] = before;
    published[i].version = version;
    published[i].values[change[0]] = change[1];
}

/* How threads read: without records at first; with records; without membarrier. */
enum reading { NEW, JOINED, FENCED };

/* How threads read at first, in a third of the executions each. */
static inline reading any_reading()
{
    return static_cast<reading>(rl::rand(3));
}

/* The rest of before() is done by thread 0. */
static void store_begin(reading how = JOINED, unsigned capacity = 2, bool places = false, unsigned arenas = 1)
{
    denies_membarrier = how == FENCED;
    model_thread(machine::locals);
    model_capacity = capacity;
    model_places = places;
    model_stocks = model_owners = false;
    published_used = 0;
    left_lock = 0;
    model_begin(arenas);
    for (int i = 0; i < rl::ctx().get_thread_count(); i++) {
        model_new_thread(how != NEW);
        machine::step::leave(machine::locals_of[i]);
    }
    machine::step::become(machine::locals_of[0]);
}

/* In before(): the rest of it is done by that thread; the thread that does it gets a record, or exits. */
static void store_become(unsigned thread)
{
    machine::step::leave(machine::locals_of[machine::first_thread]);
    machine::step::become(machine::locals_of[thread]);
    machine::first_thread = thread;
}

static void store_exit()
{
    model_exit();
    model_new_thread(false);
}

static rcuinfo_t create()
{
    rcuinfo_t info;
    RL_ASSERT(rcuinfo_create(&info) == RCUINFO_SUCCESS);
    return info;
}

/* A version whose first key has that value, and an object with it. */
static const rcuinfo__entry *build(unsigned value)
{
    const char text[] = {static_cast<char>('0' + value), 0};
    const unsigned change[] = {1, value};
    const rcuinfo__entry *version = model_build(keys[1], text);
    note_contents(version, contents(), change);
    return version;
}

static rcuinfo_t create_with(const rcuinfo__entry *version)
{
    rcuinfo_t info;
    RL_ASSERT(rcuinfo__object_make(version, &info) == RCUINFO_SUCCESS);
    return info;
}

static bool set(rcuinfo_t info, unsigned key, unsigned value)
{
    const char text[] = {static_cast<char>('0' + value), 0};
    unsigned *change = changes[rl::ctx().current_thread()];
    change[0] = key;
    change[1] = value;
    return rcuinfo_set(info, keys[key], text) == RCUINFO_SUCCESS;
}

/* An update of a key and of another one, whose value does not fit, nor is there memory for it. */
static bool set_in_vain(rcuinfo_t info, unsigned key, unsigned value)
{
    static const char large[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    const char text[] = {static_cast<char>('0' + value), 0};
    const rcuinfo_change_t both[] = {{keys[key], text}, {keys[3 - key], large}};
    machine::heap_most = 256;
    bool fails = rcuinfo_update(info, both, 2, 0) == RCUINFO_ERR_NO_MEM;
    machine::heap_most = sizeof machine::heap;
    return fails;
}

/* Whether the object exists, and the value of a key. */
static bool get(rcuinfo_t info, unsigned key, unsigned *value)
{
    char text[2] = {0, 0};
    int there = 0;
    rcuinfo_status_t status = rcuinfo_get(info, keys[key], 1, text, &there);
    *value = there ? static_cast<unsigned>(*text - '0') : 0;
    return status == RCUINFO_SUCCESS;
}

/* 0: no such object */
static rcuinfo_t dup(rcuinfo_t info)
{
    rcuinfo_t copy;
    return rcuinfo_dup(info, &copy) == RCUINFO_SUCCESS ? copy : 0;
}

static bool free_object(rcuinfo_t info)
{
    return rcuinfo_free(&info) == RCUINFO_SUCCESS;
}

static const rcuinfo_snapshot_t *hold(rcuinfo_t info)
{
    const rcuinfo_snapshot_t *snapshot;
    return rcuinfo_snapshot_open(info, &snapshot) == RCUINFO_SUCCESS ? snapshot : 0;
}

static const rcuinfo__entry *version_of(const rcuinfo_snapshot_t *snapshot)
{
    return reinterpret_cast<const rcuinfo__entry *>(snapshot);
}

/* A lookup in a view or a snapshot. */
static unsigned read(const rcuinfo_snapshot_t *snapshot, unsigned key)
{
    const rcuinfo__block *block = model_block(version_of(snapshot));
    unsigned age = model_age(block);
    unsigned expected = contents_of(version_of(snapshot)).values[key];
    rcuinfo_pair_t pair;
    unsigned value = 0;
    {
        machine::step others; /* plain accesses are one step with what came before them */
        rl::ctx().sched();
    }
    if (rcuinfo_snapshot_find(snapshot, keys[key], &pair) == RCUINFO_SUCCESS) {
        machine::plain(pair.value, 1, false, 0);
        value = static_cast<unsigned>(*pair.value - '0');
    }
    RL_ASSERT(model_age(block) == age);
    RL_ASSERT(value == expected);
    return value;
}

extern "C" {

/* write.c publish */
void model_published(const rcuinfo__entry *before, const rcuinfo__entry *version)
{
    note_contents(version, contents_of(before), changes[rl::ctx().current_thread()]);
}

void model_check(bool condition)
{
    RL_ASSERT(condition);
}

/* membarrier(2) */
long model_syscall(long number, int command)
{
    RL_ASSERT(number == SYS_membarrier);
    if (!denies_membarrier && command == MEMBARRIER_CMD_PRIVATE_EXPEDITED)
        machine::barrier();
    return denies_membarrier ? -1 : 0;
}

/* shim/core/memory/lock.h */
bool rcuinfo__lock_take(void *lock)
{
    machine::step others;
    machine::lock_at(lock).lock(RL_INFO);
    bool was_left = lock == left_lock;
    left_lock = was_left ? 0 : left_lock;
    return was_left;
}

bool rcuinfo__lock_try(void *lock)
{
    machine::step others;
    return machine::lock_at(lock).try_lock(RL_INFO);
}

void rcuinfo__lock_give(void *lock)
{
    machine::step others;
    machine::lock_at(lock).unlock(RL_INFO);
}

} // extern "C"
