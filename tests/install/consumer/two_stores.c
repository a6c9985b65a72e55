/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that contains librcuinfo.a and uses MPI_Info_* of librcuinfo_mpi.so, and so librcuinfo.so: two stores in
 * one process, each with objects and counts of its own. Fails when one counts what the other was asked for, or when
 * parent, child and grandchild of a fork do not all go on with both, also of a fork inside a read section of the
 * program's own, whose descendants reclaim nothing.
 */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <urcu/urcu-bp.h>
#include <rcuinfo/abi/mpi.h>
#include <rcuinfo/rcuinfo.h>

enum { MINE = 3, THEIRS = 5 };

static int failed(const char *what)
{
    printf("failed: %s\n", what);
    return 1;
}

static int reclaims = 1; /* not in the descendants of a fork inside a read section */

/* Sets in both stores, and waits for a grace period. */
static int use_both(rcuinfo_t mine, MPI_Info theirs)
{
    rcuinfo_t made;

    return rcuinfo_set(mine, "of", "the program") != RCUINFO_SUCCESS ||
           MPI_Info_set(theirs, "of", "MPI again") != MPI_SUCCESS || rcuinfo_create(&made) != RCUINFO_SUCCESS ||
           rcuinfo_free(&made) != RCUINFO_SUCCESS || (rcuinfo_store_drain() == 0) != reclaims;
}

static int fork_and_use_both(rcuinfo_t mine, MPI_Info theirs, int inside, int generations)
{
    int status;
    pid_t child;

    if (inside)
        urcu_bp_read_lock();
    child = fork();
    if (inside)
        urcu_bp_read_unlock();
    if (child == 0) {
        reclaims &= !inside;
        _exit(use_both(mine, theirs) || (generations > 1 && fork_and_use_both(mine, theirs, 0, generations - 1)));
    }
    return child < 0 || use_both(mine, theirs) || waitpid(child, &status, 0) != child || status != 0;
}

int main(void)
{
    rcuinfo_stats_t stats;
    rcuinfo_t mine[MINE];
    MPI_Info theirs[THEIRS];
    int nkeys;

    for (int i = 0; i < THEIRS; i++) {
        if (MPI_Info_create(&theirs[i]) != MPI_SUCCESS || MPI_Info_set(theirs[i], "of", "MPI") != MPI_SUCCESS)
            return failed("MPI_Info_create and MPI_Info_set");
    }
    for (int i = 0; i < MINE; i++) {
        if (rcuinfo_create(&mine[i]) != RCUINFO_SUCCESS)
            return failed("rcuinfo_create");
    }
    rcuinfo_store_stats(&stats);
    if (stats.live != MINE)
        return failed("the program's store has objects of the other");
    if (fork_and_use_both(mine[0], theirs[0], 0, 3))
        return failed("fork");
    if (fork_and_use_both(mine[0], theirs[0], 1, 3))
        return failed("fork inside a read section");
    for (int i = 0; i < MINE; i++) {
        if (rcuinfo_get_nkeys(mine[i], &nkeys) != RCUINFO_SUCCESS || nkeys != (i == 0) ||
            rcuinfo_free(&mine[i]) != RCUINFO_SUCCESS)
            return failed("an object of the program's store");
    }
    for (int i = 0; i < THEIRS; i++) {
        if (MPI_Info_get_nkeys(theirs[i], &nkeys) != MPI_SUCCESS || nkeys != 1 ||
            MPI_Info_free(&theirs[i]) != MPI_SUCCESS)
            return failed("an object of the other store");
    }
    return 0;
}
