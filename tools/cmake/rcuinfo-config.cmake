# SPDX-License-Identifier: BSD-3-Clause
# find_package(rcuinfo) defines these targets: rcuinfo::rcuinfo (native interface), rcuinfo::rcuinfo_static (the same as
# an archive; it links liburcu by name), rcuinfo::rcuinfo_mpi (standard ABI) and the interposer
# rcuinfo::rcuinfo_interpose, to be linked before an MPI; and if they were built, rcuinfo::rcuinfo_mpi_fortran (standard ABI
# for Fortran) and the collective libraries rcuinfo::rcuinfo_collective_mpich and rcuinfo::rcuinfo_collective_openmpi, which
# do not link MPI.

# The archive needs Threads. FindThreads rejects a project in Fortran alone, which cannot use the archive.
if(CMAKE_C_COMPILER_LOADED OR CMAKE_CXX_COMPILER_LOADED)
    include(CMakeFindDependencyMacro)
    find_dependency(Threads)
endif()
include("${CMAKE_CURRENT_LIST_DIR}/rcuinfo-targets.cmake")
