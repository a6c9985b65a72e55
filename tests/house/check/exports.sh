#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The native interface is what its headers declare: lib/rcuinfo.map exports each function of theirs, and nothing else by a
# public version. (tests/install/symbols.sh looks at the libraries; a function that the map lacks would be private.)
# usage: exports.sh SOURCE_ROOT        prints what differs; exit status 1 if anything does
set -u
cd "$1" || exit 2

# Those of the MPI layers are in libraries of their own.
declared=$(find include/rcuinfo -maxdepth 1 \( -name '*.h' -o -name '*.h.in' \) ! -name 'mpi_*' -exec cat {} + | tr '\n' ' ' |
    grep -oE 'RCUINFO_(API|CHECKED)[^;(]*[ *]rcuinfo_[a-z0-9_]+\(' | grep -oE 'rcuinfo_[a-z0-9_]+\($' | tr -d '(' | sort -u)
exported=$(sed -n '/^RCUINFO_[0-9]/,/^local:/s/^ *\(rcuinfo_[a-z0-9_]*\);$/\1/p' lib/rcuinfo.map | sort -u)
[ -n "$declared" ] || echo "include/rcuinfo declares nothing"
difference=$(
    comm -23 <(echo "$declared") <(echo "$exported") | sed 's/$/ is declared, but lib\/rcuinfo.map does not export it/'
    comm -13 <(echo "$declared") <(echo "$exported") | sed 's/$/ is exported by lib\/rcuinfo.map, but no header declares it/'
)
[ -z "$difference" ] || echo "$difference"
[ -n "$declared" ] && [ -z "$difference" ]
