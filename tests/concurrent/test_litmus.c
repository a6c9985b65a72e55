/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls on two objects are linearizable: one thread sets A and then gets B, another sets B and then gets A. No order of
 * the calls lets both miss the other's set. The same with free in place of set: then one of them must find the other's
 * object freed. Both threads enter each of many rounds at the same moment; there are fewer rounds on a machine without
 * two idle cores, where each round waits for the scheduler.
 */
#include <time.h>

#include <rcuinfo/rcuinfo.h>

#include "support/objects.h"
#include "support/scale.h"
#include "support/threads.h"

enum { ROUNDS = 1200000 / (TEST_SCALE * TEST_SCALE), FREE_ROUNDS = 300000 / (TEST_SCALE * TEST_SCALE), SECONDS = 20 };

static rcuinfo_t objects[2];
static struct spin_barrier barrier = {.width = 2};
static bool missed[2];
static time_t end;
static bool more; /* another round follows; written by thread 0 between two barriers */

/* The delay differs from round to round, so that the threads meet at different points. */
static void stagger(unsigned index, unsigned long round)
{
    for (unsigned i = (unsigned)(round * (index ? 7 : 11) % 40); i > 0; i--)
        __asm__ volatile("" ::: "memory");
}

/* Returns whether it missed the other thread's set or free. */
static bool change_and_look(rcuinfo_t mine, rcuinfo_t others, const char *value)
{
    char text[24] = "";
    int flag = 0;
    if (!value) {
        object_free(mine);
        return rcuinfo_get_nkeys(others, &flag) == RCUINFO_SUCCESS;
    }
    CHECK_OK(rcuinfo_set(mine, "key", value));
    CHECK_OK(rcuinfo_get(others, "key", sizeof text - 1, text, &flag));
    return strcmp(text, value) != 0;
}

static void body(unsigned index, void *frees)
{
    unsigned long phase = 0;
    for (unsigned long round = 1; more; round++) {
        char value[24];
        (void)snprintf(value, sizeof value, "%lu", round);
        if (frees)
            objects[index] = object_empty();
        spin_barrier_wait(&barrier, &phase);
        rcuinfo_t mine = objects[index], others = objects[!index];
        stagger(index, round);
        missed[index] = change_and_look(mine, others, frees ? NULL : value);
        spin_barrier_wait(&barrier, &phase);
        if (index == 0) {
            more = round < (frees ? FREE_ROUNDS : ROUNDS) && time(NULL) < end;
            CHECKF(!(missed[0] && missed[1]), "%s, round %lu: both missed the other's call", frees ? "free" : "set",
                   round);
        }
        spin_barrier_wait(&barrier, &phase);
    }
}

static void run(void *frees)
{
    atomic_store(&barrier.arrived, 0);
    end = time(NULL) + SECONDS;
    more = true;
    team_run(2, body, frees);
}

int main(void)
{
    objects[0] = OBJECT("key", "0");
    objects[1] = OBJECT("key", "0");
    run(NULL);
    object_free(objects[0]);
    object_free(objects[1]);
    run(objects);
    return 0;
}
