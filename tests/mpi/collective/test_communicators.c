/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Communicators: each has one duplicate, which is created at the first call and freed together with it. Unsuitable ones
 * are refused. The calls do not interfere with the program's messages or attributes (for error handlers see
 * test_infos.c). run_cases checks what is left after MPI_Finalize.
 */

#include "collective/collective.h"
#include "support/heap.h"

static rcuinfo_t make_ranked(void)
{
    rcuinfo_t info = make_info();
    char text[16];
    (void)snprintf(text, sizeof text, "%d", rank);
    CHECK_OK(rcuinfo_set(info, "rank", text));
    return info;
}

/* A broadcast from a communicator's first process, whose rank in the world is `first`. */
static void use(MPI_Comm comm, int first)
{
    rcuinfo_t info = make_ranked(), got;
    char value[16];
    int length = sizeof value, flag;
    CHECK_MPI(rcuinfo_mpi_bcast(info, 0, comm, &got), MPI_SUCCESS);
    CHECK_OK(rcuinfo_get_string(got, "rank", &length, value, &flag));
    CHECKF(atoi(value) == first, "got the info of rank %s, not %d", value, first);
    free_info(got);
    free_info(info);
}

/* Duplicates a communicator that has been used, several times in a chain: the attribute must not be copied. */
static void one_duplicate_each(void)
{
    MPI_Comm comms[4] = {MPI_COMM_WORLD};
    int before = atomic_load(&counted.duplicates), keys = atomic_load(&counted.keys), dups = atomic_load(&counted.dups);
    for (int n = 1; n < 4; n++) {
        CHECK_MPI(PMPI_Comm_dup(comms[n - 1], &comms[n]), MPI_SUCCESS);
        CHECK(atomic_load(&counted.duplicates) == before + n - 1);
        use(comms[n], 0);
        use(comms[n], 0);
        CHECK(atomic_load(&counted.duplicates) == before + n && atomic_load(&counted.dups) == dups + n);
        CHECK(atomic_load(&counted.keys) > 0);
    }
    for (int n = 1; n < 4; n++) {
        CHECK_MPI(PMPI_Comm_free(&comms[n]), MPI_SUCCESS);
        CHECK(atomic_load(&counted.duplicates) == before + 3 - n);
    }
    CHECK(atomic_load(&counted.keys) == keys);
}

/* Communicators with the ranks in reverse order, and with half of the ranks. */
static void parts_of_the_world(void)
{
    MPI_Comm reverse, half;
    CHECK_MPI(MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &reverse), MPI_SUCCESS);
    CHECK_MPI(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half), MPI_SUCCESS);
    use(reverse, size - 1);
    use(half, rank % 2);
    use(MPI_COMM_SELF, rank);
    use(MPI_COMM_WORLD, 0);
    CHECK_MPI(PMPI_Comm_free(&reverse), MPI_SUCCESS);
    CHECK_MPI(PMPI_Comm_free(&half), MPI_SUCCESS);
}

static void check_refused(MPI_Comm comm)
{
    const char *const keys[] = {"a"};
    rcuinfo_t info = make_ranked();
    size_t found = 77;
    int agree = 77;
    for (int i = 0; i < CALLS; i++) {
        rcuinfo_t got = UNTOUCHED;
        CHECK_MPI(calls[i](info, 0, comm, &got), MPI_ERR_COMM);
        CHECK(got == RCUINFO_NULL);
        CHECK_MPI(calls[i](info, 0, comm, NULL), MPI_ERR_COMM);
    }
    CHECK_MPI(rcuinfo_mpi_agree(info, keys, 1, 0, comm, &agree, NULL, 0, &found), MPI_ERR_COMM);
    CHECK(agree == 77 && found == 77);
    free_info(info);
}

/* The error handlers here are still those that end the program. */
static void null_and_intercommunicators_are_refused(void)
{
    MPI_Comm half, inter;
    CHECK_MPI(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half), MPI_SUCCESS);
    CHECK_MPI(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 7, &inter), MPI_SUCCESS);
    check_refused(MPI_COMM_NULL);
    check_refused(inter);
    CHECK_MPI(PMPI_Comm_free(&inter), MPI_SUCCESS);
    CHECK_MPI(PMPI_Comm_free(&half), MPI_SUCCESS);
}

/* Each info is freed with its only version: the second half takes the memory of the first. */
static void no_version_is_kept(void)
{
    enum { MANY = 2000, MOST_KEPT = 1 << 20 };
    const char *const keys[] = {"a"};
    char value[RCUINFO_MAX_VALUE] = "";
    size_t before = 0;
    memset(value, 'v', sizeof value - 1);

    for (int n = 0; n < 2 * MANY; n++) {
        rcuinfo_t info = make_info(), got;
        size_t found;
        int agree = 0;
        CHECK_OK(rcuinfo_set(info, "a", value));
        CHECK_MPI(rcuinfo_mpi_bcast(info, 0, MPI_COMM_SELF, &got), MPI_SUCCESS);
        CHECK_MPI(rcuinfo_mpi_agree(info, keys, 1, 0, MPI_COMM_SELF, &agree, NULL, 0, &found), MPI_SUCCESS);
        CHECK(agree);
        free_info(got);
        free_info(info);
        if (n == MANY)
            before = heap_bytes();
    }

    size_t after = heap_bytes();
    CHECKF(after < before + MOST_KEPT, "%zu bytes, and then %zu", before, after);
}

/* A wildcard receive of the program must not match a message of the library. */
static void messages_of_the_program(void)
{
    MPI_Request request;
    MPI_Status status;
    int number = rank, got = -1;
    rcuinfo_t info = make_ranked(), all;
    CHECK_MPI(MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request), MPI_SUCCESS);
    CHECK_MPI(rcuinfo_mpi_union(info, MPI_COMM_WORLD, &all), MPI_SUCCESS);
    CHECK_MPI(PMPI_Send(&number, 1, MPI_INT, (rank + 1) % size, 3, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_MPI(MPI_Wait(&request, &status), MPI_SUCCESS);
    CHECK(got == (rank + size - 1) % size && status.MPI_TAG == 3);
    free_info(all);
    free_info(info);
}

int main(void)
{
    return RUN(MPI_THREAD_SINGLE, null_and_intercommunicators_are_refused, one_duplicate_each, parts_of_the_world,
               no_version_is_kept, messages_of_the_program);
}
