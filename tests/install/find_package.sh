#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A CMake project finds an installed rcuinfo, links its targets, and runs. So does a project in Fortran alone.
# usage: find_package.sh CMAKE GENERATOR PREFIX SOURCE_DIRECTORY WORK_DIRECTORY VERSION [fortran] [mpich] [openmpi]
set -eu -o pipefail
cmake=$1 generator=$2 prefix=$3 source=$4 work=$5 version=$6
shift 6
consumer=$source/tests/install/consumer expected=$source/tools/examples/ten_steps/expected.txt
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
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
    for program in "$work"/Fortran/ten_steps*; do
        "$program" | diff "$expected" -
    done
fi
flavours=$*
configure C "$version" "${CC:-cc}" -DFLAVOURS="${flavours// /;}"
"$cmake" --build "$work/C"
"$work/C/native" "$version"
"$work/C/native_static" "$version"
"$work/C/ten_steps" | diff "$expected" -
for flavour; do
    "$work/C/agree_$flavour" | diff <(echo "all 1 agree") -
done
# A later version must not be found.
if configure C 99.0 "${CC:-cc}" >"$work/later.log" 2>&1; then
    echo "version 99.0 was found"
    exit 1
fi
