# SPDX-License-Identifier: BSD-3-Clause
# Patched copies of the library, with sync points, for tests that must find a defect. The library's own invariant checks
# are left out: they would end some of these programs before the tests detect anything.

# Sets RESULT to a file of lib/ and all headers that it includes, directly or not, at configuration time.
function(rcuinfo_included result file)
    get_property(all GLOBAL PROPERTY rcuinfo_included_${file})
    if(NOT all)
        file(STRINGS ${PROJECT_SOURCE_DIR}/lib/${file} headers REGEX "^ *# *include \"")
        set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS lib/${file})
        list(TRANSFORM headers REPLACE "^[^\"]*\"([^\"]*)\".*" "\\1")
        set(all ${file})
        foreach(header IN LISTS headers)
            rcuinfo_included(deeper ${header})
            list(APPEND all ${deeper})
        endforeach()
        list(REMOVE_DUPLICATES all)
        set_property(GLOBAL PROPERTY rcuinfo_included_${file} "${all}")
    endif()
    set(${result} ${all} PARENT_SCOPE)
endfunction()

# rcuinfo_patch(TARGET BASE PATCHES): builds TARGET from the library's sources, with PATCHES applied to copies in the
# folder TARGET.lib of the current build folder. PATCHES alternates FILE and SED, a sed script or the absolute path of
# one. Each script must change its file. Sources that neither are patched nor include a patched header are not compiled
# again: their objects come from BASE ("": none), an object library built in the same way, so its patches apply here,
# too.
function(rcuinfo_patch target base patches)
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}.lib)
    set(files "")
    set(inputs ${PROJECT_SOURCE_DIR}/tests/concurrent/canary/patch)
    foreach(word IN LISTS patches)
        if(EXISTS "${PROJECT_SOURCE_DIR}/lib/${word}")
            list(APPEND files ${word})
            list(APPEND inputs ${PROJECT_SOURCE_DIR}/lib/${word})
        elseif(EXISTS "${word}")
            list(APPEND inputs ${word})
        endif()
    endforeach()
    list(REMOVE_DUPLICATES files)
    set(patched ${files})
    list(TRANSFORM patched PREPEND ${folder}/)
    if(patched)
        add_custom_command(OUTPUT ${patched} DEPENDS ${inputs} VERBATIM
            COMMAND ${PROJECT_SOURCE_DIR}/tests/concurrent/canary/patch ${PROJECT_SOURCE_DIR}/lib ${folder} ${patches})
    endif()

    set(reached ${RCUINFO_SOURCES})
    set(headers ${PROJECT_SOURCE_DIR}/lib)
    if(base)
        set(reached "")
        foreach(source IN LISTS RCUINFO_SOURCES)
            rcuinfo_included(all ${source})
            set(rest ${all})
            list(REMOVE_ITEM rest ${files})
            if(NOT rest STREQUAL all)
                list(APPEND reached ${source})
            endif()
        endforeach()
        string(REPLACE "." "[.]" objects "${reached}")
        list(JOIN objects "|" objects)
        target_sources(${target} PRIVATE "$<FILTER:$<TARGET_OBJECTS:${base}>,EXCLUDE,/(${objects})[.]o$>")
        set(headers $<TARGET_PROPERTY:${base},INCLUDE_DIRECTORIES>)
    endif()
    set(sources ${reached})
    list(REMOVE_ITEM sources ${files})
    list(TRANSFORM sources PREPEND ${PROJECT_SOURCE_DIR}/lib/)
    target_sources(${target} PRIVATE ${patched} ${sources}) # patched headers first: others include them

    target_include_directories(${target} PRIVATE ${folder} ${headers})
    target_link_libraries(${target} PRIVATE rcuinfo_patch_flags)
endfunction()

if(NOT TARGET rcuinfo_patch_flags)
    add_library(rcuinfo_patch_flags INTERFACE)
    target_compile_definitions(rcuinfo_patch_flags INTERFACE _GNU_SOURCE RCUINFO_SYNC_POINTS)
    target_compile_options(rcuinfo_patch_flags INTERFACE -O1 -g1)
    if(RCUINFO_SANITIZE)
        target_compile_options(rcuinfo_patch_flags INTERFACE -fsanitize=thread)
        target_link_options(rcuinfo_patch_flags INTERFACE -fsanitize=thread)
    endif()
    target_link_libraries(rcuinfo_patch_flags INTERFACE rcuinfo_headers PkgConfig::RCUINFO_URCU PkgConfig::RCUINFO_CK
        PkgConfig::RCUINFO_XXHASH Threads::Threads ${CMAKE_DL_LIBS})

    add_library(rcuinfo_unpatched OBJECT EXCLUDE_FROM_ALL)
    rcuinfo_patch(rcuinfo_unpatched "" "")
endif()
