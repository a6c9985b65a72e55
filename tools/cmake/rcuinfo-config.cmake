# SPDX-License-Identifier: BSD-3-Clause
# find_package(rcuinfo): rcuinfo::rcuinfo (native interface), rcuinfo::rcuinfo_static (the same as an archive; what it
# needs of liburcu is linked by name), rcuinfo::rcuinfo_mpi (standard ABI), and, where they were built,
# rcuinfo::rcuinfo_mpi_fortran (standard ABI for Fortran), the interposers rcuinfo::rcuinfo_mpich,
# rcuinfo::rcuinfo_openmpi and, always, rcuinfo::rcuinfo_mpi_abi, and the collective libraries
# rcuinfo::rcuinfo_collective_mpich and rcuinfo::rcuinfo_collective_openmpi, which bring no MPI along.
# Of the archive. FindThreads refuses a project in Fortran alone, which has no use for it.
if(CMAKE_C_COMPILER_LOADED OR CMAKE_CXX_COMPILER_LOADED)
    include(CMakeFindDependencyMacro)
    find_dependency(Threads)
endif()
include("${CMAKE_CURRENT_LIST_DIR}/rcuinfo-targets.cmake")
