# SPDX-License-Identifier: BSD-3-Clause
# rcuinfo_defect(FINDER NAME): fails unless defects.txt says that this finder finds the defect of that name.
set(rcuinfo_defects ${CMAKE_CURRENT_LIST_DIR}/defects.txt)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${rcuinfo_defects})
function(rcuinfo_defect finder name)
    file(STRINGS ${rcuinfo_defects} found REGEX "^${name} .*[ ]${finder} ")
    if(NOT found)
        message(FATAL_ERROR "tests/concurrent/defects.txt has no '${name}' that ${finder} finds")
    endif()
endfunction()
