#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests of the command `rcuinfo`. Usage: command_test.sh CASE, where a CASE is a function test_CASE below.
# Given in the environment: COMMAND, the command; PROBE, the program without MPI, PROBE_MPICH and so on with it;
# LIBRARIES, the folder of our libraries; VERSION.
set -eu

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
cd "$work"
unset LD_PRELOAD RCUINFO_STATS "${!OMPI_@}" "${!PMI_@}" "${!PMIX_@}" "${!SLURM_@}" "${!RCUINFO_@}"

# expect STATUS COMMAND...: the command must end with the status and print, on both outputs together, what is on the
# standard input.
expect() {
    local wanted=$1 status=0
    shift
    "$@" >"$work/output" 2>&1 </dev/null || status=$?
    diff -u - "$work/output" || {
        echo "the output of '$*' differs (- expected, + found)"
        exit 1
    }
    [ "$status" -eq "$wanted" ] || {
        echo "'$*' ended with $status, not $wanted"
        exit 1
    }
}

# The one line that a probe prints for a variable.
preloaded_by() {
    "$@" | sed -n 's/^LD_PRELOAD=//p'
}

# expect_library NAME COMMAND...: the command's program must see our library of this name preloaded, and nothing else.
expect_library() {
    local found name=$1
    shift
    found=$(preloaded_by "$@")
    case $found in
        *[\ :]*) ;;
        "$LIBRARIES/$name".so*) return ;;
    esac
    echo "LD_PRELOAD is '$found' for '$*', not $LIBRARIES/$name.so"
    exit 1
}

test_help() {
    local words
    for words in --help -h 'run --help' 'env --help' 'hints --help' 'hints lint --help' 'hints report --help' 'stress --help'; do
        # shellcheck disable=SC2086 # words
        expect 0 "$COMMAND" $words <"$here/golden/help.txt"
    done
}

test_version() {
    expect 0 "$COMMAND" --version <<<"rcuinfo $VERSION"
}

test_no_subcommand() {
    expect 2 "$COMMAND" <<<"rcuinfo: no subcommand: run, env, hints or stress (see rcuinfo --help)"
}

test_unknown_subcommand() {
    expect 2 "$COMMAND" walk <<<"rcuinfo: unknown subcommand 'walk': run, env, hints or stress (see rcuinfo --help)"
}

test_unknown_option() {
    expect 2 "$COMMAND" --fast <<<"rcuinfo: unknown option '--fast' (see rcuinfo --help)"
    expect 2 "$COMMAND" -xy <<<"rcuinfo: unknown option '-x' (see rcuinfo --help)"
    expect 2 "$COMMAND" run --fast "$PROBE" <<<"rcuinfo: unknown option '--fast' (see rcuinfo --help)"
    expect 2 "$COMMAND" env --fast <<<"rcuinfo: unknown option '--fast' (see rcuinfo --help)"
}

test_missing_option_argument() {
    expect 2 "$COMMAND" run --mpi <<<"rcuinfo: option '--mpi' needs an argument (see rcuinfo --help)"
}

test_no_program() {
    expect 2 "$COMMAND" run <<<"rcuinfo: run: no program (see rcuinfo --help)"
    expect 2 "$COMMAND" run --stats -- <<<"rcuinfo: run: no program (see rcuinfo --help)"
}

test_missing_program() {
    expect 127 "$COMMAND" run ./nowhere <<<"rcuinfo: cannot run './nowhere': No such file or directory"
    expect 127 "$COMMAND" run --mpi mpich no-such-program \
        <<<"rcuinfo: cannot run 'no-such-program': No such file or directory"
    expect 127 "$COMMAND" run "" <<<"rcuinfo: cannot run '': No such file or directory"
}

test_not_executable() {
    : >plain_file
    expect 126 "$COMMAND" run ./plain_file <<<"rcuinfo: cannot run './plain_file': Permission denied"
    expect 126 "$COMMAND" run --mpi mpich "$work" <<<"rcuinfo: cannot run '$work': Permission denied"
    PATH=$work:$PATH expect 126 "$COMMAND" run plain_file \
        <<<"rcuinfo: cannot run 'plain_file': Permission denied"
}

test_launcher_refused() {
    expect 2 "$COMMAND" run mpirun -n 2 ./app <<<"rcuinfo: the launcher goes first: mpirun ... rcuinfo run PROGRAM"
    expect 2 "$COMMAND" run --mpi mpich /usr/bin/mpiexec.hydra ./app \
        <<<"rcuinfo: the launcher goes first: /usr/bin/mpiexec.hydra ... rcuinfo run PROGRAM"
}

test_unknown_flavour() {
    expect 2 "$COMMAND" run --mpi lam "$PROBE" <<<"rcuinfo: no such MPI: 'lam': mpich, openmpi or abi"
}

test_no_flavour() {
    local size advice="say which MPI it uses, with --mpi mpich, --mpi openmpi or --mpi abi"
    ulimit -c 0
    expect 2 "$COMMAND" run "$PROBE" <<<"rcuinfo: '$PROBE' links no MPI and was not started by mpirun: $advice"
    printf '#!/bin/sh\nexit 0\n' >script
    chmod +x script
    expect 2 "$COMMAND" run ./script <<<"rcuinfo: './script' links no MPI and was not started by mpirun: $advice"
    for size in 4 60 64 200 1000 4000; do
        head -c $size "$PROBE" >part
        chmod +x part
        expect 2 "$COMMAND" run ./part <<<"rcuinfo: './part' links no MPI and was not started by mpirun: $advice"
    done
}

test_missing_library() {
    mkdir tools lib
    cp "$COMMAND" tools/rcuinfo
    LD_LIBRARY_PATH=$LIBRARIES expect 1 tools/rcuinfo run --mpi mpich "$PROBE" <<<"rcuinfo: librcuinfo_mpich.so is not \
there: rcuinfo was built on a machine without that MPI"
}

test_links_mpich() {
    expect_library librcuinfo_mpich "$COMMAND" run "$PROBE_MPICH"
    "$COMMAND" run "$PROBE_MPICH" | grep -x 'info=some value'
}

test_links_openmpi() {
    expect_library librcuinfo_openmpi "$COMMAND" run "$PROBE_OPENMPI"
    "$COMMAND" run "$PROBE_OPENMPI" | grep -x 'info=some value'
}

test_links_another_mpi() {
    expect 2 "$COMMAND" run --mpi openmpi "$PROBE_MPICH" \
        <<<"rcuinfo: '$PROBE_MPICH' links mpich: --mpi openmpi cannot serve it"
    expect 2 "$COMMAND" run --mpi abi "$PROBE_MPICH" <<<"rcuinfo: '$PROBE_MPICH' links mpich: --mpi abi cannot serve it"
}

test_links_alone() {
    expect_library librcuinfo_mpi "$COMMAND" run "$PROBE_ALONE"
    expect_library librcuinfo_mpi "$COMMAND" run --mpi abi "$PROBE_ALONE"
    "$COMMAND" run "$PROBE_ALONE" | grep -x 'info=some value'
}

# With what stands for a real library when ours is linked: infos are asked for before MPI is.
test_links_abi() {
    export LD_LIBRARY_PATH=$NEEDED
    expect_library librcuinfo_mpi_abi "$COMMAND" run "$PROBE_ABI"
    expect_library librcuinfo_mpi_abi env PMI_RANK=0 "$COMMAND" run "$PROBE_ABI"
    expect_library librcuinfo_mpi_abi "$COMMAND" run --mpi abi "$PROBE"
    "$COMMAND" run "$PROBE_ABI" | grep -x 'info=some value'
    expect 2 "$COMMAND" run --mpi openmpi "$PROBE_ABI" <<<"rcuinfo: '$PROBE_ABI' links abi: --mpi openmpi cannot serve it"
}

# The library that serves info calls only says so in front of a real one.
test_alone_before_abi() {
    LD_LIBRARY_PATH=$NEEDED LD_PRELOAD=$LIBRARIES/librcuinfo_mpi.so "$PROBE_ABI" 2>said | grep -x 'info=some value'
    diff said - <<<"rcuinfo: librcuinfo_mpi.so has only the info functions, but this process has an MPI library, which \
must not be passed these infos: start the program with 'rcuinfo run'"
    LD_LIBRARY_PATH=$NEEDED "$COMMAND" run "$PROBE_ABI" >found 2>said
    diff said /dev/null
    "$PROBE_ALONE" >found 2>said
    diff said /dev/null
}

test_links_both() {
    expect 2 "$COMMAND" run "$PROBE_BOTH" \
        <<<"rcuinfo: '$PROBE_BOTH' links more than one MPI: say --mpi mpich, --mpi openmpi or --mpi abi"
}

# Linked through a library that stands beside the program, whose own place is behind a symbolic link.
test_links_through() {
    expect_library librcuinfo_openmpi "$COMMAND" run "$PROBE_THROUGH"
    ln -s "$PROBE_THROUGH" through
    expect_library librcuinfo_openmpi "$COMMAND" run ./through
    # What is preloaded is not linked.
    preloaded_by env LD_PRELOAD=libmpich.so.12 "$COMMAND" run ./through | grep -x "$LIBRARIES/librcuinfo_openmpi.so.*"
}

test_links_both_through() {
    expect 2 "$COMMAND" run "$PROBE_BOTH_THROUGH" \
        <<<"rcuinfo: '$PROBE_BOTH_THROUGH' links more than one MPI: say --mpi mpich, --mpi openmpi or --mpi abi"
}

test_links_before_environment() {
    expect_library librcuinfo_mpich env OMPI_COMM_WORLD_SIZE=2 "$COMMAND" run "$PROBE_MPICH"
    expect_library librcuinfo_openmpi env PMI_RANK=0 "$COMMAND" run "$PROBE_OPENMPI"
}

test_launcher_environment() {
    expect_library librcuinfo_mpich env PMI_RANK=0 "$COMMAND" run "$PROBE"
    expect_library librcuinfo_mpich env PMI_SIZE=2 "$COMMAND" run "$PROBE"
}

test_launcher_environment_openmpi() {
    expect_library librcuinfo_openmpi env OMPI_COMM_WORLD_SIZE=2 "$COMMAND" run "$PROBE"
    expect_library librcuinfo_openmpi env PMI_RANK=0 OMPI_COMM_WORLD_SIZE=2 "$COMMAND" run "$PROBE"
}

test_flavour_by_option() {
    expect_library librcuinfo_mpich "$COMMAND" run --mpi mpich "$PROBE"
    expect_library librcuinfo_mpich env OMPI_COMM_WORLD_SIZE=2 "$COMMAND" run --mpi=mpich "$PROBE"
}

# Also for what stands behind the program: our own options' names, blanks, nothing at all.
test_arguments_untouched() {
    ln -s "$PROBE" probe
    PATH=$work:$PATH "$COMMAND" run --mpi mpich -- probe --stats 'two words' '' -- --mpi x | grep '^argv' >found
    diff -u - found <<'END'
argv[0]=<probe>
argv[1]=<--stats>
argv[2]=<two words>
argv[3]=<>
argv[4]=<-->
argv[5]=<--mpi>
argv[6]=<x>
END
    mkdir 'a b'
    ln -s "$PROBE" 'a b/probe'
    "$COMMAND" run --mpi mpich 'a b/probe' --help | grep -x 'argv\[1\]=<--help>'
    "$COMMAND" run --mpi mpich "$PROBE" --stats | grep -x 'RCUINFO_STATS=(unset)'
}

test_exit_status() {
    local status=0
    "$COMMAND" run --mpi mpich "$PROBE" exit >found || status=$?
    [ $status -eq 42 ]
}

test_preload_order() {
    local found
    found=$(preloaded_by env LD_PRELOAD=libm.so.6:libdl.so.2 "$COMMAND" run --mpi mpich "$PROBE")
    echo "$found"
    case $found in
        "$LIBRARIES"/librcuinfo_mpich.so*:libm.so.6:libdl.so.2) ;;
        *) exit 1 ;;
    esac
    expect_library librcuinfo_mpich env LD_PRELOAD= "$COMMAND" run --mpi mpich "$PROBE"
}

test_stats() {
    "$COMMAND" run --stats "$PROBE_MPICH" >found 2>errors
    grep -x 'RCUINFO_STATS=1' found
    cat errors
    grep -Ex 'rcuinfo: process [0-9]+: live 0, gets 1, sets 1, dups 0, conversions [0-9]+, left out [0-9]+, grace periods [0-9]+, peak retired [0-9]+ bytes' errors
    "$COMMAND" run "$PROBE_MPICH" >found 2>errors
    diff /dev/null errors
}

test_run_hints() {
    cp "$here/hints/sections.hints" 'my hints'
    "$COMMAND" run --hints 'my hints' "$PROBE_MPICH" >found 2>errors
    diff /dev/null errors
    grep -x "RCUINFO_HINTS=$(pwd -P)/my hints" found
    grep -x 'info=some value' found
    grep -x 'RCUINFO_STATS=(unset)' found
    RCUINFO_HINTS=other "$COMMAND" run --stats --hints="$here/hints/sections.hints" "$PROBE_MPICH" 2>/dev/null >found
    grep -x "RCUINFO_HINTS=$(readlink -f "$here/hints/sections.hints")" found
    grep -x 'RCUINFO_STATS=1' found
    "$COMMAND" run "$PROBE_MPICH" --hints nowhere | grep -x 'RCUINFO_HINTS=(unset)'
    : >nothing
    "$COMMAND" run --hints nothing "$PROBE_MPICH" | grep -x 'info=some value'
}

# The program need not be where the command was.
test_run_hints_elsewhere() {
    cp "$here/hints/sections.hints" hints
    mkdir folder
    "$COMMAND" run --hints hints --mpi mpich sh -c "cd folder && '$PROBE_MPICH'" >found 2>errors
    diff /dev/null errors
    grep -x "RCUINFO_HINTS=$(pwd -P)/hints" found
}

# The program is not run.
test_run_hints_bad() {
    local sections="window, communicator, file, session, spawn, port, alloc_mem, split_type"
    expect 2 "$COMMAND" run --hints nowhere "$PROBE_MPICH" <<<"rcuinfo: cannot read 'nowhere': No such file or directory"
    expect 2 "$COMMAND" run --hints "$work" "$PROBE_MPICH" <<<"rcuinfo: cannot read '$work': Is a directory"
    printf 'a 1\r\n [door]\r\n' >bad
    expect 2 "$COMMAND" run --hints bad "$PROBE_MPICH" <<<"rcuinfo: bad:2:3: no such section: $sections"
    printf '[file x' >bad
    expect 2 "$COMMAND" run --hints bad "$PROBE_MPICH" \
        <<<"rcuinfo: bad:1:8: a section that does not end with ]"
    printf '%0256d v' 0 >bad
    expect 2 "$COMMAND" run --hints bad "$PROBE_MPICH" <<<"rcuinfo: bad:1:1: a key of more than 255 bytes"
    expect 2 "$COMMAND" run --hints <<<"rcuinfo: option '--hints' needs an argument (see rcuinfo --help)"
}

# Whoever sets it by hand is told by the library, and has the program run.
test_hints_variable() {
    RCUINFO_HINTS=nowhere "$COMMAND" run "$PROBE_MPICH" >found 2>errors
    diff -u - errors <<<"rcuinfo: nowhere: No such file or directory; no hints of this file are given"
    grep -x 'info=some value' found
    printf 'a 1\n[file\n' >bad
    RCUINFO_HINTS=bad "$COMMAND" run "$PROBE_MPICH" >found 2>errors
    diff -u - errors <<<"rcuinfo: bad:2:6: a section that does not end with ]; no hints of this file are given"
    grep -x 'info=some value' found
    RCUINFO_HINTS='' "$COMMAND" run "$PROBE_MPICH" >found 2>errors
    diff /dev/null errors
    RCUINFO_HINTS=$here/hints/sections.hints "$COMMAND" run "$PROBE_MPICH" >found 2>errors
    diff /dev/null errors
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

test_script() {
    printf '#!/bin/sh\nexec "$@"\n' >script
    chmod +x script
    expect_library librcuinfo_mpich env PMI_RANK=0 "$COMMAND" run ./script "$PROBE"
}

test_script_without_interpreter() {
    # shellcheck disable=SC2016
    echo 'exec "$@"' >script
    chmod +x script
    expect_library librcuinfo_mpich "$COMMAND" run --mpi mpich ./script "$PROBE"
}

# What depends on the machine is filled in here.
machine_pairs() {
    printf '%-8s  %s\n' maxprocs 1 soft 1 host "$(uname -n)" arch "$(uname -m)" wdir "$work"
}

test_env_arguments() {
    {
        printf '%-8s  %s\n' command a argv 'b c'
        machine_pairs
    } | expect 0 "$COMMAND" env a b c
    {
        printf '%-8s  %s\n' command -x argv '--stats'
        machine_pairs
    } | expect 0 "$COMMAND" env -- -x --stats
}

test_env_no_arguments() {
    {
        printf '%-8s  %s\n' command "$COMMAND" argv env
        machine_pairs
    } | expect 0 "$COMMAND" env
}

test_env_explain() {
    {
        printf '%-8s  %-21s  %s\n' command /proc/self/cmdline "$COMMAND" argv /proc/self/cmdline 'env --explain' \
            maxprocs 'no launcher' 1 soft 'no launcher' 1 host uname "$(uname -n)" arch uname "$(uname -m)" \
            wdir 'the directory at load' "$work"
    } | expect 0 "$COMMAND" env --explain
}

# Any bytes make one line a value, and valid JSON.
test_env_bytes() {
    "$COMMAND" env $'a\nb\t\x7f' | head -n 1 >found
    diff -u - found <<<"command   a?b??"
    "$COMMAND" env --json $'"\\\n\x01' $'\xc3\xa4\xff\xed\xa0\x80\xf0\x9f\x98\x80\xc3' >found
    python3 -c '
import json, sys
found = json.load(open("found"))
assert found["command"] == "\"\\\n\x01", found
assert found["argv"] == "\u00e4" + 4 * "\ufffd" + "\U0001f600\ufffd", found'
    "$COMMAND" env --json --explain x >found
    python3 -c '
import json
found = json.load(open("found"))
assert list(found) == ["command", "maxprocs", "soft", "host", "arch", "wdir"], found
assert found["command"] == {"value": "x", "source": "the caller\x27s arguments"}, found'
}

test_env_quotes() {
    "$COMMAND" env 'my app' 'two words' | head -n 2 >found
    diff -u - found <<'END'
command   my app
argv      two words
END
}

test_stress() {
    "$COMMAND" stress --seconds 5 --seed 7 >found
    cat found
    grep -Ex '[0-9]+ operations in 5 s by 8 threads, seed 7' found
    grep -Ex '[1-9][0-9]* slot reuses, [1-9][0-9]* grace periods, [1-9][0-9]* ages watched, [0-9]+ calls on objects freed meanwhile' found
    ! grep -Ex '  [a-z]+ +0' found
}

test_stress_mix() {
    "$COMMAND" stress --seconds 2 --threads 3 --objects 5 --keys 40 --mix get=70,set=20,dup=5,free=5 >found
    cat found
    grep -Ex '  get +[1-9][0-9]*' found
    grep -Ex '  snapshot +0' found
}

# Many keys of one object: there the finder is places, and a reader of an old version follows links.
test_stress_large() {
    "$COMMAND" stress --seconds 2 --objects 1 --keys 256 \
        --mix get=40,set=30,delete=4,swap=2,update=5,dup=5,snapshot=10,hot=2,stay=3,drain=1 >found
    cat found
    ! grep -Ex '  (get|set|delete|swap|update|dup|snapshot|hot|stay|drain) +0' found
}

# Readers alone: nothing was freed, so nothing was found out about what is freed too early.
test_stress_too_little() {
    local status=0
    "$COMMAND" stress --seconds 1 --mix get=1 2>errors || status=$?
    cat errors
    [ $status -eq 1 ]
    grep -x 'rcuinfo: stress: too little happened to mean anything: 0 slot reuses' errors
}

test_stress_usage() {
    expect 2 "$COMMAND" stress --seconds 0 \
        <<<"rcuinfo: stress: --seconds '0': not a whole number from 1 to 31536000"
    expect 2 "$COMMAND" stress --threads=257 \
        <<<"rcuinfo: stress: --threads '257': not a whole number from 1 to 256"
    expect 2 "$COMMAND" stress --seed -1 \
        <<<"rcuinfo: stress: --seed '-1': not a whole number from 0 to 18446744073709551615"
    expect 2 "$COMMAND" stress --mix get=1,fry=2 <<<"rcuinfo: stress: --mix: no such operation: 'fry': get, set, \
delete, swap, update, dup, snapshot, hot, stay, free, stale or drain"
    expect 2 "$COMMAND" stress --mix get <<<"rcuinfo: stress: --mix: 'get' has no weight, as in get=70"
    expect 2 "$COMMAND" stress --mix get=0 <<<"rcuinfo: stress: --mix: nothing to do: all weights are 0"
    expect 2 "$COMMAND" stress --mix <<<"rcuinfo: option '--mix' needs an argument (see rcuinfo --help)"
    expect 2 "$COMMAND" stress now <<<"rcuinfo: stress: takes no argument 'now' (see rcuinfo --help)"
}

test_hints_list() {
    expect 0 "$COMMAND" hints list <"$here/golden/hints_list.txt"
    expect 0 "$COMMAND" hints list --for port <<'END'
OBJECT  KEY         SINCE  SECTION          MARKS  DEFAULT  VALUE
port    ip_port     2.0    MPI-4.1, 11.9.5  -      -        integer, 1 to 65535
port    ip_address  2.0    MPI-4.1, 11.9.5  -      -        string
END
    local object
    for object in window communicator file session spawn port alloc_mem split_type init process_set env; do
        "$COMMAND" hints list --for $object | tail -n +2
    done | tr -s ' ' >found
    tail -n +2 "$here/golden/hints_list.txt" | tr -s ' ' | diff -u - found
}

test_hints_list_full_disk() {
    local status=0
    "$COMMAND" hints list >/dev/full 2>errors || status=$?
    [ $status -eq 1 ]
    diff -u - errors <<<"rcuinfo: hints: the output could not be written"
}

test_hints_lint_good() {
    expect 0 "$COMMAND" hints lint "$here/hints/good.hints" </dev/null
    expect 0 "$COMMAND" hints lint --key cb_nodes --value ' 4 ' </dev/null
    expect 0 "$COMMAND" hints lint --for file --key=cb_nodes --value=4 </dev/null
    : >nothing.hints
    expect 0 "$COMMAND" hints lint nothing.hints </dev/null
    "$COMMAND" hints lint - <"$here/hints/good.hints"
    sed 's/$/\r/' "$here/hints/good.hints" >dos.hints
    expect 0 "$COMMAND" hints lint dos.hints </dev/null
    printf '#\n no_locks\ttrue' >no_newline.hints
    expect 0 "$COMMAND" hints lint --for window -- no_newline.hints </dev/null
}

test_hints_lint_bad() {
    cp "$here/hints/bad.hints" "$here/hints/good.hints" .
    expect 1 "$COMMAND" hints lint bad.hints <"$here/golden/hints_bad.txt"
    expect 1 "$COMMAND" hints lint good.hints --for window <"$here/golden/hints_good_for_window.txt"
    local status=0
    "$COMMAND" hints lint - <bad.hints >found || status=$?
    [ $status -eq 1 ]
    sed 's/^bad.hints/-/' "$here/golden/hints_bad.txt" | diff -u - found
}

# In a section the keys are those of its object, whatever --for says, and what was seen before it is forgotten.
test_hints_lint_sections() {
    cp "$here/hints/sections.hints" "$here/hints/bad_sections.hints" .
    expect 0 "$COMMAND" hints lint sections.hints </dev/null
    expect 1 "$COMMAND" hints lint --for window sections.hints <<'END'
sections.hints:2:1: 'access_style' is a key of file, not of window
END
    sed 's/$/\r/' sections.hints >dos.hints
    expect 0 "$COMMAND" hints lint dos.hints </dev/null
    expect 1 "$COMMAND" hints lint bad_sections.hints <"$here/golden/hints_bad_sections.txt"
    printf '[file a\0b]\n[impose] no_locks t\0\n' >bytes.hints
    expect 1 "$COMMAND" hints lint bytes.hints <<'END'
bytes.hints:1:8: a NUL byte
bytes.hints:2:20: a NUL byte
END
}

# Lines that no info can have as a pair, between those that it can, and any bytes.
test_hints_lint_bytes() {
    local long
    long=$(printf '%01023d' 0)
    {
        printf 'a\0b c\n'
        printf '%s v\n' "${long:0:255}"
        printf ' \t%s v\n' "${long:0:256}"
        printf 'wdir %s\n' "$long"
        printf '# \0 says nothing\n'
        printf 'host  %s0\n' "$long"
        printf 'arch x\0\n'
        printf 'a\tb\x01\n\x1b[2J\x7f\xff v\nno_locks true\r'
    } >bytes.hints
    expect 1 "$COMMAND" hints lint bytes.hints <<END
bytes.hints:1:2: no pair: a NUL byte
bytes.hints:2:1: '${long:0:255}' is no key that the standard reserves
bytes.hints:3:3: no pair: a key of more than 255 bytes
bytes.hints:6:7: no pair: a value of more than 1023 bytes
bytes.hints:7:7: no pair: a NUL byte
bytes.hints:8:1: 'a' is no key that the standard reserves
bytes.hints:9:1: '?[2J?$(printf '\xff')' is no key that the standard reserves
bytes.hints:10:10: value of 'no_locks': a boolean is true or false; wanted: boolean: true, false
END
    cp bytes.hints $'n\nl'
    "$COMMAND" hints lint $'n\nl' | head -n 1 >found || [ "${PIPESTATUS[0]}" -eq 1 ]
    diff -u - found <<<'n?l:1:2: no pair: a NUL byte'
}

test_hints_lint_pair() {
    local long
    long=$(printf '%01024d' 0)
    expect 1 "$COMMAND" hints lint --key cb_nodes --value '  -4' \
        <<<"--value:1:3: value of 'cb_nodes': below the smallest allowed value; wanted: integer, 1 or more"
    expect 1 "$COMMAND" hints lint --key acess_style --value random \
        <<<"--key:1:1: 'acess_style' is no key that the standard reserves; did you mean 'access_style'?"
    expect 1 "$COMMAND" hints lint --for spawn --key accses_style --value random \
        <<<"--key:1:1: 'accses_style' is no key that the standard reserves"
    expect 1 "$COMMAND" hints lint --for spawn --key access_style --value random \
        <<<"--key:1:1: 'access_style' is a key of file, not of spawn"
    expect 1 "$COMMAND" hints lint --key mpi_size --value 4 \
        <<<"--key:1:1: 'mpi_size' is get only: the implementation sets it, a user does not"
    expect 1 "$COMMAND" hints lint --key '' --value "$long" <<'END'
--key:1:1: no pair: an empty key
--value:1:1: no pair: a value of more than 1023 bytes
END
    expect 1 "$COMMAND" hints lint --key "${long:0:256}" --value v <<<"--key:1:1: no pair: a key of more than 255 bytes"
    expect 1 "$COMMAND" hints lint --key "${long:0:255}" --value v \
        <<<"--key:1:1: '${long:0:255}' is no key that the standard reserves"
}

# What is near: a key of another case, with bytes too many, too few, swapped; not what shares nothing with any.
test_hints_lint_suggestions() {
    local given meant
    while read -r given meant; do
        # shellcheck disable=SC2016 # these quotes are part of the text
        expect 1 "$COMMAND" hints lint --key "$given" --value v \
            <<<"--key:1:1: '$given' is no key that the standard reserves${meant:+; did you mean '$meant'?}"
    done <<'END'
NO_LOCKS no_locks
no-locks no_locks
nolocks no_locks
no_lcoks no_locks
mpi_assert_no_any_sources mpi_assert_no_any_source
mpi_asert_no_any_tag mpi_assert_no_any_tag
num_ionodes num_io_nodes
hsot host
bc_ndoes cb_nodes
sof soft
x
zz
romio_ds_write
_____
cachesizes
END
}

test_hints_usage() {
    expect 2 "$COMMAND" hints <<<"rcuinfo: hints: list, lint or report (see rcuinfo --help)"
    expect 2 "$COMMAND" hints check <<<"rcuinfo: hints: list, lint or report (see rcuinfo --help)"
    expect 2 "$COMMAND" hints list --for door <<<"rcuinfo: hints: no such object: 'door': window, communicator, file, \
session, spawn, port, alloc_mem, split_type, init, process_set, env"
    expect 2 "$COMMAND" hints list --mpi nothing <<<"rcuinfo: hints: no such MPI: 'nothing': mpich or openmpi"
    expect 2 "$COMMAND" hints lint --mpi abi a <<<"rcuinfo: hints: no such MPI: 'abi': mpich or openmpi"
    expect 2 "$COMMAND" hints report <<<"rcuinfo: hints report: FILE... (see rcuinfo --help)"
    expect 2 "$COMMAND" hints report --for file <<<"rcuinfo: hints report: FILE... (see rcuinfo --help)"
    expect 2 "$COMMAND" hints list file <<<"rcuinfo: hints list: 'file' is too much (see rcuinfo --help)"
    expect 2 "$COMMAND" hints list --key k <<<"rcuinfo: unknown option '--key' (see rcuinfo --help)"
    expect 2 "$COMMAND" hints lint --for <<<"rcuinfo: option '--for' needs an argument (see rcuinfo --help)"
    expect 2 "$COMMAND" hints lint <<<"rcuinfo: hints lint: one FILE, or --key K --value V (see rcuinfo --help)"
    expect 2 "$COMMAND" hints lint a b <<<"rcuinfo: hints lint: one FILE, or --key K --value V (see rcuinfo --help)"
    local together="rcuinfo: hints lint: --key and --value go together, without a FILE"
    expect 2 "$COMMAND" hints lint --key k <<<"$together"
    expect 2 "$COMMAND" hints lint --value v <<<"$together"
    expect 2 "$COMMAND" hints lint --key k --value v file <<<"$together"
    expect 1 "$COMMAND" hints lint nowhere <<<"rcuinfo: hints lint: cannot read 'nowhere': No such file or directory"
    expect 1 "$COMMAND" hints lint "$work" <<<"rcuinfo: hints lint: cannot read '$work': Is a directory"
}

# What a library looks up besides: listed with its name, and good.
test_hints_of_libraries() {
    expect 0 "$COMMAND" hints list --for port --mpi openmpi <<'END'
OBJECT  KEY          SINCE  SECTION          MARKS  DEFAULT  VALUE
port    ip_port      2.0    MPI-4.1, 11.9.5  -      -        integer, 1 to 65535
port    ip_address   2.0    MPI-4.1, 11.9.5  -      -        string
port    persistence  -      openmpi          -      -        -
port    range        -      openmpi          -      -        -
END
    expect 0 "$COMMAND" hints list --for port --mpi=mpich <<'END'
OBJECT  KEY         SINCE  SECTION          MARKS  DEFAULT  VALUE
port    ip_port     2.0    MPI-4.1, 11.9.5  -      -        integer, 1 to 65535
port    ip_address  2.0    MPI-4.1, 11.9.5  -      -        string
port    timeout     -      mpich            -      -        -
END
    local library
    for library in mpich openmpi; do
        "$COMMAND" hints list --mpi $library | tr -s ' ' >found
        tail -n +2 "$here/golden/hints_list.txt" | tr -s ' ' | grep -vxF -f found >missing || [ $? -eq 1 ]
        diff -u /dev/null missing
        [ "$(grep -c " - $library - - -\$" found)" -gt 35 ]
    done
    printf 'romio_ds_write enable\nromio_ds_wirte x\nalloc_shm true\n[file]\nbind_to core\ncb_nodes 0\n' >romio.hints
    expect 1 "$COMMAND" hints lint --mpi openmpi romio.hints <<'END'
romio.hints:2:1: 'romio_ds_wirte' is no key that the standard reserves; did you mean 'romio_ds_write'?
romio.hints:3:1: 'alloc_shm' is no key that the standard reserves
romio.hints:6:10: value of 'cb_nodes': below the smallest allowed value; wanted: integer, 1 or more
END
    expect 1 "$COMMAND" hints lint --mpi mpich romio.hints <<'END'
romio.hints:2:1: 'romio_ds_wirte' is no key that the standard reserves; did you mean 'romio_ds_write'?
romio.hints:5:1: 'bind_to' is no key that the standard reserves
romio.hints:6:10: value of 'cb_nodes': below the smallest allowed value; wanted: integer, 1 or more
END
    expect 0 "$COMMAND" hints lint --mpi mpich --for file --key romio_cb_write --value enable </dev/null
    expect 1 "$COMMAND" hints lint --key romio_cb_write --value enable \
        <<<"--key:1:1: 'romio_cb_write' is no key that the standard reserves"
}

# write_report NAME PROCESSES LOST RULES [LINE...]: a file as --hints-report writes it; a LINE is the value of cb_nodes, the
# processes, and how often.
write_report() {
    local name=$1 line separator=''
    printf '{"processes": %s, "lost": %s, "rules": "%s", "rules_differ": false, "hints": [' "$2" "$3" "$4" >"$name"
    shift 4
    for line; do
        # shellcheck disable=SC2086 # three words
        printf '%s{"verdict": "taken", "key": "cb_nodes", "given": "%s", "in_use": null, "object": "file", "name": "a.h5",
"group": "0+3", "function": "MPI_File_open", "place": "a.c:7", "source": null, "section": "MPI-4.1, 14.2.8", "note": null,
"on": "%s", "count": %s}' "$separator" $line >>"$name"
        separator=,
    done
    echo ']}' >>"$name"
}

test_hints_report() {
    write_report r.0 1 0 5 '4 0 1'
    write_report r.1 1 2 5 '4 1 1'
    write_report r.2 1 0 6 '1 2 3'
    expect 0 "$COMMAND" hints report r.0 r.1 <<'END'
rcuinfo: hints of 2 processes
verdict  key       value  processes  object     call
taken    cb_nodes  4      all        file a.h5  MPI_File_open at a.c:7 (MPI-4.1, 14.2.8)
... and 2 that there was no room for
END
    expect 0 "$COMMAND" hints report r.* <<'END'
rcuinfo: hints of 3 processes
verdict                    key       value  processes  object     call
differs between processes  cb_nodes  1      2          file a.h5  MPI_File_open at a.c:7, 3 times (MPI-4.1, 14.2.8); '4' on 0-1
differs between processes  cb_nodes  4      0-1        file a.h5  MPI_File_open at a.c:7 (MPI-4.1, 14.2.8)
The processes have read different hint files.
... and 2 that there was no room for
END
    sed -i 's/"rules_differ": false/"rules_differ": true/' r.0
    "$COMMAND" hints report r.0 | grep -x 'The processes have read different hint files.'
    write_report empty 4 0 0
    expect 0 "$COMMAND" hints report empty <<<"rcuinfo: no hints were given by 4 processes"
    expect 1 "$COMMAND" hints report nowhere <<<"rcuinfo: hints report: cannot read 'nowhere': No such file or directory"
    expect 1 "$COMMAND" hints report r.0 "$work" <<<"rcuinfo: hints report: cannot read '$work': Is a directory"
    : >nothing
    "$COMMAND" hints report nothing 2>&1 | grep -F "rcuinfo: hints report: nothing:1:0: "
    echo '{"hints": [}' >bad
    "$COMMAND" hints report bad 2>&1 | grep -F "rcuinfo: hints report: bad:1:12: "
    local status=0
    "$COMMAND" hints report r.0 >/dev/full 2>errors || status=$?
    [ $status -eq 1 ]
    diff -u - errors <<<"rcuinfo: hints: the output could not be written"
}

# JSON that is no report.
test_hints_report_bad() {
    write_report good 1 0 0 '4 0 1'
    local change
    while IFS= read -r change; do
        sed "$change" good >bad
        cmp -s good bad && exit 1
        expect 1 "$COMMAND" hints report good bad \
            <<<"rcuinfo: hints report: bad: not what --hints-report writes"
    done <<'END'
s/"processes": 1/"processes": 0/
s/"processes": 1/"processes": "1"/
s/"lost": 0/"lost": -1/
s/"rules": "0"/"rules": 0/
s/"rules_differ": false/"rules_differ": 0/
s/"key": "cb_nodes"/"key": null/
s/"given": "4"/"given": 4/
s/"verdict"/"verdicts"/
s/"on": "0"/"on": "0-"/
s/"on": "0"/"on": "9223372036854775807"/
s/"count": 1/"count": 0/
s/"hints"/"hint"/
END
    expect 1 "$COMMAND" hints report /dev/fd/3 3<<<'["hints"]' \
        <<<"rcuinfo: hints report: /dev/fd/3: not what --hints-report writes"
}

test_run_hints_report() {
    "$COMMAND" run --hints-report "$PROBE_MPICH" >found
    grep -x 'RCUINFO_HINTS_REPORT=' found
    "$COMMAND" run --hints-report=file "$PROBE_MPICH" >found
    grep -x "RCUINFO_HINTS_REPORT=$(pwd -P)/file" found
    "$COMMAND" run --hints-report=/a/b "$PROBE_MPICH" >found 2>/dev/null
    grep -x "RCUINFO_HINTS_REPORT=/a/b" found
    "$COMMAND" run "$PROBE_MPICH" --hints-report >found 2>errors
    grep -x 'RCUINFO_HINTS_REPORT=(unset)' found
    diff /dev/null errors
    expect 2 "$COMMAND" run --hints-report <<<"rcuinfo: run: no program (see rcuinfo --help)"
}

"test_$1"
