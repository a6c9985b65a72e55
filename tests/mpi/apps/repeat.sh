#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: repeat.sh RUNS SUM CONVERSIONS LAUNCHER... PROGRAM: runs one of the sessions programs RUNS times on 2 processes,
# by a launcher that leads to `rcuinfo run --stats`. In each run each process has to print SUM, to have left no info, and
# to have had CONVERSIONS infos converted. Prints how many runs were good; ends with status 1 after the first bad one.
set -eu
runs=$1 sum=$2 conversions=$3
shift 3
open_input=$(dirname -- "$0")/../../support/open_input.sh
output=$(mktemp)
trap 'rm -f "$output"' EXIT
count() { grep -c -E "$1" "$output" || [ $? -eq 1 ]; }
run=0
while [ "$run" -lt "$runs" ]; do
    status=0
    "$open_input" "$@" >"$output" 2>&1 || status=$?
    if [ "$status" -ne 0 ] || [ "$(count "^rank [01] of 2: sum $sum\$")" -ne 2 ] ||
        [ "$(count "^rcuinfo: process [0-9]+: live 0, .* conversions $conversions, left out 0,")" -ne 2 ]; then
        cat "$output"
        echo "run $((run + 1)) of $runs is bad: status $status, sum $sum and $conversions conversions wanted" >&2
        exit 1
    fi
    run=$((run + 1))
done
echo "$run good runs"
