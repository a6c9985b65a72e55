#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Every installed header compiles by itself, and twice, as strict C and as C++, of the oldest standard that it is for and
# of the newest that gcc 12 and clang 14 know, with both of them. mpi_compat.h and mpi_collective.h ask for an mpi.h
# first, and say so when there was none; the latter for that of a real MPI, whose packages are named. mpif.h is Fortran's
# (fortran.sh).
# usage: headers.sh INCLUDE_DIRECTORY WORK_DIRECTORY [PACKAGE...]
set -u
include=$1
work=$2
shift 2
status=0
mkdir -p "$work"
warnings=(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -fsyntax-only "-I$include")

# compiles HEADER [FIRST [FLAG...]]
compiles() {
    local header=$1 first=${2-} flags=("${@:3}")
    {
        [ -z "$first" ] || echo "#include <$first>"
        echo "#include <$header>"
        echo "#include <$header>"
        echo "int rcuinfo_header_test(void);"
    } >"$work/header.c"
    cp "$work/header.c" "$work/header.cpp"
    local compiler standard
    for compiler in gcc clang; do
        for standard in c11 c2x; do
            [ "${header##*.}" = h ] || continue
            "$compiler" -std=$standard "${warnings[@]}" "${flags[@]}" "$work/header.c" ||
                { echo "<$header> does not compile as $standard with $compiler" && status=1; }
        done
    done
    for compiler in g++ clang++; do
        for standard in c++17 c++20; do
            "$compiler" -std=$standard "${warnings[@]}" "${flags[@]}" "$work/header.cpp" ||
                { echo "<$header> does not compile as $standard with $compiler" && status=1; }
        done
    done
}

# wants_mpi HEADER: it says that an mpi.h is missing.
wants_mpi() {
    local output
    echo "#include <$1>" >"$work/header.c"
    if output=$("${CC:-cc}" "${warnings[@]}" "$work/header.c" 2>&1) || ! grep -q 'include mpi.h before' <<<"$output"; then
        echo "<$1> without an mpi.h says: $output"
        status=1
    fi
}

cd "$include" || exit 2
headers=$(find rcuinfo ! -name mpif.h '(' -name '*.h' -o -name '*.hpp' ')' | sort)
for wanted in rcuinfo.h info.h snapshot.h update.h value.h env.h hints.h pack.h store.h version.h mpi_compat.h mpi_collective.h \
    abi/mpi.h mpi_info.hpp rcuinfo.hpp; do
    grep -qx "rcuinfo/$wanted" <<<"$headers" || { echo "rcuinfo/$wanted is not installed" && status=1; }
done
for header in $headers; do
    case $header in
        rcuinfo/mpi_compat.h)
            compiles "$header" rcuinfo/abi/mpi.h
            wants_mpi "$header"
            ;;
        rcuinfo/mpi_collective.h)
            # Without a package there is no library that it belongs to, and only its complaint is looked at.
            for package; do
                # Their headers are not ours to judge: as system headers they raise no warnings.
                mpi_flags=$(pkg-config --cflags-only-I "$package" | sed 's/-I/-isystem /g')
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
