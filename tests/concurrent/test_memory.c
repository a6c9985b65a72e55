/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The limits on memory apply to the process, not to an object. Thousands of objects that are each updated a thousand
 * times, and a million objects that are created and freed while their handles are kept, need no more memory than the
 * live blocks, the memory that may wait for a scan, and what the arenas keep. The limits do not depend on threads
 * either, and no call needs a registered thread: with an argument, 20,000 short threads run, eight at a time, each
 * starting with a different call, on objects that other threads created and will free. The process does not keep
 * growing.
 */
#include <malloc.h>

#include <rcuinfo/rcuinfo.h>

#include "core/memory/arena.h"
#include "core/memory/reclaim.h"
#include "reads.h"
#include "support/left.h"
#include "support/resident.h"
#include "support/scale.h"
#include "support/threads.h"

enum {
    THREADS = 2,
    OBJECTS = 10000 / (TEST_SCALE * TEST_SCALE),
    UPDATES = 1000 / TEST_SCALE,
    FREES = 1000000 / (TEST_SCALE * TEST_SCALE),
    STALE = 10000,
    VALUE = 200,
    WAVES = TEST_SANITIZED ? 200 : 2500, /* waves of short threads */
    EARLY = WAVES / 5,
    WIDTH = 8
};

/* A live block with 4 KiB of room for later sets, a slot, and malloc's overhead. */
#define OBJECT_BYTES ((size_t)5120)
/* Slots that stay free, with their blocks, and stacks. */
#define OTHER_BYTES   ((size_t)8 << 20)
#define MOST_RETIRED  (RCUINFO__RECLAIM_HARD_LIMIT + THREADS * OBJECT_BYTES + RCUINFO__ARENAS * RCUINFO__RECLAIM_STEP)
#define MOST_RESIDENT (OBJECTS * OBJECT_BYTES + MOST_RETIRED + RCUINFO__ARENA_KEPT + OTHER_BYTES)

/* Growth of malloc and the arenas allowed after a fifth of the short threads. */
#define GROWTH_BYTES ((size_t)2 << 20)

static rcuinfo_t objects[OBJECTS];
static rcuinfo_t stale[THREADS][STALE];
static size_t resident_before;

static void look(void)
{
    size_t now = resident_bytes();
    uint64_t peak = left_stats().peak_retired;
    CHECKF(peak <= MOST_RETIRED, "%llu bytes were retired", (unsigned long long)peak);
    /* Sanitizers keep freed memory, and its shadow. */
    CHECKF(TEST_SANITIZED || now <= resident_before + MOST_RESIDENT, "%zu bytes are resident, %zu were", now,
           resident_before);
}

static void make_value(char *value, unsigned long i)
{
    int length = snprintf(value, VALUE + 1, "%lu:", i);
    memset(value + length, 'v', (size_t)(VALUE - length));
    value[VALUE] = '\0';
}

static void update_all(unsigned thread)
{
    char value[VALUE + 1];
    for (unsigned long i = 0; i < UPDATES; i++) {
        make_value(value, i);
        for (unsigned n = thread; n < OBJECTS; n += THREADS)
            CHECK_OK(rcuinfo_set(objects[n], "key", value));
        if (i % (UPDATES / 20) == 0)
            look();
    }
}

static _Atomic(rcuinfo_t) given[16]; /* from either thread to either */

/* Objects are created, opened, and freed by either thread, so that they wait for a scan. The handles of the last 10,000
 * are kept, and stay invalid. */
static void free_many(unsigned thread)
{
    char value[VALUE + 1];
    for (unsigned long i = thread; i < FREES; i += THREADS) {
        rcuinfo_t *kept = &stale[thread][i / THREADS % STALE];
        int nkeys;
        if (*kept != RCUINFO_NULL)
            CHECK_STATUS(rcuinfo_get_nkeys(*kept, &nkeys), RCUINFO_ERR_INFO);
        make_value(value, i);
        rcuinfo_t made = OBJECT("key", value);
        rcuinfo_snapshot_close(object_open(made));
        *kept = atomic_exchange(&given[i / THREADS % 16], made);
        if (*kept != RCUINFO_NULL)
            object_free(*kept);
        if (i / THREADS % (FREES / 40) == 0)
            look();
    }
}

static void body(unsigned thread, void *argument)
{
    (void)argument;
    update_all(thread);
    free_many(thread);
}

static void update_and_free(void)
{
    resident_before = resident_bytes();
    for (unsigned n = 0; n < OBJECTS; n++)
        objects[n] = object_empty();
    team_run(THREADS, body, NULL);
    look();
    for (unsigned n = 0; n < OBJECTS; n++)
        object_free(objects[n]);
    for (unsigned n = 0; n < 16; n++)
        object_free(given[n]);
    left_nothing();
    CHECK(left_stats().retired == 0 && left_stats().reused_slots > 0);
}

static rcuinfo_t shared;
static rcuinfo_t made[WIDTH]; /* created by threads of the last wave, freed by those of this one */
static unsigned wave;

/* One of the threads starts with the free. */
static void short_thread(unsigned index, void *argument)
{
    unsigned which = (wave + index) % (READS + 5);
    (void)argument;
    if (which < READS)
        CHECK(reads[which].call(shared) >= reads[which].answer);
    else if (which == READS)
        CHECK_OK(rcuinfo_set(shared, "key", "before"));
    else if (which == READS + 1)
        object_free(object_dup(shared));
    else if (which == READS + 2)
        rcuinfo_snapshot_close(object_open(shared));
    else if (which == READS + 3)
        (void)rcuinfo_store_drain();
    if (wave > 0)
        object_free(made[index]);
    made[index] = OBJECT("of", "a thread that is gone");
}

static void threads_start_and_exit(void)
{
    size_t early = 0, late;
    shared = OBJECT("key", "before");
    for (wave = 0; wave < WAVES; wave++) {
        if (wave == EARLY)
            early = resident_bytes();
        team_run(WIDTH, short_thread, NULL);
    }
    late = resident_bytes();
    CHECKF(TEST_SANITIZED || late <= early + GROWTH_BYTES, "%zu bytes after %d threads, %zu after %d", early,
           EARLY * WIDTH, late, WAVES * WIDTH);
    for (unsigned i = 0; i < WIDTH; i++)
        object_free(made[i]);
    object_free(shared);
    left_nothing();
}

int main(int argc, char **argv)
{
    (void)argv;
    /* With an arena per thread, malloc would keep the sum of the peaks, not the peak of the sum. */
    CHECK(TEST_SANITIZED || mallopt(M_ARENA_MAX, 1) == 1);
    (argc > 1 ? threads_start_and_exit : update_and_free)();
    return 0;
}
