#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Every numbered pair [Pn] of lib/ has all its ends: `field`, `publish` and `acquire`, each at a place in the code, and a
# line in the table of lib/DESIGN.md; and that table has no pair that the code lacks.
# usage: pairs.sh SOURCE_ROOT        prints what is missing; exit status 1 if anything is
set -u
cd "$1/lib" || exit 2
status=0
complain() {
    echo "$*"
    status=1
}

ends=$(find . -name '*.[ch]' ! -path ./core/order.h -exec grep -hoE '\[P[0-9]+\] *[a-z]*' {} +)
numbers=$(find . -name '*.[ch]' -exec grep -hoE '\[P[0-9]+\]' {} + | sort -u)
[ -n "$numbers" ] || complain "no pair is numbered under lib/"
for number in $numbers; do
    for end in field publish acquire; do
        grep -qxF "$number $end" <<<"$ends" || complain "$number has no place that says '$number $end'"
    done
    grep -qF "$number" DESIGN.md 2>/dev/null || complain "$number is not in lib/DESIGN.md"
done
for number in $(grep -oE '\[P[0-9]+\]' DESIGN.md 2>/dev/null | sort -u); do
    grep -qxF "$number" <<<"$numbers" || complain "$number of lib/DESIGN.md is nowhere in the code"
done
# A word after the number that is none of the three is a slip of the pen.
grep -vE '^\[P[0-9]+\] (field|publish|acquire)$' <<<"$ends" && complain "an end above says none of field, publish, acquire"
exit $status
