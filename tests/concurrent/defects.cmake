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

# The patches for some of the defects, FILE and SED as for rcuinfo_patch.
set(stores ${CMAKE_CURRENT_LIST_DIR}/linear/stores)
set(copy_early core/calls/write.c ${stores}/copy_early.sed)
set(two_loads core/calls/read.c ${stores}/two_loads.sed)
set(bytes_beyond core/log/log.h "/^    bits &= UINT64_MAX >> (RCUINFO__BLOCK_SCANNED - prefix)/ d")
set(places_beyond core/log/log.h "s/__builtin_expect(found <= prefix, 1) ? entry :/true ? entry :/")
set(unsaid core/memory/reader.h "s/^    atomic_store_explicit(&section->reader->says/    if (what == 0) &/")
