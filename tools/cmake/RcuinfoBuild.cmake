# SPDX-License-Identifier: BSD-3-Clause
# Compiler flags, packages, and the function that declares one of our libraries.

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
# With names of our own: an enclosing project may use the plain ones for another flavour of liburcu.
if(RCUINFO_FETCH_DEPS)
    include(RcuinfoFetch)
else()
    pkg_check_modules(RCUINFO_URCU REQUIRED IMPORTED_TARGET liburcu-bp)
    pkg_check_modules(RCUINFO_CK REQUIRED IMPORTED_TARGET ck)
    pkg_check_modules(RCUINFO_XXHASH REQUIRED IMPORTED_TARGET libxxhash)
    if(PROJECT_IS_TOP_LEVEL)
        pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
    endif()
endif()
include(RcuinfoMpi)

# Fortran over the standard ABI needs a compiler, but no MPI. RCUINFO_FORTRAN: ON if there is one. LOGICAL, the lengths
# of strings and the names of procedures follow gfortran's conventions, which are also flang's. A compiler reads only
# modules in its own version of the module format, so they are installed where Debian puts them, in a folder named after
# that version. When cross compiling, the toolchain names the compiler. An enclosing project enables Fortran itself.
include(CheckLanguage)
if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CROSSCOMPILING AND NOT RCUINFO_WHEEL)
    check_language(Fortran)
endif()
set(RCUINFO_FORTRAN OFF)
if(CMAKE_Fortran_COMPILER)
    enable_language(Fortran)
endif()
if(CMAKE_Fortran_COMPILER_ID STREQUAL GNU)
    set(RCUINFO_FORTRAN ON)
    set(format_dir ${PROJECT_BINARY_DIR}/CMakeFiles/fortran_format)
    file(WRITE ${format_dir}/format.f90 "module format\nend module\n")
    execute_process(COMMAND ${CMAKE_Fortran_COMPILER} -fsyntax-only format.f90 WORKING_DIRECTORY ${format_dir}
        COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND gzip -dc format.mod WORKING_DIRECTORY ${format_dir} OUTPUT_VARIABLE format
        COMMAND_ERROR_IS_FATAL ANY)
    if(NOT format MATCHES "^GFORTRAN module version '([0-9]+)'")
        message(FATAL_ERROR "rcuinfo: no version in a module of ${CMAKE_Fortran_COMPILER}")
    endif()
    set(RCUINFO_FORTRAN_FOLDER fortran/gfortran-mod-${CMAKE_MATCH_1})
    # Flags for all Fortran sources. Programs leave many of mpif.h's constants unused.
    set(RCUINFO_FORTRAN_FLAGS -Wall -Wextra -Wno-unused-parameter -fimplicit-none
        $<$<BOOL:${RCUINFO_WERROR}>:-Werror>)
elseif(CMAKE_Fortran_COMPILER_ID STREQUAL LLVMFlang)
    set(RCUINFO_FORTRAN ON)
    string(REGEX REPLACE "[.].*" "" version ${CMAKE_Fortran_COMPILER_VERSION})
    set(RCUINFO_FORTRAN_FOLDER fortran/flang-mod-${version})
    set(RCUINFO_FORTRAN_FLAGS "")
else()
    message(STATUS "rcuinfo: neither gfortran nor flang found: Fortran over the standard ABI, and its tests, are left out")
endif()

# Flags for all C and C++ sources. Some functions that a newer mpi.h deprecates are the only ones in an older one. With
# 32 bits, a file may have a number or a size that only the functions of 64 bits can return.
add_library(rcuinfo_flags INTERFACE)
target_compile_options(rcuinfo_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-deprecated-declarations
    $<$<BOOL:${RCUINFO_WERROR}>:-Werror> $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes>)
target_include_directories(rcuinfo_flags INTERFACE ${PROJECT_SOURCE_DIR}/lib)
target_compile_definitions(rcuinfo_flags INTERFACE _GNU_SOURCE $<$<BOOL:${RCUINFO_CHECKS}>:RCUINFO_CHECKS>
    $<$<EQUAL:${CMAKE_SIZEOF_VOID_P},4>:_FILE_OFFSET_BITS=64>)
if(RCUINFO_SANITIZE)
    target_compile_options(rcuinfo_flags INTERFACE -fsanitize=${RCUINFO_SANITIZE} -fno-omit-frame-pointer
        -fno-sanitize-recover=all)
    target_link_options(rcuinfo_flags INTERFACE -fsanitize=${RCUINFO_SANITIZE})
endif()
if(RCUINFO_COVERAGE)
    target_compile_options(rcuinfo_flags INTERFACE --coverage -fprofile-update=atomic) # threads share counters
    target_link_options(rcuinfo_flags INTERFACE --coverage)
endif()

# rcuinfo_library(TARGET MAP): sets the SONAME, the symbol list (MAP, beside the CMakeLists.txt) and the installation.
# Installed files belong to a component: runtime (files that programs load, package librcuinfo0), dev (files to build
# with, librcuinfo-dev) or tools (the command, rcuinfo-tools).
function(rcuinfo_library target map)
    cmake_path(ABSOLUTE_PATH map)
    set(search "$ORIGIN" ${CMAKE_INSTALL_RPATH})
    if(NOT RCUINFO_WHEEL) # in which a link would become a second copy
        set_target_properties(${target} PROPERTIES VERSION ${PROJECT_VERSION})
    endif()
    set_target_properties(${target} PROPERTIES SOVERSION ${PROJECT_VERSION_MAJOR}
        LINK_DEPENDS ${map} INSTALL_RPATH "${search}" BUILD_WITH_INSTALL_RPATH ON)
    target_link_options(${target} PRIVATE -Wl,--version-script=${map} -Wl,-z,nodelete -Wl,-z,now)
    if(NOT RCUINFO_SANITIZE)
        target_link_options(${target} PRIVATE -Wl,-z,defs)
    endif()
    add_library(rcuinfo::${target} ALIAS ${target})
    install(TARGETS ${target} EXPORT rcuinfo
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT dev)
endfunction()
