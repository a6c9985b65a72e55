#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Programs are built with what pkg-config says of an installed rcuinfo, and run.
# usage: pkg_config.sh LIBRARY_DIRECTORY CONSUMER_DIRECTORY WORK_DIRECTORY VERSION [mpich] [openmpi]
set -eu
libdir=$1 consumer=$2 work=$3 version=$4
shift 4
# shellcheck source=consumer/expect.sh
. "$consumer/expect.sh"
mkdir -p "$work"
export PKG_CONFIG_PATH=$libdir/pkgconfig LD_LIBRARY_PATH=$libdir OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# build PACKAGE PROGRAM
build() {
    local flags installed
    installed=$(pkg-config --modversion "$1")
    [ "$installed" = "$version" ] || { echo "$1 is of version $installed, and should be $version" && exit 1; }
    flags=$(pkg-config --cflags --libs "$1")
    # shellcheck disable=SC2086
    "${CC:-cc}" -std=c11 -Wall -Wextra -Werror "$consumer/$2.c" -o "$work/$2" $flags
}

build rcuinfo native
build rcuinfo-mpi abi
expect "$work/native" "rcuinfo $version"
expect "$work/abi"
# In front of an MPI library of the standard ABI, which pkg-config does not know.
flags=$(pkg-config --libs "rcuinfo-mpi-abi = $version")
[[ " $flags " == *" -lrcuinfo_mpi_abi "* ]] || { echo "rcuinfo-mpi-abi says $flags" && exit 1; }
for flavour; do
    build "rcuinfo-collective-$flavour" collective
    expect "$work/collective"
done
