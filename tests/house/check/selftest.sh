#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests the checks in this folder: a correct tree passes, and each way to break it fails with the right complaint.
# usage: selftest.sh
set -u
here=$(cd "$(dirname "$0")" && pwd)
place=$(mktemp -d)
trap 'rm -rf -- "$place"' EXIT
work=$place/tree
status=0

# finds COMPLAINT CHECK ARGUMENT...: the check must fail with this complaint, or pass if it is empty.
finds() {
    local wanted=$1 output code=''
    output=$("$here/$2" "${@:3}" 2>&1) || code=1
    if [ "$code" != "${wanted:+1}" ] || ! grep -qF -- "$wanted" <<<"$output"; then
        echo "$2 ends with ${code:-0} and should say '$wanted', but says: $output"
        status=1
    fi
}

# put FILE LINE...: writes a file of the tree.
put() {
    mkdir -p "$(dirname "$work/$1")"
    printf '%s\n' "${@:2}" >"$work/$1"
}

# broken RULE FILE TEXT COMPLAINT: checks a copy of lib/ with the text appended to the file, which may be new.
broken() {
    rm -rf "$work"
    mkdir -p "$work"
    cp -R "$here/../../../lib" "$work"
    printf '%b\n' "$3" >>"$work/$2"
    finds "$4" sources.py "$1" "$work"
}

for rule in includes pairs; do
    broken $rule lib/core/read.c 'int x;' ''
done
while IFS='|' read -r file text; do
    broken includes "lib/$file" "$text" "lib/$file"
done <<'END'
core/text.h|#include "core/handle.h"
core/handle.h|#include "env/env.c"
env/env.c|#include "mpi/flavour.h"
env/env.c|#include "hints/check.h"
env/env.c|#include "nowhere.h"
mpi/flavour.h|#include "mpi/interpose/interpose.h"
mpi/interpose/interpose.h|#include "mpi/abi/abi.c"
mpi/interpose/interpose.h|#include "mpi/collective/collective.h"
mpi/collective/collective.h|#include "core/handle.h"
core/read.c|#include <urcu/urcu-bp.h>
core/read.c|#include <xxhash.h>
core/read.c|char *p = strdup("x");
core/read.c|y = atomic_load(&x);
core/read.c|y = atomic_load_explicit(&x, memory_order_relaxed);
core/read.c|ck_pr_fence_load();
core/newcomer.c|int x;
END
broken pairs lib/core/read.c 'int y; /* [P98] field: y */' '[P98] publish'
broken pairs lib/core/read.c 'y = 1; /* [P1] publsh */' publsh
broken pairs lib/DESIGN.md '[P99] carries nothing' '[P99] acquire'

# registered COMPLAINT FILE LINE: checks a project without languages, with the line appended to the file.
registered() {
    rm -rf "$work"
    put CMakeLists.txt 'cmake_minimum_required(VERSION 3.21)' 'project(small NONE)' 'enable_testing()' \
        'add_subdirectory(tests/kind/one)'
    put tests/kind/one/run.sh true
    put tests/kind/one/one.h
    put tests/kind/one/test_one.c '#include "one.h"'
    put tests/kind/one/data/table
    # shellcheck disable=SC2016 # variables of CMake
    put $cmakelists 'add_custom_command(OUTPUT program DEPENDS test_one.c COMMAND touch program)' \
        'add_custom_target(all_of_it ALL DEPENDS program)' \
        'add_test(NAME one.run COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/run.sh ${CMAKE_CURRENT_BINARY_DIR}/program' \
        '    ${CMAKE_CURRENT_SOURCE_DIR}/data)' '# test_two.c'
    mkdir -p "$work/$(dirname "$2")"
    echo "$3" >>"$work/$2"
    cmake -S "$work" -B "$work/build" -G Ninja >/dev/null
    finds "$1" registration.py "$work" "$work/build"
}

cmakelists=tests/kind/one/CMakeLists.txt
registered '' $cmakelists '# nothing'
registered 'tests/kind/one/test_two.c: no test builds, runs or reads this source' tests/kind/one/test_two.c 'int x;'
registered 'tests/kind/one/two.sh: no test builds, runs or reads this script' tests/kind/one/two.sh 'true'
registered 'tests/kind/one/true.py: no test builds, runs or reads this script' tests/kind/one/true.py 'import sys'
registered 'tests/kind/one/two.txt: no test builds, runs or reads this file' tests/kind/one/two.txt 'text'
registered 'tests/kind/two/CMakeLists.txt registers no test' tests/kind/two/CMakeLists.txt '# nothing'
registered 'the test two.one of tests/kind/one is not named one.<name>' $cmakelists 'add_test(NAME two.one COMMAND true)'
registered 'no test runs ' $cmakelists 'enable_language(C)
add_executable(idle test_one.c)'
registered 'its program is not built' $cmakelists 'add_test(NAME one.two COMMAND no_such_program)'

# readme COMPLAINT LINE...: checks the commands of a document with these lines.
document=README.md
readme() {
    rm -rf "$work"
    put $document "${@:2}"
    finds "$1" readme.py "$work"
}

# shellcheck disable=SC2016 # backquotes of Markdown
{
    table=('| command | what it does |' '|---|---|')
    program=('```c' '#include <stdio.h>' 'int main(void) { puts("a"); return 0; }' '```' '' 'Text' '' '    cc program.c' '')
    readme '' 'Text (exit status 3):' '' '    exit 3' '' 'or' '' '    echo a b' '' 'prints' '' '    a b' '' "${table[@]}" \
        '| `true a \| cat` | |' '' 'After `touch $HOME/b`:' '' '    ls $HOME/b' '' '```text' 'true' '```' '' \
        "${program[@]}" 'prints' '' '    a'
    readme '' 'Text' '' '    mkdir $HOME/a' '' 'Text' '' '    mkdir $HOME/a'
    readme 'ends with 1, not with 0' "${table[@]}" '| `false` | |'
    readme 'ends with 0, not with 3' 'Text (exit status 3)' '' '    true'
    readme 'command not found' 'Text' '' '    no_such_command; true'
    readme 'does not print what is written' "${program[@]}" 'prints' '' '    b'
    readme 'nothing stands for' 'Text' '' '    cat program.f90'
    readme 'a block of a language that is not run here' 'Text' '' '    true' '```sh' 'true' '```'
    readme '0 passed' 'Text'
    for document in tools/README.md .github/CONTRIBUTING.md; do
        readme 'ends with 127' 'Text' '' '    tools/quickstart && true'
    done
}
exit $status
