/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rcuinfo_mpi_bcast; rcuinfo_mpi_union and rcuinfo_mpi_intersection, compared with merging all infos one by one in the
 * order of the ranks. Each process can compute every rank's info. An error on any process must be returned on all.
 */
#include "collective/collective.h"
#include "support/random.h"

/* Infos of one kind: each rank lacks three keys of all, and begins with another. Two of three keys have the same value
 * with all, so that an intersection leaves something; of the others' values some begin like another. */
struct kind {
    unsigned pairs;
    unsigned values;
    unsigned length;
};

static rcuinfo_t make_of(int of_rank, struct kind kind)
{
    rcuinfo_t info = make_info();
    struct random random = {(uint64_t)of_rank * 1000 + kind.pairs};
    for (unsigned n = 0; n < kind.pairs; n++) {
        char key[32], value[RCUINFO_MAX_VALUE];
        unsigned number = (n * 7919 + (unsigned)of_rank) % (kind.pairs + 3);
        (void)snprintf(key, sizeof key, "key %u", number);
        unsigned one = number % 3 ? 0 : random_below(&random, kind.values);
        (void)snprintf(value, sizeof value, "%u%*s", one / 2, (int)(kind.length + one % 2), "");
        CHECK_OK(rcuinfo_set(info, key, value));
    }
    return info;
}

/* Merges one more info by single calls. */
static void merge_into(rcuinfo_t all, rcuinfo_t other, bool intersect)
{
    const rcuinfo_snapshot_t *ours, *theirs;
    rcuinfo_pair_t pair, found;
    CHECK_OK(rcuinfo_snapshot_open(all, &ours));
    CHECK_OK(rcuinfo_snapshot_open(other, &theirs));
    for (size_t n = 0; !intersect && n < rcuinfo_snapshot_count(theirs); n++) {
        CHECK_OK(rcuinfo_snapshot_nth(theirs, n, &pair));
        if (rcuinfo_snapshot_find(ours, pair.key, &found) == RCUINFO_ERR_NOKEY)
            CHECK_OK(rcuinfo_set(all, pair.key, pair.value));
    }
    for (size_t n = 0; intersect && n < rcuinfo_snapshot_count(ours); n++) {
        CHECK_OK(rcuinfo_snapshot_nth(ours, n, &pair));
        if (rcuinfo_snapshot_find(theirs, pair.key, &found) != RCUINFO_SUCCESS || strcmp(found.value, pair.value) != 0)
            CHECK_OK(rcuinfo_delete(all, pair.key));
    }
    rcuinfo_snapshot_close(ours);
    rcuinfo_snapshot_close(theirs);
}

static rcuinfo_t wanted_of(call_t *call, struct kind kind, int root)
{
    rcuinfo_t all = make_of(call == rcuinfo_mpi_bcast ? root : 0, kind);
    for (int r = 1; r < size && call != rcuinfo_mpi_bcast; r++) {
        rcuinfo_t other = make_of(r, kind);
        merge_into(all, other, call == call_intersection);
        free_info(other);
    }
    return all;
}

static void check_call(call_t *call, struct kind kind, int root)
{
    rcuinfo_t mine = make_of(rank, kind), before, got = UNTOUCHED, wanted = wanted_of(call, kind, root);
    CHECK_OK(rcuinfo_dup(mine, &before));
    CHECK_MPI(call(mine, root, MPI_COMM_WORLD, &got), MPI_SUCCESS);
    check_same(got, wanted);
    check_same(mine, before);
    CHECK_OK(rcuinfo_set(got, "key 0", "of its own"));
    free_info(got);
    free_info(mine);
    free_info(before);
    free_info(wanted);
}

/* Each from one root or another: MPICH's processes wait for each other without giving their processor away, so where
 * they are more than those every step takes long. */
static void infos_of_every_size(void)
{
    const struct kind kinds[] = {{0, 1, 0}, {1, 2, 1}, {7, 3, 5}, {16, 2, 20}, {90, 3, 40}, {1000, 2, 10}};
    for (int n = 0; n < 6; n++) {
        for (int i = 0; i < CALLS; i++)
            check_call(calls[i], kinds[n], (n + size - 1) % size);
    }
}

static void more_than_one_part(void)
{
    for (int i = 0; i < CALLS; i++)
        check_call(calls[i], (struct kind){1500, 1, 1000}, size - 1);
}

static void lengths_around_a_small_packet(void)
{
    for (unsigned length = 985; length < RCUINFO_MAX_VALUE - 1; length += 5)
        check_call(rcuinfo_mpi_bcast, (struct kind){4, 1, length}, (int)length % size);
}

static void check_steps(unsigned pairs, int reductions)
{
    counted_reset();
    check_call(rcuinfo_mpi_bcast, (struct kind){pairs, 2, 30}, 0);
    int counts[] = {atomic_load(&counted.reductions), atomic_load(&counted.broadcasts), atomic_load(&counted.messages)};
    CHECKF(counts[0] == reductions && counts[1] == 1 && counts[2] == 0, "%d, %d, %d", counts[0], counts[1], counts[2]);
}

/* Two reductions and one broadcast where nobody has to find memory, one reduction more where they do. In a merge each
 * process sends once, and receives from no more than its place in the tree says. */
static void steps_grow_with_the_logarithm(void)
{
    int most = rank != 0;
    check_steps(16, 2);
    check_steps(1000, 3);
    for (int step = 1; step < size && rank % (2 * step) == 0; step *= 2)
        most += rank + step < size;
    counted_reset();
    check_call(call_union, (struct kind){90, 3, 40}, 0);
    CHECKF(atomic_load(&counted.messages) <= 3 * most, "%d messages, %d partners", atomic_load(&counted.messages),
           most);
    CHECK(atomic_load(&counted.reductions) <= 3 && atomic_load(&counted.broadcasts) == 1);
}

/* Makes a call that must fail. Only MPI_ERR_ARG leaves the output handle unchanged. */
static void check_refused(call_t *call, rcuinfo_t info, int root, bool null_output, int wanted)
{
    rcuinfo_t got = UNTOUCHED;
    CHECK_MPI(call(info, root, MPI_COMM_WORLD, null_output ? NULL : &got), wanted);
    CHECK(got == (wanted == MPI_ERR_ARG ? UNTOUCHED : RCUINFO_NULL));
}

/* None of these errors may invoke the communicator's error handler, which would end the program. */
static void errors_anywhere(void)
{
    const rcuinfo_t bad[] = {make_stale(), RCUINFO_NULL};
    const int bad_roots[] = {-1, INT_MIN, size, INT_MAX};
    const struct kind kinds[CALLS] = {{2, 1, 3}, {7, 3, 5}, {400, 3, 30}};
    for (int i = 0; i < CALLS; i++) {
        rcuinfo_t info = make_of(rank, kinds[i]);
        for (int where = 0; where < size; where++) {
            check_refused(calls[i], rank == where ? bad[where % 2] : info, where, false, MPI_ERR_INFO);
            check_refused(calls[i], info, 0, rank == where, MPI_ERR_ARG);
        }
        free_info(info);
    }
    rcuinfo_t info = make_of(0, kinds[0]), got;
    for (int n = 0; n < 4; n++)
        check_refused(rcuinfo_mpi_bcast, info, rank == n % size ? bad_roots[n] : 0, false, MPI_ERR_ROOT);
    check_refused(rcuinfo_mpi_bcast, info, rank == 0, false, MPI_ERR_ROOT);
    /* Only the root's info counts. */
    CHECK_MPI(rcuinfo_mpi_bcast(rank == 1 ? info : bad[rank % 2], 1, MPI_COMM_WORLD, &got), MPI_SUCCESS);
    check_same(got, info);
    free_info(got);
    free_info(info);
}

int main(void)
{
    return RUN(MPI_THREAD_SINGLE, infos_of_every_size, more_than_one_part, lengths_around_a_small_packet,
               steps_grow_with_the_logarithm, errors_anywhere);
}
