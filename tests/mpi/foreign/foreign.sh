#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# foreign.sh NAME COMMAND PYTHON WORK MPI INCLUDE...: runs programs on a copy of the library MPI in a folder of its
# own, under a NAME such as libmpi_gnu_123.so.12 (Cray's), through `rcuinfo run`. A program, and plugins of a program that
# knows no MPI, in C and in Fortran, must get infos from the store, and load no other MPI. The variable MPI_FORTRAN: the library
# of the Fortran interface, of which a copy is made, too; or empty.
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
name=$1 command=$2 python=$3 work=$4 mpi=$5 fortran=$MPI_FORTRAN
shift 5
flags=("${@/#/-I}" -fPIC)

fail() {
    printf 'foreign.sh: %s\n' "$*" >&2
    exit 1
}

# runs WORDS...: they print what the standard input has, and the statistics count one get and one set. The dynamic linker
# searches for no library by the name that the system's MPI has.
runs() {
    rm -f "$work"/searches.*
    LD_DEBUG=libs LD_DEBUG_OUTPUT=$work/searches "$@" >"$work/found" 2>"$work/errors" ||
        fail "$* ended with $?: $(cat "$work/found" "$work/errors")"
    [ "$system" = "$name" ] || ! grep -F "find library=$system " "$work"/searches.* || fail "$*: that is the system's"
    diff -u - "$work/found"
    grep -qE '^rcuinfo: process [0-9]+: live 0, gets 1, sets 1, ' "$work/errors" || fail "$*: $(cat "$work/errors")"
}

# copy FILE NAME: patchelf mixes the texts up if it is to change several at once.
copy() {
    cp "$(readlink -f "$1")" "$work/lib/$2"
    patchelf --set-soname "$2" "$work/lib/$2"
    patchelf --set-rpath "$work/lib" "$work/lib/$2"
}

system=$(patchelf --print-soname "$mpi")
rm -rf "$work"
mkdir -p "$work/lib"
copy "$mpi" "$name"
link=("-Wl,--copy-dt-needed-entries" "-L$work/lib" "-l:$name" "-Wl,-rpath,$work/lib")
"$CC" "${flags[@]}" "$here/program.c" -o "$work/program" "${link[@]}"
"$CC" "${flags[@]}" -DPLUGIN -shared "$here/program.c" -o "$work/plugin.so" "${link[@]}"
"$CC" "$here/host.c" -o "$work/host" -ldl
"$CC" "${flags[@]}" -DLIBRARY="\"$work/lib/$name\"" -shared "$here/wrapper.c" -o "$work/wrapper.so" -ldl

wanted="no_locks=$NO_LOCKS, 1 process, null, MPI_ERR_INFO
MPI $work/lib/$name"
runs "$command" run --stats "$work/program" <<<"$wanted"
runs "$command" run --stats --mpi "$work/lib/$name" "$work/host" "$work/plugin.so" <<<"$wanted"

# Functions looked up on the handle of the library, as Python does, and by a tool, which gets the library's own; and on that
# of another library.
lookup=("$python" "$here/lookup.py" "$work/lib/$name" "$work/wrapper.so" "$mpi")
runs "$command" run --stats --mpi "$work/lib/$name" "${lookup[@]}" <<<"1 value True True"
"$command" run --stats --no-dlsym --mpi "$work/lib/$name" "${lookup[@]}" >"$work/found" 2>"$work/errors" || fail "$(<"$work/errors")"
grep -q "sets 1, " "$work/errors" && fail "--no-dlsym: $(<"$work/errors")"
LD_PRELOAD=$work/wrapper.so runs "$command" run --stats "$work/program" <<<"wrapped MPI_Win_allocate
wrapped MPI_Win_get_info
$wanted"

if [ "$fortran" ]; then
    copy "$fortran" "libfortran_$name"
    patchelf --replace-needed "$system" "$name" "$work/lib/libfortran_$name"
    "$FC" "${flags[@]}" -J"$work" -shared "$here/../fortran/test_plugin.F90" -o "$work/fortran.so" "-L$work/lib" "-l:libfortran_$name" "${link[@]}"
    runs "$command" run --stats --mpi "$work/lib/$name" "$work/host" "$work/fortran.so" <<<"ierror 0, mpi_assert_no_any_tag=true"
fi

# With another MPI in the process, it says so. One of the same name would take the place of the copy.
if [ "$system" != "$name" ]; then
    LD_PRELOAD=$mpi "$command" run "$work/program" >"$work/found" 2>"$work/errors" || fail "$(<"$work/errors")"
    grep -q "^rcuinfo: two MPI libraries are loaded, .* and $work/lib/$name; " "$work/errors" || fail "$(<"$work/errors")"
fi
