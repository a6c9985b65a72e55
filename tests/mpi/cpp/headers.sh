#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Compiles the C++ headers with several standards, flags and mpi.h, checks the messages where they cannot be compiled
# and the misuse that the compiler rejects, and that the headers leave no macro behind.
# usage: headers.sh SOURCE_DIRECTORY BINARY_DIRECTORY [MPI_INCLUDE_DIRECTORY...]
set -u
source=$1 binary=$2
shift 2
abi=$source/include/rcuinfo/abi
ours=("-I$source/include" "-I$binary/include/include")
status=0

# compile STANDARD FLAG... <<<SOURCE: leaves the messages of the compiler in $output.
compile() {
    local standard=$1
    shift
    output=$("${CXX:-c++}" -std="$standard" -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -fsyntax-only \
        "${ours[@]}" "$@" -x c++ - 2>&1)
}

# taken WHAT STANDARD FLAG... <<<SOURCE: must compile.
taken() {
    local what=$1
    shift
    compile "$@" || { echo "$what does not compile: $output" && status=1; }
}

# refused WHAT MESSAGE STANDARD FLAG... <<<SOURCE: must not compile, with this message.
refused() {
    local what=$1 message=$2
    shift 2
    if compile "$@" || ! grep -q "$message" <<<"$output"; then
        echo "$what should fail with \"$message\", but the compiler says: $output"
        status=1
    fi
}

# statements FILE STATEMENTS: a source that includes the header and has the statements in a function.
statements() {
    printf '#include <rcuinfo/%s>\nvoid f();\nvoid f() { %s }\n' "$1" "$2"
}

# The build compiles the tests as C++17. Here they are compiled with the newest standard: since C++20 there are more
# candidates for a comparison. Another's mpi.h is a system header, so that it raises no warnings. MPI_Info_get is deprecated since
# MPI-4.0, and an mpi.h may warn of it.
tests=$source/tests/mpi/cpp
flags=(-Wno-deprecated-declarations -DTEST_ON_STORE=1 -D_GNU_SOURCE "-I$source/tests" "-I$source/tests/mpi")
newest=c++20
"${CXX:-c++}" -std=c++2b -fsyntax-only -x c++ /dev/null 2>/dev/null && newest=c++2b
for mpi in "$abi" "$@"; do
    taken "test_mpi_info.cpp with $mpi" $newest -isystem "$mpi" "${flags[@]}" <"$tests/test_mpi_info.cpp"
done
taken "test_store.cpp" $newest "${flags[@]}" <"$tests/test_store.cpp"
# With stricter flags than those of the build. Not every compiler has them.
taken "rcuinfo.hpp with strict flags" c++17 -Wno-unknown-warning-option -Wold-style-cast -Wuseless-cast -Weffc++ \
    -Wnon-virtual-dtor < <(statements rcuinfo.hpp '')

# An exception thrown in one library must be caught in another, even if both hide their symbols. Not every run-time
# library compares types by name, so the type information of the exceptions must stay visible.
object=$(mktemp)
trap 'rm -f "$object"' EXIT
throwing='#include <rcuinfo/rcuinfo.hpp>
#include <rcuinfo/mpi_info.hpp>
void f(int code) { if (code) throw MPI::Exception(code); else throw rcuinfo::error(RCUINFO_ERR_ARG); }'
"${CXX:-c++}" -std=c++17 -fvisibility=hidden "${ours[@]}" "-I$abi" -c -x c++ - -o "$object" <<<"$throwing" || status=1
seen=$(readelf -sW "$object" | grep -c 'WEAK *DEFAULT.* _ZTI.*\(9ExceptionE\|5errorE\)$')
[ "$seen" -eq 2 ] || { echo "$seen visible types of exceptions instead of 2" && status=1; }

# The headers reject older standards, -fno-exceptions and a missing mpi.h.
for header in mpi_info.hpp rcuinfo.hpp; do
    refused "$header as C++14" 'needs C++17 or later' c++14 "-I$abi" < <(statements $header '')
    refused "$header without exceptions" 'compile without -fno-exceptions' c++17 -fno-exceptions "-I$abi" < <(
        statements $header ''
    )
done
refused "mpi_info.hpp without mpi.h" 'finds no mpi.h' c++17 < <(statements mpi_info.hpp '')
# After an mpi.h with C++ bindings the header says which macro to define. With the macro, or before mpi.h, it compiles.
for mpi; do
    bindings=(-isystem "$mpi" -isystem "$mpi/openmpi")
    # Open MPI has no bindings since version 5, so nothing is rejected there. An mpi.h that cannot be read is an error.
    macros=$("${CXX:-c++}" "${bindings[@]}" -x c++ -dM -E - <<<'#include <mpi.h>') || status=1
    if grep -qE 'define (MPIX_CALLWORLD|MPIPP_H)' <<<"$macros"; then
        refused "mpi_info.hpp after the bindings of $mpi" 'define MPICH_SKIP_MPICXX or OMPI_SKIP_MPICXX before' c++17 \
            "${bindings[@]}" < <(echo '#include <mpi.h>' && statements mpi_info.hpp '')
    fi
    taken "mpi_info.hpp after mpi.h of $mpi" c++17 -DMPICH_SKIP_MPICXX -DOMPI_SKIP_MPICXX "${bindings[@]}" < <(
        echo '#include <mpi.h>' && statements mpi_info.hpp 'MPI::Info i;'
    )
    taken "mpi.h of $mpi after mpi_info.hpp" c++17 "${bindings[@]}" < <(
        statements mpi_info.hpp 'MPI::Info i;' && echo '#include <mpi.h>'
    )
done

# Misuse of constness, ambiguous arguments and a lost owner. Static assertions of the tests have copies and conversions.
right='const rcuinfo::info i = rcuinfo::info::create(); rcuinfo::info j = i.dup(); j.update({{"a", "1"}});'
taken "\"$right\"" c++17 < <(statements rcuinfo.hpp "$right")
while read -r message wrong; do
    refused "\"$wrong\"" "$message" c++17 < <(statements rcuinfo.hpp "$wrong")
done <<'EOF'
qualifiers\|marked.const const rcuinfo::info i; i.set("a", "1");
qualifiers\|marked.const const rcuinfo::info i; i.update({{"a", "1"}});
qualifiers\|marked.const const rcuinfo::info i; i.reset();
deleted rcuinfo::info i; i.compare_and_set("a", nullptr, "1");
deleted rcuinfo::info i; i.compare_and_set("a", "1", nullptr);
nodiscard rcuinfo::info i; i.release();
EOF

# macros HEADER...: prints the macros that these headers define, with the mpi.h of the standard ABI.
macros() {
    local header
    for header; do echo "#include <$header>"; done |
        "${CXX:-c++}" -std=c++17 "${ours[@]}" "-I$abi" -dM -E -x c++ - | sed 's/^#define \([A-Za-z0-9_]*\).*/\1/' | sort
}
standard=(cstddef cstdint exception initializer_list iterator optional stdexcept string string_view utility vector)
left=$(comm -13 <(macros "${standard[@]}" mpi.h rcuinfo/rcuinfo.h) <(macros rcuinfo/mpi_info.hpp rcuinfo/rcuinfo.hpp) | xargs)
[ "$left" = "RCUINFO_MPI_INFO_HPP RCUINFO_RCUINFO_HPP" ] || { echo "macros left behind: $left" && status=1; }
exit $status
