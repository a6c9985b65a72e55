/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A process may exit while its other threads are in the middle of every call: the destructors run, the counters are
 * printed, nothing hangs and nothing crashes.
 */
#include <rcuinfo/rcuinfo.h>

#include "support/objects.h"
#include "support/scale.h"
#include "support/spawn.h"
#include "support/threads.h"

enum { EXITS = TEST_SANITIZED ? 10 : 100, THREADS = 4, CALLS = 500 };

static rcuinfo_t info;
static atomic_ulong calls;

static void *hammer(void *unused)
{
    for (unsigned long i = 0;; i++) {
        char value[RCUINFO_MAX_VALUE];
        int flag;
        (void)snprintf(value, sizeof value, "%*lu", (int)(i % 200), i);
        CHECK_OK(rcuinfo_set(info, i % 2 ? "odd" : "even", value));
        CHECK_OK(rcuinfo_get(info, "odd", RCUINFO_MAX_VALUE - 1, value, &flag));
        rcuinfo_t copy = object_dup(info);
        const rcuinfo_snapshot_t *snapshot = object_open(copy);
        object_free(copy);
        rcuinfo_snapshot_close(snapshot);
        if (i % 64 == 0)
            (void)rcuinfo_store_drain();
        atomic_fetch_add(&calls, 1);
    }
    return unused;
}

static void at_exit(void)
{
    CHECK_OK(rcuinfo_set(info, "at", "exit"));
    CHECK(write(STDOUT_FILENO, "exit", 4) == 4);
}

static int exit_in_the_middle(void)
{
    CHECK(atexit(at_exit) == 0);
    info = object_empty();
    for (int i = 0; i < THREADS; i++) {
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, hammer, NULL) == 0);
        CHECK(pthread_detach(thread) == 0);
    }
    TEAM_UNTIL(atomic_load(&calls) >= CALLS);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "exit") == 0)
        return exit_in_the_middle();
    CHECK(setenv("RCUINFO_STATS", "1", 1) == 0);
    for (int i = 0; i < EXITS; i++) {
        char output[64];
        spawn_self("exit", output, sizeof output);
        CHECKF(strcmp(output, "exit") == 0, "\"%s\"", output);
    }
    printf("%d exits\n", EXITS);
    return 0;
}
