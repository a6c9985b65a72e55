#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What every text of the tree keeps to: it says its licence and names no path of somebody's machine; and a .c file of lib/
# is no longer than can be read at once.
# usage: texts.sh SOURCE_ROOT        prints what is not so; exit status 1 if anything is
set -u
cd "$1" || exit 2
most=420 # lines
status=0

# files PATTERN: all but those whose names match.
files() {
    find . \( -path ./build -o -path ./.git -o -name __pycache__ -o -path ./tests/fuzz/seeds \) -prune -o -type f -print |
        sed 's|^\./||' | grep -vE "$1" | tr '\n' '\0'
}

# none WHAT: fails when there are lines on the input, which are WHAT.
none() {
    sed "s/^/$1: /" | grep . && status=1
}

# Formats without comments, and what a test reads or compares byte by byte. SVG: gnuplot's.
none 'says nothing of its licence' < <(
    files '^LICENSE$|\.(md|json|svg)$|^tests/house/tools/(golden|hints)/|^tools/examples/(ten_steps/)?[a-z_]+\.txt$|^tools/package/(CHANGES|changelog|copyright)$' |
        xargs -0 grep -L 'SPDX-License-Identifier: BSD-3-Clause'
)
# Also the place of this very checkout. Recordings of launchers stand in the home of a user.
none 'a place on the machine of somebody' < <(
    files '\.svg$' | xargs -0 grep -HnE -e '(^|[^A-Za-z0-9_.})-])/(home|root)/' -e "$PWD/" | grep -v '/home/user/'
)
none "more than $most lines" < <(
    find lib -name '*.c' -exec wc -l {} + | awk -v most=$most '$1 > most && $2 != "total"'
)
exit $status
