# SPDX-License-Identifier: BSD-3-Clause
# Writes OUTPUT, a header with the commit of SOURCE and the variables below, if they have changed. Runs at each build.
cmake_minimum_required(VERSION 3.21)
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12
    OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT COMMIT)
    set(COMMIT unknown)
endif()
foreach(name COMMIT COMPILER BUILD MPIRUN_MPICH MPIRUN_OPENMPI)
    string(APPEND text "#define BENCH_${name} \"${${name}}\"\n")
endforeach()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "${text}" @ONLY)
