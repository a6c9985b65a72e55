/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file env.h
 * What is known of how this process was started: the construction of MPI_INFO_ENV.
 *
 * Keys, in this order, each only where known: command, argv (the arguments after the command, joined by single blanks;
 * absent when there are none), maxprocs, soft, host, arch, wdir, file, thread_level. Sources, the first that has it:
 * the caller's arguments; the launcher's environment (so far for maxprocs and soft, the number of processes:
 * OMPI_COMM_WORLD_SIZE, PMI_SIZE, SLURM_NTASKS; without a launcher they are 1); the operating system. Nothing tells
 * file and thread_level yet. Environment, command line and directory are those with which the process was loaded: they
 * are read once, so a later setenv or chdir neither shows nor races. A value that is longer than the limit is cut at
 * the limit. Source: MPI-4.0, MPI_INFO_CREATE_ENV and section 11.2.1 (MPI_INFO_ENV).
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
 * @return SUCCESS; ERR_ARG: argc negative, argv or one of its strings NULL with argc > 0, info NULL; ERR_NO_MEM
 * Threads: any thread at any time; errno and cancellation state are left alone. May block in the first call.
 */
RCUINFO_CHECKED rcuinfo_status_t rcuinfo_create_env(int argc, char *argv[], rcuinfo_t *info);

/**
 * The one read-only object of this process that describes it: set, delete, update and free on it give RCUINFO_ERR_INFO,
 * a dup of it is ordinary. The same handle in every call; RCUINFO_NULL when there was no memory to make it.
 * Threads: as rcuinfo_create_env.
 */
RCUINFO_API rcuinfo_t rcuinfo_env(void);

#ifdef __cplusplus
}
#endif

#endif
