/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file env.h
 * Descriptions of how this process was started: the contents of MPI_INFO_ENV.
 *
 * Keys, in this order, each only if known:
 * - command; argv, the arguments after the command, joined by single blanks without any quoting (so they cannot be
 *   split again), absent if there are none;
 * - maxprocs and soft, both the number of processes of the job; host; arch, as printed by uname -m;
 * - wdir, the directory in which the process was started; file, which has more about the start of the job;
 * - thread_level, the name of the level requested before the program began. What the program itself requests, by
 *   MPI_Init_thread or for a session, does not count.
 *
 * Sources; the first that has an answer counts:
 * - command, argv: the caller's arguments; the process's own command line; OMPI_COMMAND, OMPI_ARGV.
 * - maxprocs, soft: OMPI_COMM_WORLD_SIZE; PMI_SIZE; SLURM_STEP_NUM_TASKS; SLURM_NTASKS; 1 without any launcher. Absent
 *   with a launcher that does not provide the number (Hydra with -pmi-port, a PMIx server alone), and if the
 *   environment cannot be read.
 * - host: PMIX_HOSTNAME; MPIR_CVAR_CH3_INTERFACE_HOSTNAME (Hydra), PMI_HOSTNAME (Hydra since MPICH 5); SLURMD_NODENAME;
 *   uname.
 * - wdir: OMPI_MCA_initial_wdir; the directory at load.
 * - file: OMPI_MCA_orte_default_hostfile; SLURM_HOSTFILE.
 * - thread_level: OMPI_MPI_THREAD_LEVEL, a number from 0 (MPI_THREAD_SINGLE) to 3; MPIR_CVAR_DEFAULT_THREAD_LEVEL, the
 *   name of a level in upper or lower case.
 *
 * A number must be from 1 to 999,999,999, a directory must begin with a slash, and any other variable must not be
 * empty, else the source is skipped. Environment, command line, directory and system are read once, when the library is
 * loaded, so a later setenv, chdir or change of argv neither shows nor races. Hence equal arguments give equal pairs,
 * at any time and in any thread: before MPI is initialized, after that, and after it is finalized. A value that is
 * longer than the limit is cut. Source: MPI-4.0, MPI_INFO_CREATE_ENV and section 11.2.1 (MPI_INFO_ENV).
 *
 * MPI_INFO_ENV has the same pairs as MPI_Info_create_env(0, NULL, ...). On Open MPI, MPI_Init appends the further keys
 * of Open MPI's own MPI_INFO_ENV ("ompi_np", ...), all in one version.
 *
 * @code{.c}
 * #include <stdio.h>
 * #include <rcuinfo/env.h>
 * #include <rcuinfo/value.h>
 *
 * int main(void)
 * {
 *     char *arguments[] = {"solver", "-n", "100"};
 *     char value[RCUINFO_MAX_VALUE];
 *     rcuinfo_t info;
 *     int found, processes;
 *
 *     if (rcuinfo_env_create(3, arguments, &info))
 *         return 1;
 *     if (rcuinfo_get(info, "argv", sizeof value - 1, value, &found))
 *         return 1;
 *     if (found)
 *         printf("%s\n", value); // prints: -n 100
 *     if (rcuinfo_free(&info))
 *         return 1;
 *
 *     // This one is not freed. Without a launcher there is one process.
 *     if (rcuinfo_get_int(rcuinfo_env(), "maxprocs", &processes, NULL))
 *         return 1;
 *     printf("%d\n", processes); // prints: 1
 *     return 0;
 * }
 * @endcode
 */
#ifndef RCUINFO_ENV_H
#define RCUINFO_ENV_H

#include <stddef.h>
#include <rcuinfo/update.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Creates an object that describes this process.
 * @param argc number of arguments, the command included; 0: use the process's own command line
 * @param argv argc strings, need not end with NULL; may be NULL if argc is 0
 * @param[out] info an ordinary object, which the caller frees; RCUINFO_NULL on ERR_NO_MEM
 * @return SUCCESS; ERR_ARG: argc is negative, info is NULL, or argc > 0 and argv or one of its strings is NULL;
 * ERR_NO_MEM, also if memory or file descriptors were lacking at load, and still are
 * Threads: any thread at any time, constructors and destructors included. Leaves errno and the cancellation state
 * alone, and is not a cancellation point. argv must not change during the call. May block, like rcuinfo_create and
 * rcuinfo_set.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_env_create(int argc, char *argv[], rcuinfo_t *info);

/**
 * Returns a read-only object with the pairs of rcuinfo_env_create(0, NULL): set, delete, update and free return
 * RCUINFO_ERR_INFO; a dup of it is an ordinary object. Each call in a process returns the same handle, or RCUINFO_NULL
 * if there is no memory for the object; then the next call tries again.
 * Threads: as rcuinfo_env_create; wait-free once the object exists.
 */
RCUINFO_API rcuinfo_t rcuinfo_env(void);

/**
 * Adds pairs to the object of rcuinfo_env, all in one version, or replaces such. For an MPI library that contains the
 * store and whose MPI_INFO_ENV has keys of its own, e.g. the number of network interfaces that it found.
 * @param pairs their values are not NULL; may be NULL if n is 0
 * @param n number of pairs
 * @return SUCCESS; ERR_ARG: pairs is NULL and n is not 0; ERR_KEY, also for the keys that rcuinfo_env_create gives;
 * ERR_VALUE; ERR_NO_MEM. On errors nothing is added.
 * Threads: as rcuinfo_env_create.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_env_add(const rcuinfo_change_t *pairs, size_t n);

#ifdef __cplusplus
}
#endif

#endif
