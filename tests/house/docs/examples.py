#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The example in each public header is a whole program, which builds without a warning against an installed rcuinfo, and
whose output is the texts behind its comments `// prints: `, one a line, and which leaves no info behind.

usage: examples.py LIBRARY_DIRECTORY HEADER_DIRECTORY WORK_DIRECTORY native
       examples.py LIBRARY_DIRECTORY HEADER_DIRECTORY WORK_DIRECTORY mpich|openmpi [LAUNCHER...]

native runs the examples that need no MPI library, the others those that work over one. LAUNCHER starts that of
mpi_collective.h, which is built only if there is none. Prints what is wrong; exit status 1 if anything is.
"""
import os
import pathlib
import re
import subprocess
import sys

libraries, headers, work, flavour = (*map(pathlib.Path, sys.argv[1:4]), sys.argv[4])
launcher = sys.argv[5:]
COLLECTIVE = "mpi_collective.h"
OVER_MPI = ("mpi_compat.h", "mpi_info.hpp")
WARNINGS = ("-Wall", "-Wextra", "-Werror", "-Wno-deprecated-declarations")  # of MPI-4.0, in mpi.h


def package(header):
    """What pkg-config knows the example's library as; None if the flavour does not have it."""
    if header == COLLECTIVE:
        return f"rcuinfo-collective-{flavour}" if flavour != "native" else None
    if header in OVER_MPI:
        return f"rcuinfo-{flavour}" if flavour != "native" else "rcuinfo-mpi"
    return "rcuinfo" if flavour == "native" else None


def run(*command):
    """The standard output of a command, and its standard error output; it must not fail."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == 0, f"{command} fails: {done.stderr}"
    return done.stdout, done.stderr


def check(header):
    found = re.findall(r"^ \* @code\{\.\w+\}\n((?: \*.*\n)*?) \* @endcode$", header.read_text(), re.MULTILINE)
    assert len(found) == 1, f"has {len(found)} examples"
    lines = [line[3:] for line in found[0].splitlines()]
    is_c = header.suffix == ".h"
    source = work / (header.name + (".c" if is_c else ".cpp"))
    source.write_text("\n".join(lines) + "\n")
    program = source.with_suffix("")
    flags, _ = run("pkg-config", "--cflags", "--libs", package(header.name))
    compiler = [os.environ.get("CC", "cc"), "-std=c11"] if is_c else [os.environ.get("CXX", "c++"), "-std=c++17"]
    run(*compiler, *WARNINGS, source, "-o", program, *flags.split())
    if header.name == COLLECTIVE and not launcher:
        return
    got, errors = run(*(launcher if header.name == COLLECTIVE else []), program)
    left = re.findall(r"^rcuinfo: process \d+: live (\d+),", errors, re.MULTILINE)
    assert set(left) == {"0"}, f"does not free all: {errors}"
    wanted = [line.split("// prints: ")[1] for line in lines if "// prints: " in line]
    assert wanted, "does not state what it prints"
    assert got.splitlines() == wanted, f"prints {got.splitlines()}, and states {wanted}"


def main():
    os.environ.update(PKG_CONFIG_PATH=str(libraries / "pkgconfig"), LD_LIBRARY_PATH=str(libraries), RCUINFO_STATS="1")
    work.mkdir(parents=True, exist_ok=True)
    status = 0
    for header in filter(lambda path: package(path.name), sorted(headers.glob("*.h*"))):
        try:
            check(header)
        except AssertionError as fault:
            print(f"{header.name}: {fault}")
            status = 1
    sys.exit(status)


main()
