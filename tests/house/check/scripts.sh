#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What shellcheck says of the shell scripts of the tree, and pyflakes of those in Python; a script is known by its first
# line, one in Python also by its name. And sources that do not say their licence.
# usage: scripts.sh SOURCE_ROOT        prints what is wrong; exit status 1 if anything is
set -u
cd "$1" || exit 2
status=0

# those FIRST_LINE NAME: files with that first line or that name.
those() {
    find . \( -path ./build -o -path ./.git \) -prune -o -type f -print0 | sort -z |
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
those '^no line$' '*.@(c|h|cpp|hpp|f|F|f90|F90|py|sh|cmake)' | xargs -0 grep -L 'SPDX-License-Identifier: BSD-3-Clause' |
    sed 's/$/ says nothing of its licence/' | grep . && status=1
exit $status
