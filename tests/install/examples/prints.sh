#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: prints.sh EXPECTED PROCESSES COMMAND...: runs it; what it prints must be what stands in the file EXPECTED. With
# PROCESSES above 0 so many of them must have used the store, and left no info; the command is then `rcuinfo run --stats`.
set -eu
expected=$1 processes=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
"$@" >"$work/out" 2>"$work/err" || status=$?
served=$(grep -c '^rcuinfo: process [0-9]*: live 0, gets [0-9]*, sets [1-9]' "$work/err") || [ $? -eq 1 ]
if [ "$status" -ne 0 ] || [ "$served" -ne "$processes" ] || ! diff "$expected" "$work/out"; then
    cat "$work/err" >&2
    echo "status $status; $served processes on the store, and $processes wanted" >&2
    exit 1
fi
