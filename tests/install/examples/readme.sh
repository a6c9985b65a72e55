#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: readme.sh README FIRST: the program that README.md prints under "Natively" is FIRST without its comment.
set -eu
work=$(mktemp)
trap 'rm -f "$work"' EXIT
# shellcheck disable=SC2016 # the backquotes are Markdown's
sed -n '/^\*\*3\. Natively/,$p' "$1" | sed -n '/^```c$/,/^```$/p;' | sed '1d;/^```$/,$d' >"$work"
[ -s "$work" ] || { echo "no program in $1" && exit 1; }
sed '1,/^ \*\/$/d' "$2" | diff "$work" -
