#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: keep_output.sh DIRECTORY PROGRAM ARGUMENT...: under Open MPI's launcher, the program with its output in files of
# the directory, named by its rank. What the launcher says of the program is as if it had started that itself.
set -eu
place=$1
shift
program=$1
shift
OMPI_COMMAND=$(basename -- "$program") OMPI_ARGV=$*
export OMPI_COMMAND OMPI_ARGV
exec "$program" "$@" >"$place/$OMPI_COMM_WORLD_RANK.stdout" 2>"$place/$OMPI_COMM_WORLD_RANK.stderr"
