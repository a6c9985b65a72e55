#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The checks beside this file find what they are there for: a small good tree passes, and each way to break it fails with
# a complaint about that.
# usage: selftest.sh
set -u
here=$(cd "$(dirname "$0")" && pwd)
place=$(mktemp -d)
trap 'rm -rf -- "$place"' EXIT
work=$place/tree
status=0

# finds COMPLAINT CHECK ARGUMENT...: it fails with that complaint, or passes when that is empty.
finds() {
    local wanted=$1 output code=0
    shift
    output=$("$here/$1" "${@:2}" 2>&1) || code=$?
    if [ -z "$wanted" ] && [ $code -ne 0 ]; then
        echo "$1 finds fault with a good tree: $output"
        status=1
    elif [ -n "$wanted" ] && { [ $code -eq 0 ] || ! grep -qF -- "$wanted" <<<"$output"; }; then
        echo "$1 ends with $code and does not say '$wanted', but: $output"
        status=1
    fi
}

# put FILE LINE...: a source of the tree.
put() {
    mkdir -p "$(dirname "$work/$1")"
    printf '%s\n' '/* SPDX-License-Identifier: BSD-3-Clause */' "${@:2}" >"$work/$1"
}

good_tree() {
    rm -rf "$work"
    put lib/core/order.h '#define ORDER memory_order_seq_cst /* [P1] */'
    put lib/core/rcu.h '#include <urcu/urcu-bp.h>'
    put lib/core/text.h '#include <xxhash.h>'
    put lib/core/block.h '#include "core/text.h"'
    put lib/core/handle.h '#include "core/block.h"' 'int x; /* [P1] field: x */'
    put lib/core/read.c '#include "core/handle.h"' '/* calls malloc( nowhere */' 'f(x); /* [P1] acquire */' 'real->free(x);'
    put lib/core/write.c '#include "core/order.h"' 'atomic_store_explicit(&x, 1, ORDER); /* [P1] publish */'
    put lib/core/alloc.c 'void *p = malloc(1);'
    put lib/env/env.c '#include "core/handle.h"'
    put lib/mpi/flavour.h '#include "core/handle.h"'
    put lib/mpi/interpose/interpose.h '#include "mpi/flavour.h"'
    put lib/mpi/collective/collective.h '#include "core/text.h"'
    # shellcheck disable=SC2016 # backquotes of Markdown
    put lib/DESIGN.md '## Layers' '`order, rcu, text, alloc -> block -> handle -> read, write -> env -> mpi -> abi, interpose, collective`' \
        '[P1] carries x'
    put lib/rcuinfo.map 'RCUINFO_0.1 {' 'global:' '    rcuinfo_create;' 'local:' '    *;' '};'
    put include/rcuinfo/info.h 'RCUINFO_API int rcuinfo_create(int x);'
}

# broken CHECK FILE TEXT COMPLAINT: with the text at the end of the file, which may be a new one.
broken() {
    good_tree
    printf '%b\n' "$3" >>"$work/$2"
    finds "$4" "$1.sh" "$work"
}

good_tree
for check in includes pairs exports texts; do
    finds '' $check.sh "$work"
done
broken includes lib/core/block.h '#include "core/handle.h"' lib/core/block.h
broken includes lib/core/handle.h '#include "env/env.h"' lib/core/handle.h
broken includes lib/env/env.c '#include "mpi/flavour.h"' lib/env/env.c
broken includes lib/env/env.c '#include "hints/check.h"' 'lib/env/env.c: includes "hints/check.h": these layers'
broken includes lib/mpi/flavour.h '#include "mpi/interpose/interpose.h"' lib/mpi/flavour.h
broken includes lib/mpi/interpose/interpose.h '#include "mpi/abi/abi.h"' lib/mpi/interpose/interpose.h
broken includes lib/mpi/interpose/interpose.h '#include "mpi/collective/collective.h"' lib/mpi/interpose/interpose.h
broken includes lib/mpi/collective/collective.h '#include "mpi/flavour.h"' lib/mpi/collective/collective.h
broken includes lib/mpi/collective/collective.h '#include "core/handle.h"' lib/mpi/collective/collective.h
broken includes lib/core/read.c '#include <urcu/urcu-bp.h>' lib/core/read.c
broken includes lib/core/read.c '#include <ck_ring.h>' lib/core/read.c
broken includes lib/core/read.c '#include <xxhash.h>' lib/core/read.c
broken includes lib/core/read.c 'char *p = strdup("x");' lib/core/read.c
broken includes lib/core/read.c '    free(p);' lib/core/read.c
broken includes lib/core/read.c 'y = atomic_load(&x);' lib/core/read.c
broken includes lib/core/read.c 'y = atomic_load_explicit(&x, memory_order_relaxed);' lib/core/read.c
broken includes lib/core/read.c 'ck_pr_fence_load();' lib/core/read.c
broken includes lib/core/newcomer.c 'int x;' lib/core/newcomer.c
broken pairs lib/core/read.c 'int y; /* [P2] field: y */' '[P2] publish'
broken pairs lib/core/read.c 'y = 1; /* [P2] publish */' '[P2] acquire'
broken pairs lib/core/read.c 'y = 1; /* [P1] publsh */' publsh
broken pairs lib/DESIGN.md '[P7] carries nothing' '[P7]'
broken exports include/rcuinfo/info.h 'RCUINFO_API int rcuinfo_dup(int x);' 'rcuinfo_dup is declared, but'
broken exports lib/rcuinfo.map 'RCUINFO_0.2 {\n    rcuinfo_dup;\nlocal:' 'rcuinfo_dup is exported by'
broken texts lib/core/new.c 'int x;' 'says nothing of its licence: lib/core/new.c'
broken texts lib/core/read.c '/* /home''/me/x */' 'a place on the machine of somebody: lib/core/read.c:6'
broken texts lib/core/read.c "$(printf 'int x;\\n%.0s' {1..420})" 'more than 420 lines:'

# What is registered, in a project of no language.
project() {
    rm -rf "$work"
    mkdir -p "$work/tests/kind/one/data"
    echo true >"$work/tests/kind/one/run.sh"
    echo '#include "one.h"' >"$work/tests/kind/one/test_one.c"
    touch "$work/tests/kind/one/one.h" "$work/tests/kind/one/data/table" "$work/tests/CMakeLists.txt"
    cat >"$work/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(small NONE)
enable_testing()
add_subdirectory(tests/kind/one)
END
    cat >"$work/tests/kind/one/CMakeLists.txt" <<'END'
add_custom_command(OUTPUT program DEPENDS test_one.c COMMAND touch program)
add_custom_target(all_of_it ALL DEPENDS program)
add_test(NAME one.run COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/run.sh ${CMAKE_CURRENT_BINARY_DIR}/program
    ${CMAKE_CURRENT_SOURCE_DIR}/data)
END
}

# registered COMPLAINT FILE LINE: with the line at the end of the file.
registered() {
    project
    mkdir -p "$work/$(dirname "$2")"
    echo "$3" >>"$work/$2"
    cmake -S "$work" -B "$work/build" -G Ninja >/dev/null
    finds "$1" registration.py "$work" "$work/build"
}

cmakelists=tests/kind/one/CMakeLists.txt
registered '' $cmakelists '# nothing'
registered 'tests/kind/one/test_two.c: no test builds, runs or reads this source' tests/kind/one/test_two.c 'int x;'
registered 'tests/kind/one/two.sh: no test builds, runs or reads this script' tests/kind/one/two.sh 'true'
registered 'tests/kind/one/two.txt: no test builds, runs or reads this file' tests/kind/one/two.txt 'text'
registered 'tests/kind/two/CMakeLists.txt registers no test' tests/kind/two/CMakeLists.txt '# nothing'
registered 'the test two.one of tests/kind/one is not named one.<name>' $cmakelists 'add_test(NAME two.one COMMAND true)'
registered 'the test one of tests/kind/one is not named one.<name>' $cmakelists 'add_test(NAME one COMMAND true)'
registered 'no test runs ' $cmakelists 'enable_language(C)
add_executable(idle test_one.c)'
registered 'its program is not built' $cmakelists 'add_test(NAME one.two COMMAND no_such_program)'

# readme COMPLAINT LINE...: the commands of $document.
readme() {
    rm -rf "$work"
    mkdir -p "$work/$(dirname "$document")"
    printf '%s\n' "${@:2}" >"$work/$document"
    finds "$1" readme.py "$work"
}

for document in README.md tools/README.md .github/CONTRIBUTING.md; do
    readme 'ends with 1, not with 0' 'Text' '' '    false'
done

document=README.md
# shellcheck disable=SC2016 # backquotes of Markdown
{
    table=('| command | what it does |' '|---|---|')
    program=('```c' '#include <stdio.h>' 'int main(void) { puts("a"); return 0; }' '```' '' 'Text' '' '    cc program.c' '')
    readme '' 'Text (exit status 3):' '' '    exit 3' '' 'or' '' '    echo a b' '' 'prints' '' '    a b' '' "${table[@]}" \
        '| `true a \| cat` | |' '' 'After `touch $HOME/b`:' '' '    ls $HOME/b' '' '```text' 'true' '```' '' \
        "${program[@]}" 'prints' '' '    a'
    readme '' 'Text' '' '    mkdir $HOME/a' '' 'Text' '' '    mkdir $HOME/a'
    readme 'ends with 127' 'Text' '' '    tools/quickstart && true'
    readme 'ends with 1, not with 0' "${table[@]}" '| `false` | |'
    readme 'ends with 0, not with 3' 'Text (exit status 3)' '' '    true'
    readme 'command not found' 'Text' '' '    no_such_command; true'
    readme 'Total Tests: 0' 'Text' '' '    echo Total Tests: 0'
    readme 'does not print what is written' 'Text' '' '    echo a' '' 'Text' '' '    echo a' '' 'prints' '' '    b'
    readme 'nothing stands for program.f90' 'Text' '' '    cat program.f90'
    readme 'makes a program that does not print' "${program[@]}" 'prints' '' '    b'
    readme 'a block of a language that is not run here' 'Text' '' '    true' '```sh' 'true' '```'
    readme '0 passed' 'Text'
}
exit $status
