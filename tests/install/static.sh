#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Programs that are linked with librcuinfo.a: with shared libraries otherwise, wholly static, and beside librcuinfo.so in
# one process, which is then a second store. They export nothing of the store.
# usage: static.sh LIBRARY_DIRECTORY CONSUMER_DIRECTORY WORK_DIRECTORY VERSION
set -eu
libdir=$1 consumer=$2 work=$3 version=$4
rm -rf "$work"
mkdir -p "$work"
export PKG_CONFIG_PATH=$libdir/pkgconfig
flags=$(pkg-config --cflags --static --libs rcuinfo)
flags=${flags/-lrcuinfo/-l:librcuinfo.a} # without -static the linker would take librcuinfo.so, which is beside it

# build PROGRAM SOURCE FLAG...
build() {
    local program=$work/$1 source=$consumer/$2.c
    shift 2
    # shellcheck disable=SC2086
    "${CC:-cc}" -std=gnu11 -Wall -Wextra -Werror "$source" -o "$program" "$@" $flags
    if nm -D --defined-only "$program" 2>/dev/null | grep rcuinfo_; then
        echo "$program exports the symbols above"
        exit 1
    fi
    if readelf -d "$program" | grep 'NEEDED.*librcuinfo\.so'; then
        echo "$program is linked with librcuinfo.so"
        exit 1
    fi
}

build native native
build native_static native -static
readelf -d "$work/native_static" | grep -q NEEDED && echo "$work/native_static needs libraries" && exit 1
# Constructors that nothing refers to are there: this one speaks at the end of the process.
for program in native native_static; do
    output=$(RCUINFO_STATS=1 "$work/$program" "$version" 2>&1) || { echo "$program fails: $output" && exit 1; }
    grep -q '^rcuinfo: process .* live 0,' <<<"$output" || { echo "$program says: $output" && exit 1; }
done
build two_stores two_stores "-L$libdir" -Wl,--no-as-needed -lrcuinfo_mpi "-Wl,-rpath,$libdir"
# Where the handlers of fork wait for each other, it hangs with all signals blocked.
output=$(timeout -s KILL 120 "$work/two_stores") || { echo "$work/two_stores ends with $?, and says: $output" && exit 1; }
