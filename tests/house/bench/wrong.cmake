# SPDX-License-Identifier: BSD-3-Clause
# Runs PROGRAM with ARGUMENTS under LIBRARY, which makes the MISTAKE: ends with 1 and says why. And with no mistake to
# make: ends with 0.
foreach(mistake none ${MISTAKE})
    execute_process(COMMAND ${CMAKE_COMMAND} -E env LD_PRELOAD=${LIBRARY} BENCH_MISTAKE=${mistake}
        ${PROGRAM} ${ARGUMENTS} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE errors)
    if(NOT "${mistake}:${result}:${errors}" MATCHES "^none:0:|^[^n].*:1:.*(wrong value|not what it should be)")
        message(FATAL_ERROR "${PROGRAM}, mistake \"${mistake}\": status ${result}\n${output}${errors}")
    endif()
endforeach()
