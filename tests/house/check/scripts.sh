#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What shellcheck says of the shell scripts of the tree, and pyflakes of those in Python; a script is known by its first
# line, one in Python also by its name. And what every file keeps to: it says its licence, and names no path of somebody's
# machine; and a .c file of lib/ is no longer than can be read at once.
# usage: scripts.sh SOURCE_ROOT        prints what is wrong; exit status 1 if anything is
set -u
cd "$1" || exit 2
status=0

files() {
    find . \( -path ./build -o -path ./.git -o -name __pycache__ \) -prune -o -type f -print0 | sort -z
}

# those FIRST_LINE NAME: files with that first line or that name.
those() {
    files |
        while IFS= read -r -d '' file; do
            # shellcheck disable=SC2053 # NAME is a pattern
            if [[ $file == $2 ]] || head -n 1 "$file" | LC_ALL=C grep -aqE "$1"; then
                printf '%s\0' "$file"
            fi
        done
}

# SC2013 wants lines to be read where words are: names without blanks, one by one.
those '^#!.*[/ ](ba|da)?sh( |$)' '*.@(sh|bash)' | xargs -0 shellcheck -x -P SCRIPTDIR -e SC2013 || status=1
those '^#!.*[/ ]python3( |$)' '*.py' | xargs -0 pyflakes3 || status=1
# Formats without comments, and what a test reads or compares byte by byte.
unmarked='LICENSE|.*\.(md|json|svg)|tests/(fuzz/seeds|house/tools/(golden|hints))/.*|tools/examples/.*\.txt'
files | xargs -0 grep -L 'SPDX-License-Identifier: BSD-3-Clause' |
    grep -vxE "\./($unmarked|tools/package/(CHANGES|changelog|copyright))" |
    sed 's/$/ says nothing of its licence/' | grep . && status=1
# Also the place of this very checkout. Recordings of launchers stand in the home of a user.
files | xargs -0 grep -HInE -e '(^|[^A-Za-z0-9_.})-])/(home|root)/' -e "$PWD/" | grep -v '/home/user/' && status=1
find lib -name '*.c' -exec wc -l {} + | awk '$1 > 420 && $2 != "total"' | grep . && status=1
exit $status
