/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cancelling a writer in a storm of sets leaves nothing locked and nothing torn: calls are no cancellation points, so
 * the writer goes at its next own one, and all others go on. Calls leave the cancellation state and errno as they were.
 */
#include <errno.h>

#include <rcuinfo/rcuinfo.h>

#include "support/scale.h"
#include "support/selfcheck.h"
#include "support/threads.h"

enum { VICTIMS = TEST_SANITIZED ? 60 : 400, STORM = 3, LEAST_WRITES = 20 };

static rcuinfo_t info;
static atomic_int finished;
static atomic_ulong storm_writes, victim_writes;
static atomic_int in_call;

/* Whoever is cancelled inside a call leaves this at 1. */
static void call(unsigned writer, unsigned long i)
{
    char value[SELFCHECK_MAX + 1];
    selfcheck_make(value, writer, i, selfcheck_length(writer, i));
    CHECK_OK(rcuinfo_set(info, i % 2 ? "odd" : "even", value));
    if (i % 64 == 0)
        (void)rcuinfo_store_drain();
}

static void *victim(void *argument)
{
    atomic_ulong *mine = argument;
    for (unsigned long i = 0;; i++) {
        atomic_store(&in_call, 1);
        call(1, i);
        atomic_store(&in_call, 0);
        atomic_fetch_add(mine, 1);
        pthread_testcancel();
    }
    return NULL;
}

static void cancel_on(void)
{
    for (int i = 0; i < VICTIMS; i++) {
        unsigned long others = atomic_load(&storm_writes);
        unsigned spins = 0;
        atomic_ulong written;
        pthread_t thread;
        void *result = NULL;
        atomic_init(&written, 0);
        CHECK(pthread_create(&thread, NULL, victim, &written) == 0);
        while (atomic_load(&written) < LEAST_WRITES)
            team_relax(&spins);
        CHECK(pthread_cancel(thread) == 0);
        CHECK(pthread_join(thread, &result) == 0);
        CHECK(result == PTHREAD_CANCELED);
        CHECKF(atomic_load(&in_call) == 0, "victim %d was cancelled inside a call", i);
        atomic_fetch_add(&victim_writes, atomic_load(&written));
        /* The others go on: each of them could be held up by a lock that the victim kept. */
        while (atomic_load(&storm_writes) < others + (unsigned long)STORM * LEAST_WRITES)
            team_relax(&spins);
    }
    atomic_store(&finished, 1);
}

static void storm(unsigned index)
{
    for (unsigned long i = 0; !atomic_load(&finished); i++) {
        int state;
        errno = 1234;
        call(index, i);
        CHECKF(errno == 1234, "errno became %d", errno);
        if (i % 100 == 0) {
            CHECK(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state) == 0);
            CHECK(state == PTHREAD_CANCEL_ENABLE);
        }
        atomic_fetch_add(&storm_writes, 1);
    }
}

static void body(unsigned index, void *argument)
{
    (void)argument;
    if (index == 0)
        cancel_on();
    else
        storm(index + 1);
}

int main(void)
{
    char value[SELFCHECK_MAX + 1];
    unsigned writer;
    unsigned long number;
    int flag = 0;
    CHECK_OK(rcuinfo_create(&info));
    team_run(1 + STORM, body, NULL);
    CHECK_OK(rcuinfo_get(info, "odd", SELFCHECK_MAX, value, &flag));
    CHECK(flag == 1 && selfcheck_verify(value, &writer, &number));
    CHECK_OK(rcuinfo_free(&info));
    CHECK(rcuinfo_store_drain() == 0);
    printf("%lu writes of those who were cancelled, %lu of the others\n", atomic_load(&victim_writes),
           atomic_load(&storm_writes));
    return 0;
}
