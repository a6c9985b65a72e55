# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034,SC2154 # variables are shared with who sources this
# What the scripts beside this file share. Who sources it is in the root of the checkout from then on.
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." || exit

say() {
    printf '[%4d s] %s\n' "$SECONDS" "$*"
}

fail() {
    echo "tools/${0##*/}: $*" >&2
    exit 1
}

# For arguments that a script does not know; --help is one of them, and no mistake.
first_argument=${1-}
wrong_usage() {
    case $first_argument in
        --help | -h) echo "usage: $*" && exit 0 ;;
    esac
    echo "usage: $*" >&2
    exit 2
}

# need TOOL...: the commands that the script cannot do without.
need() {
    local tool
    for tool; do
        command -v "$tool" >/dev/null || fail "no $tool: tools/deps --full installs it"
    done
}

# need_root WHY: what goes before a command that takes root, in as_root.
as_root=()
need_root() {
    [ "$(id -u)" -ne 0 ] || return 0
    command -v sudo >/dev/null || fail "neither root nor sudo: $*"
    as_root=(sudo)
}

# ctest_totals LOG: how many tests passed, failed and were skipped, of ctest's output; fails when it ran none.
ctest_totals() {
    awk '/ Test +#[0-9]+: .*\*\*\*Skipped/ { skipped++ }
        /^[0-9]+% tests passed,/ { failed = $4; all = $(NF) }
        END {
            if (all) print all - failed - skipped, failed, skipped + 0
            exit !all
        }' "$1"
}

# logged NAME COMMAND...: its output goes to NAME.log in the folder $out, and is shown when it fails.
logged() {
    local log=$out/$1.log
    shift
    "$@" >"$log" 2>&1 </dev/null || { cat "$log" >&2 && fail "failed: $*"; }
}
