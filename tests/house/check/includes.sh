#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What the sources under lib/ may use of each other and of the outside:
#  - includes point down the layers only: a file includes its own layer and those below it;
#  - liburcu, ConcurrencyKit and xxHash each have one includer; malloc and its fellows have one caller;
#  - in lib/core every atomic access names its order, and the orders are named in order.h alone.
# usage: includes.sh SOURCE_ROOT        prints what is wrong; exit status 1 if anything is
set -u
cd "$1/lib" || exit 2
status=0
complain() {
    echo "$*"
    status=1
}

# The layers as DESIGN.md has them, by the names of files of core/ and of folders beside it.
declare -A layers
number=0
while read -r names; do
    for name in ${names//,/}; do
        layers[$name]=$number
    done
    number=$((number + 1))
done < <(sed -n '/^## Layers$/,/^## /s/^.\(.* -> .*\).$/\1/p' DESIGN.md | sed 's/ -> /\n/g')

# The layer of a file of lib/, by its path without extension; empty: it has no place.
layer() {
    local name=${1#core/}
    if [ "$name" = "$1" ]; then
        name=${1%/*}
        name=${name##*/}
    fi
    echo "${layers[$name]-}"
}

# A file's text without comments and strings.
code() {
    sed -e 's|"[^"]*"|""|g' -e 's|/\*[^*]*\*/||g' -e 's|//.*||' "$1" | sed -e '\|/\*|,\|\*/|d'
}

files=$(find . -name '*.[ch]' | sed 's|^\./||' | sort)
[ -n "$files" ] || complain "no sources under lib/"
for file in $files; do
    mine=$(layer "${file%.*}")
    [ -n "$mine" ] || complain "lib/$file: has no place among the layers"
    for header in $(sed -n 's|^ *# *include *"\(.*\)".*|\1|p' "$file"); do
        [ -f "$header" ] || complain "lib/$file: includes \"$header\", which is not named from lib/"
        other=$(layer "${header%.*}")
        [ "${other:-$number}" -le "${mine:-0}" ] || complain "lib/$file: includes \"$header\", of a layer above its own"
        case $file:$header in
            mpi/collective/*:mpi/collective/* | mpi/collective/*:core/alloc.h | mpi/collective/*:core/text.h) ;;
            mpi/collective/* | *:mpi/collective/*)
                complain "lib/$file: includes \"$header\": mpi/collective stands beside, on the public headers" ;;
            mpi/abi/*:mpi/interpose/* | mpi/interpose/*:mpi/abi/*) complain "lib/$file: includes \"$header\"" ;;
            env/*:env/* | value/*:value/* | hints/*:hints/* | pack/*:pack/*) ;;
            env/*:core/* | value/*:core/* | hints/*:core/* | pack/*:core/*) ;;
            env/* | value/* | hints/* | pack/*)
                complain "lib/$file: includes \"$header\": these layers stand on core, and on what others make public" ;;
        esac
    done
    outside=$(sed -n 's|^ *# *include *<\(.*\)>.*|\1|p' "$file")
    for header in $outside; do
        case $header:$file in
            urcu*:core/rcu.[ch] | ck_*:core/ck.h | xxhash.h:core/text.h) ;;
            urcu* | ck_* | xxhash.h:*) complain "lib/$file: includes <$header>" ;;
        esac
    done
    if [ "$file" != core/alloc.c ]; then
        code "$file" | grep -nE '(^|[^A-Za-z0-9_>.])(malloc|calloc|realloc|reallocarray|aligned_alloc|posix_memalign|memalign|free|strdup|strndup|v?asprintf|getline|getdelim|open_memstream)[[:space:]]*\(' &&
            complain "lib/$file: allocates without core/alloc"
    fi
    case $file in
        core/order.h) ;;
        core/* | value/* | env/* | hints/* | pack/*)
            code "$file" | grep -n 'memory_order_' && complain "lib/$file: names a memory order that belongs into order.h"
            ;;
    esac
    code "$file" | grep -nE 'atomic_(load|store|exchange|fetch_[a-z]+|compare_exchange_(weak|strong))[[:space:]]*\(' &&
        complain "lib/$file: an atomic access with an implicit order"
    # core/ck.h maps ConcurrencyKit's primitives, so it has to name them.
    [ "$file" != core/ck.h ] && code "$file" | grep -nE '(uatomic_|ck_pr_|cmm_)' &&
        complain "lib/$file: uses the atomics of another library"
done
exit $status
