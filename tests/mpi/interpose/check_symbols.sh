#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: check_symbols.sh LIBRARY REAL: an interposer defines MPI_*, MPIX_*, Fortran's mpi_*_ and two names of its own and
# never a PMPI_*, for the real library calls its own through the same symbols; and it needs the real library REAL by
# name. Of the library that runs, which may be older than the mpi.h, it needs what every version has since MPI-3: its other
# references are weak. c2f and f2c are functions in all of Open MPI, of MPICH only since its version 4.1, but for those of
# files.
# Which MPI_* there are is for functions.py to check.
set -eu
library=$1 real=$2
names=$(nm -D --defined-only "$library" | awk '{ print $NF }' | grep -v '^__')
bad=$(printf '%s\n' "$names" | grep -v -E '^(MPIX?_[A-Z][A-Za-z0-9_]*|mpix?_[a-z0-9_]*_|rcuinfo_from_mpi|rcuinfo_to_mpi)$' || [ $? -eq 1 ])
if [ -n "$bad" ]; then
    echo "$library defines: $bad" >&2
    exit 1
fi
info='create|delete|dup|free|get|get_nkeys|get_nthkey|get_valuelen|set'
fortran='File_(c2f|f2c)'
case $real in libmpi.so) fortran="($fortran|(Comm|Win)_f2c|Info_(c2f|f2c))" ;; esac
report='Comm_(free|get_info|get_name|get_parent|group|set_errhandler|size|split)|(File|Win)_get_(group|info)|Group_(free|size|translate_ranks)'
report="$report|Recv|Send|Win_get_name"
needed=$(nm -D --undefined-only "$library" | awk '$1 == "U" && $2 ~ /^P?MPIX?_/ { print $2 }' |
    grep -v -E "^P?MPI_$fortran\$|^PMPI_(Abort|Comm_(call_errhandler|rank|spawn_multiple)|Finalize|Finalized|Get_version|Init|Init_thread|Initialized|Info_($info)|$report)\$" ||
    [ $? -eq 1 ])
if [ -n "$needed" ]; then
    echo "$library cannot do without $needed" >&2
    exit 1
fi
readelf -d "$library" | grep NEEDED | grep -q "\[$real" || { echo "$library does not need $real" >&2; exit 1; }
if readelf -d "$library" | grep -q SYMBOLIC; then
    echo "$library binds its own symbols" >&2
    exit 1
fi
