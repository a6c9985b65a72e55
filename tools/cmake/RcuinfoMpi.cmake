# SPDX-License-Identifier: BSD-3-Clause
# The MPI libraries to build for, one MPICH and one Open MPI at most: an interposer serves all libraries with the ABI of
# its own. For RCUINFO_MPICH and RCUINFO_OPENMPI each, sets <name>_FOUND, _VERSION, _PC (its .pc file; empty: none),
# _INCLUDE_DIRS, _CFLAGS, _CFLAGS_OTHER, _LINK_LIBRARIES, _LIBRARY_DIRS, _LIBRARY (of those, the one that defines MPI's functions in C), _BIN and
# _SUFFIX (the folder and the end of the names of its programs; empty: PATH), and the target PkgConfig::<name>.
#
# They are what RCUINFO_MPI names; else an mpicc in MPI_HOME, or first in PATH and not the system's, as after `module load`,
# and what pkg-config finds; else any mpicc.
set(RCUINFO_MPI "" CACHE STRING "MPI libraries to build for: prefixes or compiler wrappers, separated by semicolons")
set(found_mpis "")

# MPICH and Open MPI: their names here, flavours, .pc files and launchers.
set(RCUINFO_MPIS RCUINFO_MPICH RCUINFO_OPENMPI)
set(RCUINFO_FLAVOURS mpich openmpi)
set(RCUINFO_FAMILIES "MPICH, Intel MPI, Cray MPICH, MVAPICH" "Open MPI")
set(pcs mpich ompi-c)
set(launchers mpiexec.hydra orterun)

# Takes the MPI of a compiler wrapper, if there is one.
macro(rcuinfo_take_wrapper wrapper)
    get_cmake_property(names CACHE_VARIABLES)
    list(FILTER names INCLUDE REGEX "^MPI(EXEC)?_")
    foreach(name IN LISTS names)
        unset(${name} CACHE) # of the MPI before
    endforeach()
    set(MPI_C_COMPILER ${wrapper})
    # Quiet, as what is not an MPI is no error: rcuinfo_tell_mpis says what was found.
    find_package(MPI QUIET COMPONENTS C)
    set(taken "")
    if(MPI_C_FOUND)
        list(TRANSFORM MPI_C_INCLUDE_DIRS PREPEND -I OUTPUT_VARIABLE flags)
        set(source ${PROJECT_BINARY_DIR}/CMakeFiles/rcuinfo_mpi.c)
        file(WRITE ${source} [[
#include <mpi.h>
#if defined(OPEN_MPI)
#define STRING(text) #text
#define DOTTED(major, minor, release) STRING(major.minor.release)
family_OPENMPI DOTTED(OMPI_MAJOR_VERSION, OMPI_MINOR_VERSION, OMPI_RELEASE_VERSION)
#elif defined(MPICH_VERSION)
family_MPICH MPICH_VERSION
#elif defined(MPICH_NUMVERSION) || defined(MPICH_NAME) || defined(I_MPI_VERSION)
family_MPICH "unknown"
#endif
]])
        execute_process(COMMAND ${CMAKE_C_COMPILER} ${flags} -E -P ${source} OUTPUT_VARIABLE text ERROR_QUIET)
        string(REGEX MATCH "family_(OPENMPI|MPICH) \"([^\"]*)\"" text "${text}")
        set(version "${CMAKE_MATCH_2}")
        string(REGEX REPLACE "(.+)" "RCUINFO_\\1" taken "${CMAKE_MATCH_1}")
    endif()
    if(taken AND taken IN_LIST found_mpis)
        message(FATAL_ERROR "rcuinfo: RCUINFO_MPI has two of one ABI (${taken}): one interposer serves both")
    elseif(taken)
        list(APPEND found_mpis ${taken})
        set(${taken}_FOUND TRUE)
        set(${taken}_VERSION ${version})
        set(${taken}_PC "")
        set(${taken}_INCLUDE_DIRS ${MPI_C_INCLUDE_DIRS})
        set(${taken}_CFLAGS ${flags})
        set(${taken}_CFLAGS_OTHER ${MPI_C_COMPILE_OPTIONS})
        set(${taken}_LINK_LIBRARIES ${MPI_C_LIBRARIES})
        list(TRANSFORM MPI_C_LIBRARIES REPLACE "/[^/]*$" "" OUTPUT_VARIABLE ${taken}_LIBRARY_DIRS)
        get_filename_component(${taken}_BIN ${wrapper} DIRECTORY)
        get_filename_component(${taken}_SUFFIX ${wrapper} NAME)
        string(REGEX REPLACE "^mpi[a-z]*" "" ${taken}_SUFFIX ${${taken}_SUFFIX}) # of mpicc.mpich
        add_library(PkgConfig::${taken} INTERFACE IMPORTED)
        target_include_directories(PkgConfig::${taken} INTERFACE ${MPI_C_INCLUDE_DIRS})
        target_link_libraries(PkgConfig::${taken} INTERFACE ${MPI_C_LIBRARIES})
    endif()
endmacro()

if(RCUINFO_MPI AND NOT PROJECT_IS_TOP_LEVEL)
    message(FATAL_ERROR "rcuinfo: RCUINFO_MPI is for a build of rcuinfo alone: inside another project, which has MPI_ variables "
        "of its own, an MPI is found by pkg-config")
endif()
foreach(place IN LISTS RCUINFO_MPI)
    set(wrapper ${place})
    if(IS_DIRECTORY ${place})
        set(wrapper ${place}/bin/mpicc)
    endif()
    set(taken "")
    if(EXISTS ${wrapper})
        rcuinfo_take_wrapper(${wrapper})
    endif()
    if(NOT taken)
        message(FATAL_ERROR "rcuinfo: RCUINFO_MPI: '${place}' is neither the prefix of an MPI, with bin/mpicc, nor the path of "
            "a compiler wrapper with an mpi.h of MPICH or Open MPI")
    endif()
endforeach()
if(NOT RCUINFO_MPI AND NOT RCUINFO_WHEEL)
    # For another machine, programs of this one say nothing.
    set(mpicc "")
    if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CROSSCOMPILING)
        unset(RCUINFO_MPICC CACHE) # the next configure step may be for another MPI
        find_program(RCUINFO_MPICC mpicc HINTS ENV MPI_HOME PATH_SUFFIXES bin NO_CACHE)
        set(mpicc ${RCUINFO_MPICC})
    endif()
    if(mpicc AND NOT mpicc MATCHES "^(/usr)?/bin/mpicc$")
        rcuinfo_take_wrapper(${mpicc})
    endif()
    foreach(name pc IN ZIP_LISTS RCUINFO_MPIS pcs)
        if(NOT name IN_LIST found_mpis)
            pkg_check_modules(${name} QUIET IMPORTED_TARGET ${pc})
            if(${name}_FOUND)
                list(APPEND found_mpis ${name})
                set(${name}_PC ${pc})
            endif()
        endif()
    endforeach()
    if(mpicc AND NOT found_mpis)
        rcuinfo_take_wrapper(${mpicc})
    endif()
endif()
foreach(name IN LISTS RCUINFO_MPIS)
    if(NOT name IN_LIST found_mpis)
        set(${name}_FOUND FALSE) # an earlier configure step may have left TRUE in the cache
        continue()
    endif()
    set(${name}_LIBRARY "")
    foreach(file IN LISTS ${name}_LINK_LIBRARIES)
        if(EXISTS ${file} AND NOT ${name}_LIBRARY)
            execute_process(COMMAND ${CMAKE_NM} -D --defined-only ${file} OUTPUT_VARIABLE symbols ERROR_QUIET)
            if(symbols MATCHES " PMPI_Init\n")
                set(${name}_LIBRARY ${file})
            endif()
        endif()
    endforeach()
    if(NOT ${name}_LIBRARY AND RCUINFO_MPI)
        message(FATAL_ERROR "rcuinfo: RCUINFO_MPI: none of these is a shared MPI library: ${${name}_LINK_LIBRARIES}")
    elseif(NOT ${name}_LIBRARY)
        set(${name}_FOUND FALSE)
    endif()
endforeach()

# The launcher and the Fortran compiler of each, for the tests and the bench. Not kept in the cache, as the next configure
# step may be for another MPI.
foreach(name flavour launcher IN ZIP_LISTS RCUINFO_MPIS RCUINFO_FLAVOURS launchers)
    if(CMAKE_CROSSCOMPILING)
        # A process that an emulator runs starts no others. tools/cross writes the compiler wrappers.
        find_program(RCUINFO_FORTRAN_${flavour} mpif90.${flavour} PATHS ${CMAKE_SYSROOT}/usr/bin NO_DEFAULT_PATH NO_CACHE)
        continue()
    endif()
    set(suffix .${flavour})
    set(places NO_CACHE)
    if(${name}_BIN)
        set(suffix "${${name}_SUFFIX}")
        set(places PATHS ${${name}_BIN} NO_DEFAULT_PATH NO_CACHE)
    endif()
    if(${name}_FOUND)
        find_program(RCUINFO_MPIRUN_${flavour} NAMES mpirun${suffix} mpiexec${suffix} ${launcher} ${places})
        find_program(RCUINFO_FORTRAN_${flavour} NAMES mpif90${suffix} mpifort${suffix} ${places})
    endif()
endforeach()

# What was found, at the end of the configure step.
function(rcuinfo_tell_mpis)
    set(why "neither pkg-config nor mpicc leads to one")
    if(RCUINFO_MPI)
        set(why "RCUINFO_MPI names none")
    endif()
    foreach(name flavour family IN ZIP_LISTS RCUINFO_MPIS RCUINFO_FLAVOURS RCUINFO_FAMILIES)
        set(what "rcuinfo: librcuinfo_collective_${flavour} for ${family}")
        if(${name}_FOUND)
            find_file(header mpi.h PATHS ${${name}_INCLUDE_DIRS} /usr/include NO_DEFAULT_PATH NO_CACHE)
            message(STATUS "${what}: built with ${${name}_VERSION}, ${header}, ${${name}_LIBRARY}")
            unset(header)
        else()
            message(STATUS "${what}: left out, with the tests of this MPI, as ${why}; to build it, name its prefix or its "
                "mpicc: -DRCUINFO_MPI=/path")
        endif()
    endforeach()
    message(STATUS "rcuinfo: librcuinfo_interpose works with any library of MPICH, Open MPI and the standard ABI")
endfunction()
