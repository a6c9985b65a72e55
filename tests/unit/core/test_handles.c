/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handles over a long life: a stale one is detected for as many frees as promised, natively and in the narrow forms of
 * the MPI layers; many live at once are distinct, and survive narrowing. (fuzz.handles has any numbers.)
 *
 * The narrowest form, MPICH's, is tested where its slot comes round as soon as it can: the slot is the oldest in a
 * queue that was filled by earlier frees and has no slot too many. White box: how many slots stay in the queue, and in
 * which order a batch of freed slots goes into it.
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

enum { MPICH_BITS = 6, WIDE_BITS = 11 }; /* of generation, in MPICH's int, and in Open MPI's pointers */

/* Frees for which stale handles are promised to be detected; the longer promise is kept to in full in optimized builds.
 */
enum { MPICH_FREES = 1 << 18, WIDE_FREES = TEST_SCALE == 1 ? 1 << 22 : 1 << 18 };

/* Of the slots of one batch those of stripe 0 are given first. */
enum { STRIPES = 16, OBJECTS = RCUINFO__HANDLE_KEEP * 2 };

static rcuinfo_t objects[OBJECTS];

static uint32_t slot_of(rcuinfo_t info)
{
    return (uint32_t)info & (RCUINFO__SLOTS - 1);
}

/* Frees as many objects as the queue keeps, then one more, whose slot is the first that the queue gets. */
static rcuinfo_t fill_queue(void)
{
    rcuinfo_t last = RCUINFO_NULL;
    int freed = 0;
    for (int i = 0; i < OBJECTS; i++)
        objects[i] = object_empty();
    rcuinfo__rcu_read_lock(); /* one batch: nobody reclaims in a read section */
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

/* Holds one stale handle over `frees` further frees, one object living at a time. Draining now and then makes freed
 * slots usable again as soon as can be. */
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

/* A set by the stale handle takes the lock of the slot, and touches nothing there that who opens the next object,
 * without the lock, touches too: ThreadSanitizer watches, so the two threads tell each other as little as can be. */
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

/* Each value tells which object a handle names, so the handles are distinct. */
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

/* Of a handle's generation the low bits count that a layer has, each of them, and no other. */
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
    pid_t child = fork(); /* each begins with an empty queue */
    CHECK(child >= 0);
    if (child == 0) {
        oldest_in_the_queue();
        return 0;
    }
    spawn_wait(child, "child");
    each_bit_of_a_generation_counts();
    one_at_a_time();
    many_live_at_once(); /* some with generations that MPICH's handles have no bits for */
    return 0;
}
