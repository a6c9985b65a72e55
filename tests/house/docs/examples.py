#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The example in each public header is a whole program, which builds without a warning against an installed rcuinfo, and
whose output is the texts behind its comments `// prints: `, one a line, and which leaves no info behind.

usage: examples.py LIBRARY_DIRECTORY HEADER_DIRECTORY WORK_DIRECTORY native
       examples.py LIBRARY_DIRECTORY HEADER_DIRECTORY WORK_DIRECTORY mpich|openmpi [LAUNCHER...]

native runs the examples that need no MPI library, the others those that work over one. LAUNCHER starts that of
mpi_collective.h, which is built only if there is none. Prints what is wrong; exit status 1 if anything is.
"""
import difflib
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


def output(command):
    """The standard output of a command, its standard error output, and whether it has failed."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return done.stdout, done.stderr, done.returncode != 0


def check(header):
    """What is wrong with a header's example."""
    found = re.findall(r"^ \* @code\{\.\w+\}\n((?: \*.*\n)*?) \* @endcode$", header.read_text(), re.MULTILINE)
    if len(found) != 1:
        return f"has {len(found)} examples\n"
    lines = [line[3:] for line in found[0].splitlines()]

    is_c = header.suffix == ".h"
    source = work / (header.name + (".c" if is_c else ".cpp"))
    source.write_text("\n".join(lines) + "\n")
    program = source.with_suffix("")
    flags, errors, failed = output(["pkg-config", "--cflags", "--libs", package(header.name)])
    if failed:
        return errors
    compiler = [os.environ.get("CC", "cc"), "-std=c11"] if is_c else [os.environ.get("CXX", "c++"), "-std=c++17"]
    _, errors, failed = output([*compiler, *WARNINGS, source, "-o", program, *flags.split()])
    if failed:
        return errors
    if header.name == COLLECTIVE and not launcher:
        return ""

    got, errors, failed = output([*(launcher if header.name == COLLECTIVE else []), program])
    wanted = [line.split("// prints: ")[1] for line in lines if "// prints: " in line]
    left = re.findall(r"^rcuinfo: process \d+: live (\d+),", errors, re.MULTILINE)
    if failed or not left or set(left) != {"0"}:
        return f"{'fails' if failed else 'does not free all'}: {errors}\n"
    if not wanted:
        return "does not state what it prints\n"
    differs = "\n".join(difflib.unified_diff(wanted, got.splitlines(), "stated", "printed", lineterm="", n=99))
    return differs + "\n" if differs else ""


def main():
    os.environ["PKG_CONFIG_PATH"] = str(libraries / "pkgconfig")
    os.environ["LD_LIBRARY_PATH"] = str(libraries)
    os.environ["RCUINFO_STATS"] = "1"
    work.mkdir(parents=True, exist_ok=True)
    faults = [f"{header.name}: {fault}" for header in sorted(headers.glob("*.h*"))
              if package(header.name) and (fault := check(header))]
    print("".join(faults), end="")
    sys.exit(1 if faults else 0)


main()
