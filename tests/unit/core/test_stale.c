/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The narrowest stale handle, MPICH's, where its slot comes round as soon as it can: the slot is the oldest in a queue
 * that was filled by earlier frees and has no slot too many. It is detected for the 2^18 frees of the promise all the
 * same. White box: how many slots stay in the queue, and in which order a batch of freed slots goes into it.
 *
 * A set by that handle takes the lock of the slot, and touches nothing there that who opens the next object, without
 * the lock, touches too: ThreadSanitizer watches, so the two threads tell each other as little as can be.
 */
#include <pthread.h>

#include <rcuinfo/rcuinfo.h>

#include "core/handle.h"
#include "core/layer.h"
#include "core/rcu.h"
#include "support/check.h"
#include "support/objects.h"

/* Of the slots of one batch those of stripe 0 are given first. */
enum { GENERATION_BITS = 6, PROMISED = 1 << 18, STRIPES = 16, OBJECTS = RCUINFO__HANDLE_KEEP * 2 };

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
        CHECK_OK(rcuinfo_create(&objects[i]));
    rcuinfo__rcu_read_lock(); /* one batch: nobody reclaims in a read section */
    for (int i = 0; i < OBJECTS && freed < RCUINFO__HANDLE_KEEP; i++) {
        if (slot_of(objects[i]) % STRIPES == 0) {
            last = objects[i];
        } else {
            CHECK_OK(rcuinfo_free(&objects[i]));
            freed++;
        }
    }
    CHECK(freed == RCUINFO__HANDLE_KEEP && last != RCUINFO_NULL);
    rcuinfo_t stale = last;
    CHECK_OK(rcuinfo_free(&last));
    rcuinfo__rcu_read_unlock();
    CHECK(rcuinfo_store_drain() == 0);
    return stale;
}

static atomic_bool was_set;

static void *set_stale(void *stale)
{
    CHECK(rcuinfo_set(*(rcuinfo_t *)stale, "key", "value") == RCUINFO_ERR_INFO);
    atomic_store_explicit(&was_set, true, memory_order_relaxed);
    return NULL;
}

int main(void)
{
    rcuinfo_t stale = fill_queue();
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, set_stale, &stale) == 0);
    while (!atomic_load_explicit(&was_set, memory_order_relaxed))
        sched_yield();
    uint32_t narrow = rcuinfo__handle_narrow(stale, GENERATION_BITS);
    for (int frees = 0; frees < PROMISED; frees++) {
        rcuinfo_t info = object_empty();
        CHECKF(frees > 0 || slot_of(info) == slot_of(stale), "slot %u was the oldest, not %u", slot_of(info),
               slot_of(stale));
        if (frees == 0) {
            CHECK_OK(rcuinfo_set(info, "key", "mine"));
            CHECK_STATUS(rcuinfo_set(stale, "key", "stale"), RCUINFO_ERR_INFO);
            CHECK_VALUE(info, "key", "mine");
        }
        CHECKF(rcuinfo__handle_widen(narrow, GENERATION_BITS) == RCUINFO_NULL, "it names another object after %d frees",
               frees);
        CHECK_OK(rcuinfo_free(&info));
        if (frees % 16 == 0)
            (void)rcuinfo_store_drain();
    }
    CHECK(pthread_join(thread, NULL) == 0);
    return 0;
}
