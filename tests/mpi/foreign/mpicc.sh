#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# mpicc.sh SOURCE WORK MPI INCLUDE...: builds rcuinfo on a system whose only MPI is a copy of MPI, an MPICH, in a prefix of
# its own, which pkg-config does not know, but an mpicc in PATH does. A program of it must run on the store.
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source=$1 work=$2 mpi=$3
shift 3
prefix=$work/prefix

fail() {
    printf 'mpicc.sh: %s\n' "$*" >&2
    exit 1
}

rm -rf "$work"
mkdir -p "$prefix/bin" "$prefix/lib" "$work/pkgconfig"
cp "$mpi" "$prefix/lib/libmpi.so.12"
patchelf --set-soname libmpi.so.12 "$prefix/lib/libmpi.so.12"
echo "INPUT(libmpi.so.12)" >"$prefix/lib/libmpi.so" # as in the MPIs from PyPI
for folder; do
    [ ! -e "$folder/mpi.h" ] || cp -r "$folder" "$prefix/include"
done
cat >"$prefix/bin/mpicc" <<EOF
#!/bin/sh
flags="-I$prefix/include -L$prefix/lib -Wl,-rpath,$prefix/lib -lmpi"
[ "\$1" != -show ] || { echo "$CC \$flags"; exit; }
exec $CC "\$@" \$flags
EOF
chmod +x "$prefix/bin/mpicc"
for name in liburcu-bp ck libxxhash jansson; do
    ln -s "$(pkg-config --variable=pcfiledir $name)/$name.pc" "$work/pkgconfig/$name.pc"
done
export PATH=$prefix/bin:$PATH PKG_CONFIG_LIBDIR=$work/pkgconfig
unset PKG_CONFIG_PATH
export CMAKE_GENERATOR=Ninja

cmake -S "$source" -B "$work/build" -DBUILD_TESTING=OFF -DCMAKE_BUILD_TYPE=Debug >"$work/log" 2>&1 || fail "$(cat "$work/log")"
grep -qE "librcuinfo_collective_mpich .*, $prefix/include/mpi.h, $prefix/lib/libmpi.so.12$" "$work/log" || fail "$(cat "$work/log")"
grep -qE "librcuinfo_collective_openmpi .*: left out, .* -DRCUINFO_MPI=/path$" "$work/log" || fail "$(cat "$work/log")"
cmake --build "$work/build" --parallel 2 --target rcuinfo_command rcuinfo_collective_mpich >"$work/log" 2>&1 || fail "$(cat "$work/log")"
mpicc "$here/program.c" -o "$work/program"

on_store() {
    "$@" >"$work/found" 2>"$work/errors" || fail "$(cat "$work/errors")"
    diff -u - "$work/found" <<<"no_locks=true, 1 process, null, MPI_ERR_INFO
MPI $prefix/lib/libmpi.so.12"
    grep -q "gets 1, sets 1, " "$work/errors" || fail "$(cat "$work/errors")"
}
on_store "$work/build/tools/rcuinfo" run --stats "$work/program"
# Linked by the .pc file, which brings a run path for the MPI.
flags=$(PKG_CONFIG_PATH=$work/build/include pkg-config "--define-variable=libdir=$work/build/lib" --cflags --libs rcuinfo-mpich)
# shellcheck disable=SC2086
$CC "$here/program.c" -o "$work/linked" $flags "-Wl,-rpath,$work/build/lib"
on_store env -u LD_LIBRARY_PATH RCUINFO_STATS=1 "$work/linked"

# Intel's wrapper, as it is without I_MPI_ROOT: named, and first in PATH.
mkdir "$work/intel"
cat >"$work/intel/mpicc" <<'EOF'
#!/bin/sh
echo 'gcc -I"I_MPI_SUBSTITUTE_INSTALLDIR/include" -L"I_MPI_SUBSTITUTE_INSTALLDIR/lib" -lmpi'
EOF
chmod +x "$work/intel/mpicc"
needs="Intel's wrapper needs I_MPI_ROOT"
! cmake -S "$source" -B "$work/build" -DRCUINFO_MPI="$work/intel/mpicc" >"$work/log" 2>&1 || fail "$(cat "$work/log")"
tr -s ' \n' ' ' <"$work/log" | grep -q "/intel/mpicc' is of no use: $needs" || fail "$(cat "$work/log")"
PATH=$work/intel:$PATH cmake -S "$source" -B "$work/build" -DRCUINFO_MPI= >"$work/log" 2>&1 || fail "$(cat "$work/log")"
grep -q "/intel/mpicc, the first in PATH, is of no use: $needs" "$work/log" || fail "$(cat "$work/log")"
