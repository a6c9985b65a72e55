#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests of the command `rcuinfo`. Usage: command_test.sh CASE, where a CASE is a function test_CASE below.
# Given in the environment: COMMAND, the command; PROBE_PLAIN, the program without MPI, PROBE_MPICH and so on with it;
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

# says STATUS TEXT ARGUMENT...: the same, of our command, and what it prints is one text.
says() {
    local status=$1 text=$2
    shift 2
    expect "$status" "$COMMAND" "$@" <<<"$text"
}

# wrong TEXT ARGUMENT...: it ends with 2, and says so.
wrong() {
    local text=$1
    shift
    says 2 "rcuinfo: $text" "$@"
}

# misused TEXT ARGUMENT...: the same, and it points to the help text.
misused() {
    local text=$1
    shift
    wrong "$text (see rcuinfo --help)" "$@"
}

# quietly ARGUMENT...: `rcuinfo run` with these says nothing; what its program prints is in the file found.
quietly() {
    "$COMMAND" run "$@" >found 2>errors
    diff /dev/null errors
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
    says 0 "rcuinfo $VERSION" --version
}

test_usage() {
    local objects="window, communicator, file, session, spawn, port, alloc_mem, split_type, init, process_set, env"
    local together="hints lint: --key and --value go together, without a FILE"
    misused "no subcommand: run, env, hints or stress"
    misused "unknown subcommand 'walk': run, env, hints or stress" walk
    misused "unknown option '--fast'" --fast
    misused "unknown option '-x'" -xy
    misused "unknown option '-x'" run --stats -xy "$PROBE_PLAIN"
    misused "unknown option '--fast'" run --fast "$PROBE_PLAIN"
    misused "unknown option '--fast'" env --fast
    misused "option '--mpi' needs an argument" run --mpi
    misused "option '--hints' needs an argument" run --hints
    misused "run: no program" run
    misused "run: no program" run --stats --
    misused "run: no program" run --hints-report
    wrong "the launcher goes first: mpirun ... rcuinfo run PROGRAM" run mpirun -n 2 ./app
    wrong "the launcher goes first: /usr/bin/mpiexec.hydra ... rcuinfo run PROGRAM" run --mpi mpich /usr/bin/mpiexec.hydra ./app
    wrong "no such MPI: 'lam': mpich, openmpi or abi" run --mpi lam "$PROBE_PLAIN"

    wrong "stress: --seconds '0': not a whole number from 1 to 31536000" stress --seconds 0
    wrong "stress: --threads '257': not a whole number from 1 to 256" stress --threads=257
    wrong "stress: --seed '-1': not a whole number from 0 to 18446744073709551615" stress --seed -1
    wrong "stress: --mix: no such operation: 'fry': get, set, delete, swap, update, dup, snapshot, hot, stay, free, stale or drain" \
        stress --mix get=1,fry=2
    wrong "stress: --mix: 'get' has no weight, as in get=70" stress --mix get
    wrong "stress: --mix: nothing to do: all weights are 0" stress --mix get=0
    misused "option '--mix' needs an argument" stress --mix
    misused "stress: takes no argument 'now'" stress now

    misused "hints: list, lint or report" hints
    misused "hints: list, lint or report" hints check
    wrong "hints: no such object: 'door': $objects" hints list --for door
    wrong "hints: no such MPI: 'nothing': mpich or openmpi" hints list --mpi nothing
    wrong "hints: no such MPI: 'abi': mpich or openmpi" hints lint --mpi abi a
    misused "hints report: FILE..." hints report
    misused "unknown option '--for'" hints report --for file
    misused "hints list: 'file' is too much" hints list file
    misused "unknown option '--key'" hints list --key k
    misused "option '--for' needs an argument" hints lint --for
    misused "hints lint: one FILE, or --key K --value V" hints lint
    misused "hints lint: one FILE, or --key K --value V" hints lint a b
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
}

test_no_flavour() {
    local size advice="links no MPI and was not started by mpirun: say which MPI it uses, with --mpi mpich, --mpi openmpi or --mpi abi"
    ulimit -c unlimited
    wrong "'$PROBE_PLAIN' $advice" run "$PROBE_PLAIN"
    printf '#!/bin/sh\nexit 0\n' >script
    chmod +x script
    wrong "'./script' $advice" run ./script
    for size in 4 60 64 200 1000 4000; do
        head -c $size "$PROBE_PLAIN" >part
        chmod +x part
        wrong "'./part' $advice" run ./part
    done
    [ -z "$(compgen -G 'core*')" ] # the dynamic linker may crash on them
}

test_missing_library() {
    mkdir tools lib
    cp "$COMMAND" tools/rcuinfo
    LD_LIBRARY_PATH=$LIBRARIES expect 1 tools/rcuinfo run --mpi mpich "$PROBE_PLAIN" <<<"rcuinfo: librcuinfo_mpich.so is not \
there: rcuinfo was built on a machine without that MPI"
}

# serves NAME PROBE: a program that links an MPI is run on our library of that name, and its infos work.
serves() {
    expect_library "$1" "$COMMAND" run "$2"
    "$COMMAND" run "$2" | grep -x 'info=some value'
}

test_links_mpich() {
    serves librcuinfo_mpich "$PROBE_MPICH"
    wrong "'$PROBE_MPICH' links mpich: --mpi openmpi cannot serve it" run --mpi openmpi "$PROBE_MPICH"
    wrong "'$PROBE_MPICH' links mpich: --mpi abi cannot serve it" run --mpi abi "$PROBE_MPICH"
}

test_links_openmpi() {
    serves librcuinfo_openmpi "$PROBE_OPENMPI"
}

test_links_alone() {
    serves librcuinfo_mpi "$PROBE_ALONE"
    expect_library librcuinfo_mpi "$COMMAND" run --mpi abi "$PROBE_ALONE"
}

# With what stands for a real library when ours is linked: infos are asked for before MPI is.
test_links_abi() {
    export LD_LIBRARY_PATH=$NEEDED
    serves librcuinfo_mpi_abi "$PROBE_ABI"
    expect_library librcuinfo_mpi_abi env PMI_RANK=0 "$COMMAND" run "$PROBE_ABI"
    expect_library librcuinfo_mpi_abi "$COMMAND" run --mpi abi "$PROBE_PLAIN"
    wrong "'$PROBE_ABI' links abi: --mpi openmpi cannot serve it" run --mpi openmpi "$PROBE_ABI"
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

# Linked with two, or through a library that stands beside the program, whose own place is behind a symbolic link.
test_links_more() {
    local advice="links more than one MPI: say --mpi mpich, --mpi openmpi or --mpi abi"
    wrong "'$PROBE_BOTH' $advice" run "$PROBE_BOTH"
    wrong "'$PROBE_BOTH_THROUGH' $advice" run "$PROBE_BOTH_THROUGH"
    expect_library librcuinfo_openmpi "$COMMAND" run "$PROBE_THROUGH"
    ln -s "$PROBE_THROUGH" through
    expect_library librcuinfo_openmpi "$COMMAND" run ./through
    # What is preloaded is not linked.
    preloaded_by env LD_PRELOAD=libmpich.so.12 "$COMMAND" run ./through | grep -x "$LIBRARIES/librcuinfo_openmpi.so.*"
}

# What the program links, then the launcher of Open MPI, then another; an option goes before them.
test_launcher_environment() {
    expect_library librcuinfo_mpich env PMI_RANK=0 "$COMMAND" run "$PROBE_PLAIN"
    expect_library librcuinfo_mpich env PMI_SIZE=2 "$COMMAND" run "$PROBE_PLAIN"
    expect_library librcuinfo_mpich env OMPI_COMM_WORLD_SIZE=2 "$COMMAND" run "$PROBE_MPICH"
}

test_launcher_environment_openmpi() {
    expect_library librcuinfo_openmpi env OMPI_COMM_WORLD_SIZE=2 "$COMMAND" run "$PROBE_PLAIN"
    expect_library librcuinfo_openmpi env PMI_RANK=0 OMPI_COMM_WORLD_SIZE=2 "$COMMAND" run "$PROBE_PLAIN"
    expect_library librcuinfo_openmpi env PMI_RANK=0 "$COMMAND" run "$PROBE_OPENMPI"
}

test_flavour_by_option() {
    expect_library librcuinfo_mpich "$COMMAND" run --mpi mpich "$PROBE_PLAIN"
    expect_library librcuinfo_mpich env OMPI_COMM_WORLD_SIZE=2 "$COMMAND" run --mpi=mpich "$PROBE_PLAIN"
}

# Also for what stands behind the program: our own options' names, blanks, nothing at all.
test_arguments_untouched() {
    ln -s "$PROBE_PLAIN" probe
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
    ln -s "$PROBE_PLAIN" 'a b/probe'
    "$COMMAND" run --mpi mpich 'a b/probe' --help | grep -x 'argv\[1\]=<--help>'
    "$COMMAND" run --mpi mpich "$PROBE_PLAIN" --stats | grep -x 'RCUINFO_STATS=(unset)'
}

test_exit_status() {
    local status=0
    "$COMMAND" run --mpi mpich "$PROBE_PLAIN" exit >found || status=$?
    [ $status -eq 42 ]
}

test_preload_order() {
    local found
    found=$(preloaded_by env LD_PRELOAD=libm.so.6:libdl.so.2 "$COMMAND" run --mpi mpich "$PROBE_PLAIN")
    echo "$found"
    case $found in
        "$LIBRARIES"/librcuinfo_mpich.so*:libm.so.6:libdl.so.2) ;;
        *) exit 1 ;;
    esac
    expect_library librcuinfo_mpich env LD_PRELOAD= "$COMMAND" run --mpi mpich "$PROBE_PLAIN"
}

test_stats() {
    "$COMMAND" run --stats "$PROBE_MPICH" >found 2>errors
    grep -x 'RCUINFO_STATS=1' found
    cat errors
    grep -Ex 'rcuinfo: process [0-9]+: live 0, gets 1, sets 1, dups 0, conversions [0-9]+, left out [0-9]+, grace periods [0-9]+, peak retired [0-9]+ bytes' errors
    quietly "$PROBE_MPICH"
}

test_run_hints() {
    cp "$here/hints/sections.hints" 'my hints'
    quietly --hints 'my hints' "$PROBE_MPICH"
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
    quietly --hints hints --mpi mpich sh -c "cd folder && '$PROBE_MPICH'"
    grep -x "RCUINFO_HINTS=$(pwd -P)/hints" found
}

# The program is not run.
test_run_hints_bad() {
    local sections="window, communicator, file, session, spawn, port, alloc_mem, split_type"
    wrong "cannot read 'nowhere': No such file or directory" run --hints nowhere "$PROBE_MPICH"
    wrong "cannot read '$work': Is a directory" run --hints "$work" "$PROBE_MPICH"
    printf 'a 1\r\n [door]\r\n' >bad
    wrong "bad:2:3: no such section: $sections" run --hints bad "$PROBE_MPICH"
    printf '[file x' >bad
    wrong "bad:1:8: a section that does not end with ]" run --hints bad "$PROBE_MPICH"
    printf '%0256d v' 0 >bad
    wrong "bad:1:1: a key of more than 255 bytes" run --hints bad "$PROBE_MPICH"
}

# Whoever sets it by hand is told by the library, and has the program run.
test_hints_variable() {
    RCUINFO_HINTS=nowhere "$COMMAND" run "$PROBE_MPICH" >found 2>errors
    diff -u - errors <<<"rcuinfo: nowhere: No such file or directory; this file is ignored"
    grep -x 'info=some value' found
    printf 'a 1\n[file\n' >bad
    RCUINFO_HINTS=bad "$COMMAND" run "$PROBE_MPICH" >found 2>errors
    diff -u - errors <<<"rcuinfo: bad:2:6: a section that does not end with ]; this file is ignored"
    grep -x 'info=some value' found
    RCUINFO_HINTS='' quietly "$PROBE_MPICH"
    RCUINFO_HINTS=$here/hints/sections.hints quietly "$PROBE_MPICH"
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
    expect_library librcuinfo_mpich env PMI_RANK=0 "$COMMAND" run ./script "$PROBE_PLAIN"
}

test_script_without_interpreter() {
    # shellcheck disable=SC2016
    echo 'exec "$@"' >script
    chmod +x script
    expect_library librcuinfo_mpich "$COMMAND" run --mpi mpich ./script "$PROBE_PLAIN"
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
    says 1 "--value:1:3: value of 'cb_nodes': below the smallest allowed value; wanted: integer, 1 or more" \
        hints lint --key cb_nodes --value '  -4'
    says 1 "--key:1:1: 'acess_style' is no key that the standard reserves; did you mean 'access_style'?" \
        hints lint --key acess_style --value random
    says 1 "--key:1:1: 'accses_style' is no key that the standard reserves" hints lint --for spawn --key accses_style --value random
    says 1 "--key:1:1: 'access_style' is a key of file, not of spawn" hints lint --for spawn --key access_style --value random
    says 1 "--key:1:1: 'mpi_size' is get only: the implementation sets it, a user does not" hints lint --key mpi_size --value 4
    says 1 $'--key:1:1: no pair: an empty key\n--value:1:1: no pair: a value of more than 1023 bytes' \
        hints lint --key '' --value "$long"
    says 1 "--key:1:1: no pair: a key of more than 255 bytes" hints lint --key "${long:0:256}" --value v
    says 1 "--key:1:1: '${long:0:255}' is no key that the standard reserves" hints lint --key "${long:0:255}" --value v
}

# What is near: a key of another case, with bytes too many, too few, swapped; not what shares nothing with any.
test_hints_lint_suggestions() {
    local given meant
    while read -r given meant; do
        # shellcheck disable=SC2016 # these quotes are part of the text
        says 1 "--key:1:1: '$given' is no key that the standard reserves${meant:+; did you mean '$meant'?}" \
            hints lint --key "$given" --value v
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
    says 1 "--key:1:1: 'romio_cb_write' is no key that the standard reserves" hints lint --key romio_cb_write --value enable
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
... and 2 more, lost for lack of room
END
    expect 0 "$COMMAND" hints report r.* <<'END'
rcuinfo: hints of 3 processes
verdict                    key       value  processes  object     call
differs between processes  cb_nodes  1      2          file a.h5  MPI_File_open at a.c:7, 3 times (MPI-4.1, 14.2.8); '4' on 0-1
differs between processes  cb_nodes  4      0-1        file a.h5  MPI_File_open at a.c:7 (MPI-4.1, 14.2.8)
The processes have read different hint files.
... and 2 more, lost for lack of room
END
    sed -i 's/"rules_differ": false/"rules_differ": true/' r.0
    "$COMMAND" hints report r.0 | grep -x 'The processes have read different hint files.'
    write_report empty 4 0 0
    says 0 "rcuinfo: no hints were given by 4 processes" hints report empty
    says 1 "rcuinfo: hints report: cannot read 'nowhere': No such file or directory" hints report nowhere
    says 1 "rcuinfo: hints report: cannot read '$work': Is a directory" hints report r.0 "$work"
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
        says 1 "rcuinfo: hints report: bad: not what --hints-report writes" hints report good bad
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
}

"test_$1"
