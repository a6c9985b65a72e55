/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads under MPI_THREAD_MULTIPLE, each with communicators of its own, which it makes, uses for the first time and
 * frees while the others do the same: the key of the attribute comes and goes under them.
 */
#include "collective/collective.h"
#include "support/threads.h"

enum { THREADS = 3, ROUNDS = 4 };

static MPI_Comm of_thread[THREADS];

/* All processes have this thread's number, and one of them a key more. */
static void check_calls(rcuinfo_t info, MPI_Comm comm, int root, const char *thread)
{
    const char *const keys[] = {"thread", "rank 0"};
    rcuinfo_disagreement_t told;
    size_t found = 77;
    int agree = -1;
    for (int i = 0; i < CALLS; i++) {
        rcuinfo_t got;
        int length = sizeof told.value, flag = 0;
        CHECK_MPI(calls[i](info, root, comm, &got), MPI_SUCCESS);
        CHECK_OK(rcuinfo_get_string(got, "thread", &length, told.value, &flag));
        CHECKF(flag && strcmp(told.value, thread) == 0, "thread %s got the info of thread %s", thread, told.value);
        free_info(got);
    }
    CHECK_MPI(rcuinfo_mpi_agree(info, keys, 2, root, comm, 1, &agree, &told, &found), MPI_SUCCESS);
    CHECK(agree == 0);
    CHECK(rank != root || (found == 1 && strcmp(told.key, "rank 0") == 0 && strcmp(told.value, "") == 0));
}

static void work(unsigned index, void *unused)
{
    rcuinfo_t info = make_info();
    char number[16], mine[32];
    (void)unused;
    (void)snprintf(number, sizeof number, "%u", index);
    (void)snprintf(mine, sizeof mine, "rank %d", rank);
    CHECK_OK(rcuinfo_set(info, "thread", number));
    CHECK_OK(rcuinfo_set(info, mine, ""));
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Comm comm;
        CHECK_MPI(PMPI_Comm_dup(of_thread[index], &comm), MPI_SUCCESS);
        check_calls(info, comm, round % size, number);
        CHECK_MPI(PMPI_Comm_free(&comm), MPI_SUCCESS);
    }
    free_info(info);
}

static struct spin_barrier all_make_a_key = {.width = THREADS};

static void wait_for_all(void)
{
    static _Thread_local unsigned long phase;
    if (phase == 0)
        spin_barrier_wait(&all_make_a_key, &phase);
}

/* In the first round all find that there is no key, and each makes one. */
static void each_on_its_own_communicators(void)
{
    for (int n = 0; n < THREADS; n++)
        CHECK_MPI(PMPI_Comm_dup(MPI_COMM_WORLD, &of_thread[n]), MPI_SUCCESS);
    counted_before_key = wait_for_all;
    team_run(THREADS, work, NULL);
    counted_before_key = NULL;
    CHECK(atomic_load(&counted.duplicates) == 0 && atomic_load(&counted.keys) == 0);
    for (int n = 0; n < THREADS; n++)
        CHECK_MPI(PMPI_Comm_free(&of_thread[n]), MPI_SUCCESS);
}

int main(void)
{
    return RUN(MPI_THREAD_MULTIPLE, each_on_its_own_communicators);
}
