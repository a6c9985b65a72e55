# SPDX-License-Identifier: BSD-3-Clause
# RCUINFO_FETCH_DEPS: downloads those of liburcu, ConcurrencyKit, xxHash and Jansson that pkg-config does not find.
# FETCHCONTENT_SOURCE_DIR_RCUINFO_LIBURCU, _RCUINFO_CK, _RCUINFO_XXHASH and _RCUINFO_JANSSON name sources that are there
# already.
include(FetchContent)
set(deps ${PROJECT_BINARY_DIR}/deps)

# rcuinfo_fetch(NAME HASH URL): downloads what is <name>_SOURCE_DIR then, and does not add its CMakeLists.txt, if it has one.
macro(rcuinfo_fetch name hash url)
    message(STATUS "rcuinfo: ${name}: pkg-config does not find it: downloading ${url}")
    FetchContent_Declare(${name} URL ${url} URL_HASH SHA256=${hash} SOURCE_SUBDIR none)
    FetchContent_MakeAvailable(${name})
endmacro()

# rcuinfo_fetch_run(NAME COMMAND...): in the build folder deps/NAME, with the output in its log.
function(rcuinfo_fetch_run name)
    file(MAKE_DIRECTORY ${deps}/${name})
    execute_process(COMMAND ${CMAKE_COMMAND} -E env CC=${CMAKE_C_COMPILER} ${ARGN} WORKING_DIRECTORY ${deps}/${name}
        OUTPUT_FILE ${deps}/${name}/log ERROR_FILE ${deps}/${name}/log RESULT_VARIABLE status)
    if(status)
        message(FATAL_ERROR "rcuinfo: ${name}: failed: ${ARGN}: see ${deps}/${name}/log")
    endif()
endfunction()

# liburcu-bp is built and installed beside librcuinfo.so, which must not contain a copy: it waits for the program's own read
# sections of the same liburcu-bp.
pkg_check_modules(RCUINFO_URCU QUIET IMPORTED_TARGET liburcu-bp)
if(NOT RCUINFO_URCU_FOUND)
    rcuinfo_fetch(rcuinfo_liburcu 1213fd9f1b0b74da7de2bb74335b76098db9738fec5d3cdc07c0c524f34fc032
        https://lttng.org/files/urcu/userspace-rcu-0.13.2.tar.bz2)
    set(libdir ${PROJECT_BINARY_DIR}/lib)
    if(CMAKE_LIBRARY_OUTPUT_DIRECTORY)
        set(libdir ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
    endif()
    if(NOT EXISTS ${libdir}/liburcu-bp.so)
        set(host)
        if(CMAKE_CROSSCOMPILING)
            execute_process(COMMAND ${CMAKE_C_COMPILER} -dumpmachine OUTPUT_VARIABLE host OUTPUT_STRIP_TRAILING_WHITESPACE)
            set(host --host=${host})
        endif()
        if("${deps}${libdir}" MATCHES " ")
            message(FATAL_ERROR "rcuinfo: liburcu does not build in a folder with a blank in its path: choose another one with -B")
        endif()
        message(STATUS "rcuinfo: building liburcu")
        rcuinfo_fetch_run(liburcu ${rcuinfo_liburcu_SOURCE_DIR}/configure ${host} --prefix=${deps} --libdir=${libdir}
            --disable-static)
        rcuinfo_fetch_run(liburcu sed -i s/^hardcode_into_libs=yes/hardcode_into_libs=no/ libtool) # no path of the build
        rcuinfo_fetch_run(liburcu make -C include install)
        rcuinfo_fetch_run(liburcu make -C src -j4 install)
    endif()
    set(RCUINFO_URCU_FETCHED ON)
    set(RCUINFO_URCU_LIBRARIES urcu-bp)
    set(RCUINFO_URCU_LIBRARY_DIRS ${libdir})
    set(RCUINFO_URCU_LINK_LIBRARIES ${libdir}/liburcu-bp.so)
    add_library(PkgConfig::RCUINFO_URCU INTERFACE IMPORTED)
    target_include_directories(PkgConfig::RCUINFO_URCU INTERFACE ${deps}/include)
    target_link_libraries(PkgConfig::RCUINFO_URCU INTERFACE ${RCUINFO_URCU_LINK_LIBRARIES})
    file(GLOB libraries ${libdir}/liburcu-bp.so*)
    install(FILES ${libraries} DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime)
endif()

# Of these, only headers are used.
pkg_check_modules(RCUINFO_CK QUIET IMPORTED_TARGET ck)
if(NOT RCUINFO_CK_FOUND)
    rcuinfo_fetch(rcuinfo_ck 568ebe0bc1988a23843fce6426602e555b7840bf6714edcdf0ed530214977f1b
        https://github.com/concurrencykit/ck/archive/refs/tags/0.7.2.tar.gz)
    if(NOT EXISTS ${deps}/include/ck_md.h)
        rcuinfo_fetch_run(ck ${rcuinfo_ck_SOURCE_DIR}/configure --prefix=${deps} --platform=${CMAKE_SYSTEM_PROCESSOR})
        rcuinfo_fetch_run(ck make install-headers)
    endif()
    set(RCUINFO_CK_VERSION 0.7.2)
    add_library(PkgConfig::RCUINFO_CK INTERFACE IMPORTED)
    target_include_directories(PkgConfig::RCUINFO_CK INTERFACE ${deps}/include)
endif()
pkg_check_modules(RCUINFO_XXHASH QUIET IMPORTED_TARGET libxxhash)
if(NOT RCUINFO_XXHASH_FOUND)
    rcuinfo_fetch(rcuinfo_xxhash 3bb6b7d6f30c591dd65aaaff1c8b7a5b94d81687998ca9400082c739a690436c
        https://github.com/Cyan4973/xxHash/archive/refs/tags/v0.8.1.tar.gz)
    set(RCUINFO_XXHASH_INCLUDE_DIRS ${rcuinfo_xxhash_SOURCE_DIR})
    add_library(PkgConfig::RCUINFO_XXHASH INTERFACE IMPORTED)
    target_include_directories(PkgConfig::RCUINFO_XXHASH INTERFACE ${RCUINFO_XXHASH_INCLUDE_DIRS})
endif()

# For the command alone, which contains it.
if(PROJECT_IS_TOP_LEVEL)
    pkg_check_modules(JANSSON QUIET IMPORTED_TARGET jansson)
endif()
if(PROJECT_IS_TOP_LEVEL AND NOT JANSSON_FOUND)
    rcuinfo_fetch(rcuinfo_jansson c739578bf6b764aa0752db9a2fdadcfe921c78f1228c7ec0bb47fa804c55d17b
        https://github.com/akheron/jansson/archive/refs/tags/v2.14.tar.gz)
    if(NOT EXISTS ${deps}/lib/libjansson.a)
        message(STATUS "rcuinfo: building Jansson")
        rcuinfo_fetch_run(jansson ${CMAKE_COMMAND} ${rcuinfo_jansson_SOURCE_DIR} -G ${CMAKE_GENERATOR} -DCMAKE_MAKE_PROGRAM=${CMAKE_MAKE_PROGRAM}
            -DCMAKE_TOOLCHAIN_FILE=${CMAKE_TOOLCHAIN_FILE} -DCMAKE_INSTALL_PREFIX=${deps} -DCMAKE_INSTALL_LIBDIR=lib
            -DJANSSON_INSTALL_LIB_DIR=lib -DCMAKE_BUILD_TYPE=Release -DCMAKE_POLICY_VERSION_MINIMUM=3.5 -DJANSSON_BUILD_SHARED_LIBS=OFF
            -DJANSSON_BUILD_DOCS=OFF -DJANSSON_WITHOUT_TESTS=ON -DJANSSON_EXAMPLES=OFF)
        rcuinfo_fetch_run(jansson ${CMAKE_COMMAND} --build . --target install)
    endif()
    add_library(PkgConfig::JANSSON INTERFACE IMPORTED)
    target_include_directories(PkgConfig::JANSSON INTERFACE ${deps}/include)
    target_link_libraries(PkgConfig::JANSSON INTERFACE ${deps}/lib/libjansson.a)
endif()
