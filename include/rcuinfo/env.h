/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file env.h
 * What is known of how this process was started: the construction of MPI_INFO_ENV.
 *
 * Keys, in this order, each only where known:
 * - command; argv, the arguments after the command, joined by one blank each, with blanks, empty arguments and all
 *   other bytes inside them as they are (so the list cannot be had back from it), and absent when there are none;
 * - maxprocs and soft, both the number of processes of the job; host; arch, as uname -m says;
 * - wdir, the directory that the process was started in; file, with more about how the job was started;
 * - thread_level, the name of the level that was asked for before the program began: what the program itself asks for,
 *   by MPI_Init_thread or for a session, does not count.
 *
 * Sources, the first that has it:
 * - command, argv: the caller's arguments; the process's own command line; OMPI_COMMAND, OMPI_ARGV.
 * - maxprocs, soft: OMPI_COMM_WORLD_SIZE; PMI_SIZE; SLURM_STEP_NUM_TASKS; SLURM_NTASKS; 1 without any launcher. Absent
 *   with a launcher that does not say (Hydra with -pmi-port, a PMIx server alone), and where the environment cannot be
 *   read.
 * - host: PMIX_HOSTNAME; MPIR_CVAR_CH3_INTERFACE_HOSTNAME (Hydra), PMI_HOSTNAME (Hydra since MPICH 5); SLURMD_NODENAME;
 *   uname.
 * - wdir: OMPI_MCA_initial_wdir; the directory at load.
 * - file: OMPI_MCA_orte_default_hostfile; SLURM_HOSTFILE.
 * - thread_level: OMPI_MPI_THREAD_LEVEL, a number from 0 (MPI_THREAD_SINGLE) to 3; MPIR_CVAR_DEFAULT_THREAD_LEVEL, the
 *   name of a level in upper or lower case.
 *
 * A number counts from 1 to 999,999,999, a directory when it begins with a slash, any other variable when it is not
 * empty. Environment, command line, directory and system are those with which the process was loaded (or, for a library
 * that is loaded later, those of that time): they are read once, so no later setenv, chdir or change of argv shows, or
 * races. Equal arguments give equal pairs therefore, at any time and in any thread: before MPI is initialized, after it
 * and after it is finalized. A value that is longer than the limit is cut at the limit. Source: MPI-4.0,
 * MPI_INFO_CREATE_ENV and section 11.2.1 (MPI_INFO_ENV).
 *
 * MPI_INFO_ENV says the same as MPI_Info_create_env(0, NULL, ...). From MPI_Init on, Open MPI's also has, behind that,
 * the keys that Open MPI's own has more ("ompi_np", ...); they come in one version.
 */
#ifndef RCUINFO_ENV_H
#define RCUINFO_ENV_H

#include <rcuinfo/info.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Makes a new object that describes this process.
 * @param argc number of arguments, the command included; 0: the process's own command line serves
 * @param argv argc strings, with or without a NULL behind them; may be NULL when argc is 0
 * @param[out] info an ordinary object of the caller's; RCUINFO_NULL on ERR_NO_MEM
 * @return SUCCESS; ERR_ARG: argc negative, argv or one of its strings NULL with argc > 0, info NULL; ERR_NO_MEM, also
 *         when there was no memory or descriptor for reading at load, and is none now
 * Threads: any thread at any time, constructors and destructors included; errno and cancellation state are left alone,
 * and it is no cancellation point. argv must not change during the call. May block, as rcuinfo_create and rcuinfo_set.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_create_env(int argc, char *argv[], rcuinfo_t *info);

/**
 * The read-only object that describes this process as rcuinfo_create_env(0, NULL) does: set, delete, update and free on
 * it give RCUINFO_ERR_INFO, a dup of it is ordinary. The same handle in every call of the process; RCUINFO_NULL when
 * there was no memory to make the object, which the next call tries again.
 * Threads: as rcuinfo_create_env; wait-free once the object is made.
 */
RCUINFO_API rcuinfo_t rcuinfo_env(void);

#ifdef __cplusplus
}
#endif

#endif
