/* SPDX-License-Identifier: BSD-3-Clause */
/* other_mpi: a second translation unit that uses both C++ headers, mpi.h first; see test_mpi_info.cpp. */
#ifndef TESTS_CPP_OTHER_MPI_H
#define TESTS_CPP_OTHER_MPI_H

#include <rcuinfo/mpi_info.hpp>
#include <rcuinfo/rcuinfo.hpp>
#include <rcuinfo/mpi_info.hpp>
#include <rcuinfo/rcuinfo.hpp>

/* Whether INFO_NULL is one object in both units. */
bool other_has_null_at(const MPI::Info *null);

/* INFO_NULL as it was when the other unit was initialized. */
MPI::Info other_early_null();

/* Throws what deleting this key throws. */
void other_delete(MPI::Info info, const char *key);

#endif
