#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Programs that are linked with librcuinfo.a: fully static, and with librcuinfo.so in the same process, which is then a
# second store. They export no symbol of the store. (find_package.sh builds one that is dynamic otherwise.)
# usage: static.sh LIBRARY_DIRECTORY CONSUMER_DIRECTORY WORK_DIRECTORY VERSION
set -eu
libdir=$1 consumer=$2 work=$3 version=$4
rm -rf "$work"
mkdir -p "$work"
export PKG_CONFIG_PATH=$libdir/pkgconfig
flags=$(pkg-config --cflags --static --libs rcuinfo)
flags=${flags/-lrcuinfo/-l:librcuinfo.a} # without -static the linker would prefer librcuinfo.so in the same folder

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
# Constructors without references are linked, too: this one prints at the end of the process.
output=$(RCUINFO_STATS=1 "$work/native" "$version" 2>&1) || { echo "native fails: $output" && exit 1; }
grep -q '^rcuinfo: process .* live 0,' <<<"$output" || { echo "native says: $output" && exit 1; }
# Whoever runs a set-user-ID program must not direct it by such variables. Root can try it, where such programs have an effect.
if [ "$(id -u)" -eq 0 ]; then
    privileged=$(mktemp -d) # which others can enter
    trap 'rm -r "$privileged"' EXIT
    cp "$work/native" "$(command -v id)" "$privileged"
    chmod 755 "$privileged"
    chmod 4755 "$privileged"/*
    as_other() { setpriv --reuid=65534 --clear-groups env RCUINFO_STATS=1 "$privileged/$1" "$2" 2>&1; }
    if [ "$(as_other id -u)" = 0 ]; then
        output=$(as_other native "$version") || { echo "native with set-user-ID fails: $output" && exit 1; }
        ! grep '^rcuinfo: process' <<<"$output" || { echo "native with set-user-ID obeys RCUINFO_STATS" && exit 1; }
    else
        echo "not tested: set-user-ID programs have no effect in $privileged"
    fi
fi
# shellcheck disable=SC2086
"${CC:-cc}" -shared -fPIC "$consumer/native.c" -o "$work/plugin.so" $flags
readelf -d "$work/plugin.so" | grep NODELETE # threads that have used it call it when they end
build two_stores "-L$libdir" -Wl,--no-as-needed -lrcuinfo_mpi "-Wl,-rpath,$libdir"
# If the fork handlers of the two stores deadlock, it hangs with all signals blocked.
# Also under a name of librcuinfo.so without a version.
for preload in "" "$libdir/librcuinfo.so"; do
    output=$(timeout -s KILL 120 env LD_PRELOAD="$preload" "$work/two_stores") || { echo "$work/two_stores ends with $?, and says: $output" && exit 1; }
done
