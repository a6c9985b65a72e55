/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads make the first calls of the processes at the same time. Then every allocation of every call fails once, on
 * one process at a time: all processes must return MPI_ERR_NO_MEM and no info, and the next call must work.
 */
#include "collective/collective.h"
#include "support/faults.h"
#include "support/threads.h"

/* Under MPI_THREAD_MULTIPLE each thread has communicators of its own, which it makes, uses for the first time and frees
 * while the others do the same: the key of the attribute comes and goes under them. */
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION == 6
enum { THREADS = 1 }; /* with more, a program of MPI calls alone hangs on 6.0.0rc2, in one of 80 runs */
#else
enum { THREADS = 3 };
#endif
enum { ROUNDS = 4 };

static MPI_Comm of_thread[THREADS];

/* All processes have this thread's number, and one of them a key more. */
static void check_own_calls(rcuinfo_t info, MPI_Comm comm, int root, const char *thread)
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
        object_free(got);
    }
    CHECK_MPI(rcuinfo_mpi_agree(info, keys, 2, root, comm, &agree, &told, 1, &found), MPI_SUCCESS);
    CHECK(agree == 0);
    CHECK(rank != root || (found == 1 && strcmp(told.key, "rank 0") == 0 && strcmp(told.value, "") == 0));
}

static void work(unsigned index, void *unused)
{
    char number[16], mine[32];
    (void)unused;
    (void)snprintf(number, sizeof number, "%u", index);
    (void)snprintf(mine, sizeof mine, "rank %d", rank);
    rcuinfo_t info = OBJECT("thread", number, mine, "");
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Comm comm;
        CHECK_MPI(PMPI_Comm_dup(of_thread[index], &comm), MPI_SUCCESS);
        check_own_calls(info, comm, round % size, number);
        CHECK_MPI(PMPI_Comm_free(&comm), MPI_SUCCESS);
    }
    object_free(info);
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

static rcuinfo_schema_t *schema;

/* rcuinfo_mpi_agree_schema as a call_t. It creates no info, so a dup of the argument stands in on success. */
static int call_agree(rcuinfo_t info, int root, MPI_Comm comm, rcuinfo_t *got)
{
    size_t found;
    int agree = -1;
    *got = RCUINFO_NULL;
    int code = rcuinfo_mpi_agree_schema(info, schema, root, comm, &agree, NULL, 0, &found);
    CHECK(agree == (code == MPI_SUCCESS ? 1 : -1));
    if (code == MPI_SUCCESS)
        CHECK_OK(rcuinfo_dup(info, got));
    return code;
}

/* The same pairs everywhere, so that all calls give the same, but one that only this process has, so that a merge has
 * something to change. */
static rcuinfo_t make_pairs(unsigned n, bool own)
{
    rcuinfo_t info = object_empty();
    char key[32];
    object_fill(info, "key ", n, "a value of a pair");
    (void)snprintf(key, sizeof key, "of rank %d", rank);
    if (own)
        CHECK_OK(rcuinfo_set(info, key, ""));
    return info;
}

/* Makes one call, in which the k-th allocation of one process fails. Returns false if there are fewer than k. */
static bool fail_one(call_t *call, rcuinfo_t info, int where, int k)
{
    rcuinfo_t got = UNTOUCHED;
    int faults = faults_met();
    faults_fail_at(rank == where ? k : 0);
    int code = call(info, size - 1, MPI_COMM_WORLD, &got);
    faults_fail_at(0);
    int failed = faults_met() - faults;
    CHECK_MPI(PMPI_Bcast(&failed, 1, MPI_INT, where, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECKF(code == (failed ? MPI_ERR_NO_MEM : MPI_SUCCESS), "%d at rank %d, when allocation %d of rank %d fails", code,
           rank, k, where);
    CHECK(failed ? got == RCUINFO_NULL : got != RCUINFO_NULL && got != UNTOUCHED);
    if (!failed)
        object_free(got);
    return failed;
}

static void check_call(call_t *call, unsigned pairs, int least)
{
    rcuinfo_t info = make_pairs(pairs, call != call_agree);
    for (int where = 0; where < size; where++) {
        int k = 1;
        (void)rcuinfo_store_drain(); /* what was kept for reuse needs no allocation */
        while (fail_one(call, info, where, k)) {
            (void)rcuinfo_store_drain();
            k++;
        }
        CHECKF(k > least, "only %d allocations of rank %d", k - 1, where);
    }
    object_free(info);
}

static void infos(void)
{
    for (int i = 0; i < CALLS; i++) {
        check_call(calls[i], 16, 0);
        check_call(calls[i], 300, 1);
    }
}

/* Keys and hashes. */
static void agreement(void)
{
    const rcuinfo_hint_t rows[] = {{.key = "key 0", .flags = RCUINFO_FLAG_SAME},
                                   {.key = "b", .flags = RCUINFO_FLAG_SAME}};
    CHECK_OK(rcuinfo_schema_create(NULL, rows, 2, &schema, NULL));
    check_call(call_agree, 1, 2);
    rcuinfo_schema_free(&schema);
}

int main(void)
{
    return RUN(MPI_THREAD_MULTIPLE, each_on_its_own_communicators, infos, agreement);
}
