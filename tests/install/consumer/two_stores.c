/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that contains librcuinfo.a and uses MPI_Info_* of librcuinfo_mpi.so, and so librcuinfo.so: two stores in
 * one process, each with objects and counts of its own. Fails when one counts what the other was asked for, or when
 * parent, child and grandchild of a fork do not all go on with both, also of a fork inside a read section of the
 * program's own, whose descendants reclaim nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <urcu/urcu-bp.h>
#include <rcuinfo/abi/mpi.h>
#include <rcuinfo/rcuinfo.h>

static rcuinfo_t mine;
static MPI_Info theirs;

static void check(int good, const char *what)
{
    if (!good) {
        printf("failed: %s\n", what);
        exit(1);
    }
}

/* Sets in both stores, and reclaims. */
static void use_both(void)
{
    rcuinfo_t made;

    check(rcuinfo_set(mine, "of", "the program") == RCUINFO_SUCCESS, "rcuinfo_set");
    check(MPI_Info_set(theirs, "of", "MPI") == MPI_SUCCESS, "MPI_Info_set");
    check(rcuinfo_create(&made) == RCUINFO_SUCCESS && rcuinfo_free(&made) == RCUINFO_SUCCESS, "rcuinfo_create");
    check(rcuinfo_store_drain() == 0, "rcuinfo_store_drain");
}

static void fork_and_use_both(int inside, int generations)
{
    int status;
    pid_t child;

    if (inside)
        urcu_bp_read_lock();
    child = fork();
    if (inside)
        urcu_bp_read_unlock();
    use_both();
    if (child == 0) {
        if (generations > 1)
            fork_and_use_both(0, generations - 1);
        _exit(0);
    }
    check(child > 0 && waitpid(child, &status, 0) == child && status == 0, "fork");
}

int main(void)
{
    rcuinfo_stats_t stats;
    int nkeys;

    check(MPI_Info_create(&theirs) == MPI_SUCCESS, "MPI_Info_create");
    rcuinfo_store_stats(&stats);
    check(stats.live == 0, "the program's store has objects of the other");
    check(rcuinfo_create(&mine) == RCUINFO_SUCCESS, "rcuinfo_create");
    fork_and_use_both(0, 3);
    fork_and_use_both(1, 3);
    check(rcuinfo_get_nkeys(mine, &nkeys) == RCUINFO_SUCCESS && nkeys == 1, "an object of the program's store");
    check(MPI_Info_get_nkeys(theirs, &nkeys) == MPI_SUCCESS && nkeys == 1, "an object of the other store");
    check(rcuinfo_free(&mine) == RCUINFO_SUCCESS && MPI_Info_free(&theirs) == MPI_SUCCESS, "free");
    return 0;
}
