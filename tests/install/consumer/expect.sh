# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Sourced by the install tests: what the consumers have to print.

# expect PROGRAM [FIRST_LINE]
expect() {
    local wanted=$'access_style=read_once\nstriping_unit=65536' output
    [ -z "${2-}" ] || wanted=$2$'\n'$wanted
    if ! output=$("$1" 2>&1) || [ "$output" != "$wanted" ]; then
        echo "$1 says: $output"
        exit 1
    fi
}
