/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls on two objects have one order: a thread sets A and then gets B, another sets B and then gets A; that both miss
 * the other's set has no explanation. The same with free in the place of set: then one of them must find the other's
 * object gone. Many rounds, each entered by both at the same moment: fewer on a machine that has no two cores to spare,
 * where each round waits for the scheduler.
 */
#include <stdbool.h>
#include <time.h>

#include <rcuinfo/rcuinfo.h>

#include "support/scale.h"
#include "support/threads.h"

enum { ROUNDS = SCALED(1200000), FREE_ROUNDS = SCALED(300000), SECONDS = 20 };

static rcuinfo_t objects[2];
static struct spin_barrier barrier = {.width = 2};
static int missed[2];
static unsigned long outcomes[4];
static time_t end;
static bool more; /* rounds to come; written by thread 0 between two barriers */

/* Waits a little differently from round to round, so that the two meet at different points. */
static void stagger(unsigned index, unsigned long round)
{
    for (unsigned i = (unsigned)(round * (index ? 7 : 11) % 40); i > 0; i--)
        __asm__ volatile("" ::: "memory");
}

static void tally(unsigned index, const char *what, unsigned long round, unsigned long rounds)
{
    if (index == 0) {
        more = round < rounds && time(NULL) < end;
        outcomes[missed[0] * 2 + missed[1]]++;
        CHECKF(!(missed[0] && missed[1]), "%s, round %lu: both missed the other's call", what, round);
    }
}

static void set_and_get(unsigned index, void *argument)
{
    unsigned long phase = 0;
    (void)argument;
    for (unsigned long round = 1; more; round++) {
        char mine[24], others[24] = "";
        int flag = 0;
        (void)snprintf(mine, sizeof mine, "%lu", round);
        spin_barrier_wait(&barrier, &phase);
        stagger(index, round);
        CHECK_OK(rcuinfo_set(objects[index], "key", mine));
        CHECK_OK(rcuinfo_get(objects[!index], "key", sizeof others - 1, others, &flag));
        CHECK(flag == 1);
        missed[index] = strcmp(mine, others) != 0;
        spin_barrier_wait(&barrier, &phase);
        tally(index, "set", round, ROUNDS);
        spin_barrier_wait(&barrier, &phase);
    }
}

static void free_and_get(unsigned index, void *argument)
{
    unsigned long phase = 0;
    (void)argument;
    for (unsigned long round = 1; more; round++) {
        rcuinfo_t mine, others;
        int nkeys;
        CHECK_OK(rcuinfo_create(&objects[index]));
        spin_barrier_wait(&barrier, &phase);
        mine = objects[index];
        others = objects[!index];
        stagger(index, round);
        CHECK_OK(rcuinfo_free(&mine));
        missed[index] = rcuinfo_get_nkeys(others, &nkeys) == RCUINFO_SUCCESS;
        spin_barrier_wait(&barrier, &phase);
        tally(index, "free", round, FREE_ROUNDS);
        spin_barrier_wait(&barrier, &phase);
    }
}

static void run(void (*body)(unsigned index, void *argument))
{
    atomic_store(&barrier.arrived, 0);
    end = time(NULL) + SECONDS;
    more = true;
    team_run(2, body, NULL);
}

int main(void)
{
    CHECK_OK(rcuinfo_create(&objects[0]));
    CHECK_OK(rcuinfo_create(&objects[1]));
    CHECK_OK(rcuinfo_set(objects[0], "key", "0"));
    CHECK_OK(rcuinfo_set(objects[1], "key", "0"));
    run(set_and_get);
    CHECK_OK(rcuinfo_free(&objects[0]));
    CHECK_OK(rcuinfo_free(&objects[1]));
    run(free_and_get);
    printf("both seen %lu, one missed %lu and %lu\n", outcomes[0], outcomes[1], outcomes[2]);
    return 0;
}
