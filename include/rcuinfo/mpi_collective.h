/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file mpi_collective.h
 * Collective operations on infos, over MPICH or Open MPI.
 *
 * Link librcuinfo_collective_mpich or librcuinfo_collective_openmpi, followed by librcuinfo (pkg-config
 * rcuinfo-collective-mpich, -openmpi, which also add the MPI library; in CMake rcuinfo::rcuinfo_collective_mpich,
 * _openmpi). Include the mpi.h of that library first.
 *
 * Infos are native objects; rcuinfo_from_mpi and rcuinfo_to_mpi (mpi_compat.h) convert an interposed MPI_Info to one
 * and back. All calls are collective over an intracommunicator, and the number of their steps is logarithmic in its
 * size. To keep its messages apart from those of the program, the library sends them over a duplicate of the
 * communicator, which it creates at the first call and stores as an attribute. MPI_Comm_dup, by which it does so,
 * invokes the copy callbacks of attributes that the program has set.
 *
 * Errors: calls return the class of an MPI error. If something is wrong with an info or an argument on any process, the
 * same call returns an error on all of them, and no process is left waiting; if the errors differ, all processes return
 * the same one of them. MPI_ERR_COMM: comm is MPI_COMM_NULL or an intercommunicator. Errors of MPI itself invoke the
 * error handler of the duplicate, which is the one that the communicator had at the first call. If that returns, the
 * call returns MPI's error code, on this process only; MPI_Error_class converts it to a class.
 *
 * Threads: as for all collective calls of MPI, only one call at a time may use a communicator, and all its processes
 * must call in the same order. With MPI_THREAD_MULTIPLE, calls on different communicators may run at the same time. MPI
 * must be initialized and not finalized. A duplicate is freed together with its communicator; those of MPI_COMM_WORLD
 * and MPI_COMM_SELF at the beginning of MPI_Finalize. A communicator of a session must be freed before the session is
 * finalized, as MPI requires.
 *
 * @code{.c}
 * #include <stdio.h>
 * #include <mpi.h>
 * #include <rcuinfo/mpi_collective.h>
 *
 * int main(int argc, char *argv[])
 * {
 *     const char *const keys[] = {"cb_nodes"};
 *     rcuinfo_disagreement_t first;
 *     rcuinfo_t info;
 *     size_t found;
 *     int rank, agree;
 *
 *     MPI_Init(&argc, &argv);
 *     MPI_Comm_rank(MPI_COMM_WORLD, &rank);
 *     if (rcuinfo_create(&info) ||
 *         rcuinfo_set(info, "cb_nodes", rank == 1 ? "8" : "4"))
 *         MPI_Abort(MPI_COMM_WORLD, 1);
 *
 *     if (rcuinfo_mpi_agree(info, keys, 1, 0, MPI_COMM_WORLD, &agree,
 *                           &first, 1, &found))
 *         MPI_Abort(MPI_COMM_WORLD, 1);
 *
 *     // With two processes:
 *     // prints: cb_nodes is 8 at rank 1
 *     if (rank == 0 && found > 0)
 *         printf("%s is %s at rank %d\n", first.key, first.odd_value,
 *                first.odd_rank);
 *
 *     if (rcuinfo_free(&info))
 *         MPI_Abort(MPI_COMM_WORLD, 1);
 *     return MPI_Finalize();
 * }
 * @endcode
 */
#ifndef RCUINFO_MPI_COLLECTIVE_H
#define RCUINFO_MPI_COLLECTIVE_H

#ifndef MPI_INFO_NULL
#error "include mpi.h before rcuinfo/mpi_collective.h"
#endif

#include <stddef.h>
#include <rcuinfo/hints.h>
#include <rcuinfo/info.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Broadcasts an info: creates an object on each process, root included, with the pairs of one version of root's info,
 * in the same order.
 * @param info significant only at root
 * @param root the same rank on every process
 * @param comm an intracommunicator
 * @param[out] newinfo the new object; RCUINFO_NULL on any error except MPI_ERR_ARG
 * @return MPI_SUCCESS; MPI_ERR_ARG: newinfo is NULL on some process; MPI_ERR_ROOT: not a rank of comm, or not the same
 *         on all processes; MPI_ERR_INFO: root's info is not live; MPI_ERR_NO_MEM; MPI_ERR_COMM: MPI_COMM_NULL, or an
 *         intercommunicator; or an error of MPI
 */
RCUINFO_CHECKED int rcuinfo_mpi_bcast(rcuinfo_t info, int root, MPI_Comm comm, rcuinfo_t *newinfo);

/** A key whose value is not the same on all processes. */
typedef struct rcuinfo_disagreement {
    char key[RCUINFO_MAX_KEY]; /**< NUL-terminated, like the values */
    int majority;              /**< if more than half of the processes agree, their number; else 0 */
    int rank;                  /**< the lowest rank of the majority; 0 if there is none */
    int present;               /**< whether the key is in the info of `rank` */
    int odd;         /**< the number of processes that differ from `rank`, in the value or in having the key */
    int odd_rank;    /**< the lowest rank of these */
    int odd_present; /**< whether the key is in the info of `odd_rank` */
    char value[RCUINFO_MAX_VALUE];     /**< at `rank`; "" if not present */
    char odd_value[RCUINFO_MAX_VALUE]; /**< at `odd_rank`; "" if not present */
} rcuinfo_disagreement_t;

/**
 * Checks whether each key has the same value on all processes, or is absent on all of them. Compares 64-bit hashes of
 * the values in one version of each info.
 * @param info the info of this process, any object
 * @param keys n keys, the same on every process and in the same order; may be NULL when n is 0
 * @param n number of keys
 * @param root the rank that gets the disagreements
 * @param comm an intracommunicator
 * @param[out] agree 1 on every process if all agree on all keys; else 0 on every process
 * @param[out] disagreements significant only at root: the first `room` disagreements, in the order of keys; may be NULL
 * when room is 0
 * @param room significant only at root: the number of entries of `disagreements`
 * @param[out] found significant only at root: the number of keys with a disagreement, which may be more than `room`
 * @return MPI_SUCCESS, also if they disagree; on errors no output is written, except that after an error of MPI some of
 * `disagreements` may be. MPI_ERR_ARG: a pointer is NULL, or the keys are not the same on all processes;
 * MPI_ERR_INFO_KEY: a key is NULL, empty or too long; MPI_ERR_ROOT: not a rank of comm, or not the same on all
 * processes; MPI_ERR_INFO; MPI_ERR_NO_MEM; MPI_ERR_COMM: MPI_COMM_NULL, or an intercommunicator; or an error of MPI
 */
RCUINFO_CHECKED int rcuinfo_mpi_agree(rcuinfo_t info, const char *const keys[], size_t n, int root, MPI_Comm comm,
                                      int *agree, rcuinfo_disagreement_t disagreements[], size_t room, size_t *found);

/** Same as rcuinfo_mpi_agree for all keys that the schema declares RCUINFO_FLAG_SAME, in its order. MPI_ERR_ARG also if
 * schema is NULL. */
RCUINFO_CHECKED int rcuinfo_mpi_agree_schema(rcuinfo_t info, const rcuinfo_schema_t *schema, int root, MPI_Comm comm,
                                             int *agree, rcuinfo_disagreement_t disagreements[], size_t room,
                                             size_t *found);

/**
 * Creates an object on each process with all keys that any process has. If a key has several values, that of the lowest
 * rank is taken. First come the pairs of rank 0, in its order, then those that rank 1 adds, and so on.
 * @param info the info of this process, any object
 * @param comm an intracommunicator
 * @param[out] newinfo the new object; RCUINFO_NULL on any error except MPI_ERR_ARG
 * @return MPI_SUCCESS; MPI_ERR_ARG: newinfo is NULL on some process; MPI_ERR_INFO; MPI_ERR_NO_MEM; MPI_ERR_COMM:
 *         MPI_COMM_NULL, or an intercommunicator; or an error of MPI
 */
RCUINFO_CHECKED int rcuinfo_mpi_union(rcuinfo_t info, MPI_Comm comm, rcuinfo_t *newinfo);

/** Same as rcuinfo_mpi_union, but with the pairs (key and value) that all processes have, in the order of rank 0. */
RCUINFO_CHECKED int rcuinfo_mpi_intersection(rcuinfo_t info, MPI_Comm comm, rcuinfo_t *newinfo);

#ifdef __cplusplus
}
#endif

#endif
