#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: processes.sh RUNS PROCESSES CONVERSIONS LINE COMMAND...: runs the command RUNS times with counters. In each
# run, each process must print LINE, a pattern, use the store, leave no live info, and convert CONVERSIONS infos without
# leaving out a pair.
set -eu
runs=$1 processes=$2 conversions=$3 line=$4
shift 4
export RCUINFO_STATS=1
output=$(mktemp)
trap 'rm -f "$output"' EXIT
count() { grep -c -E "$1" "$output" || [ $? -eq 1 ]; }
run=0
while [ "$run" -lt "$runs" ]; do
    run=$((run + 1))
    status=0
    "$@" >"$output" 2>&1 || status=$?
    if [ "$status" -ne 0 ] || [ "$(count "^ *$line\$")" -ne "$processes" ] ||
        [ "$(count "^rcuinfo: process [0-9]+: live 0, gets [0-9]+, sets [1-9].*, conversions $conversions, left out 0,")" -ne "$processes" ]
    then
        cat "$output"
        echo "run $run of $runs: status $status; $processes processes, '$line' and $conversions conversions in each wanted" >&2
        exit 1
    fi
done
