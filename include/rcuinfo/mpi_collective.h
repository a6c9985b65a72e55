/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file mpi_collective.h
 * Infos across the processes of a communicator, over MPICH or Open MPI.
 *
 * Link librcuinfo_collective_mpich or librcuinfo_collective_openmpi, and librcuinfo behind it (pkg-config
 * rcuinfo-collective-mpich, -openmpi, which bring the MPI library too; CMake's rcuinfo::rcuinfo_collective_mpich,
 * _openmpi). Include that library's mpi.h first.
 *
 * Infos are native objects; rcuinfo_from_mpi and rcuinfo_to_mpi (mpi_compat.h) turn an interposed MPI_Info into one and
 * back. All calls are collective over an intracommunicator, and take a number of steps that grows with the logarithm of
 * its size. The library talks on a duplicate of the communicator, which it makes at the first call and keeps as an
 * attribute, so nothing meets the program's own messages. It is made by MPI_Comm_dup, which asks the copy callbacks of
 * the attributes that the program has set by then.
 *
 * Errors: the class of an MPI error code. What goes wrong with an info or an argument on any process is returned on
 * every one, at the same call, and nobody is left waiting; where processes have met different errors all return one of
 * these. MPI_ERR_COMM says that comm is MPI_COMM_NULL or an intercommunicator. An error of MPI itself goes to the error
 * handler of the duplicate, which it has from the communicator as that was at the first call, and what the handler lets
 * through is returned, on this process, as the code that it is, of which MPI_Error_class gives the class.
 *
 * Threads: as for every collective call of MPI, calls on one communicator are one at a time, and come in the same order
 * on all its processes; at MPI_THREAD_MULTIPLE calls on different ones may run at once. MPI has to be initialized and
 * not finalized. The duplicate is freed with its communicator, that of MPI_COMM_WORLD and MPI_COMM_SELF at the
 * beginning of MPI_Finalize; in a session a communicator has to be freed before the session ends, as MPI wants it.
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
 * Gives every process a new info with the pairs that root's has, of one version and in the same order.
 * @param info counts at root only
 * @param root the same rank on every process
 * @param comm an intracommunicator
 * @param[out] newinfo also at root; RCUINFO_NULL on any error but MPI_ERR_ARG
 * @return MPI_SUCCESS; MPI_ERR_ARG: newinfo is NULL somewhere; MPI_ERR_ROOT: none of comm, or not the same on all;
 *         MPI_ERR_INFO: root's is no live object; MPI_ERR_NO_MEM; MPI_ERR_COMM: MPI_COMM_NULL, or an intercommunicator.
 *         Also what MPI returns
 */
RCUINFO_CHECKED int rcuinfo_mpi_bcast(rcuinfo_t info, int root, MPI_Comm comm, rcuinfo_t *newinfo);

/** A key on whose value not all processes agree. */
typedef struct rcuinfo_disagreement {
    char key[RCUINFO_MAX_KEY]; /**< NUL-terminated, as the values are */
    int majority;              /**< processes that have the value of more than half of them; 0: there is none such */
    int rank;                  /**< the lowest rank that has the majority's value; without a majority, rank 0 */
    int present;               /**< whether the key is in that rank's info */
    int odd;         /**< processes whose value is another one than that rank's, or who alone have it or lack it */
    int odd_rank;    /**< the lowest of their ranks */
    int odd_present; /**< whether the key is in that one's info */
    char value[RCUINFO_MAX_VALUE];     /**< at rank; "" when not present */
    char odd_value[RCUINFO_MAX_VALUE]; /**< at odd_rank; "" when not present */
} rcuinfo_disagreement_t;

/**
 * Checks that keys have the same value, or are absent, on all processes. Values are compared by a 64-bit hash of one
 * version of each info.
 * @param info this process's, any object
 * @param keys n of them, the same in the same order on every process; may be NULL when n is 0
 * @param n how many there are
 * @param root who is told about the disagreements
 * @param comm an intracommunicator
 * @param[out] agree 1 on every process when all agree on all keys; else 0
 * @param[in,out] room at root, in: how many entries `disagreements` has; out: how many keys are not agreed on. Not
 * looked at elsewhere
 * @param[out] disagreements at root: of the first `room` keys that are not agreed on, in the order of keys; may be NULL
 * when room is 0. Not looked at elsewhere
 * @return MPI_SUCCESS, also when they do not agree; on errors no output is written. MPI_ERR_ARG: a NULL pointer, or
 * keys that differ from process to process; MPI_ERR_INFO_KEY: a key is NULL, empty or too long; MPI_ERR_ROOT: none of
 * comm, or not the same on all; MPI_ERR_INFO; MPI_ERR_NO_MEM; MPI_ERR_COMM: MPI_COMM_NULL, or an intercommunicator.
 * Also what MPI returns
 */
RCUINFO_CHECKED int rcuinfo_mpi_agree(rcuinfo_t info, const char *const keys[], size_t n, int root, MPI_Comm comm,
                                      int *agree, size_t *room, rcuinfo_disagreement_t disagreements[]);

/** The same of every key that the schema declares to be RCUINFO_HINT_SAME, in its order. schema NULL: MPI_ERR_ARG. */
RCUINFO_CHECKED int rcuinfo_mpi_agree_schema(rcuinfo_t info, const rcuinfo_schema_t *schema, int root, MPI_Comm comm,
                                             int *agree, size_t *room, rcuinfo_disagreement_t disagreements[]);

/**
 * Gives every process a new info with every pair that any process has; of a key with several values that of the lowest
 * rank. The order is that of rank 0, then what each next rank has more.
 * @param info this process's, any object
 * @param comm an intracommunicator
 * @param[out] newinfo RCUINFO_NULL on any error but MPI_ERR_ARG
 * @return MPI_SUCCESS; MPI_ERR_ARG: newinfo is NULL somewhere; MPI_ERR_INFO; MPI_ERR_NO_MEM; MPI_ERR_COMM:
 *         MPI_COMM_NULL, or an intercommunicator. Also what MPI returns
 */
RCUINFO_CHECKED int rcuinfo_mpi_union(rcuinfo_t info, MPI_Comm comm, rcuinfo_t *newinfo);

/** The same with the pairs, key and value, that every process has, in the order of rank 0. */
RCUINFO_CHECKED int rcuinfo_mpi_intersection(rcuinfo_t info, MPI_Comm comm, rcuinfo_t *newinfo);

#ifdef __cplusplus
}
#endif

#endif
