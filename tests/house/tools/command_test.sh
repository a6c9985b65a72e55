#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests of the command `rcuinfo`. Usage: command_test.sh CASE, where a CASE is a function test_CASE below.
# Environment: COMMAND, the command; PROBE_PLAIN, a program without MPI; PROBE_MPICH and so on, programs with MPI, without
# which a case is skipped, with exit status 77; LIBRARIES, the folder of our libraries; COMPLETION, rcuinfo.bash; VERSION.
set -euE
trap 'echo "line $LINENO, called from ${BASH_LINENO[*]}: $BASH_COMMAND" >&2' ERR

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
work=$(realpath "$(mktemp -d)")
trap 'rm -rf -- "$work"' EXIT
cd "$work"
unset LD_PRELOAD RCUINFO_STATS "${!OMPI_@}" "${!PMI_@}" "${!PMIX_@}" "${!SLURM_@}" "${!RCUINFO_@}"

objects="window, communicator, file, session, spawn, port, alloc_mem, split_type, init, process_set, env"
operations="get, set, delete, swap, update, dup, snapshot, hot, stay, free, stale, drain"

# expect STATUS COMMAND...: the command must exit with the status, and print the text on standard input to standard
# output and standard error together.
expect() {
    local status=0
    "${@:2}" >"$work/output" 2>&1 </dev/null || status=$?
    diff -u - "$work/output"
    [ "$status" -eq "$1" ]
}

# says STATUS TEXT ARGUMENT...: the same for our command, which must print this text.
says() {
    expect "$1" "$COMMAND" "${@:3}" <<<"$2"
}

# wrong TEXT ARGUMENT...: our command must exit with 2 and print this error.
wrong() {
    says 2 "rcuinfo: $1" "${@:2}"
}

# misused TEXT ARGUMENT...: the same, and the error must refer to --help.
misused() {
    wrong "$1 (see rcuinfo --help)" "${@:2}"
}

# fails STATUS COMMAND...: must print the text on standard input to standard error. Leaves standard output in `found`.
fails() {
    local status=0
    "${@:2}" >found 2>errors || status=$?
    diff -u - errors
    [ "$status" -eq "$1" ]
}

# quietly ARGUMENT...: `rcuinfo run` must print nothing to standard error. Leaves its standard output in the file found.
quietly() {
    fails 0 "$COMMAND" run "$@" </dev/null
}

# shows ARGUMENT...: the same, and the program must print each line of standard input.
shows() {
    local line
    quietly "$@"
    while IFS= read -r line; do
        grep -xF -- "$line" found
    done
}

# preloads NAME[:OTHER...] ARGUMENT...: the program of `rcuinfo run` must find exactly our library of this name and the
# others preloaded.
preloads() {
    local name=${1%%:*} others=${1#"${1%%:*}"}
    "$COMMAND" run "${@:2}" | sed -n 's/^LD_PRELOAD=//p' | tee found
    grep -xE "$LIBRARIES/librcuinfo_$name\.so[.0-9]*:$LIBRARIES/librcuinfo_dlsym\.so[.0-9]*$others" found
}

# docs.pages compares the options in each subcommand's --help with the manual page, and test_completion compares them
# with the completions.
test_help() {
    local words text
    "$COMMAND" --help >help
    for text in "OBJECT: $objects stress" "OPERATION: $operations See rcuinfo(1)"; do
        tr -s '\n ' ' ' <help | sed 's/ or /, /g' | tr -s , | grep -F -- "$text"
    done
    for words in -h hints; do
        expect 0 "$COMMAND" $words --help <help
    done
    says 0 "rcuinfo $VERSION" --version
    for words in --help --version "run --help"; do
        fails 1 eval "'$COMMAND' $words >/dev/full" <<<"rcuinfo: cannot write the output"
    done
}

test_usage() {
    local together="hints lint: --key and --value must be given together, without a FILE"
    misused "missing subcommand: run, env, hints or stress"
    misused "unknown subcommand 'walk': run, env, hints or stress" walk
    misused "unknown option '--fast'" --fast
    misused "unknown option '-x'" -xy
    misused "unknown option '-x'" run --stats -xy "$PROBE_PLAIN"
    misused "option '--mpi' requires an argument" run --mpi
    misused "run: missing PROGRAM" run
    misused "run: missing PROGRAM" run --stats --
    wrong "the launcher must come first: mpirun ... rcuinfo run PROGRAM" run mpirun -n 2 ./app
    wrong "the launcher must come first: /usr/bin/mpiexec.hydra ... rcuinfo run PROGRAM" run --mpi mpich /usr/bin/mpiexec.hydra ./app
    wrong "unknown MPI 'lam': expected mpich, openmpi, abi or the path of a library" run --mpi lam "$PROBE_PLAIN"

    wrong "stress: --seconds '0': not an integer from 1 to 31536000" stress --seconds 0
    wrong "stress: --threads '257': not an integer from 1 to 256" stress --threads=257
    wrong "stress: --seed '-1': not an integer from 0 to 4294967295" stress --seed -1
    misused "stress: --mix: unknown operation 'fry'" stress --mix get=1,fry=2
    wrong "stress: --mix '': not an integer from 0 to 1000000" stress --mix get
    wrong "stress: --mix: nothing to do: all weights are 0" stress --mix get=0
    misused "stress: unexpected argument 'now'" stress now

    misused "hints: expected list, lint or report" hints
    misused "hints: expected list, lint or report" hints check
    wrong "hints: unknown object 'door' (see rcuinfo --help)" hints list --for door
    wrong "hints: unknown MPI 'nothing': expected mpich, openmpi or intel" hints list --mpi nothing
    wrong "hints: unknown MPI 'abi': expected mpich, openmpi or intel" hints lint --mpi abi a
    misused "hints report: missing FILE" hints report
    misused "unknown option '--for'" hints report --for file
    misused "hints list: unexpected argument 'file'" hints list file
    misused "unknown option '--key'" hints list --key k
    misused "hints lint: expected one FILE, or --key K --value V" hints lint
    misused "hints lint: expected one FILE, or --key K --value V" hints lint a b
    wrong "$together" hints lint --key k
    wrong "$together" hints lint --value v
    wrong "$together" hints lint --key k --value v file
    says 1 "rcuinfo: hints lint: cannot read 'nowhere': No such file or directory" hints lint nowhere
    says 1 "rcuinfo: hints lint: cannot read '$work': Is a directory" hints lint "$work"
}

test_missing_program() {
    local absent="No such file or directory" refused="Permission denied"
    says 127 "rcuinfo: cannot run './nowhere': $absent" run ./nowhere
    says 127 "rcuinfo: cannot run 'no-such-program': $absent" run --mpi mpich no-such-program
    says 127 "rcuinfo: cannot run '': $absent" run ""
    : >plain_file
    says 126 "rcuinfo: cannot run './plain_file': $refused" run ./plain_file
    says 126 "rcuinfo: cannot run '$work': $refused" run --mpi mpich "$work"
    PATH=$work:$PATH says 126 "rcuinfo: cannot run 'plain_file': $refused" run plain_file
    says 126 "rcuinfo: cannot run 'plain_file': $refused" run plain_file # of the working directory
}

# Programs that load no library, and damaged ones, which may crash the dynamic linker.
test_obstacles() {
    local size cannot="so no library can be put in front of its MPI"
    ulimit -c unlimited
    "${CC:-cc}" -static -x c -o fixed - <<<'int main(void) { return 0; }'
    wrong "'./fixed' is linked statically, $cannot" run ./fixed
    "${CC:-cc}" -x c -Wl,--dynamic-linker=/lib/ld-musl-x86_64.so.1 -o other - <<<'int main(void) { return 0; }'
    wrong "'./other' uses musl, another C library, $cannot" run ./other
    if [ "$(id -u)" -eq 0 ]; then
        cp "$PROBE_PLAIN" changes
        chown 1 changes
        chmod u+s changes
        wrong "'./changes' is a set-user-ID or set-group-ID program, $cannot" run ./changes
    fi
    expect 42 "$COMMAND" run "$PROBE_PLAIN" exit <<<"$("$COMMAND" run "$PROBE_PLAIN" exit)"
    for size in 4 60 64 200 1000 4000; do
        head -c $size "$PROBE_PLAIN" >part
        chmod +x part
        "$COMMAND" run ./part 2>/dev/null && return 1
    done
    [ -z "$(compgen -G 'core*')" ]
}

# A program that uses MPI if it is there sees none, asks often, and is not slowed down; and the dynamic linker can be called.
test_no_mpi() {
    printf '%s\n' '#define _GNU_SOURCE' '#include <dlfcn.h>' '#include <stdio.h>' \
        'extern int MPI_Init(void) __attribute__((weak));' \
        'int main(void) { void *m = dlopen("libm.so.6", RTLD_NOW); int n = 0;' \
        'for (int i = 0; i < 1000000; i++) n += dlsym(m, "cos") != NULL;' \
        'printf("%d %d %d\n", MPI_Init != 0, dlsym(RTLD_DEFAULT, "MPI_Init") != NULL, n); return 0; }' >program.c
    "${CC:-cc}" program.c -o program -ldl
    expect 0 timeout 20 "$COMMAND" run ./program <<<'0 0 1000000'
    expect 0 "$COMMAND" run "$(ldd program | sed -n 's/^\t\(.*ld-linux[^ ]*\) .*/\1/p')" ./program <<<'0 0 1000000'
}

test_missing_library() {
    mkdir tools lib
    cp "$COMMAND" tools/rcuinfo
    LD_LIBRARY_PATH=$LIBRARIES expect 1 tools/rcuinfo run --no-dlsym --mpi mpich "$PROBE_PLAIN" \
        <<<"rcuinfo: cannot find librcuinfo_interpose.so beside this command"
}

# serves NAME PROBE: a program that links an MPI must run on our library of this name, with working infos.
serves() {
    preloads "$1" "$2"
    shows "$2" <<<'info=some value'
}

# clashes OPTION PROBE: a program whose MPI is not that of --mpi.
clashes() {
    fails 2 "$COMMAND" run --mpi "$1" "$2" <<<"rcuinfo: the program has loaded $(ldd "$2" | sed -nE 's/.* => (.*libmpi(ch)?\.so[^ ]*) .*/\1/p'), which is not of the MPI that --mpi names"
}

# The store in front of each MPI, under any name.
test_links() {
    serves mpi "$PROBE_ALONE"
    preloads mpi --mpi abi "$PROBE_ALONE"
}

test_links_openmpi() {
    serves interpose "$PROBE_OPENMPI"
    clashes mpich "$PROBE_OPENMPI"
}

test_links_mpich() {
    serves interpose "$PROBE_MPICH"
    clashes openmpi "$PROBE_MPICH"
    clashes abi "$PROBE_MPICH"
    mkdir 'mpi (4)'
    ln -s "$(ldd "$PROBE_MPICH" | sed -n 's/.* => \(.*libmpich[^ ]*\) .*/\1/p')" 'mpi (4)'
    LD_LIBRARY_PATH="$work/mpi (4)" serves interpose "$PROBE_MPICH"
}

# Libraries that replace a real one when ours is linked: infos are used before MPI is initialized. The library for info
# calls alone prints a message if it comes before a real one.
test_links_abi() {
    export LD_LIBRARY_PATH=$MPI_ABI
    serves interpose "$PROBE_ABI"
    PMI_RANK=0 serves interpose "$PROBE_ABI"
    quietly --mpi abi "$PROBE_ABI"

    fails 0 env LD_PRELOAD="$LIBRARIES/librcuinfo_mpi.so" "$PROBE_ABI" <<<"rcuinfo: this process has loaded an MPI \
library as well as librcuinfo_mpi.so, whose infos that library cannot use: start the program with 'rcuinfo run'"
    grep -x 'info=some value' found
    quietly "$PROBE_ABI"
    fails 0 "$PROBE_ALONE" </dev/null
}

# A program that links two, of which --mpi names one; one through a library in its own folder, which is reached by a
# symbolic link; and nested commands.
test_links_more() {
    fails 2 "$COMMAND" run "$PROBE_BOTH_THROUGH" <<<"rcuinfo: MPI libraries of two kinds are loaded, $(
        ldd "$PROBE_BOTH_THROUGH" | sed -nE 's/.* => (.*libmpi(ch)?\.so[^ ]*) .*/\1/p' | paste -sd ' ' | sed 's/ / and /'
    ): choose with --mpi"
    shows --mpi mpich "$PROBE_BOTH_THROUGH" <<<'info=some value'
    preloads interpose "$PROBE_THROUGH"
    ln -s "$PROBE_THROUGH" through
    preloads interpose ./through
    LD_PRELOAD=libmpich.so.12 preloads interpose:libmpich.so.12 "$PROBE_PLAIN"

    preloads interpose --mpi mpich "$COMMAND" run "$PROBE_OPENMPI"
    serves interpose "$PROBE_OPENMPI"
    LD_PRELOAD=libm.so.6 preloads interpose:libm.so.6 --mpi openmpi "$COMMAND" run "$PROBE_MPICH"
}

# Scripts and helpers need no launcher, and no MPI.
test_launcher_environment() {
    PMI_RANK=0 preloads interpose "$PROBE_PLAIN"
    OMPI_COMM_WORLD_SIZE=2 serves interpose "$PROBE_MPICH"
    PMIX_RANK=0 preloads interpose "$PROBE_PLAIN"
    LD_PRELOAD='' preloads interpose "$PROBE_PLAIN"
    LD_PRELOAD=libm.so.6:libdl.so.2 preloads interpose:libm.so.6:libdl.so.2 --mpi mpich "$PROBE_PLAIN"
}

# Words after the program are its arguments, also our options, blanks and empty words. Its exit status is returned.
test_arguments_untouched() {
    ln -s "$PROBE_PLAIN" probe
    PATH=$work:$PATH "$COMMAND" run --mpi mpich -- probe --stats 'two words' '' -- --mpi x | sed -n 's/^argv//p' >found
    printf '%s\n' '[0]=<probe>' '[1]=<--stats>' '[2]=<two words>' '[3]=<>' '[4]=<-->' '[5]=<--mpi>' '[6]=<x>' |
        diff -u - found
    mkdir 'a b'
    mv probe 'a b'
    shows --mpi mpich 'a b/probe' --help <<<'argv[1]=<--help>'
    shows --mpi mpich "$PROBE_PLAIN" --stats <<<'RCUINFO_STATS=(unset)'
    fails 42 "$COMMAND" run --mpi mpich "$PROBE_PLAIN" exit </dev/null
}

test_stats() {
    "$COMMAND" run --stats "$PROBE_MPICH" >found 2>errors
    grep -x 'RCUINFO_STATS=1' found
    cat errors
    grep -Ex 'rcuinfo: process [0-9]+: live 0, gets 1, sets 1, dups 0, conversions [0-9]+, left out [0-9]+, grace periods [0-9]+, peak retired [0-9]+ bytes' errors
    quietly "$PROBE_MPICH"
}

test_run_hints() {
    cp "$here/hints/good.hints" 'my hints'
    : >nothing
    shows --hints 'my hints' "$PROBE_MPICH" <<<"RCUINFO_HINTS=$work/my hints
info=some value
RCUINFO_STATS=(unset)"
    RCUINFO_HINTS=other shows --hints="$work/my hints" "$PROBE_MPICH" <<<"RCUINFO_HINTS=$work/my hints"
    quietly --hints nothing "$PROBE_MPICH"
    shows --hints-report "$PROBE_MPICH" <<<"RCUINFO_HINTS_REPORT="
    shows --hints-report=file "$PROBE_MPICH" <<<"RCUINFO_HINTS_REPORT=$work/file"
    shows --hints-report=/a/b "$PROBE_MPICH" <<<"RCUINFO_HINTS_REPORT=/a/b"
    shows "$PROBE_MPICH" --hints-report --hints nowhere <<<"RCUINFO_HINTS_REPORT=(unset)
RCUINFO_HINTS=(unset)"
}

# hands_down ARGUMENT...: the interposer must be told to start spawned processes with the words on standard input.
hands_down() {
    { echo "RCUINFO_RUN=$(realpath "$COMMAND")" && echo run && cat && echo --; } >wanted
    quietly "$@"
    sed -n '/^RCUINFO_RUN=/,/^--$/p' found | diff -u wanted -
}

# Spawned processes get the options, absolute; but no variables, which they find for themselves.
test_run_spawned() {
    : >nothing
    RCUINFO_HINTS=$work/nothing RCUINFO_HINTS_REPORT=$work/file hands_down "$PROBE_MPICH" </dev/null
    hands_down --mpi mpich --no-dlsym --hints nothing --hints-report=file "$PROBE_MPICH" <<<"--mpi=mpich
--no-dlsym
--hints=$work/nothing
--hints-report=$work/file"
    hands_down --hints-report "$PROBE_MPICH" <<<--hints-report=
    hands_down "$PROBE_ALONE" </dev/null
}

# The program is not started.
test_run_hints_bad() {
    local sections="window, communicator, file, session, spawn, port, alloc_mem, split_type"
    wrong "cannot read 'nowhere': No such file or directory" run --hints nowhere "$PROBE_MPICH"
    wrong "'/dev/zero' is not a regular file" run --hints /dev/zero "$PROBE_MPICH"
    mkfifo pipe
    wrong "'pipe' is not a regular file" run --hints pipe "$PROBE_MPICH"
    printf 'a 1\r\n [door]\r\n' >bad
    wrong "bad:2:3: no such section: $sections" run --hints bad "$PROBE_MPICH"
}

# If the variable is set by hand, the library prints the error, and the program runs.
test_hints_variable() {
    printf 'a 1\n[file\n' >bad
    RCUINFO_HINTS=nowhere fails 0 "$COMMAND" run "$PROBE_MPICH" \
        <<<"rcuinfo: nowhere: No such file or directory; this file is ignored"
    grep -x 'info=some value' found
    RCUINFO_HINTS=bad fails 0 "$COMMAND" run "$PROBE_MPICH" \
        <<<"rcuinfo: bad:2:6: a section that does not end with ]; this file is ignored"
    grep -x 'info=some value' found
    RCUINFO_HINTS='' quietly "$PROBE_MPICH"
}

# LD_PRELOAD cannot name a path with a blank.
test_path_with_blank() {
    mkdir -p 'a b/tools'
    cp "$COMMAND" 'a b/tools/rcuinfo'
    cp -a "$LIBRARIES" 'a b/lib'
    'a b/tools/rcuinfo' run --stats "$PROBE_MPICH" >found 2>errors
    cat found errors
    grep -x 'info=some value' found
    grep 'live 0, gets 1, sets 1' errors
}

# A script without an interpreter line; a program that is not in the folder of the command.
test_scripts() {
    printf '#!/bin/sh\nexec "$@"\n' >script
    chmod +x script
    PMI_RANK=0 preloads interpose ./script "$PROBE_PLAIN"
    # shellcheck disable=SC2016 # expanded by the script
    echo 'exec "$@"' >script
    preloads interpose --mpi mpich ./script "$PROBE_PLAIN"
    : >hints
    shows --hints hints --mpi mpich sh -c "cd / && '$PROBE_MPICH'" <<<"RCUINFO_HINTS=$work/hints"
}

test_stress() {
    "$COMMAND" stress --seconds 5 --seed 7 >found
    cat found
    grep -Ex '[0-9]+ operations in 5 s by 8 threads, seed 7' found
    grep -Ex '[1-9][0-9]* slot reuses, [1-9][0-9]* grace periods, [0-9]+ calls on freed objects' found
    ! grep -Ex '  [a-z]+ +0' found
}

# With many keys per object the finder consists of places, and readers of old versions follow links. Only the operations
# in --mix are run. With readers alone nothing is freed, so the run says nothing about memory freed too early.
test_stress_large() {
    "$COMMAND" stress --seconds 2 --threads 3 --objects 1 --keys 256 \
        --mix get=40,set=30,delete=4,swap=2,update=5,dup=40,snapshot=10,hot=2,stay=3,drain=1 >found
    cat found
    grep -Ex '[0-9]+ operations in 2 s by 3 threads, seed [0-9]+' found
    [ "$(grep -Ex '  [a-z]+ +0' found | tr -d ' 0' | paste -s)" = $'free\tstale' ]
    fails 1 "$COMMAND" stress --seconds 1 --mix get=1 \
        <<<"rcuinfo: stress: inconclusive: only 0 slot reuses"
}

test_hints_list() {
    local object
    expect 0 "$COMMAND" hints list <"$here/golden/hints_list.txt"
    for object in ${objects//,/}; do
        "$COMMAND" hints list --for "$object" | tail -n +2
    done | tr -s ' ' >found
    tail -n +2 "$here/golden/hints_list.txt" | tr -s ' ' | diff -u - found
    fails 1 eval "'$COMMAND' hints list >/dev/full" <<<"rcuinfo: cannot write the output"
}

# In a section the keys are those of its object, whatever --for is. Keys before it do not count as repeated.
test_hints_lint_files() {
    cp "$here"/hints/* .
    printf '#\n no_locks\ttrue' >no_newline.hints
    : >nothing.hints
    sed 's/$/\r/' good.hints >dos.hints
    for name in good dos nothing; do
        expect 0 "$COMMAND" hints lint $name.hints </dev/null
    done
    expect 0 "$COMMAND" hints lint --for window -- no_newline.hints </dev/null
    "$COMMAND" hints lint - <good.hints
    expect 1 "$COMMAND" hints lint bad.hints <"$here/golden/hints_bad.txt"
    "$COMMAND" hints lint good.hints --for window >found || [ $? -eq 1 ]
    grep -x "good.hints:13:1: 'wdir' is a key of spawn, env, not of window" found
    [ "$(wc -l <found)" -eq 9 ] # and none in sections
    "$COMMAND" hints lint - <bad.hints | diff -u <(sed 's/^bad.hints/-/' "$here/golden/hints_bad.txt") -
    printf '[file a\0b]\n[impose] no_locks t\0\n' >bytes.hints
    says 1 $'bytes.hints:1:8: a NUL byte\nbytes.hints:2:20: a NUL byte' hints lint bytes.hints
}

# Lines that cannot be pairs of an info, among lines that can, and arbitrary bytes.
test_hints_lint_bytes() {
    local long
    long=$(printf '%01023d' 0)
    {
        printf 'a\0b c\n%s v\n \t%s v\n' "${long:0:255}" "${long:0:256}"
        printf 'wdir %s\n# \0 says nothing\nhost  %s0\narch x\0\n' "$long" "$long"
        printf 'a\tb\x01\n\x1b[2J\x7f\xff v\nno_locks true\r'
    } >bytes.hints
    expect 1 "$COMMAND" hints lint bytes.hints <<END
bytes.hints:1:2: invalid pair: a NUL byte
bytes.hints:2:1: the standard does not reserve '${long:0:255}'
bytes.hints:3:3: invalid pair: a key of more than 255 bytes
bytes.hints:6:7: invalid pair: a value of more than 1023 bytes
bytes.hints:7:7: invalid pair: a NUL byte
bytes.hints:8:1: the standard does not reserve 'a'
bytes.hints:9:1: the standard does not reserve '?[2J?$(printf '\xff')'
bytes.hints:10:10: value of 'no_locks': a boolean is true or false; expected: boolean: true, false
END
    cp bytes.hints $'n\nl'
    "$COMMAND" hints lint $'n\nl' | head -n 1 >found || [ "${PIPESTATUS[0]}" -eq 1 ]
    diff -u - found <<<'n?l:1:2: invalid pair: a NUL byte'
}

test_hints_lint_pair() {
    local long
    long=$(printf '%01024d' 0)
    expect 0 "$COMMAND" hints lint --key cb_nodes --value ' 4 ' </dev/null
    expect 0 "$COMMAND" hints lint --for file --key=cb_nodes --value=4 </dev/null
    says 1 "--value:1:3: value of 'cb_nodes': below the smallest allowed value; expected: integer, 1 or more" \
        hints lint --key cb_nodes --value '  -4'
    says 1 "--key:1:1: the standard does not reserve 'accses_style'" hints lint --for spawn --key accses_style --value random
    says 1 "--key:1:1: 'access_style' is a key of file, not of spawn" hints lint --for spawn --key access_style --value random
    says 1 "--key:1:1: 'mpi_size' is read-only: only the implementation sets it" hints lint --key mpi_size --value 4
    says 1 $'--key:1:1: invalid pair: an empty key\n--value:1:1: invalid pair: a value of more than 1023 bytes' \
        hints lint --key '' --value "$long"
    says 1 "--key:1:1: invalid pair: a key of more than 255 bytes" hints lint --key "${long:0:256}" --value v
    says 1 "--key:1:1: the standard does not reserve '${long:0:255}'" hints lint --key "${long:0:255}" --value v
}

# Similar keys: different case, extra, missing and swapped bytes; but no suggestion for an unrelated key.
test_hints_lint_suggestions() {
    local row given meant
    for row in NO_LOCKS:no_locks no-locks:no_locks nolocks:no_locks no_lcoks:no_locks hsot:host bc_ndoes:cb_nodes sof:soft \
        mpi_assert_no_any_sources:mpi_assert_no_any_source mpi_asert_no_any_tag:mpi_assert_no_any_tag \
        num_ionodes:num_io_nodes x: zz: romio_ds_write: _____: cachesizes:; do
        given=${row%:*} meant=${row#*:}
        says 1 "--key:1:1: the standard does not reserve '$given'${meant:+"; did you mean '$meant'?"}" \
            hints lint --key "$given" --value v
    done
}

# Keys that only a library looks up are listed with its name, and valid.
test_hints_of_libraries() {
    expect 0 "$COMMAND" hints list --for port --mpi openmpi <<'END'
OBJECT        KEY                                               SINCE        SECTION                     MARKS       DEFAULT               VALUE
port          ip_port                                           2.0          MPI-4.1, 11.9.5             -           -                     integer, 1 to 65535
port          ip_address                                        2.0          MPI-4.1, 11.9.5             -           -                     string
port          range                                             4.1-         openmpi MPI_Lookup_name     -           session               word: nspace, session; who sees the name
port          range                                             4.1-         openmpi MPI_Publish_name    -           session               word: nspace, session; who sees the name
port          range                                             4.1-         openmpi MPI_Unpublish_name  -           session               word: nspace, session; who sees the name
port          persistence                                       4.1-         openmpi MPI_Publish_name    -           app                   word: indef, proc, app, session; how long the name is seen
END
    local library
    for library in mpich openmpi; do
        "$COMMAND" hints list --mpi=$library | tr -s ' ' >found
        tail -n +2 "$here/golden/hints_list.txt" | tr -s ' ' | grep -vxF -f found >missing || [ $? -eq 1 ]
        diff -u /dev/null missing
        [ "$(grep -c " $library " found)" -gt 70 ]
        [ "$(grep -c " pnetcdf " found)" -gt 10 ]
    done
    # shellcheck disable=SC2016 # these are no variables
    printf '%s\n' 'romio_ds_write enable' 'romio_ds_wirte x' 'alloc_shm true' '[file]' 'bind_to core' 'cb_nodes 0' \
        'ind_wr_buffer_size 1M' 'romio_cb_read 1' 'nc_header_align_size 512' 'cb_nodes=4' 'cb_buffer_size 4 # 4 MiB' \
        'cb_config_list $HOST:1' 'cb_config_list ${HOST}' 'cb_config_list a$' >romio.hints
    cat >same <<'END'
romio.hints:6:10: value of 'cb_nodes': below the smallest allowed value; expected: integer, 1 to 2147483647
romio.hints:7:21: value of 'ind_wr_buffer_size': an integer has decimal digits only; expected: integer, 1 to 2147483647
romio.hints:8:15: value of 'romio_cb_read': not one of the allowed words; expected: word: enable, disable, automatic, requested
romio.hints:9:1: 'nc_header_align_size' has no effect here: PnetCDF reads it from the program's info
romio.hints:10:9: '=' in a key: a blank separates key and value
romio.hints:11:18: part of the value: a comment needs a line of its own
romio.hints:11:17: value of 'cb_buffer_size': an integer has decimal digits only; expected: integer, 1 to 2147483647
romio.hints:12:16: part of the value: variables are not expanded
romio.hints:13:1: 'cb_config_list' overrides the same key in line 12
romio.hints:13:16: part of the value: variables are not expanded
romio.hints:14:1: 'cb_config_list' overrides the same key in line 12
END
    expect 1 "$COMMAND" hints lint --mpi openmpi romio.hints <<END
romio.hints:2:1: the standard does not reserve 'romio_ds_wirte'; did you mean 'romio_ds_write'?
romio.hints:3:1: the standard does not reserve 'alloc_shm'
romio.hints:5:1: 'bind_to' is a key of spawn, not of file
$(cat same)
END
    expect 1 "$COMMAND" hints lint --mpi mpich romio.hints <<END
romio.hints:2:1: the standard does not reserve 'romio_ds_wirte'; did you mean 'romio_ds_write'?
romio.hints:5:1: the standard does not reserve 'bind_to'
$(cat same)
END
    expect 0 "$COMMAND" hints lint --mpi mpich --for file --key romio_cb_write --value enable </dev/null
    says 1 "--key:1:1: the standard does not reserve 'romio_cb_write'" hints lint --key romio_cb_write --value enable
}

# write_report NAME PROCESSES LOST RULES [VALUE ON COUNT]: writes a file like those of --hints-report. VALUE was given
# for cb_nodes on the processes ON, COUNT times.
write_report() {
    printf '{"processes": %s, "lost": %s, "rules": "%s", "rules_differ": false, "hints": [' "${@:2:3}" >"$1"
    [ $# -eq 4 ] || printf '{"verdict": "in effect", "key": "cb_nodes", "given": "%s", "in_use": null, "object": "file",
"name": "a.h5", "group": "0+3", "function": "MPI_File_open", "place": "a.c:7", "source": null,
"section": "MPI-4.1, 14.2.8", "note": null, "on": "%s", "count": %s}' "${@:5}" >>"$1"
    echo ']}' >>"$1"
}

test_hints_report() {
    local change hint
    write_report r.0 1 0 5 4 0 1
    write_report r.1 1 2 5 4 1 1
    write_report r.2 1 0 6 1 2 3
    expect 0 "$COMMAND" hints report r.* <<'END'
rcuinfo: 2 hints of 3 processes: 2 differs between processes
file a.h5: MPI_File_open at a.c:7
  cb_nodes  4  differs between processes, processes 0-1
  cb_nodes  1  differs between processes: '4' on 0-1, process 2, 3 times
The processes have read different hint files.
... and 2 more, not recorded for lack of room or memory
END
    "$COMMAND" hints report --csv r.0 | diff -u <(printf '%s\r\n' \
        verdict,object,component,key,given,in_use,note,source,name,identity,function,place,group,evidence,section,on,count \
        '"in effect","file","","cb_nodes","4","","","","a.h5","","MPI_File_open","a.c:7","0+3","","MPI-4.1, 14.2.8","0",1') -
    # What the reports are of.
    sed 's/^{/&"mpi": "MPICH 4.0.2", "command": ".\/app 1", "date": "2026-11-26T15:00:00Z", /' r.0 >a.0
    "$COMMAND" hints report a.0 | sed -n 2p | diff -u <(echo 'MPICH 4.0.2: ./app 1, 2026-11-26T15:00:00Z') -
    sed 's/\.\/app 1/.\/app 2/' a.0 >b.0
    "$COMMAND" hints report a.0 b.0 2>&1 >/dev/null | diff -u <(echo "rcuinfo: 'b.0' is of another job: MPICH 4.0.2: ./app 2") -
    "$COMMAND" hints report a.0 a.0 2>&1 >/dev/null | diff -u /dev/null -
    sed -i 's/"rules_differ": false/"rules_differ": true/' r.0
    "$COMMAND" hints report r.0 | grep -x 'The processes have read different hint files.'
    write_report empty 4 0 0
    says 0 "rcuinfo: no hints were given by 4 processes" hints report empty
    says 1 "rcuinfo: hints report: cannot read 'nowhere': No such file or directory" hints report nowhere
    says 1 "rcuinfo: hints report: cannot read '$work': Is a directory" hints report "$work"
    : >nothing
    "$COMMAND" hints report nothing 2>&1 | grep -F "rcuinfo: hints report: nothing:1:0: "
    echo '{"hints": [}' >bad
    "$COMMAND" hints report bad 2>&1 | grep -F "rcuinfo: hints report: bad:1:12: "

    # What a process leaves that was killed: the last line may be cut.
    write_report good 1 0 5 4 0 1
    hint=$(sed 's/^.*"hints": \[//; s/]}$//' good | tr -d '\n')
    printf '{"journal": 1, "rules": "5"}\n%s\n%s' "${hint//\"on\": \"0\"/\"on\": \"1\"}" "${hint:0:40}" >killed
    expect 0 "$COMMAND" hints report good killed <<'END'
rcuinfo: 1 hint of 2 processes: 1 in effect
file a.h5: MPI_File_open at a.c:7
  cb_nodes  4  in effect
END
    printf '{"journal": 1, "rules": "5"}' >killed
    says 0 "rcuinfo: no hints were given by 1 process" hints report killed
    printf '{"journal": 1, "size": 2, "rules": "5"}\n%s\n{]\n' "${hint//\"group\": \"0+3\"/\"group\": \"0+2\"}" >killed
    write_report other 1 0 5
    ! "$COMMAND" hints report killed other >found 2>&1 || exit 1
    grep -F "rcuinfo: hints report: killed:3:2: " found
    ! grep differs found || exit 1 # the other's hint may have been in what cannot be read
    printf '{"journal": 1, "size": 2, "rules": "5"}\n{]\n%s\n' "$hint" >killed # nor is what follows read as a report
    ! "$COMMAND" hints report killed other >found 2>&1 || exit 1
    grep -F "rcuinfo: hints report: killed:2:2: " found
    grep -x 'rcuinfo: no hints were given by 2 processes' found
    # Several reports in a file, of which none is left out.
    cat good good >twice
    "$COMMAND" hints report twice | grep -x 'rcuinfo: 1 hint of 2 processes: 1 in effect'
    head -c -40 twice >part
    ! "$COMMAND" hints report part >found 2>&1 || exit 1
    grep -F 'rcuinfo: hints report: part:' found
    echo 'x' >>twice
    ! "$COMMAND" hints report twice >found 2>&1 || exit 1
    grep -x 'rcuinfo: 1 hint of 2 processes: 1 in effect' found
    # With --csv, what concerns the whole report is not in the table.
    write_report lossy 1 3 5 4 0 1
    "$COMMAND" hints report --csv lossy 2>&1 >/dev/null | diff -u <(echo '... and 3 more, not recorded for lack of room or memory') -
    # The source of a line is not looked for in what is no file.
    mkfifo pipe
    sed "s|a.c:7|$work/pipe+0x1|" good >of_pipe
    timeout 20 "$COMMAND" hints report of_pipe | grep -F "pipe+0x1"
    # A file that cannot be read does not prevent the others from being read.
    for order in "good nothing killed nowhere" "nothing nowhere killed good"; do
        # shellcheck disable=SC2086 # words
        ! "$COMMAND" hints report $order 2>/dev/null >left || exit 1
        grep -qx "rcuinfo: 1 hint of 2 processes: 1 in effect" left
    done

    # JSON that is not a report.
    write_report good 1 0 0 4 0 1
    while IFS= read -r change; do
        sed "$change" good >bad
        cmp -s good bad && exit 1
        says 1 "rcuinfo: hints report: bad: not a file written by --hints-report" hints report good bad
    done <<'END'
s/"processes": 1/"processes": 0/
s/"processes": 1/"processes": 9223372036854775807/
s/"processes": 1/"processes": "1"/
s/"lost": 0/"lost": -1/
s/"rules": "0"/"rules": 0/
s/"rules_differ": false/"rules_differ": 0/
s/"key": "cb_nodes"/"key": null/
s/"on": "0"/"on": "0-"/
s/"count": 1/"count": 0/
s/"hints"/"hint"/
END
    expect 1 "$COMMAND" hints report /dev/fd/3 3<<<'["hints"]' \
        <<<"rcuinfo: hints report: /dev/fd/3: not a file written by --hints-report"
}

# offers EXPECTED WORD...: completing the last word of this line must offer EXPECTED, sorted and separated by blanks.
offers() {
    COMP_WORDS=(rcuinfo "${@:2}")
    COMP_CWORD=$(($# - 1))
    _rcuinfo
    printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort | paste -s -d ' ' | diff -u <(echo "$1") -
}

# usage_of WORDS PATTERN: prints the matches in the usage of `rcuinfo WORDS`, sorted.
usage_of() {
    "$COMMAND" --help | sed '/^$/q' | tr -s '\n ' ' ' | sed 's/ rcuinfo /\n/g' | grep "^$1 " | grep -oE -e "$2" |
        LC_ALL=C sort -u | paste -s -d ' '
}

# rcuinfo.bash offers what `rcuinfo --help` lists, for each subcommand, and files for arguments that are files.
test_completion() {
    local words object
    # shellcheck source=tools/rcuinfo/rcuinfo.bash
    source "$COMPLETION"
    touch 'site.hints' 'two words.hints'
    offers '--help --version env hints run stress' ''
    for words in run env stress 'hints list' 'hints lint'; do
        # shellcheck disable=SC2086 # words
        offers "$(usage_of "$words" '--[a-z-]+')" $words --
    done
    offers 'lint list report' hints ''
    offers "$(usage_of run '(mpich|openmpi|abi)')" run --mpi ''
    offers "$(usage_of 'hints list' '(mpich|openmpi|intel)')" hints list --mpi ''
    for object in ${objects//,/}; do
        offers "$object" hints list --for "${object%?}"
    done

    offers 'site.hints two words.hints' run --hints ''
    offers 'site.hints' run --hints-report = si
    offers './site.hints' run --mpi ./si
    offers 'site.hints two words.hints' run --hints-report =
    offers 'site.hints' hints lint si
    offers 'site.hints' hints report si
    offers 'site.hints' run --mpi mpich --hints x --hints-report = y ./program si
    offers 'mpich' run --mpi = mpi
    offers 'intel mpich openmpi' hints lint --mpi =
    offers '--stats' run --mpi = mpich --hints = x --st
    offers 'site.hints' run --mpi mpich ./program --mpi si
    offers '' hints lint --key ''
    offers '' unknown ''
}

for probe in $(declare -f "test_$1" | grep -o 'PROBE_[A-Z_]*' || :); do
    [ "${!probe:-}" ] || exit 77
done
"test_$1"
