#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Each example is built by the commands that its own comment gives, against an installed rcuinfo, and prints what stands
# in its .txt file. `mpicc` and `mpicxx` are those of each flavour in turn, and each process of what they build has to
# use the store and to leave no info; hybrid is for two, where there is a launcher, MPIRUN_mpich or MPIRUN_openmpi.
# Commands with a package that is not there are left out. And the program that README.md prints under "Natively" is
# first.c.
# usage: build.sh README PREFIX LIBRARY_DIRECTORY WORK_DIRECTORY VERSION "[mpich] [openmpi] [fortran]" FILE...
set -u
readme=$1 prefix=$2 libdir=$3 work=$4 version=$5 packages=" $6 "
shift 6
here=$(cd "$(dirname "$0")" && pwd)
status=0 programs=0
rm -rf "$work"
mkdir -p "$work/bin"
cp "$@" "$work"
ln -s "$(command -v "${CC:-cc}")" "$work/bin/cc"
ln -s "$(command -v "${CXX:-c++}")" "$work/bin/c++"
fortran=$(command -v "${FC:-gfortran}") && ln -s "$fortran" "$work/bin/gfortran"
export PATH=$work/bin:$PATH PKG_CONFIG_PATH=$libdir/pkgconfig LD_LIBRARY_PATH=$libdir
cd "$work" || exit 2

complain() {
    echo "$*"
    status=1
}

# The commands in a source's comment, from "Build:" to its last line but "Run:".
commands() {
    sed -n '1,/\*\//s/^\( \*\|!\)\( Build:\|  *\) *\(\(cc\|c++\|mpicc\|mpicxx\|gfortran\) .*\)$/\3/p' "$1"
}

# try FILE COMMAND PROCESSES [WORD...]: builds it by the command, and runs it behind the words. So many processes say
# that they have used the store. MPI_Info_get is deprecated since MPI-4.0, and an mpi.h may say so; gfortran warns of
# constants that a program has no need of.
try() {
    local program=${1%.*} command=$2 processes=$3 warnings="-Wall -Wextra -Werror -Wno-unused-parameter"
    local expected=$program.txt
    shift 3
    [ -e "$expected" ] || expected=expected.txt # of the ten steps
    [[ $command == gfortran* ]] || warnings+=" -Wno-deprecated-declarations"
    if bash -c "${command//<prefix>/$prefix} $warnings -o $program" &>log &&
        "$@" "./$program" one "two words" </dev/null 2>log >out && diff "$expected" out >>log &&
        [ "$(grep -c '^rcuinfo: process [0-9]*: live 0, gets [0-9]*, sets [1-9]' log)" -eq "$processes" ]; then
        programs=$((programs + 1))
        return
    fi
    complain "$command; $* $program: $processes processes on the store wanted" && cat log
}

for file in *.c *.cpp *.f *.f90; do
    [ -n "$(commands "$file")" ] || complain "$file does not say how it is built"
    while IFS= read -r command; do
        flavour=$(grep -oE 'rcuinfo-(mpich|openmpi|mpi-fortran)' <<<"$command" | sed 's/.*-//')
        [ -z "$flavour" ] || [[ $packages == *" $flavour "* ]] || continue
        if [[ $command != mpi* ]]; then
            try "$file" "$command" 0
            continue
        fi
        for flavour in mpich openmpi; do
            [[ $packages == *" $flavour "* ]] || continue
            run=("$prefix/bin/rcuinfo" run --stats) processes=1
            if [ "$file" = hybrid.c ]; then
                launcher=MPIRUN_$flavour processes=2
                [ -x "${!launcher}" ] || continue
                [ "$flavour" = mpich ] || run=(--oversubscribe "${run[@]}")
                run=("$here/../../support/open_input.sh" "${!launcher}" -n 2 "${run[@]}")
            fi
            try "$file" "${command/ /.$flavour }" $processes "${run[@]}"
        done
    done < <(commands "$file")
done

for package in "$libdir"/pkgconfig/*.pc; do
    installed=$(pkg-config --modversion "$package")
    [ "$installed" = "$version" ] || complain "$package is of version $installed, and should be $version"
done
# In front of an MPI library of the standard ABI, which pkg-config does not know.
[[ " $(pkg-config --libs rcuinfo-mpi-abi) " == *" -lrcuinfo_mpi_abi "* ]] || complain "rcuinfo-mpi-abi lacks it"
# shellcheck disable=SC2016 # the backquotes are Markdown's
sed -n '/^\*\*3\. Natively/,$p' "$readme" | sed -n '/^```c$/,/^```$/p;' | sed '1d;/^```$/,$d' >natively.c
sed '1,/^ \*\/$/d' first.c | diff natively.c - || complain "$readme prints another program than first.c"
echo "$programs programs"
exit $status
