# SPDX-License-Identifier: BSD-3-Clause
# Patched copies of the library's sources, for tests that must find the defect.

# rcuinfo_patch(OUT NAME PATCHES): copies the folders of lib to the folder NAME of the current build folder and applies
# PATCHES there, a list that alternates FILE and SED: a sed script, or the absolute path of one, which must change the
# file. OUT: the sources to compile, with that folder as the first one to be searched for headers.
function(rcuinfo_patch out name patches)
    set(lib ${CMAKE_CURRENT_BINARY_DIR}/${name})
    set(sources ${RCUINFO_SOURCES})
    list(TRANSFORM sources PREPEND ${lib}/)
    file(GLOB_RECURSE inputs CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lib/*.[ch])
    foreach(patch IN LISTS patches)
        if(IS_ABSOLUTE "${patch}" AND EXISTS "${patch}")
            list(APPEND inputs ${patch})
        endif()
    endforeach()
    add_custom_command(OUTPUT ${sources}
        COMMAND ${PROJECT_SOURCE_DIR}/tests/concurrent/canary/patch ${PROJECT_SOURCE_DIR}/lib ${lib} ${patches}
        DEPENDS ${inputs} ${PROJECT_SOURCE_DIR}/tests/concurrent/canary/patch VERBATIM)
    set(${out} ${sources} PARENT_SCOPE)
endfunction()
