#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Fortran with an installed rcuinfo: programs by each interface are built with what pkg-config says and in a CMake project
# that finds the package, mpif.h in fixed and in free form, and print what they should.
# usage: fortran.sh CMAKE GENERATOR PREFIX LIBRARY_DIRECTORY PROJECT_DIRECTORY PROGRAMS_DIRECTORY WORK_DIRECTORY VERSION
set -eu
cmake=$1 generator=$2 prefix=$3 libdir=$4 project=$5 programs=$6 work=$7 version=$8
rm -rf "$work"
mkdir -p "$work"
export PKG_CONFIG_PATH=$libdir/pkgconfig

# expect PROGRAM: it prints what all of them do.
expect() {
    local output
    if ! output=$("$1" 2>&1) || [ "$output" != "$(cat "$programs/expected.txt")" ]; then
        echo "$1 says: $output"
        exit 1
    fi
}

installed=$(pkg-config --modversion rcuinfo-mpi-fortran)
[ "$installed" = "$version" ] || { echo "version $installed, and should be $version" && exit 1; }
flags=$(pkg-config --cflags --libs rcuinfo-mpi-fortran)

# build SOURCE: to a program beside it.
build() {
    # shellcheck disable=SC2086
    "$FC" -Wall -Wextra -Wno-unused-parameter -Werror "$1" -o "$1.out" $flags "-Wl,-rpath,$libdir"
}

cp "$programs"/ten_steps_{77.f,use.f90,f08.f90} "$work"
for source in "$work"/ten_steps_*; do
    build "$source"
    expect "$source.out"
done
cat >"$work/free.f90" <<'END'
program free
  implicit none
  include 'mpif.h'
  integer info, ierror
  call MPI_Info_create(info, ierror)
  if (ierror /= MPI_SUCCESS) error stop 1
  call MPI_Info_free(info, ierror)
  if (ierror /= MPI_SUCCESS .or. info /= MPI_INFO_NULL) error stop 2
end program
END
build "$work/free.f90"
"$work/free.f90.out"

"$cmake" -S "$project" -B "$work/cmake" -G "$generator" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_Fortran_COMPILER="$FC" \
    -DCMAKE_C_COMPILER="${CC:-cc}" -DWANTED="$version" -DPROGRAMS="$programs"
"$cmake" --build "$work/cmake"
for name in ten_steps_77 ten_steps_use ten_steps_f08; do
    expect "$work/cmake/$name"
done
