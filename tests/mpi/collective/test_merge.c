/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rcuinfo_mpi_union and rcuinfo_mpi_intersection against merging all infos one by one, in the order of the ranks. Each
 * process can make every rank's info for itself.
 */
#include "collective/collective.h"
#include "support/random.h"

typedef int merge_t(rcuinfo_t info, MPI_Comm comm, rcuinfo_t *newinfo);

/* Infos of one kind: up to `pairs` pairs out of that many keys and some, with few values. Those that all have, at least
 * two of three, have the same value with all, so that an intersection leaves something. */
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
        unsigned number = random_below(&random, kind.pairs + 3);
        (void)snprintf(key, sizeof key, "key %u", number);
        (void)snprintf(value, sizeof value, "%u%*s", number % 3 ? 0 : random_below(&random, kind.values),
                       (int)kind.length, "");
        CHECK_OK(rcuinfo_set(info, key, value));
    }
    return info;
}

/* One more info, merged by single calls. */
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

static rcuinfo_t merge_one_by_one(struct kind kind, bool intersect)
{
    rcuinfo_t all = make_of(0, kind);
    for (int r = 1; r < size; r++) {
        rcuinfo_t other = make_of(r, kind);
        merge_into(all, other, intersect);
        free_info(other);
    }
    return all;
}

static void check_merge(struct kind kind, bool intersect)
{
    rcuinfo_t mine = make_of(rank, kind), before, got = UNTOUCHED, wanted = merge_one_by_one(kind, intersect);
    CHECK_OK(rcuinfo_dup(mine, &before));
    CHECK_MPI((intersect ? rcuinfo_mpi_intersection : rcuinfo_mpi_union)(mine, MPI_COMM_WORLD, &got), MPI_SUCCESS);
    check_same(got, wanted);
    check_same(mine, before);
    CHECK_OK(rcuinfo_set(got, "key 0", "of its own"));
    free_info(got);
    free_info(mine);
    free_info(before);
    free_info(wanted);
}

static void infos_of_every_size(void)
{
    const struct kind kinds[] = {{0, 1, 0}, {1, 2, 1}, {7, 3, 5}, {40, 2, 20}, {90, 3, 40}, {1500, 2, 10}};
    for (size_t n = 0; n < sizeof kinds / sizeof kinds[0]; n++) {
        check_merge(kinds[n], false);
        check_merge(kinds[n], true);
    }
}

static void more_than_one_part(void)
{
    check_merge((struct kind){1500, 1, 1000}, false);
    check_merge((struct kind){1500, 1, 1000}, true);
}

/* Each process sends once, and receives from no more than its place in the tree says. */
static void steps_grow_with_the_logarithm(void)
{
    int most = 0;
    counted_reset();
    check_merge((struct kind){90, 3, 40}, false);
    for (int step = 1; step < size && rank % (2 * step) == 0; step *= 2)
        most += rank + step < size;
    most += rank != 0;
    CHECKF(atomic_load(&counted.messages) <= 3 * most, "%d messages, %d partners", atomic_load(&counted.messages),
           most);
    CHECK(atomic_load(&counted.reductions) <= 3 && atomic_load(&counted.broadcasts) == 1);
}

/* Of a key with several values the lowest rank's counts; pairs that only one has are there in the order of ranks. */
static void order_and_conflicts(void)
{
    rcuinfo_t info = make_info(), wanted = make_info(), got = UNTOUCHED;
    char text[16];
    (void)snprintf(text, sizeof text, "%d", rank);
    CHECK_OK(rcuinfo_set(info, "mine", text));
    CHECK_OK(rcuinfo_set(info, text, "mine"));
    if (rank != 0)
        CHECK_OK(rcuinfo_set(info, "not of rank 0", text));
    CHECK_OK(rcuinfo_set(wanted, "mine", "0"));
    for (int r = 0; r < size; r++) {
        (void)snprintf(text, sizeof text, "%d", r);
        CHECK_OK(rcuinfo_set(wanted, text, "mine"));
        if (r == 1)
            CHECK_OK(rcuinfo_set(wanted, "not of rank 0", "1"));
    }
    CHECK_MPI(rcuinfo_mpi_union(info, MPI_COMM_WORLD, &got), MPI_SUCCESS);
    check_same(got, wanted);
    free_info(got);
    free_info(info);
    free_info(wanted);
}

/* A value that begins like another is not the same. */
static void one_value_begins_another(void)
{
    rcuinfo_t info = make_info(), got = UNTOUCHED;
    int nkeys;
    CHECK_OK(rcuinfo_set(info, "a", rank == 0 ? "1" : "10"));
    CHECK_MPI(rcuinfo_mpi_intersection(info, MPI_COMM_WORLD, &got), MPI_SUCCESS);
    CHECK_OK(rcuinfo_get_nkeys(got, &nkeys));
    CHECK(nkeys == 0);
    free_info(got);
    free_info(info);
}

static void check_errors(merge_t *merge, struct kind kind)
{
    rcuinfo_t info = make_of(rank, kind), stale = make_stale(), got;
    for (int where = 0; where < size; where++) {
        got = UNTOUCHED;
        CHECK_MPI(merge(rank == where ? stale : info, MPI_COMM_WORLD, &got), MPI_ERR_INFO);
        CHECK(got == RCUINFO_NULL);
        got = UNTOUCHED;
        CHECK_MPI(merge(info, MPI_COMM_WORLD, rank == where ? NULL : &got), MPI_ERR_ARG);
        CHECK(got == UNTOUCHED);
    }
    free_info(info);
}

static void errors_anywhere(void)
{
    check_errors(rcuinfo_mpi_union, (struct kind){7, 3, 5});
    check_errors(rcuinfo_mpi_intersection, (struct kind){400, 3, 30});
}

int main(void)
{
    const struct test_case cases[] = {
        CASE(infos_of_every_size), CASE(more_than_one_part),       CASE(steps_grow_with_the_logarithm),
        CASE(order_and_conflicts), CASE(one_value_begins_another), CASE(errors_anywhere),
    };
    return RUN(MPI_THREAD_SINGLE, cases);
}
