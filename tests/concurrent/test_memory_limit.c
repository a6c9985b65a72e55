/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A process that gets no more memory from the system (RLIMIT_AS). Threads that have read from the store before go on:
 * writes say RCUINFO_ERR_NO_MEM and change nothing, reads work, and all is well once there is memory again. A thread
 * whose first read finds no memory for liburcu's record of it ends the process by SIGABRT: liburcu-bp knows no other
 * way.
 */
#include <malloc.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <rcuinfo/rcuinfo.h>

#include "support/objects.h"
#include "support/selfcheck.h"
#include "support/threads.h"

enum { THREADS = 4, MOST_SETS = 20000, NEWCOMERS = 24 };

static rcuinfo_t common;
static struct spin_barrier barrier = {.width = THREADS};

static void limit_memory(bool limited)
{
    struct rlimit limit;
    CHECK(getrlimit(RLIMIT_AS, &limit) == 0);
    limit.rlim_cur = limited ? 0 : limit.rlim_max;
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
}

/* Sets one key after the other until there is no memory; returns how many were set. */
static unsigned long fill(rcuinfo_t info, unsigned writer)
{
    char key[32], value[SELFCHECK_MAX + 1];
    for (unsigned long n = 0; n < MOST_SETS; n++) {
        (void)snprintf(key, sizeof key, "key%lu", n);
        selfcheck_make(value, writer, n, SELFCHECK_MAX);
        rcuinfo_status_t status = rcuinfo_set(info, key, value);
        if (status == RCUINFO_SUCCESS)
            continue;
        CHECK_STATUS(status, RCUINFO_ERR_NO_MEM);
        return n;
    }
    CHECKF(false, "%d sets without memory", MOST_SETS);
    return 0;
}

static void check_filled(rcuinfo_t info, unsigned writer, unsigned long count)
{
    uint64_t version = object_version(info);
    CHECK(version == count);
    for (unsigned long n = 0; n < count; n++) {
        char key[32], wanted[32], value[SELFCHECK_MAX + 1];
        unsigned by = 0;
        unsigned long number = 0;
        int flag = 0;
        (void)snprintf(wanted, sizeof wanted, "key%lu", n);
        CHECK_OK(rcuinfo_get_nthkey(info, (int)n, key));
        CHECK(strcmp(key, wanted) == 0);
        CHECK_OK(rcuinfo_get(info, key, SELFCHECK_MAX, value, &flag));
        CHECK(flag && selfcheck_verify(value, &by, &number) && by == writer && number == n);
    }
}

/* Each fills an object of its own; what one gives back meanwhile another may get, so the ends differ. */
static void go_without(unsigned index, void *argument)
{
    unsigned long phase = 0, count;
    (void)argument;
    rcuinfo_t info = object_empty();
    int nkeys = object_count(info);
    spin_barrier_wait(&barrier, &phase);
    if (index == 0)
        limit_memory(true);
    spin_barrier_wait(&barrier, &phase);
    count = fill(info, index);
    check_filled(info, index, count);
    CHECK_OK(rcuinfo_get_nkeys(common, &nkeys));
    CHECK(nkeys == 1);
    const rcuinfo_snapshot_t *snapshot = object_open(info);
    CHECK(rcuinfo_snapshot_count(snapshot) == count);
    rcuinfo_snapshot_close(snapshot);
    spin_barrier_wait(&barrier, &phase);
    if (index == 0)
        limit_memory(false);
    spin_barrier_wait(&barrier, &phase);
    check_filled(info, index, count);
    CHECK_OK(rcuinfo_set(info, "after", "all"));
    CHECK_OK(rcuinfo_free(&info));
}

/* The first reads of many threads, one after the other, each staying to the end. */
static void come_without(unsigned index, void *argument)
{
    static atomic_uint turn;
    unsigned spins = 0;
    (void)argument;
    while (atomic_load(&turn) != index)
        team_relax(&spins);
    if (index == 0)
        limit_memory(true);
    int nkeys = object_count(common);
    CHECK(nkeys == 1);
    atomic_fetch_add(&turn, 1);
    while (atomic_load(&turn) < NEWCOMERS)
        team_relax(&spins);
}

static void newcomers_end_the_process(void)
{
    int status = 0;
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        const struct rlimit no_core = {0, 0};
        CHECK(setrlimit(RLIMIT_CORE, &no_core) == 0);
        team_run(NEWCOMERS, come_without, NULL);
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child);
    CHECKF(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, "status %#x", (unsigned)status);
}

int main(void)
{
    /* One arena: a thread's own would have room set aside that the limit does not touch. */
    CHECK(mallopt(M_ARENA_MAX, 1) == 1);
    CHECK_OK(rcuinfo_create(&common));
    CHECK_OK(rcuinfo_set(common, "key", "value"));
    newcomers_end_the_process();
    team_run(THREADS, go_without, NULL);
    CHECK_OK(rcuinfo_free(&common));
    CHECK(rcuinfo_store_drain() == 0);
    return 0;
}
