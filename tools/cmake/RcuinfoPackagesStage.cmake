# SPDX-License-Identifier: BSD-3-Clause
# cpack runs this after it has staged the components and before it builds the packages. See tools/package/stage.
if(NOT CPACK_RCUINFO_PREFIX STREQUAL "/usr")
    message(FATAL_ERROR "rcuinfo: packages are for /usr: configure with --preset packages (see tools/packages)")
endif()
set(control ${CPACK_TOPLEVEL_DIRECTORY}/control)
execute_process(COMMAND ${CPACK_RCUINFO_STAGE} ${CPACK_TEMPORARY_DIRECTORY} ${control}
    ${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE} COMMAND_ERROR_IS_FATAL ANY)
file(STRINGS ${control}/substvars substvars)
foreach(line IN LISTS substvars)
    if(line MATCHES "^(RUNTIME|TOOLS)_(DEPENDS|SUGGESTS)=(.*)$")
        set(name CPACK_DEBIAN_${CMAKE_MATCH_1}_PACKAGE_${CMAKE_MATCH_2})
        list(APPEND ${name} "${CMAKE_MATCH_3}")
        list(JOIN ${name} ", " ${name})
    endif()
endforeach()
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${control}/symbols ${control}/shlibs ${control}/triggers)
