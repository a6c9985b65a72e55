#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Each example is built by the commands that its own comment gives, against an installed rcuinfo. `mpicc` and `mpicxx`
# are those of each flavour in turn; commands with the package of an MPI that is not there are left out.
# usage: build.sh SOURCE_DIRECTORY PREFIX LIBRARY_DIRECTORY WORK_DIRECTORY [mpich] [openmpi] [fortran]
set -u
sources=$1 prefix=$2 libdir=$3 work=$4
shift 4
status=0 built=0
rm -rf "$work"
mkdir -p "$work/bin"
cp "$sources"/*.c "$sources"/*.cpp "$sources"/ten_steps/ten_steps* "$work"
ln -s "$(command -v "${CC:-cc}")" "$work/bin/cc"
ln -s "$(command -v "${CXX:-c++}")" "$work/bin/c++"
fortran=$(command -v "${FC:-gfortran}") && ln -s "$fortran" "$work/bin/gfortran"
export PATH=$work/bin:$PATH PKG_CONFIG_PATH=$libdir/pkgconfig
cd "$work" || exit 2

# The commands in a source's comment, from "Build:" to its last line but "Run:".
commands() {
    sed -n '1,/\*\//s/^\( \*\|!\)\( Build:\|  *\) *\(\(cc\|c++\|mpicc\|mpicxx\|gfortran\) .*\)$/\3/p' "$1"
}

# build FILE COMMAND. MPI_Info_get is deprecated since MPI-4.0, and an mpi.h may say so.
build() {
    local warnings="-Wall -Wextra -Werror"
    [[ $2 == gfortran* ]] || warnings+=" -Wno-deprecated-declarations"
    bash -c "${2//<prefix>/$prefix} $warnings -o program" >log 2>&1 && built=$((built + 1)) && return
    echo "$1: $2"
    cat log
    status=1
}

for file in *.c *.cpp *.f *.f90; do
    [ -n "$(commands "$file")" ] || { echo "$file does not say how it is built" && status=1; }
    while IFS= read -r command; do
        case $command in
            mpi*)
                for flavour; do [ "$flavour" = fortran ] || build "$file" "${command/ /.$flavour }"; done
                ;;
            gfortran*) # it warns of constants that a program has no need of
                case " $* " in *" fortran "*) build "$file" "$command -Wno-unused-parameter" ;; esac
                ;;
            *rcuinfo-mpich*) case " $* " in *" mpich "*) build "$file" "$command" ;; esac ;;
            *rcuinfo-openmpi*) case " $* " in *" openmpi "*) build "$file" "$command" ;; esac ;;
            *) build "$file" "$command" ;;
        esac
    done < <(commands "$file")
done
echo "$built programs"
exit $status
