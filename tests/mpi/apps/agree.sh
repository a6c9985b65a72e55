#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# agree.c with 8 processes names the odd one, whoever it is, and is content when there is none.
# usage: agree.sh COMMAND...    (which runs it with 8 processes, and takes its argument)
set -u
for odd in 0 5 7 8; do
    other=0
    [ $odd != 0 ] || other=1
    wanted="cb_nodes: rank $odd has \"8\"; rank $other, with 7 of 8, has \"4\"
no_locks: rank $odd does not have it; rank $other, with 7 of 8, has \"true\""
    [ $odd != 8 ] || wanted="all 8 agree"
    output=$("$@" $odd) || { echo "ends with $?" && exit 1; }
    [ "$output" = "$wanted" ] || { echo "says of rank $odd: $output" && exit 1; }
done
