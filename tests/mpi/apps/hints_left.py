#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
What hints_left.c leaves behind in each of its ways to end: one file of all processes where they finalize MPI; where they
do not, or use sessions only, one of each that got to its end, which `rcuinfo hints report` puts together; none of a
child, none without the option, and one message where it cannot be written, which changes nothing for the program.

usage: hints_left.py COMMAND FLAVOUR LAUNCHER PROGRAM
"""
import json
import pathlib
import subprocess
import sys
import tempfile

from launch import fail, started

TITLE = "rcuinfo: hints of "
PLACE = "hints_left."  # the program has no debug information


def run(launched, way, options=(), variables=()):
    """What a run on two processes leaves: its status, its outputs, and its files by their names."""
    command, flavour, launcher, program = launched
    # MPICH's launcher lets a process go on when another one has ended without finalizing MPI; Open MPI's cannot be told to.
    of_launcher = ["--oversubscribe"] if flavour == "openmpi" else ["-disable-auto-cleanup"] if way == "exit" else []
    words = [launcher, "-n", "2", *of_launcher, command, "run", *options, program, way]
    with tempfile.TemporaryDirectory() as directory:
        done = started(words, directory, variables)
        files = {file.name: json.loads(file.read_text()) for file in pathlib.Path(directory).iterdir()}
    return done.returncode, done.stdout, done.stderr, files


def pairs(report):
    return [(hint["key"], hint["given"], hint["verdict"], hint["on"], hint["count"]) for hint in report["hints"]]


def check(what, found, wanted):
    if found != wanted:
        fail(f"{what}: {found}, and not {wanted}")


def together(command, files):
    """What `rcuinfo hints report` makes of them."""
    with tempfile.TemporaryDirectory() as directory:
        for name, report in files.items():
            (pathlib.Path(directory) / name).write_text(json.dumps(report))
        return subprocess.run([command, "hints", "report", *files], cwd=directory, stdout=subprocess.PIPE, text=True,
                              check=True).stdout


def main():
    launched = command, flavour, *_ = sys.argv[1:]
    to_file = ["--hints-report=r"]
    memory = ("mpi_minimum_memory_alignment", "64", "cannot be known")

    for way in ("finalize", "child"):
        status, _, errors, files = run(launched, way, to_file)
        check(f"{way}: status", status, 0)
        check(f"{way}: files", list(files), ["r"])
        check(f"{way}: hints", pairs(files["r"]), [(*memory, "0-1", 2)])
        check(f"{way}: tables", errors.count(TITLE), 1)
        if not files["r"]["hints"][0]["place"].startswith(PLACE):
            fail(f"another place: {files}")
        status, _, errors, files = run(launched, way, ["--hints-report"])
        check(f"{way}, without a file", (status, files, errors.count(TITLE)), (0, {}, 1))

    status, _, errors, files = run(launched, "exit", to_file)
    if flavour == "mpich" or not files:
        check("exit: files", sorted(files), ["r.0", "r.1"])
    for name, report in files.items():
        check("exit: hints", pairs(report), [(*memory, name.removeprefix("r."), 1)])
    table = together(command, files) if len(files) == 2 else None
    row = "mpi_minimum_memory_alignment  64     all "
    if table and (not table.startswith(f"{TITLE}2 processes\n") or table.count(row) != 1):
        fail(f"they are not put together:\n{table}")
    check("exit: tables", errors.count(TITLE), 0)
    status, _, errors, files = run(launched, "exit", ["--hints-report"])
    check("exit: without a file", files, {})
    check("exit: tables, without a file", errors.count(TITLE) in ((2,) if flavour == "mpich" else (1, 2)), True)
    plain, *_ = run(launched, "exit")
    check("exit: status", status, plain)

    # The other process may be ended before it has written anything, or not: it waits for that.
    status, _, errors, files = run(launched, "abort", to_file)
    check("abort: files", list(files), ["r.0"])
    check("abort: hints", pairs(files["r.0"]), [(*memory, "0", 1)])
    plain, *_ = run(launched, "abort")
    check("abort: status", status, plain)

    status, output, errors, files = run(launched, "session", to_file)
    check("session: status", status, 0)
    if "no sessions" in output:
        check("session: nothing", files, {})
    else:
        check("session: files", sorted(files), ["r.0", "r.1"])
        for rank in (0, 1):
            check("session: hints", [hint[:2] for hint in pairs(files[f"r.{rank}"])],
                  [("thread_level", "MPI_THREAD_SINGLE")])

    status, _, errors, files = run(launched, "finalize")
    check("without the option", (status, files, "rcuinfo" in errors), (0, {}, False))

    status, _, errors, files = run(launched, "finalize", variables={"RCUINFO_HINTS_REPORT": "/nowhere/r"})
    said = [line for line in errors.splitlines() if "cannot write" in line]
    check("a folder that is not there", (status, files, said),
          (0, {}, ["rcuinfo: cannot write '/nowhere/r': No such file or directory"]))
    check("a folder that is not there: tables", errors.count(TITLE), 1)
    print(f"{flavour}: as it should be, with{'out' if 'no sessions' in output else ''} sessions")


main()
