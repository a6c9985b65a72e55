#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: run.sh PROCESSES CONVERSIONS COMMAND...: runs it with counting switched on. Each process has to print "good", and
# to have used the store, left no info, and had CONVERSIONS infos converted and no pair left out.
set -eu
processes=$1 conversions=$2
shift 2
output=$(mktemp)
trap 'rm -f "$output"' EXIT
status=0
RCUINFO_STATS=1 "$(dirname -- "$0")/../../support/open_input.sh" "$@" >"$output" 2>&1 || status=$?
count() { grep -c -E "$1" "$output" || [ $? -eq 1 ]; }
if [ "$status" -ne 0 ] || [ "$(count '^ *good$')" -ne "$processes" ] ||
    [ "$(count "^rcuinfo: process [0-9]+: live 0, gets [0-9]+, sets [1-9].*, conversions $conversions, left out 0,")" -ne "$processes" ]
then
    cat "$output"
    echo "status $status; $processes processes and $conversions conversions in each wanted" >&2
    exit 1
fi
