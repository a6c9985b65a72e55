#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Programs that are linked with librcuinfo.a: wholly static, and beside librcuinfo.so in one process, which is then a
# second store. They export nothing of the store. (find_package.sh has one with shared libraries otherwise.)
# usage: static.sh LIBRARY_DIRECTORY CONSUMER_DIRECTORY WORK_DIRECTORY VERSION
set -eu
libdir=$1 consumer=$2 work=$3 version=$4
rm -rf "$work"
mkdir -p "$work"
export PKG_CONFIG_PATH=$libdir/pkgconfig
flags=$(pkg-config --cflags --static --libs rcuinfo)
flags=${flags/-lrcuinfo/-l:librcuinfo.a} # without -static the linker would take librcuinfo.so, which is beside it

# build PROGRAM FLAG...
build() {
    local program=$work/$1
    # shellcheck disable=SC2086
    "${CC:-cc}" -std=gnu11 -Wall -Wextra -Werror "$consumer/$1.c" -o "$program" "${@:2}" $flags
    if nm -D --defined-only "$program" 2>/dev/null | grep rcuinfo_; then
        echo "$program exports the symbols above"
        exit 1
    fi
    if readelf -d "$program" | grep 'NEEDED.*librcuinfo\.so'; then
        echo "$program is linked with librcuinfo.so"
        exit 1
    fi
}

build native -static
readelf -d "$work/native" | grep -q NEEDED && echo "$work/native needs libraries" && exit 1
# Constructors that nothing refers to are there: this one speaks at the end of the process.
output=$(RCUINFO_STATS=1 "$work/native" "$version" 2>&1) || { echo "native fails: $output" && exit 1; }
grep -q '^rcuinfo: process .* live 0,' <<<"$output" || { echo "native says: $output" && exit 1; }
build two_stores "-L$libdir" -Wl,--no-as-needed -lrcuinfo_mpi "-Wl,-rpath,$libdir"
# Where the handlers of fork wait for each other, it hangs with all signals blocked.
output=$(timeout -s KILL 120 "$work/two_stores") || { echo "$work/two_stores ends with $?, and says: $output" && exit 1; }
