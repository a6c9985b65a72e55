#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: keep_output.sh DIRECTORY PROGRAM ARGUMENT...: executes the program under Open MPI's launcher, with its output in
# files in the directory, named by its rank. The launcher's messages about it are as without this script.
set -eu
place=$1
shift
program=$1
shift
OMPI_COMMAND=$(basename -- "$program") OMPI_ARGV=$*
export OMPI_COMMAND OMPI_ARGV
exec "$program" "$@" >"$place/$OMPI_COMM_WORLD_RANK.stdout" 2>"$place/$OMPI_COMM_WORLD_RANK.stderr"
