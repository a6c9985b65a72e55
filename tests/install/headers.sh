#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Every installed header compiles alone, and when included twice, as strict C and as C++, with gcc 12 and clang 14 in
# the oldest standard that it supports, and with clang in the newest that it knows. mpi_compat.h and mpi_collective.h need an mpi.h
# before them and report a missing one; the latter needs that of a real MPI. mpif.h is for Fortran.
# usage: headers.sh INCLUDE_DIRECTORY [mpich] [openmpi]
set -u
include=$1
shift
status=0
warnings=(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -fsyntax-only "-I$include")

# compiles HEADER [FIRST [FLAG...]]
compiles() {
    local header=$1 first=${2-} flags=("${@:3}") source standard language compiler
    source=$(printf '#include <%s>\n' ${first:+"$first"} "$header" "$header" && echo "int rcuinfo_header_test(void);")
    for standard in c11 c2x c++17 c++20; do
        language=${standard%%[0-9]*}
        [ "$language" = c++ ] || [ "${header##*.}" = h ] || continue
        for compiler in gcc clang; do
            # The newest standards with one of them.
            [ "$compiler" = clang ] || [ $standard = c11 ] || [ $standard = c++17 ] || continue
            "$compiler" -std=$standard "${warnings[@]}" "${flags[@]}" -x "$language" - <<<"$source" ||
                { echo "<$header> does not compile as $standard with $compiler" && status=1; }
        done
    done
}

# wants_mpi HEADER: must report that an mpi.h is missing.
wants_mpi() {
    local output
    if output=$("${CC:-cc}" "${warnings[@]}" -x c - <<<"#include <$1>" 2>&1) ||
        ! grep -q 'include mpi.h before' <<<"$output"; then
        echo "<$1> without an mpi.h says: $output"
        status=1
    fi
}

cd "$include" || exit 2
headers=$(find rcuinfo ! -name mpif.h '(' -name '*.h' -o -name '*.hpp' ')' | sort)
[ -n "$headers" ] || exit 2
for header in $headers; do
    case $header in
        rcuinfo/mpi_compat.h)
            compiles "$header" rcuinfo/abi/mpi.h
            wants_mpi "$header"
            ;;
        rcuinfo/mpi_collective.h)
            # Without a package there is no library for it, and only its error is checked.
            for flavour; do
                # The headers of others are system headers, so that they raise no warnings.
                mpi_flags=$(pkg-config --cflags-only-I "${flavour/openmpi/ompi-c}" | sed 's/-I/-isystem /g')
                # shellcheck disable=SC2086
                compiles "$header" mpi.h $mpi_flags
            done
            wants_mpi "$header"
            ;;
        rcuinfo/mpi_info.hpp)
            compiles "$header" rcuinfo/abi/mpi.h
            compiles "$header" "" -Ircuinfo/abi
            ;;
        *) compiles "$header" ;;
    esac
done
exit $status
