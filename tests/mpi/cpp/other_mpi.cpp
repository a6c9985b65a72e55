/* SPDX-License-Identifier: BSD-3-Clause */
/* other_mpi: a second translation unit that uses both C++ headers, mpi.h first; see test_mpi_info.cpp. */
#define MPICH_SKIP_MPICXX 1
#define OMPI_SKIP_MPICXX  1
#include <mpi.h>
#include <rcuinfo/mpi_info.hpp>
#include <rcuinfo/rcuinfo.hpp>
#include <rcuinfo/mpi_info.hpp>
#include <rcuinfo/rcuinfo.hpp>

namespace
{
const MPI::Info early = MPI::INFO_NULL;
}

bool other_has_null_at(const MPI::Info *null)
{
    return null == &MPI::INFO_NULL;
}

MPI::Info other_early_null()
{
    return early;
}

void other_delete(MPI::Info info, const char *key)
{
    info.Delete(key);
}
