/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rcuinfo_mpi_bcast: contents of every size from every root, and whatever is wrong anywhere is told everywhere.
 */
#include "collective/collective.h"

/* An info of n pairs, whose values have `length` bytes and begin with the number of the pair and a salt. */
static rcuinfo_t make_pairs(int n, int length, int salt)
{
    rcuinfo_t info = make_info();
    char key[32], value[RCUINFO_MAX_VALUE];
    for (int i = 0; i < n; i++) {
        (void)snprintf(key, sizeof key, "key %d", (i * 7919) % n);
        (void)snprintf(value, sizeof value, "%d of %d%*s", i, salt, length, "");
        value[length] = '\0';
        CHECK_OK(rcuinfo_set(info, key, value));
    }
    return info;
}

static void check_contents(int n, int length, int root)
{
    rcuinfo_t wanted = make_pairs(n, length, root), got = UNTOUCHED;
    rcuinfo_t mine = rank == root ? wanted : make_pairs(3, 5, -1);
    CHECK_MPI(rcuinfo_mpi_bcast(mine, root, MPI_COMM_WORLD, &got), MPI_SUCCESS);
    CHECK(got != UNTOUCHED && got != mine);
    check_same(got, wanted);
    CHECK_OK(rcuinfo_set(got, "key 0", "of its own"));
    free_info(got);
    if (mine != wanted)
        free_info(mine);
    free_info(wanted);
}

/* All sizes from rank 0, and from each other one by turns: MPICH's processes wait for each other without giving their
 * processor away, so where they are more than those every step takes long. */
static void contents_from_every_root(void)
{
    const int counts[] = {0, 1, 16, 1000};
    for (int n = 0; n < 4; n++)
        check_contents(counts[n], 20, 0);
    for (int root = 1; root < size; root++)
        check_contents(counts[root % 4], 20, root);
}

static void more_than_one_part(void)
{
    check_contents(2100, 1000, size - 1);
}

static void lengths_around_a_small_packet(void)
{
    for (int length = 985; length < RCUINFO_MAX_VALUE; length++) {
        if (length % 5 == 0)
            check_contents(4, length, length % size);
    }
}

static void check_steps(int n, int reductions)
{
    counted_reset();
    check_contents(n, 30, 0);
    int counts[] = {atomic_load(&counted.reductions), atomic_load(&counted.broadcasts), atomic_load(&counted.messages)};
    CHECKF(counts[0] == reductions && counts[1] == 1 && counts[2] == 0, "%d, %d, %d", counts[0], counts[1], counts[2]);
}

/* Two reductions and one broadcast where nobody has to find memory, one reduction more where they do. */
static void steps(void)
{
    check_steps(16, 2);
    check_steps(1000, 3);
}

static void a_stale_info_at_root(void)
{
    rcuinfo_t bad[] = {make_stale(), RCUINFO_NULL}, got;
    rcuinfo_t good = make_pairs(2, 3, 0);
    for (int root = 0; root < size; root++) {
        got = UNTOUCHED;
        CHECK_MPI(rcuinfo_mpi_bcast(rank == root ? bad[root % 2] : good, root, MPI_COMM_WORLD, &got), MPI_ERR_INFO);
        CHECK(got == RCUINFO_NULL);
        CHECK_MPI(rcuinfo_mpi_bcast(rank == root ? good : bad[root % 2], root, MPI_COMM_WORLD, &got), MPI_SUCCESS);
        check_same(got, good);
        free_info(got);
    }
    free_info(good);
}

static void a_null_output_anywhere(void)
{
    rcuinfo_t info = make_pairs(2, 3, 0);
    for (int where = 0; where < size; where++) {
        rcuinfo_t got = UNTOUCHED;
        CHECK_MPI(rcuinfo_mpi_bcast(info, 0, MPI_COMM_WORLD, rank == where ? NULL : &got), MPI_ERR_ARG);
        CHECK(got == UNTOUCHED);
    }
    free_info(info);
}

static void roots_that_are_none(void)
{
    rcuinfo_t info = make_pairs(2, 3, 0), got;
    const int bad[] = {-1, INT_MIN, size, INT_MAX};
    for (int n = 0; n < 4; n++) {
        int where = n % size;
        got = UNTOUCHED;
        CHECK_MPI(rcuinfo_mpi_bcast(info, rank == where ? bad[n] : 0, MPI_COMM_WORLD, &got), MPI_ERR_ROOT);
        CHECK(got == RCUINFO_NULL);
    }
    got = UNTOUCHED;
    CHECK_MPI(rcuinfo_mpi_bcast(info, rank == 0 ? 1 : 0, MPI_COMM_WORLD, &got), MPI_ERR_ROOT);
    CHECK(got == RCUINFO_NULL);
    free_info(info);
}

int main(void)
{
    const struct test_case cases[] = {
        CASE(contents_from_every_root), CASE(more_than_one_part),     CASE(lengths_around_a_small_packet), CASE(steps),
        CASE(a_stale_info_at_root),     CASE(a_null_output_anywhere), CASE(roots_that_are_none),
    };
    return RUN(MPI_THREAD_SINGLE, cases);
}
