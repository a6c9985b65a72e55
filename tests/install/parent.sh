#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Another project contains the sources of rcuinfo (parent/CMakeLists.txt), on a system with only a C compiler and the
# packages that the libraries need: no C++, no MPI, nothing that only tools and tests need. It builds only the library
# that it links, and installs nothing of ours; or everything with RCUINFO_INSTALL=ON, here into absolute folders; or, with
# RCUINFO_FETCH_DEPS=ON, on a system without those packages, which are built from SOURCES and installed too.
# usage: parent.sh CMAKE GENERATOR SOURCE CONSUMER_DIRECTORY WORK_DIRECTORY VERSION add|fetch|sources [SOURCES]
set -eu
cmake=$1 generator=$2 source=$3 consumer=$4 work=$5 version=$6 way=$7
fail() {
    echo "$*"
    exit 1
}

rm -rf "$work"
mkdir -p "$work/pc"
packages=(liburcu-qsbr)
[ "$way" = sources ] || packages+=(liburcu-bp ck libxxhash)
for package in "${packages[@]}"; do
    cp "$(pkg-config --variable=pcfiledir "$package")/$package.pc" "$work/pc"
done
export CXX=$work/no_compiler PKG_CONFIG_LIBDIR=$work/pc
options=()
if [ "$way" != add ]; then
    options=(-DRCUINFO_INSTALL=ON "-DCMAKE_INSTALL_LIBDIR=$work/libraries" "-DCMAKE_INSTALL_INCLUDEDIR=$work/headers"
        "-DCMAKE_INSTALL_PREFIX=$work/prefix")
fi
if [ "$way" = sources ]; then
    options+=(-DRCUINFO_FETCH_DEPS=ON)
    for name in liburcu ck xxhash; do
        options+=("-DFETCHCONTENT_SOURCE_DIR_RCUINFO_${name^^}=$8/$name")
    done
fi
"$cmake" -S "$consumer/../parent" -B "$work/build" -G "$generator" -DCMAKE_C_COMPILER="${CC:-cc}" -DWAY="$way" \
    -DRCUINFO="$source" -DCONSUMER="$consumer" "${options[@]}"
"$cmake" --build "$work/build" -j 2
"$work/build/out/native" "$version"
readelf -d "$work/build/out/libother_urcu.so" | grep -q 'NEEDED.*liburcu-qsbr' || fail "our liburcu took the place of theirs"
DESTDIR=$work/stage "$cmake" --install "$work/build" --prefix "$work/prefix"
if [ "$way" = add ]; then
    [ -z "$(find "$work/build" -name 'librcuinfo_mpi*' -o -name 'librcuinfo*.a')" ] || fail "more was built than is linked"
    [ -z "$(find "$work/stage" -type f 2>/dev/null)" ] || fail "installed: $(find "$work/stage" -type f)"
    exit 0
fi

for file in "libraries/librcuinfo.so" "libraries/librcuinfo.a" "libraries/librcuinfo_mpi.so.${version%%.*}" \
    "libraries/pkgconfig/rcuinfo.pc" "libraries/cmake/rcuinfo/rcuinfo-config.cmake" headers/rcuinfo/version.h; do
    [ -e "$work/stage$work/$file" ] || fail "not installed: $file"
done
mv "$work/stage$work/libraries" "$work/stage$work/headers" "$work"
[ -z "$(find "$work/stage" ! -type d)" ] || fail "installed elsewhere: $(find "$work/stage" ! -type d)"
flags=$(PKG_CONFIG_PATH="$work/libraries/pkgconfig" pkg-config --cflags --libs rcuinfo)
eval "\"${CC:-cc}\" \"$consumer/native.c\" -o \"$work/by_pkg_config\" $flags -Wl,-rpath,\"$work/libraries\""
rm -r "$work/build" # nothing that is installed may refer to it
"$work/by_pkg_config" "$version"
[ "$way" != sources ] || ldd "$work/by_pkg_config" | grep -q "=> $work/libraries/liburcu-bp" || fail "another liburcu is used"
