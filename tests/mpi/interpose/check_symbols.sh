#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: check_symbols.sh LIBRARY FLAVOUR: of the library that runs, which may be older than the mpi.h, an interposer needs what
# every version has since MPI-3: its other references are weak. c2f and f2c are functions in all of Open MPI, of MPICH only
# since its version 4.1, but for those of files. And it binds none of its own symbols. What it exports, and that it needs the
# real library by name, is for install.symbols to check; which MPI_* there are, for functions.py.
set -eu
library=$1 flavour=$2
info='create|delete|dup|free|get|get_nkeys|get_nthkey|get_valuelen|set'
fortran='File_(c2f|f2c)'
case $flavour in openmpi) fortran="($fortran|(Comm|Win)_f2c|Info_(c2f|f2c))" ;; esac
report='Comm_(free|get_info|get_name|get_parent|group|set_errhandler|size|split)|(File|Win)_get_(group|info)|Group_(free|size|translate_ranks)'
report="$report|Recv|Send|Win_get_name"
needed=$(nm -D --undefined-only "$library" | awk '$1 == "U" && $2 ~ /^P?MPIX?_/ { print $2 }' |
    grep -v -E "^P?MPI_$fortran\$|^PMPI_(Abort|Comm_(call_errhandler|rank|spawn_multiple)|Finalize|Finalized|Get_version|Init|Init_thread|Initialized|Info_($info)|$report)\$" ||
    [ $? -eq 1 ])
if [ -n "$needed" ]; then
    echo "$library cannot do without $needed" >&2
    exit 1
fi
if readelf -d "$library" | grep -q SYMBOLIC; then
    echo "$library binds its own symbols" >&2
    exit 1
fi
