/* SPDX-License-Identifier: BSD-3-Clause */
/* adopt: copies infos that the real library returns into the store. */
#pragma once

#include "mpi/interpose/interpose.h"

/*
 * Copies a real info into the store, and frees it, also on errors. Returns MPI_SUCCESS, or the code of an error that
 * has been raised already; then *info is not written.
 */
int rcuinfo__adopt(MPI_Info real, MPI_Info *info, rcuinfo__interpose_done_t done, const char *function);

/* Adds the pairs of the real library's MPI_INFO_ENV that ours lacks. MPI must be initialized. */
void rcuinfo__adopt_env(void);
