# SPDX-License-Identifier: BSD-3-Clause
# find_package(rcuinfo): rcuinfo::rcuinfo (native interface), rcuinfo::rcuinfo_mpi (standard ABI), and the interposers
# rcuinfo::rcuinfo_mpich and rcuinfo::rcuinfo_openmpi where they were built.
include("${CMAKE_CURRENT_LIST_DIR}/rcuinfo-targets.cmake")
