# SPDX-License-Identifier: BSD-3-Clause
# Writes OUTPUT, a header with the commit of SOURCE, if that has changed. Runs at each build.
cmake_minimum_required(VERSION 3.21)
set(commit unknown)
find_program(GIT git)
if(GIT)
    execute_process(COMMAND ${GIT} -C ${SOURCE} describe --always --dirty --abbrev=12
        OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed ERROR_QUIET)
    if(NOT failed AND described)
        set(commit ${described})
    endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#define BENCH_COMMIT \"@commit@\"\n" @ONLY)
