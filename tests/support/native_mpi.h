/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * native_mpi: the names of MPI for the native interface, so that it shares test sources with the MPI layers.
 */
#pragma once

#include <rcuinfo/rcuinfo.h>

typedef rcuinfo_t MPI_Info;

#define MPI_INFO_NULL    RCUINFO_NULL
#define MPI_INFO_ENV     (rcuinfo_env())
#define MPI_MAX_INFO_KEY RCUINFO_MAX_KEY
#define MPI_MAX_INFO_VAL RCUINFO_MAX_VALUE

#define MPI_SUCCESS        RCUINFO_SUCCESS
#define MPI_ERR_ARG        RCUINFO_ERR_ARG
#define MPI_ERR_INFO       RCUINFO_ERR_INFO
#define MPI_ERR_INFO_KEY   RCUINFO_ERR_KEY
#define MPI_ERR_INFO_VALUE RCUINFO_ERR_VALUE
#define MPI_ERR_INFO_NOKEY RCUINFO_ERR_NOKEY
#define MPI_ERR_NO_MEM     RCUINFO_ERR_NO_MEM

#define MPI_Info_create       rcuinfo_create
#define MPI_Info_create_env   rcuinfo_env_create
#define MPI_Info_set          rcuinfo_set
#define MPI_Info_delete       rcuinfo_delete
#define MPI_Info_get          rcuinfo_get
#define MPI_Info_get_valuelen rcuinfo_get_valuelen
#define MPI_Info_get_string   rcuinfo_get_string
#define MPI_Info_get_nkeys    rcuinfo_get_nkeys
#define MPI_Info_get_nthkey   rcuinfo_get_nthkey
#define MPI_Info_dup          rcuinfo_dup
#define MPI_Info_free         rcuinfo_free
