# SPDX-License-Identifier: BSD-3-Clause
# Broken copies of the library's sources, for tests that must find out.

# rcuinfo_breed(OUT NAME CHANGES): copies the folders of lib to the folder NAME of the current build folder and makes
# CHANGES there, a list of FILE and SED by turns: a sed script, or the absolute path of one, which must change the file.
# OUT: the sources to be compiled, with that folder as the first one to be searched for headers.
function(rcuinfo_breed out name changes)
    set(lib ${CMAKE_CURRENT_BINARY_DIR}/${name})
    set(sources ${RCUINFO_SOURCES})
    list(TRANSFORM sources PREPEND ${lib}/)
    file(GLOB_RECURSE inputs CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lib/*.[ch])
    foreach(change IN LISTS changes)
        if(IS_ABSOLUTE "${change}" AND EXISTS "${change}")
            list(APPEND inputs ${change})
        endif()
    endforeach()
    add_custom_command(OUTPUT ${sources}
        COMMAND ${PROJECT_SOURCE_DIR}/tests/concurrent/canary/breed ${PROJECT_SOURCE_DIR}/lib ${lib} ${changes}
        DEPENDS ${inputs} ${PROJECT_SOURCE_DIR}/tests/concurrent/canary/breed VERBATIM)
    set(${out} ${sources} PARENT_SCOPE)
endfunction()
