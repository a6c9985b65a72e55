#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A program that is linked with an installed interposer ahead of the MPI library behaves as with the interposer
# preloaded: in C and C++, built by the MPI's compiler wrappers, and by the compiler with the flags of pkg-config. After
# the MPI library the interposer has no effect.
# usage: linked.sh PREFIX LIBRARY_DIRECTORY CONSUMER_DIRECTORY WORK_DIRECTORY mpich|openmpi
set -eu
prefix=$1 libdir=$2 consumer=$3 work=$4 flavour=$5
real=mpich
[ "$flavour" = mpich ] || real=mpi
rm -rf "$work"
mkdir -p "$work"
cp "$consumer/linked.c" "$work/linked.cpp"
export PKG_CONFIG_PATH=$libdir/pkgconfig OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
unset LD_LIBRARY_PATH LD_PRELOAD

# says COMMAND...: prints its output, and the store's line of each process that has converted an info. The bytes retired
# depend on the lengths of paths.
says() {
    RCUINFO_STATS=1 "$@" </dev/null >"$work/out" 2>"$work/err" || { cat "$work/out" "$work/err" && exit 1; }
    cat "$work/out"
    sed -n '/conversions 0,/d; s/, peak retired .*//; s/^rcuinfo: process [0-9]*: //p' "$work/err"
}

# same WANTED GOT WHAT: checks that the two are equal.
same() {
    [ "$1" = "$2" ] || { echo "$3 says:" && echo "$2" && echo "and should say:" && echo "$1" && exit 1; }
}

# check LANGUAGE SOURCE WRAPPER COMPILER...
check() {
    local name=$work/$1 source=$2 wrapper=$3 plain wanted flags
    shift 3
    "$wrapper" "$source" -o "$name.plain"
    "$wrapper" "$source" -o "$name.wrapper" -L"$libdir" -lrcuinfo_interpose "-Wl,-rpath,$libdir"
    "$wrapper" "$source" -o "$name.behind" "-l$real" -L"$libdir" -lrcuinfo_interpose "-Wl,-rpath,$libdir"
    flags=$(pkg-config --cflags --libs "rcuinfo-$flavour")
    # shellcheck disable=SC2086
    "$@" "$source" -o "$name.alone" $flags "-Wl,-rpath,$libdir"

    plain=$(says "$name.plain")
    wanted=$(says "$prefix/bin/rcuinfo" run "$name.plain")
    grep -q '^live 0, .* conversions 3, ' <<<"$wanted" || { echo "not on the store: $wanted" && exit 1; }
    [ "$plain" != "$wanted" ] || { echo "no difference: $plain" && exit 1; }
    same "$wanted" "$(LD_PRELOAD=$libdir/librcuinfo_interpose.so says "$name.plain")" "$1, preloaded"
    same "$wanted" "$(says "$name.wrapper")" "$1 by $wrapper"
    same "$wanted" "$(says "$name.alone")" "$1 without a wrapper"
    same "$plain" "$(says "$name.behind")" "$1 with the interposer behind"
}

# MPI_Info_get is deprecated since MPI-4.0, and an mpi.h may warn of it.
warnings=(-Wall -Wextra -Werror -Wno-deprecated-declarations)
check c "$consumer/linked.c" "mpicc.$flavour" "${CC:-cc}" -std=c11 "${warnings[@]}"
# Without the C++ bindings of MPI-2, whose library only the wrapper links.
check c++ "$work/linked.cpp" "mpicxx.$flavour" "${CXX:-c++}" -std=c++17 -DMPICH_SKIP_MPICXX -DOMPI_SKIP_MPICXX \
    "${warnings[@]}"

# The same in a library. The program must be linked in this way, too: its libraries are searched before theirs.
echo 'int library(int argc, char *argv[]); int main(int argc, char *argv[]) { return library(argc, argv); }' \
    >"$work/program.c"
ours=("-L$libdir" -lrcuinfo_interpose "-Wl,-rpath,$libdir")
"mpicc.$flavour" -shared -fPIC -Dmain=library "$consumer/linked.c" -o "$work/liblinked.so" "${ours[@]}"
"mpicc.$flavour" "$work/program.c" -o "$work/program" -L"$work" -llinked "-Wl,-rpath,$work" -Wl,--no-as-needed "${ours[@]}"
same "$(says "$prefix/bin/rcuinfo" run "$work/c.plain")" "$(says "$work/program")" "a library"
