# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034,SC2154 # variables are shared with the script that sources this
# Functions that the scripts in this folder share. Sourcing it changes to the root of the checkout.
unset CDPATH
export LC_ALL=C.UTF-8 # scripts and tests read messages
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." || exit

say() {
    printf '[%4d s] %s\n' "$SECONDS" "$*"
}

fail() {
    echo "tools/${0##*tools/}: $*" >&2
    exit 1
}

# For arguments that a script does not know, and for --help, which is not an error.
first_argument=${1-}
wrong_usage() {
    case $first_argument in
        --help | -h) echo "usage: $*" && exit 0 ;;
    esac
    echo "usage: $*" >&2
    exit 2
}

# need TOOL...: fails unless these commands exist.
need() {
    local tool
    for tool; do
        command -v "$tool" >/dev/null || fail "$tool not found: tools/deps --full installs it"
    done
}

# need_root WHY: sets as_root to the prefix for commands that require root.
as_root=()
need_root() {
    [ "$(id -u)" -ne 0 ] || return 0
    command -v sudo >/dev/null || fail "requires root or sudo: $*"
    as_root=(sudo)
}

# ctest_totals LOG: prints how many tests passed, failed and were skipped in a log of ctest; fails if none were run.
ctest_totals() {
    awk '/ Test +#[0-9]+: .*\*\*\*Skipped/ { skipped++ }
        /^[0-9]+% tests passed,/ { failed = $4; all = $(NF) }
        END {
            if (all) print all - failed - skipped, failed, skipped + 0
            exit !all
        }' "$1"
}

# logged NAME COMMAND...: writes the command's output to $out/NAME.log, and shows it if the command fails.
logged() {
    local log=$out/$1.log
    shift
    "$@" >"$log" 2>&1 </dev/null || { cat "$log" >&2; fail "failed: $*"; }
}

# Finds the mirror that apt uses on this machine.
find_mirror() {
    # shellcheck disable=SC2016 # the field is apt-get's
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' | sed -n 1p)
    case $mirror in
        mirror+file:*) mirror=$(sed -n '/^[a-z]*:/{s/[[:space:]].*//p;q}' "${mirror#mirror+file:}") ;;
    esac
}
