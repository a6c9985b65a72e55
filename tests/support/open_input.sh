#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: open_input.sh COMMAND...: runs it with an input that is empty and does not end. At the end of its input, Hydra
# 4.0.2 writes to a proxy which may have ended, and dies of that.
set -eu
place=$(mktemp -d)
mkfifo "$place/input"
exec 0<>"$place/input" # open for writing too, so somebody might still write
rm -r "$place"
exec "$@"
