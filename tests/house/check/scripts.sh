#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs shellcheck on the shell scripts of the tree, and pyflakes on those in Python. A script is recognized by its first
# line, one in Python also by its name. Checks that every file names its licence and no path of a developer's machine,
# and that nothing else lies at the top of the tree.
# usage: scripts.sh SOURCE_ROOT        prints what is wrong; exit status 1 if anything is
set -u
cd "$1" || exit 2
status=0

files() {
    find . \( -path ./build -o -path ./.git -o -name __pycache__ \) -prune -o -type f -print0 | sort -z
}

# those FIRST_LINE NAME: prints the files with this first line or name.
those() {
    files |
        while IFS= read -r -d '' file; do
            # shellcheck disable=SC2053 # NAME is a pattern
            if [[ $file == $2 ]] || head -n 1 "$file" | LC_ALL=C grep -aqE "$1"; then
                printf '%s\0' "$file"
            fi
        done
}

# SC2013 suggests reading lines; these are words, names without blanks.
those '^#!.*[/ ](ba|da)?sh( |$)' '*.@(sh|bash)' | xargs -0 shellcheck -x -P SCRIPTDIR -e SC2013 || status=1
those '^#!.*[/ ]python3( |$)' '*.py' | xargs -0 pyflakes3 || status=1
# Exempt: formats without comments, and files that tests read or compare byte by byte.
unmarked='LICENSE|.*\.(md|json|svg)|tests/(fuzz/seeds|house/tools/(golden|hints))/.*|tools/examples/.*\.txt'
files | xargs -0 grep -L 'SPDX-License-Identifier: BSD-3-Clause' |
    grep -vxE "\./($unmarked|tools/package/(CHANGES|changelog|copyright))" |
    sed 's/$/ says nothing of its licence/' | grep . && status=1
# The path of this checkout, too. Recordings of launchers contain the home of a user.
files | xargs -0 grep -HInE '(^|[^A-Za-z0-9_.})-])/(home|root)/' | grep -v '/home/user/' && status=1
files | xargs -0 grep -HInF "$PWD/" && status=1
# What git ignores may lie there.
top='bench|findings|include|lib|tests|tools|CMakeLists.txt|CMakePresets.json|LICENSE|README.md|\.[a-z].*'
git ls-files --cached --others --exclude-standard | cut -d / -f 1 | sort -u | grep -vxE "$top" |
    sed 's/$/ does not belong at the top of the tree/' | grep . && status=1
exit $status
