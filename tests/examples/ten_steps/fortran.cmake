# SPDX-License-Identifier: BSD-3-Clause
# The ten steps in Fortran, by each interface; included by the folder above.
if(NOT TARGET rcuinfo_mpi_fortran)
    return()
endif()
foreach(interface IN ITEMS 77 use f08)
    set(target ten_steps_${interface})
    set(source ${CMAKE_CURRENT_LIST_DIR}/${target}.f90)
    set(standard -Wpedantic -std=f2018)
    if(interface STREQUAL 77)
        set(source ${CMAKE_CURRENT_LIST_DIR}/${target}.f)
        set(standard -std=legacy)
    endif()
    add_executable(${target} ${source})
    # Linked as C, so that the run-time library of a sanitizer is that of the library under test.
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE C)
    target_compile_options(${target} PRIVATE ${RCUINFO_FORTRAN_FLAGS} ${standard})
    target_link_libraries(${target} PRIVATE rcuinfo_mpi_fortran)
    target_link_options(${target} PRIVATE $<TARGET_PROPERTY:rcuinfo_flags,INTERFACE_LINK_OPTIONS>)
    add_test(NAME examples.${target} COMMAND sh -c [[output=$("$1") && printf '%s\n' "$output" | diff "$2" -]] sh
        $<TARGET_FILE:${target}> ${CMAKE_CURRENT_LIST_DIR}/expected.txt)
    set_tests_properties(examples.${target} PROPERTIES TIMEOUT 60)
endforeach()
