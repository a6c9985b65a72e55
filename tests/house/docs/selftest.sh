#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The checks beside this file, and Doxygen with our settings, find what they are there for: copies of the pages and of the
# headers, each broken in one way, fail with a complaint about that.
# usage: selftest.sh WORK_DIRECTORY SOURCE_ROOT MAN_TREE COMMAND DOXYFILE
# DOXYFILE: of the headers under WORK_DIRECTORY/include, into WORK_DIRECTORY.
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=$1 root=$2 tree=$3 command=$4 doxyfile=$5
status=0

# run_check CHECK FILE: of the copies, of which FILE is the broken one.
run_check() {
    case $1 in
        lint)
            find "$work/man" -type f ! -path "$work/$2" -delete # the others would pass, too
            bash "$here/lint.sh" "$work/man"
            ;;
        pages) python3 "$here/pages.py" "$work/man" "$work" ;;
        command) python3 "$here/command.py" "$work/man/man1/rcuinfo.1" "$command" ;;
        doxygen) doxygen "$doxyfile" ;;
    esac
}

# broken CHECK FILE EDIT COMPLAINT: with the file of the copy edited by sed, or removed where EDIT is empty.
broken() {
    rm -rf "$work"
    mkdir -p "$work"
    cp -R "$tree" "$root/include" "$work"
    (cd "$root" && cp --parents lib/*.map lib/mpi/*/*.map "$work")
    if [ -z "$3" ]; then
        rm "$work/$2"
    else
        sed -i "$3" "$work/$2"
        if cmp -s "$work/$2" "$root/$2" || cmp -s "$work/$2" "$tree/${2#man/}"; then
            echo "'$3' changes nothing in $2"
            status=1
            return
        fi
    fi
    if output=$(run_check "$1" "$2" 2>&1) || ! grep -qF -- "$4" <<<"$output"; then
        echo "$1 does not find '$3' in $2; it says: $output"
        status=1
    fi
}

broken lint man/man1/rcuinfo.1 's/^\.SH NOTES/.SHH NOTES/' 'man1/rcuinfo.1'
broken lint man/man3/rcuinfo_info.3 's/^\.SH SYNOPSIS/&\n.PP/' 'man3/rcuinfo_info.3: mandoc has warnings'
broken lint man/man7/rcuinfo.7 's/^\.SH STANDARDS/.nf\n0123456789012345678901234567890123456789012345678901234567890123456789012345\n.fi\n&/' \
    'man7/rcuinfo.7: a line is longer'
broken pages man/man3/rcuinfo_set.3 '' 'rcuinfo_set: has no manual page'
broken pages man/man3/MPI_Info_dup.3rcuinfo '' 'MPI_Info_dup: has no manual page'
broken pages man/man3/rcuinfo_set.3 's/info/inf/2' 'rcuinfo_set.3: leads to man3/rcuinfo_inf.3'
broken pages man/man3/rcuinfo_set.3 's/info\./pack./' 'rcuinfo_set: rcuinfo_pack.3 does not have it in NAME'
broken pages man/man3/rcuinfo_info.3 's/^\(\.BI .*\)rcuinfo_set(/\1rcuinfo_put(/' 'rcuinfo_set: rcuinfo_info.3 does not have it in SYNOPSIS'
broken pages man/man7/rcuinfo.7 's/^\.BR rcuinfo_pack/&er/' 'rcuinfo.7: names the page rcuinfo_packer'
broken pages include/rcuinfo/store.h '/@file/d' 'include/rcuinfo/store.h: has no @file'
broken command man/man1/rcuinfo.1 's/^\.RB \[ \\-\\-seed/.RB [ \\-\\-sed/' 'SYNOPSIS: rcuinfo stress: lacks --seed'
broken command man/man1/rcuinfo.1 's/^\.BI \\-\\-seed/.BI seed/' 'DESCRIPTION: rcuinfo stress: lacks --seed'
broken command man/man1/rcuinfo.1 's/^\.B \\-\\-json/.B \\-\\-xml/' 'DESCRIPTION: rcuinfo env: has --xml'
broken command man/man1/rcuinfo.1 's/^\.SS rcuinfo env/.SS rcuinfo environment/' 'DESCRIPTION: rcuinfo env: lacks the whole'

broken doxygen include/rcuinfo/info.h '/@param key copied/d' "parameter 'key'"
broken doxygen include/rcuinfo/info.h 's/@param key copied/@param kye copied/' "'kye'"
broken doxygen include/rcuinfo/info.h '/No object/d' 'RCUINFO_NULL'
broken doxygen include/rcuinfo/snapshot.h 's|/\*\*< into the snapshot \*/||' 'Member key'
rm -rf "$work"
exit $status
