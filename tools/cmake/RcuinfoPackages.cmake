# SPDX-License-Identifier: BSD-3-Clause
# cpack builds the Debian packages librcuinfo0, librcuinfo-dev and rcuinfo-tools from the components runtime, dev and
# tools. The preset "packages" configures for it; tools/packages builds and tests the packages. tools/package/stage,
# which cpack runs through RcuinfoPackagesStage.cmake, adds the other files that Debian requires, and the dependencies.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME rcuinfo)
# Debian requires a mailbox. The project has none: its contact, named in copyright, is the repository's issues.
set(CPACK_PACKAGE_CONTACT "rcuinfo developers <rcuinfo@lists.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each package has its own
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR})
set(CPACK_COMPONENTS_ALL runtime dev tools)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/tools/cmake/RcuinfoPackagesStage.cmake)
set(CPACK_RCUINFO_STAGE ${PROJECT_SOURCE_DIR}/tools/package/stage)
set(CPACK_RCUINFO_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SOURCE rcuinfo)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(version "${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}")
set(same "\nMulti-Arch: same") # cpack 3.25 has no variable for this field, so append it to another
set(what "MPI Info objects, sets of key-value pairs with which a program passes hints
to MPI, in memory that readers use without locks while writers publish new
versions (RCU).")

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME librcuinfo${PROJECT_VERSION_MAJOR})
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION "libs${same}")
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "concurrent store of MPI Info objects - shared libraries
${what}

This package contains the shared libraries. The collective ones need MPICH or
Open MPI, which their users have; the others need none.")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME librcuinfo-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION "libdevel${same}")
# The static library needs liburcu, so rcuinfo.pc requires it.
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "librcuinfo${PROJECT_VERSION_MAJOR} (= ${version}), liburcu-dev")
# The virtual package is provided by each gfortran that can read our modules. Programs in C need none.
get_filename_component(modules "${RCUINFO_FORTRAN_FOLDER}" NAME)
set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS "gfortran | ${modules}, libmpich-dev, libopenmpi-dev, pkgconf | pkg-config")
set(CPACK_COMPONENT_DEV_DESCRIPTION "concurrent store of MPI Info objects - development files
${what}

This package contains headers, modules for gfortran, the static library, manual
pages, and what pkg-config and CMake need to find them.")

set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME rcuinfo-tools)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SUGGESTS "mpich | openmpi-bin, librcuinfo-dev")
set(CPACK_COMPONENT_TOOLS_DESCRIPTION "concurrent store of MPI Info objects - command
${what}

This package contains the command rcuinfo, which runs unmodified MPI programs
on the store, checks files of hints, and puts the store under stress.")

include(CPack)
