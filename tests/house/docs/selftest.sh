#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Doxygen with our settings finds what it is there for: copies of the headers, each broken in one way, fail with a complaint
# about that.
# usage: selftest.sh WORK_DIRECTORY SOURCE_ROOT DOXYFILE
# DOXYFILE: of the headers under WORK_DIRECTORY/include, into WORK_DIRECTORY.
set -u
work=$1 root=$2 doxyfile=$3
status=0

# broken FILE EDIT COMPLAINT: with the file of the copy edited by sed.
broken() {
    rm -rf "$work"
    mkdir -p "$work"
    cp -R "$root/include" "$work"
    sed -i "$2" "$work/$1"
    if output=$(doxygen "$doxyfile" 2>&1) || ! grep -qF -- "$3" <<<"$output"; then
        echo "doxygen does not find '$2' in $1; it says: $output"
        status=1
    fi
}

broken include/rcuinfo/info.h '/@param key copied/d' "parameter 'key'"
broken include/rcuinfo/info.h 's/@param key copied/@param kye copied/' "'kye'"
broken include/rcuinfo/info.h '/No object/d' 'RCUINFO_NULL'
broken include/rcuinfo/snapshot.h 's|/\*\*< into the snapshot \*/||' 'Member key'
rm -rf "$work"
exit $status
