#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A CMake project finds an installed rcuinfo, builds against its targets, and runs.
# usage: find_package.sh CMAKE GENERATOR PREFIX CONSUMER_DIRECTORY WORK_DIRECTORY VERSION [mpich] [openmpi]
set -eu
cmake=$1 generator=$2 prefix=$3 consumer=$4 work=$5 version=$6
shift 6
flavours=$*
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# shellcheck source=consumer/expect.sh
. "$consumer/expect.sh"
rm -rf "$work"
"$cmake" -S "$consumer" -B "$work" -G "$generator" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="${CC:-cc}" \
    -DWANTED="$version" -DFLAVOURS="${flavours// /;}"
"$cmake" --build "$work"
expect "$work/native" "rcuinfo $version"
expect "$work/native_static" "rcuinfo $version"
expect "$work/abi"
for flavour in $flavours; do
    expect "$work/collective_$flavour"
done
# A later minor version is not there.
if "$cmake" -S "$consumer" -B "$work/later" -G "$generator" -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_C_COMPILER="${CC:-cc}" -DWANTED=99.0 >"$work/later.log" 2>&1; then
    echo "version 99.0 was found"
    exit 1
fi
