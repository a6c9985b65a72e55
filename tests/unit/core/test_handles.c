/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handles in a long run. A stale handle is detected for the promised number of frees, in its native form and in the
 * narrow forms of the MPI layers. Many live handles are distinct, also when narrowed.
 *
 * The narrowest form, MPICH's, is tested in the worst case, in which slots are reused as early as possible: with as few
 * free ones as can be, near ones and far ones.
 */
#include <pthread.h>
#include <stdlib.h>

#include <rcuinfo/rcuinfo.h>

#include "core/memory/handle.h"
#include "core/calls/layer.h"
#include "support/left.h"
#include "support/objects.h"
#include "support/scale.h"
#include "support/spawn.h"

enum { MPICH_BITS = 6, WIDE_BITS = 11 }; /* of generation, in MPICH's int and in Open MPI's pointers */

/* The promised numbers of frees. Only optimized builds test the wide one in full, and ThreadSanitizer has nothing to
 * find in them. */
enum { MPICH_FREES = TEST_THREAD_SANITIZER ? 1 << 14 : 1 << 16, WIDE_FREES = TEST_SCALE == 1 ? 1 << 22 : 1 << 18 };

static uint32_t slot_of(rcuinfo_t info)
{
    return (uint32_t)info & (RCUINFO__SLOTS - 1);
}

/* Objects that are kept, so that only far slots are left. */
static rcuinfo_t near[RCUINFO__NEAR];

static void use_near_slots(void)
{
    CHECK(rcuinfo_store_drain() == 0);
    for (size_t i = 0; i < RCUINFO__NEAR && slot_of(near[i] = object_empty()) < RCUINFO__NEAR; i++)
        continue;
}

/* Frees as many objects as the queue keeps, and one more, whose handle it returns. */
static rcuinfo_t fill_queue(size_t keep)
{
    static rcuinfo_t objects[RCUINFO__HANDLE_KEEP_FAR + 1];
    rcuinfo_t stale = object_empty();
    for (size_t i = 0; i < keep; i++)
        objects[i] = object_empty();
    for (size_t i = 0; i < keep; i++)
        object_free(objects[i]);
    object_free(stale);
    CHECK(rcuinfo_store_drain() == 0);
    return stale;
}

/* Checks over `frees` frees, with one live object at a time, that the given handle stays stale, and that no handle
 * comes back within `least` frees. Frequent drains make freed slots usable again as early as possible. */
static void stale_over(rcuinfo_t stale, long frees, long least, unsigned bits)
{
    static struct {
        uint32_t handle; /* the first one of the slot; 0: none yet */
        long at;
    } first[RCUINFO__SLOTS];
    uint32_t narrow = rcuinfo__handle_number(stale, bits);
    int nkeys = -1;
    memset(first, 0, sizeof first);
    for (long i = 0; i < frees; i++) {
        rcuinfo_t info = object_empty();
        uint32_t handle = rcuinfo__handle_number(info, bits), slot = slot_of(info);
        CHECKF(i >= least || (rcuinfo__handle_native(narrow, bits) == RCUINFO_NULL && info != stale),
               "a handle of %u bits of generation names another object after %ld frees", bits, i);
        CHECKF(first[slot].handle != handle || i - first[slot].at >= least,
               "a handle of %u bits of generation comes back after %ld frees", bits, i - first[slot].at);
        if (!first[slot].handle) {
            first[slot].handle = handle;
            first[slot].at = i;
        }
        object_free(info);
        if (i % 16 == 0)
            (void)rcuinfo_store_drain();
    }
    CHECK_STATUS(rcuinfo_get_nkeys(stale, &nkeys), RCUINFO_ERR_INFO);
    CHECK_EQUAL(nkeys, -1);
}

/* No far slot is used again before KEEP_FAR others have become free. One more is enough. */
static void far_slots_stay(void)
{
    enum { NEW = 600, READY = 128 };
    rcuinfo_t objects[NEW];
    int n = 0;
    (void)fill_queue(RCUINFO__HANDLE_KEEP_FAR - 1);
    for (; n < NEW - READY; n++) {
        objects[n] = object_empty();
        CHECK(slot_of(objects[n]) >= RCUINFO__NEAR);
        CHECK_EQUAL(objects[n] >> RCUINFO__INDEX_BITS, 1);
    }

    object_free(objects[--n]);
    (void)rcuinfo_store_drain();
    do {
        CHECKF(n < NEW, "no far slot is used again");
        objects[n] = object_empty();
    } while (objects[n++] >> RCUINFO__INDEX_BITS == 1);
    while (n > 0)
        object_free(objects[--n]);
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
static void oldest_in_the_queue(size_t keep)
{
    rcuinfo_t stale = fill_queue(keep);
    pthread_t thread;
    atomic_store(&was_set, false);
    CHECK(pthread_create(&thread, NULL, set_stale, &stale) == 0);
    while (!atomic_load_explicit(&was_set, memory_order_relaxed))
        sched_yield();
    rcuinfo_t info = object_empty();
    for (size_t i = 0; slot_of(info) != slot_of(stale); i++) { /* its batch may have entered the queue in any order */
        CHECKF(i <= 2 * keep, "slot %u is not reused, but %u", slot_of(stale), slot_of(info));
        object_free(info);
        (void)rcuinfo_store_drain();
        info = object_empty();
    }
    CHECK_OK(rcuinfo_set(info, "key", "mine"));
    CHECK_STATUS(rcuinfo_set(stale, "key", "stale"), RCUINFO_ERR_INFO);
    CHECK_VALUE(info, "key", "mine");
    object_free(info);
    stale_over(stale, 2 * MPICH_FREES, MPICH_FREES, MPICH_BITS);
    CHECK(pthread_join(thread, NULL) == 0);
}

static void one_at_a_time(void)
{
    rcuinfo_t stale = object_empty();
    object_free(stale);
    stale_over(stale, WIDE_FREES, WIDE_FREES, WIDE_BITS);
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
            uint32_t narrow = rcuinfo__handle_number(infos[i], bits);
            CHECK(narrow >> (RCUINFO__INDEX_BITS + bits) == 0);
            CHECK(rcuinfo__handle_native(narrow, bits) == infos[i]);
            CHECK(rcuinfo_handle_to_int(infos[i], RCUINFO__INDEX_BITS + bits) == narrow);
            rcuinfo_t again = rcuinfo_handle_from_int(narrow, RCUINFO__INDEX_BITS + bits);
            CHECK_VALUE(again, "number", value);
            CHECK(rcuinfo_handle_to_int(again, RCUINFO__INDEX_BITS + bits) == narrow);
            CHECK(rcuinfo__handle_number(rcuinfo__handle_of_number(narrow, bits), bits) == narrow);
        }
        CHECK_VALUE(infos[i], "number", value);
        object_free(infos[i]);
    }
    CHECK_EQUAL(left_live(), before);
}

/* The prefix code: numbers that no handle has name nothing. */
static void codes(void)
{
    for (unsigned bits = MPICH_BITS; bits <= WIDE_BITS; bits++) {
        uint32_t far = UINT32_C(1) << (RCUINFO__INDEX_BITS + bits - 1);
        CHECK_EQUAL(rcuinfo__handle_of_number(far | (RCUINFO__NEAR - 1), bits), RCUINFO_NULL);
        CHECK_EQUAL(rcuinfo__handle_of_number(far | RCUINFO__NEAR, bits), RCUINFO__NEAR);
        CHECK_EQUAL(rcuinfo__handle_of_number(far - 1, bits) >> RCUINFO__INDEX_BITS, (far - 1) >> RCUINFO__NEAR_BITS);
        CHECK_EQUAL(rcuinfo__handle_number(UINT64_C(0x2a) << RCUINFO__INDEX_BITS | 7, bits),
                    0x2a << RCUINFO__NEAR_BITS | 7);
    }
}

static void short_queues(void)
{
    oldest_in_the_queue(RCUINFO__HANDLE_KEEP_NEAR);
    use_near_slots();
    oldest_in_the_queue(RCUINFO__HANDLE_KEEP_FAR);
}

static void only_far_slots(void)
{
    use_near_slots();
    far_slots_stay();
}

/* The integers that an MPI library has for handles. Those of live objects are tested above. */
static void integers_that_name_nothing(void)
{
    rcuinfo_t info = object_empty();
    uint32_t number = rcuinfo_handle_to_int(info, 26);
    const unsigned refused[] = {0, 20, 25, 32, 64, UINT32_MAX};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        CHECK(rcuinfo_handle_to_int(info, refused[i]) == 0);
        CHECK(rcuinfo_handle_from_int(number, refused[i]) == RCUINFO_NULL);
    }
    CHECK(rcuinfo_handle_to_int(RCUINFO_NULL, 26) == 0 && rcuinfo_handle_from_int(0, 26) == RCUINFO_NULL);
    CHECK(rcuinfo_handle_from_int(number | UINT32_C(1) << 26, 26) == RCUINFO_NULL);
    CHECK(rcuinfo_handle_from_int(UINT32_MAX, 31) == RCUINFO_NULL);

    /* A handle of an integer has no other bits but, at 36 to 39, the number of those of the generation. */
    int nkeys, flag;
    rcuinfo_t again = rcuinfo_handle_from_int(number, 26), made;
    CHECK_OK(rcuinfo_get_nkeys(again, &nkeys));
    for (unsigned bit = 20; bit < 64; bit += bit == 35 ? 5 : 1)
        CHECK_STATUS(rcuinfo_get_nkeys(again ^ UINT64_C(1) << bit, &nkeys), RCUINFO_ERR_INFO);

    /* Every call refuses a stale one. */
    const rcuinfo_change_t change = {"a", "1"};
    const rcuinfo_snapshot_t *snapshot;
    rcuinfo_view_t view;
    CHECK_OK(rcuinfo_update(again, &change, 1, NULL));
    CHECK_VALUE(info, "a", "1");
    object_free(again);
    CHECK_STATUS(rcuinfo_set(again, "a", "1"), RCUINFO_ERR_INFO);
    CHECK_STATUS(rcuinfo_delete(again, "a"), RCUINFO_ERR_INFO);
    CHECK_STATUS(rcuinfo_update(again, &change, 1, NULL), RCUINFO_ERR_INFO);
    CHECK_STATUS(rcuinfo_get_nkeys(again, &nkeys), RCUINFO_ERR_INFO);
    CHECK_STATUS(rcuinfo_get_valuelen(again, "a", &nkeys, &flag), RCUINFO_ERR_INFO);
    CHECK_STATUS(rcuinfo_view_begin(again, &view), RCUINFO_ERR_INFO);
    CHECK_STATUS(rcuinfo_snapshot_open(again, &snapshot), RCUINFO_ERR_INFO);
    CHECK_STATUS(rcuinfo_dup(again, &made), RCUINFO_ERR_INFO);
    CHECK_STATUS(rcuinfo_free(&again), RCUINFO_ERR_INFO);
}

int main(void)
{
    codes();
    spawn_child(short_queues); /* each begins with empty queues */
    spawn_child(only_far_slots);
    one_at_a_time();
    many_live_at_once(); /* in optimized builds, one has a generation of more than 6 bits */
    integers_that_name_nothing();
    return 0;
}
