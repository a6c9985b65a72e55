#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A CMake project finds an installed rcuinfo, builds against its targets, and runs.
# usage: find_package.sh CMAKE GENERATOR PREFIX CONSUMER_DIRECTORY WORK_DIRECTORY VERSION
set -eu
cmake=$1 generator=$2 prefix=$3 consumer=$4 work=$5 version=$6
. "$consumer/expect.sh"
rm -rf "$work"
"$cmake" -S "$consumer" -B "$work" -G "$generator" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="${CC:-cc}" \
    -DWANTED="$version"
"$cmake" --build "$work"
expect "$work/native" "rcuinfo $version"
expect "$work/abi"
# A later minor version is not there.
if "$cmake" -S "$consumer" -B "$work/later" -G "$generator" -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_C_COMPILER="${CC:-cc}" -DWANTED=99.0 >"$work/later.log" 2>&1; then
    echo "version 99.0 was found"
    exit 1
fi
