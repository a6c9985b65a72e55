/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the one process whose hints differ. All processes have the same hints, except that process RANK has another
 * value for one key and lacks another key. Rank 0 prints its rank. If no process has that rank, all agree.
 *
 * usage: mpirun -n 8 agree RANK
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <rcuinfo/mpi_collective.h>
#include <rcuinfo/rcuinfo.h>

enum { KEYS = 3 };

static void check(int code, const char *what)
{
    if (code != MPI_SUCCESS) {
        fprintf(stderr, "agree: %s: %d\n", what, code);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static rcuinfo_t make_hints(int odd)
{
    rcuinfo_t info;
    if (rcuinfo_create(&info) || rcuinfo_set(info, "cb_nodes", odd ? "8" : "4") ||
        rcuinfo_set(info, "access_style", "read_once") || (!odd && rcuinfo_set(info, "no_locks", "true")))
        check(MPI_ERR_OTHER, "cannot create the info");
    return info;
}

static void print_value(int present, const char *value)
{
    printf(present ? "has \"%s\"" : "does not have it", value);
}

static void print(const rcuinfo_disagreement_t *one, int size)
{
    printf("%s: rank %d ", one->key, one->odd_rank);
    print_value(one->odd_present, one->odd_value);
    printf("; rank %d", one->rank);
    if (one->majority > 0)
        printf(", with %d of %d,", one->majority, size);
    putchar(' ');
    print_value(one->present, one->value);
    putchar('\n');
}

int main(int argc, char *argv[])
{
    static const char *const keys[KEYS] = {"access_style", "cb_nodes", "no_locks"};
    rcuinfo_disagreement_t disagreements[KEYS];
    size_t found;
    int rank, size, agree;
    check(MPI_Init(&argc, &argv), "MPI_Init");
    check(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
    check(MPI_Comm_size(MPI_COMM_WORLD, &size), "MPI_Comm_size");
    rcuinfo_t info = make_hints(argc > 1 && atoi(argv[1]) == rank);
    check(rcuinfo_mpi_agree(info, keys, KEYS, 0, MPI_COMM_WORLD, &agree, disagreements, KEYS, &found),
          "rcuinfo_mpi_agree");
    for (size_t n = 0; rank == 0 && n < found; n++)
        print(&disagreements[n], size);
    if (rank == 0 && agree)
        printf("all %d agree\n", size);
    return rcuinfo_free(&info) != RCUINFO_SUCCESS || MPI_Finalize() != MPI_SUCCESS;
}
