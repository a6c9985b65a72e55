#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Every manual page of a tree is clean for mandoc and for man-db with groff, and fits into 80 columns.
# usage: lint.sh MAN_TREE        prints what is wrong; exit status 1 if anything is
set -u
cd "$1" || exit 2
status=0
rendered=$(mktemp) || exit 2
trap 'rm -f "$rendered"' EXIT
complain() {
    echo "$*"
    status=1
}

pages=$(grep -L '^\.so ' man*/*)
[ -n "$pages" ] || complain "no page in $1"
for page in $pages; do
    mandoc -T lint -W warning "$page" || complain "$page: mandoc has warnings"
    warnings=$(MANWIDTH=80 man --warnings -l "$page" 2>&1 >"$rendered") || complain "$page: man fails"
    [ -z "$warnings" ] || complain "$page: man warns: $warnings"
    [ -s "$rendered" ] || complain "$page: nothing is shown"
    [ "$(wc -L <"$rendered")" -le 80 ] || complain "$page: a line is longer than 80 columns"
done
exit $status
