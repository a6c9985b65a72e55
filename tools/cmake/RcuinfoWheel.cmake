# SPDX-License-Identifier: BSD-3-Clause
# RCUINFO_WHEEL: the target rcuinfo_wheel, and its component "wheel", for tools/package/python: the command, the libraries
# that it preloads, and copies of the libraries that these need and a computing node may lack.
set(targets rcuinfo_command rcuinfo rcuinfo_dlsym rcuinfo_interpose)
foreach(flavour IN ITEMS mpich openmpi abi)
    if(TARGET rcuinfo_${flavour}_flavour)
        list(APPEND targets rcuinfo_${flavour}_flavour)
    endif()
endforeach()
add_custom_target(rcuinfo_wheel DEPENDS ${targets})
install(TARGETS ${targets}
    RUNTIME_DEPENDENCIES PRE_INCLUDE_REGEXES "^lib(urcu|jansson)" PRE_EXCLUDE_REGEXES "."
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT wheel
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT wheel NAMELINK_SKIP)
