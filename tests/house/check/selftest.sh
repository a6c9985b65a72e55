#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The checks beside this file find what they are there for: a small good tree passes, and each way to break it fails with
# a complaint about the file that was broken.
# usage: selftest.sh WORK_DIRECTORY
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=$1
status=0

good_tree() {
    rm -rf "$work"
    mkdir -p "$work"/lib/{core,env,mpi/abi,mpi/interpose,mpi/collective}
    echo '#define ORDER memory_order_seq_cst /* [P1] */' >"$work/lib/core/order.h"
    printf '%s\n' '#include <urcu/urcu-bp.h>' >"$work/lib/core/rcu.h"
    printf '%s\n' '#include <xxhash.h>' >"$work/lib/core/text.h"
    printf '%s\n' '#include "core/text.h"' >"$work/lib/core/block.h"
    printf '%s\n' '#include "core/block.h"' 'int x; /* [P1] field: x */' >"$work/lib/core/handle.h"
    printf '%s\n' '#include "core/handle.h"' '/* calls malloc( nowhere */' 'f(x); /* [P1] consume */' \
        'real->free(x);' >"$work/lib/core/read.c"
    printf '%s\n' '#include "core/order.h"' 'atomic_store_explicit(&x, 1, ORDER); /* [P1] publish */' >"$work/lib/core/write.c"
    printf '%s\n' 'void *p = malloc(1);' >"$work/lib/core/alloc.c"
    printf '%s\n' '#include "core/handle.h"' >"$work/lib/env/env.c"
    printf '%s\n' '#include "core/handle.h"' >"$work/lib/mpi/flavour.h"
    printf '%s\n' '#include "mpi/flavour.h"' >"$work/lib/mpi/interpose/interpose.h"
    printf '%s\n' '#include "core/text.h"' >"$work/lib/mpi/collective/collective.h"
    printf '%s\n' '[P1] carries x' >"$work/lib/DESIGN.md"
}

# broken CHECK FILE LINE: with the line added to the file, the check must complain of `complaint`.
broken() {
    good_tree
    echo "$3" >>"$work/lib/$2"
    if output=$("$here/$1" "$work" 2>&1) || ! grep -qF -- "$4" <<<"$output"; then
        echo "$1 does not find '$3' in $2; it says: $output"
        status=1
    fi
}

good_tree
for check in includes.sh pairs.sh; do
    if ! output=$("$here/$check" "$work" 2>&1); then
        echo "$check finds fault with a good tree: $output"
        status=1
    fi
done

broken includes.sh core/block.h '#include "core/handle.h"' lib/core/block.h
broken includes.sh core/handle.h '#include "env/env.h"' lib/core/handle.h
broken includes.sh env/env.c '#include "mpi/flavour.h"' lib/env/env.c
broken includes.sh env/env.c '#include "hints/check.h"' 'lib/env/env.c: includes "hints/check.h": these layers'
broken includes.sh mpi/flavour.h '#include "mpi/interpose/interpose.h"' lib/mpi/flavour.h
broken includes.sh mpi/interpose/interpose.h '#include "mpi/abi/abi.h"' lib/mpi/interpose/interpose.h
broken includes.sh mpi/interpose/interpose.h '#include "mpi/collective/collective.h"' lib/mpi/interpose/interpose.h
broken includes.sh mpi/collective/collective.h '#include "mpi/flavour.h"' lib/mpi/collective/collective.h
broken includes.sh mpi/collective/collective.h '#include "core/handle.h"' lib/mpi/collective/collective.h
broken includes.sh core/read.c '#include <urcu/urcu-bp.h>' lib/core/read.c
broken includes.sh core/read.c '#include <ck_ring.h>' lib/core/read.c
broken includes.sh core/read.c '#include <xxhash.h>' lib/core/read.c
broken includes.sh core/read.c 'char *p = strdup("x");' lib/core/read.c
broken includes.sh core/read.c '    free(p);' lib/core/read.c
broken includes.sh core/read.c 'y = atomic_load(&x);' lib/core/read.c
broken includes.sh core/read.c 'y = atomic_load_explicit(&x, memory_order_relaxed);' lib/core/read.c
broken includes.sh core/read.c 'ck_pr_fence_load();' lib/core/read.c
broken includes.sh core/newcomer.c 'int x;' lib/core/newcomer.c
broken pairs.sh core/read.c 'int y; /* [P2] field: y */' '[P2] publish'
broken pairs.sh core/read.c 'y = 1; /* [P2] publish */' '[P2] consume'
broken pairs.sh core/read.c 'y = 1; /* [P1] publsh */' publsh
broken pairs.sh DESIGN.md '[P7] carries nothing' '[P7]'

# exports COMPLAINT DECLARED EXPORTED
exports() {
    good_tree
    mkdir -p "$work/include/rcuinfo"
    printf 'RCUINFO_API int rcuinfo_%s(int x);\n' create "$2" >"$work/include/rcuinfo/info.h"
    printf '%s\n' 'RCUINFO_0.1 {' 'global:' '    rcuinfo_create;' "    rcuinfo_$3;" 'local:' '    *;' '};' >"$work/lib/rcuinfo.map"
    finds "$1" "$here/exports.sh" "$work"
}

# text COMPLAINT [FILE TEXT]: with the text at the end of the file, which may be a new one.
text() {
    good_tree
    find "$work/lib" -type f -exec sed -i '1i /* SPDX-License-Identifier: BSD-3-Clause */' {} +
    if [ $# -gt 1 ]; then
        printf '%b' "$3" >>"$work/$2"
    fi
    finds "$1" "$here/texts.sh" "$work"
}

# finds COMPLAINT COMMAND...: it fails with that complaint, or passes when it is empty.
finds() {
    local wanted=$1 output code=0
    shift
    output=$("$@" 2>&1) || code=$?
    if [ -z "$wanted" ] && [ $code -ne 0 ]; then
        echo "${1##*/} finds fault with a good tree: $output"
        status=1
    elif [ -n "$wanted" ] && { [ $code -eq 0 ] || ! grep -qF -- "$wanted" <<<"$output"; }; then
        echo "${1##*/} ends with $code and does not say '$wanted', but: $output"
        status=1
    fi
}

exports '' free free
exports 'rcuinfo_dup is declared, but' dup create
exports 'rcuinfo_dup is exported by' create dup
text ''
text 'says nothing of its licence: lib/core/new.c' lib/core/new.c 'int x;\n'
text 'CR: lib/core/read.c:6:int x; ' lib/core/read.c 'int x; \n'
text 'CR: lib/core/read.c:6:' lib/core/read.c 'int x;\r\n'
text 'a place on the machine of somebody: lib/core/read.c:6' lib/core/read.c '/* /home''/me/x */\n'
text 'more than 420 lines:' lib/core/read.c "$(printf 'int x;\\n%.0s' {1..420})"

# What is registered, in a project of no language.
project() {
    rm -rf "$work"
    mkdir -p "$work/tests/kind/one/data"
    echo true >"$work/tests/kind/one/run.sh"
    echo '#include "one.h"' >"$work/tests/kind/one/test_one.c"
    touch "$work/tests/kind/one/one.h" "$work/tests/kind/one/data/table"
    cat >"$work/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(small NONE)
enable_testing()
add_subdirectory(tests/kind/one)
END
    cat >"$work/tests/CMakeLists.txt" </dev/null
    cat >"$work/tests/kind/one/CMakeLists.txt" <<'END'
add_custom_command(OUTPUT program DEPENDS test_one.c COMMAND touch program)
add_custom_target(all_of_it ALL DEPENDS program)
add_test(NAME one.run COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/run.sh ${CMAKE_CURRENT_BINARY_DIR}/program
    ${CMAKE_CURRENT_SOURCE_DIR}/data)
set_tests_properties(one.run PROPERTIES TIMEOUT 10)
END
}

# registered COMPLAINT [FILE LINE]: with the line at the end of the file.
registered() {
    project
    if [ $# -gt 1 ]; then
        mkdir -p "$work/$(dirname "$2")"
        echo "$3" >>"$work/$2"
    fi
    cmake -S "$work" -B "$work/build" -G Ninja >/dev/null
    finds "$1" "$here/registration.py" "$work" "$work/build"
}

cmakelists=tests/kind/one/CMakeLists.txt
registered ''
registered 'tests/kind/one/test_two.c: no test builds, runs or reads this source' tests/kind/one/test_two.c 'int x;'
registered 'tests/kind/one/two.sh: no test builds, runs or reads this script' tests/kind/one/two.sh 'true'
registered 'tests/kind/one/two.txt: no test builds, runs or reads this file' tests/kind/one/two.txt 'text'
registered 'tests/kind/two/CMakeLists.txt registers no test' tests/kind/two/CMakeLists.txt '# nothing'
registered 'the test one.two has no TIMEOUT' $cmakelists 'add_test(NAME one.two COMMAND true)'
registered 'the test two.one of tests/kind/one is not named one.<name>' $cmakelists 'add_test(NAME two.one COMMAND true)'
registered 'the test one of tests/kind/one is not named one.<name>' $cmakelists 'add_test(NAME one COMMAND true)'
registered 'no test runs ' $cmakelists 'enable_language(C)
add_executable(idle test_one.c)'
registered 'its program is not built' $cmakelists 'add_test(NAME one.two COMMAND no_such_program)'

# The commands of a README.
readme() {
    rm -rf "$work"
    mkdir -p "$work/build"
    printf '%s\n' "${@:2}" >"$work/README.md"
    finds "$1" "$here/readme.py" "$work"
}

# shellcheck disable=SC2016 # backquotes of Markdown
{
    table=('| command | what it does |' '|---|---|')
    readme '' 'Text (exit status 3):' '' '    exit 3' '' 'or' '' '    echo a b' '' 'prints' '' '    a b' '' "${table[@]}" \
        '| `touch build/a \| cat` | |' '' '```c' 'int main(void) { return 0; }' '```' '' \
        'After `touch $HOME/b`:' '' '    cc program.c && ls $HOME/b'
    readme 'ends with 127' 'Text' '' '    no_such_command'
    readme 'ends with 127' 'Text' '' '    tools/quickstart && true'
    readme 'ends with 1, not with 0' "${table[@]}" '| `false` | |'
    readme 'ends with 0, not with 3' '```sh' 'true' '```' '' 'Text (exit status 3)' '' '    true'
    readme 'command not found' '```sh' 'no_such_command; true' '```'
    readme 'does not print what README.md says' 'Text' '' '    echo a' '' 'prints' '' '    b'
    readme 'changes the checkout: a' 'Text' '' '    touch a'
    readme 'nothing stands for program.f90' 'Text' '' '    cat program.f90'
    readme "nobody knows how to run a block of 'perl'" 'Text' '' '    true' '```perl' '1' '```'
    readme 'makes a program that ends with 3' '```c' 'int main(void) { return 3; }' '```' '' 'Text' '' '    cc program.c'
    readme '0 passed' 'Text'
    printf '%s\n' 'enable_testing()' 'add_test(NAME one COMMAND true)' >"$work/CMakeLists.txt"
    cmake -S "$work" -B "$work/build" >/dev/null 2>&1
    printf '\n%s\n' '    ctest --test-dir build -R two' >>"$work/README.md"
    finds 'Total Tests: 0' "$here/readme.py" "$work"
    program=('```c' '#include <stdio.h>' 'int main(void) { puts("a"); return 0; }' '```' '' 'Text' '' '    cc program.c' '')
    readme '' "${program[@]}" 'prints' '' '    a'
    readme 'does not print what README.md says' "${program[@]}" 'prints' '' '    b'
}

# script COMPLAINT SHELL PYTHON: a script of each.
script() {
    good_tree
    printf '#!/bin/sh\n%s\n' "$2" >"$work/one.sh"
    printf '#!/usr/bin/env python3\n%s\n' "$3" >"$work/one.py"
    finds "$1" "$here/scripts.sh" "$work"
}

# shellcheck disable=SC2016 # what the scripts say
{
    script '' 'echo "$1"' 'print(1)'
    script SC2086 'echo $1' 'print(1)'
    script 'imported but unused' 'echo "$1"' 'import os'
}
rm -rf "$work"
exit $status
