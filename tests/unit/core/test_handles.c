/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handles in a long run. A stale handle is detected for the promised number of frees, in its native form and in the
 * narrow forms of the MPI layers. Many live handles are distinct, also when narrowed. (fuzz.handles tests any numbers.)
 *
 * The narrowest form, MPICH's, is tested in the worst case, in which the slot is reused as early as possible: it is the
 * oldest in a queue of minimum length, filled by earlier frees. White box: uses that length, and the order in which a
 * batch of freed slots enters the queue.
 */
#include <pthread.h>

#include <rcuinfo/rcuinfo.h>

#include "core/handle.h"
#include "core/layer.h"
#include "core/rcu.h"
#include "support/left.h"
#include "support/objects.h"
#include "support/scale.h"
#include "support/spawn.h"

enum { MPICH_BITS = 6, WIDE_BITS = 11 }; /* of generation, in MPICH's int and in Open MPI's pointers */

/* The promised numbers of frees. Only optimized builds test the wide one in full. */
enum { MPICH_FREES = 1 << 18, WIDE_FREES = TEST_SCALE == 1 ? 1 << 22 : 1 << 18 };

/* Of the slots of one batch, those of stripe 0 enter the queue first. */
enum { STRIPES = 16, OBJECTS = RCUINFO__HANDLE_KEEP * 2 };

static rcuinfo_t objects[OBJECTS];

static uint32_t slot_of(rcuinfo_t info)
{
    return (uint32_t)info & (RCUINFO__SLOTS - 1);
}

/* Frees as many objects as the queue keeps, then one more, whose slot enters the queue first. Returns its handle. */
static rcuinfo_t fill_queue(void)
{
    rcuinfo_t last = RCUINFO_NULL;
    int freed = 0;
    for (int i = 0; i < OBJECTS; i++)
        objects[i] = object_empty();

    rcuinfo__rcu_read_lock(); /* one batch: nothing is reclaimed in a read section */
    for (int i = 0; i < OBJECTS && freed < RCUINFO__HANDLE_KEEP; i++) {
        if (slot_of(objects[i]) % STRIPES == 0) {
            last = objects[i];
        } else {
            object_free(objects[i]);
            freed++;
        }
    }
    CHECK(freed == RCUINFO__HANDLE_KEEP && last != RCUINFO_NULL);
    object_free(last);
    rcuinfo__rcu_read_unlock();
    CHECK(rcuinfo_store_drain() == 0);
    return last;
}

/* Checks that a handle stays stale over `frees` frees, with one live object at a time. Frequent drains make freed slots
 * usable again as early as possible. */
static void stale_over(rcuinfo_t stale, long frees, unsigned bits)
{
    uint32_t narrow = rcuinfo__handle_narrow(stale, bits);
    int nkeys = -1;
    for (long i = 0; i < frees; i++) {
        rcuinfo_t info = object_empty();
        CHECKF(rcuinfo__handle_widen(narrow, bits) == RCUINFO_NULL && info != stale,
               "a handle of %u bits of generation names another object after %ld frees", bits, i);
        object_free(info);
        if (i % 16 == 0)
            (void)rcuinfo_store_drain();
    }
    CHECK_STATUS(rcuinfo_get_nkeys(stale, &nkeys), RCUINFO_ERR_INFO);
    CHECK_EQUAL(nkeys, -1);
}

static atomic_bool was_set;

static void *set_stale(void *stale)
{
    CHECK_STATUS(rcuinfo_set(*(rcuinfo_t *)stale, "key", "value"), RCUINFO_ERR_INFO);
    atomic_store_explicit(&was_set, true, memory_order_relaxed);
    return NULL;
}

/* A set with a stale handle takes the slot's lock. It must access no field that creating the next object accesses
 * without the lock. The threads synchronize by relaxed operations only, so that ThreadSanitizer would report a race. */
static void oldest_in_the_queue(void)
{
    rcuinfo_t stale = fill_queue();
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, set_stale, &stale) == 0);
    while (!atomic_load_explicit(&was_set, memory_order_relaxed))
        sched_yield();
    rcuinfo_t info = object_empty();
    CHECK_EQUAL(slot_of(info), slot_of(stale));
    CHECK_OK(rcuinfo_set(info, "key", "mine"));
    CHECK_STATUS(rcuinfo_set(stale, "key", "stale"), RCUINFO_ERR_INFO);
    CHECK_VALUE(info, "key", "mine");
    object_free(info);
    stale_over(stale, MPICH_FREES - 1, MPICH_BITS);
    CHECK(pthread_join(thread, NULL) == 0);
}

static void one_at_a_time(void)
{
    rcuinfo_t stale = object_empty();
    object_free(stale);
    stale_over(stale, WIDE_FREES, WIDE_BITS);
}

/* Each object has a different value, so the handles are distinct if each leads to its own value. */
static void many_live_at_once(void)
{
    enum { LIVE = 100000 };
    static rcuinfo_t infos[LIVE];
    uint64_t before = left_live();
    char value[16];
    for (int i = 0; i < LIVE; i++) {
        (void)snprintf(value, sizeof value, "%d", i);
        infos[i] = OBJECT("number", value);
    }
    CHECK_EQUAL(left_live() - before, LIVE);

    for (int i = 0; i < LIVE; i++) {
        (void)snprintf(value, sizeof value, "%d", i);
        for (unsigned bits = MPICH_BITS; bits <= WIDE_BITS; bits += WIDE_BITS - MPICH_BITS) {
            uint32_t narrow = rcuinfo__handle_narrow(infos[i], bits);
            CHECK(narrow >> (RCUINFO__INDEX_BITS + bits) == 0);
            CHECK(rcuinfo__handle_widen(narrow, bits) == infos[i]);
        }
        CHECK_VALUE(infos[i], "number", value);
        object_free(infos[i]);
    }
    CHECK_EQUAL(left_live(), before);
}

/* A layer compares each of the low bits of a handle's generation that it has room for, and no others. */
static void each_bit_of_a_generation_counts(void)
{
    rcuinfo_t info = object_empty();
    struct rcuinfo__slot *slot = rcuinfo__handle_slot(info);
    for (unsigned bits = 1; bits <= RCUINFO__NATIVE_BITS; bits++) {
        for (unsigned bit = 0; bit < RCUINFO__NATIVE_BITS; bit++) {
            rcuinfo_t other = info ^ UINT64_C(1) << (RCUINFO__INDEX_BITS + bit);
            CHECK_EQUAL(rcuinfo__handle_matches(slot, other, bits), bit >= bits);
        }
    }
    object_free(info);
}

int main(void)
{
    pid_t child = fork(); /* parent and child begin with an empty queue */
    CHECK(child >= 0);
    if (child == 0) {
        oldest_in_the_queue();
        return 0;
    }
    spawn_wait(child, "child");
    each_bit_of_a_generation_counts();
    one_at_a_time();
    many_live_at_once(); /* in optimized builds, one has a generation of more than 6 bits */
    return 0;
}
