# SPDX-License-Identifier: BSD-3-Clause
# Toolchain of tools/cross: Debian's cross compiler for RCUINFO_CROSS_ARCH, the packages under RCUINFO_CROSS_ROOT, and qemu
# to run the programs. x86-64 runs programs for i386 without qemu, with the loader and the libraries of that root, if its
# kernel can.
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES RCUINFO_CROSS_ARCH RCUINFO_CROSS_ROOT)

set(processor_arm64 aarch64)
set(processor_i386 i686)
set(processor_s390x s390x)
set(processor ${processor_${RCUINFO_CROSS_ARCH}})
set(triplet ${processor}-linux-gnu)
set(folder ${triplet}) # in the paths of Debian's packages
if(RCUINFO_CROSS_ARCH STREQUAL "i386")
    set(folder i386-linux-gnu)
endif()

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${processor})
set(CMAKE_SYSROOT ${RCUINFO_CROSS_ROOT})
set(CMAKE_C_COMPILER ${triplet}-gcc)
set(CMAKE_CXX_COMPILER ${triplet}-g++)
if(RCUINFO_CROSS_ARCH STREQUAL "arm64") # with the MPI libraries
    set(CMAKE_Fortran_COMPILER ${triplet}-gfortran)
endif()
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${RCUINFO_CROSS_ROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${RCUINFO_CROSS_ROOT}/usr/lib/${folder}/pkgconfig:${RCUINFO_CROSS_ROOT}/usr/share/pkgconfig)

if(RCUINFO_CROSS_ARCH STREQUAL "i386")
    # DT_RPATH, unlike DT_RUNPATH, also applies to the dependencies of a program's libraries.
    set(search -Wl,--disable-new-dtags)
    set(CMAKE_SHARED_LINKER_FLAGS_INIT ${search})
    foreach(lib lib usr/lib)
        string(APPEND search " -Wl,-rpath,${RCUINFO_CROSS_ROOT}/${lib}/${folder}")
    endforeach()
    set(CMAKE_EXE_LINKER_FLAGS_INIT "${search} -Wl,--dynamic-linker=${RCUINFO_CROSS_ROOT}/lib/ld-linux.so.2")
    execute_process(COMMAND ${RCUINFO_CROSS_ROOT}/lib/ld-linux.so.2 --version RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
    if(NOT status EQUAL 0)
        set(CMAKE_CROSSCOMPILING_EMULATOR qemu-i386 -L ${RCUINFO_CROSS_ROOT})
    endif()
else()
    set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${processor} -L ${RCUINFO_CROSS_ROOT})
endif()
