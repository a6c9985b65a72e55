#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: part.sh COMMAND PROGRAM LAUNCHER...: of a job of which a part is started with --hints-report, one process at least
# must say within 20 seconds that it waits. The job never ends, so its status says nothing: what it has printed counts.
set -eu
command=$1 program=$2
shift 2
output=$(mktemp)
trap 'rm -f "$output"' EXIT
timeout 20 "$@" -n 1 "$program" : -n 1 "$command" run --hints-report "$program" >"$output" 2>&1 </dev/null || true
grep -q '^rcuinfo: process 1 waits in MPI_Init for all processes of MPI_COMM_WORLD' "$output" || { cat "$output" && exit 1; }
