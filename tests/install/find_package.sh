#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A CMake project finds an installed rcuinfo, builds against its targets, and runs; so does one in Fortran alone. The
# collective library is found by pkg-config, too: the other packages are in the commands of the examples.
# usage: find_package.sh CMAKE GENERATOR PREFIX LIBRARY_DIRECTORY SOURCE_DIRECTORY WORK_DIRECTORY VERSION [fortran]
#     [mpich] [openmpi]
set -eu -o pipefail
cmake=$1 generator=$2 prefix=$3 libdir=$4 source=$5 work=$6 version=$7
shift 7
consumer=$source/tests/install/consumer expected=$source/tools/examples/ten_steps/expected.txt
export PKG_CONFIG_PATH=$libdir/pkgconfig OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# shellcheck source=consumer/expect.sh
. "$consumer/expect.sh"
rm -rf "$work"

# configure LANGUAGE VERSION COMPILER [OPTION...]
configure() {
    "$cmake" -S "$consumer" -B "$work/$1" -G "$generator" -DCMAKE_PREFIX_PATH="$prefix" -DSOURCE="$source" \
        -DLANGUAGE="$1" -DWANTED="$2" -DCMAKE_"$1"_COMPILER="$3" "${@:4}"
}

if [ "${1-}" = fortran ]; then
    shift
    configure Fortran "$version" "$FC"
    "$cmake" --build "$work/Fortran"
    for program in "$work"/Fortran/ten_steps_*; do
        "$program" | diff "$expected" -
    done
fi
flavours=$*
configure C "$version" "${CC:-cc}" -DFLAVOURS="${flavours// /;}"
"$cmake" --build "$work/C"
expect "$work/C/native" "rcuinfo $version"
expect "$work/C/native_static" "rcuinfo $version"
"$work/C/ten_steps" | diff "$expected" -
for flavour; do
    flags=$(pkg-config --cflags --libs "rcuinfo-collective-$flavour")
    # shellcheck disable=SC2086
    "${CC:-cc}" "$source/tests/mpi/apps/agree.c" -o "$work/C/agree" $flags "-Wl,-rpath,$libdir"
    for program in "$work/C/agree_$flavour" "$work/C/agree"; do
        "$program" | diff <(echo "all 1 agree") -
    done
done
# A later version is not there.
if configure C 99.0 "${CC:-cc}" >"$work/later.log" 2>&1; then
    echo "version 99.0 was found"
    exit 1
fi
