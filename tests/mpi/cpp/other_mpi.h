/* SPDX-License-Identifier: BSD-3-Clause */
/* other_mpi: a second translation unit that uses both C++ headers, mpi.h first; see test_mpi_info.cpp. */
#ifndef TESTS_CPP_OTHER_MPI_H
#define TESTS_CPP_OTHER_MPI_H

#include <rcuinfo/mpi_info.hpp>
#include <rcuinfo/rcuinfo.hpp>
#include <rcuinfo/mpi_info.hpp>
#include <rcuinfo/rcuinfo.hpp>

/* Whether INFO_NULL is the same object in both units. */
bool other_has_null_at(const MPI::Info *null);

/* The value of INFO_NULL during static initialization of the other unit. */
MPI::Info other_early_null();

/* Deletes a key in the other unit, so that its exception crosses the units. */
void other_delete(MPI::Info info, const char *key);

#endif
