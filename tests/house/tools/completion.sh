#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Completion in bash: what rcuinfo.bash offers is what `rcuinfo --help` lists, for each subcommand, and files where files
# are wanted.
# usage: completion.sh COMPLETION COMMAND
set -eu
# shellcheck source=tools/rcuinfo/rcuinfo.bash
source "$1"
command=$2
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
cd "$work"
touch 'site.hints' 'two words.hints'

# offers EXPECTED WORD...: completing the last WORD, of a line of these, offers EXPECTED, sorted, a blank between them.
offers() {
    local expected=$1 found
    shift
    COMP_WORDS=(rcuinfo "$@")
    COMP_CWORD=$#
    _rcuinfo
    found=$([ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort | paste -s -d ' ')
    [ "$found" = "$expected" ] || {
        echo "rcuinfo $*: offered '$found', not '$expected'"
        exit 1
    }
}

# usage_of WORDS PATTERN: what matches in the usage of `rcuinfo WORDS`, sorted.
usage_of() {
    "$command" --help | awk -v words="rcuinfo $1 " '
        /^$/ { exit }
        / rcuinfo / { here = index($0, words) }
        here { print }' | grep -oE -e "$2" | LC_ALL=C sort -u | paste -s -d ' '
}

offers '--help --version env hints run stress' ''
for words in run env stress 'hints list' 'hints lint'; do
    # shellcheck disable=SC2086 # words
    offers "$(usage_of "$words" '--[a-z-]+')" $words --
done
offers 'lint list report' hints ''
offers "$(usage_of run '(mpich|openmpi|abi)')" run --mpi ''
offers "$(usage_of 'hints list' '(mpich|openmpi|abi)')" hints list --mpi ''
for object in window communicator file session spawn port alloc_mem split_type init process_set env; do
    offers $object hints list --for "${object%?}"
    "$command" hints list --for $object >/dev/null
done

offers 'site.hints two words.hints' run --hints ''
offers 'site.hints' run --hints-report = si
offers 'site.hints two words.hints' run --hints-report =
offers 'site.hints' hints lint si
offers 'site.hints' hints report si
offers 'site.hints' run --mpi mpich --hints x --hints-report = y ./program si
offers 'mpich' run --mpi = mpi
offers 'mpich openmpi' hints lint --mpi =
offers '--stats' run --mpi = mpich --hints = x --st
offers 'site.hints' run --mpi mpich ./program --mpi si
offers '' hints lint --key ''
offers '' unknown ''
