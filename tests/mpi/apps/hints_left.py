#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
What hints_given.c leaves behind in each of its ways to end: one file of all processes where they finalize MPI; where
they do not, or use sessions only, one of each that got to its end, which `rcuinfo hints report` puts together; none of a
child, none without the option, and one message where it cannot be written, which changes nothing for the program.

usage: hints_left.py COMMAND FLAVOUR LAUNCHER PROGRAM
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from launch import fail, started

TITLE = "rcuinfo: hints of "
FILE, NO_FILE = ["--hints-report=r"], ["--hints-report"]
MEMORY = ("mpi_minimum_memory_alignment", "64", "cannot be known")
ALL = {"r": [(*MEMORY, "0-1", 2)]}
EACH = {f"r.{rank}": [(*MEMORY, str(rank), 1)] for rank in (0, 1)}
EXITED = 7  # the status that hints_given.c exits with
# How it ends, the options, the hints of each file that is left, and how many tables are printed. Of two that exit Open
# MPI's launcher may end one before it has done either.
ENDS = [("finalize", [], {}, 0), ("finalize", FILE, ALL, 1), ("finalize", NO_FILE, {}, 1), ("fork", FILE, ALL, 1),
        ("fork", NO_FILE, {}, 1), ("exit", FILE, EACH, 0), ("exit", NO_FILE, {}, 2),
        ("abort", FILE, {"r.0": EACH["r.0"]}, 0)]


def run(launched, way, options=(), variables=()):
    """What a run on two processes leaves: its status, its outputs, and its files by their names."""
    command, flavour, launcher, program = launched
    # MPICH's launcher lets a process go on when another one has ended without finalizing MPI; Open MPI's cannot be told to.
    of_launcher = ["--oversubscribe"] if flavour == "openmpi" else ["-disable-auto-cleanup"] if way == "exit" else []
    words = [launcher, "-n", "2", *of_launcher, command, "run", *options, program, "--end", way]
    with tempfile.TemporaryDirectory() as directory:
        done = started(words, directory, variables)
        files = {file.name: json.loads(file.read_text()) for file in pathlib.Path(directory).iterdir()}
        if len(files) == 2:
            done.stdout += subprocess.run([command, "hints", "report", *files], cwd=directory, stdout=subprocess.PIPE,
                                          text=True, check=True).stdout
    # Hydra 4.0.2 may report a process that exits so as ended by a signal 1, which nobody sends; "alone" looks at its status.
    status = EXITED if way == "exit" and "Hangup (signal 1)" in done.stdout else done.returncode
    return status, done.stdout, done.stderr, files


def pairs(files, fields=("key", "given", "verdict", "on", "count")):
    return {name: sorted(tuple(hint[field] for field in fields) for hint in report["hints"])
            for name, report in files.items()}


def check(what, found, wanted):
    if found != wanted:
        fail(f"{what}: {found}, and not {wanted}")


def main():
    launched = sys.argv[1:]
    statuses = {way: run(launched, way)[0] for way in ("exit", "abort")}
    for way, options, hints, tables in ENDS:
        what = f"{way} {options}"
        status, output, errors, files = run(launched, way, options)
        found = errors.count(TITLE)
        if launched[1] == "openmpi" and way == "exit":
            hints = {name: hints[name] for name in files or hints}
            tables = found if tables and found == 1 else tables
        check(f"{what}:\n{errors}", (status, found, pairs(files)), (statuses.get(way, 0), tables, hints))
        # Who aborts does not look up the line.
        place = r"/.+/hints_given\.\w+\+0x[0-9a-f]+" if way == "abort" else r"hints_given\.[^/]+"
        if any(not re.fullmatch(place, hint["place"]) for report in files.values() for hint in report["hints"]):
            fail(f"another place: {files}")
        if not options:
            check("without the option", "rcuinfo" in errors, False)
        if len(files) == 2:  # put together
            check(what, (output.count(f"{TITLE}2 processes\n"), output.count(f"{MEMORY[0]}  64     all ")), (1, 1))

    with tempfile.TemporaryDirectory() as directory:
        done = started([launched[0], "run", *FILE, launched[3], "--end", "exit"], directory)
        check("alone", done.returncode, EXITED)

    status, output, errors, files = run(launched, "session", FILE)
    given = [("mpi_size", "4"), ("thread_level", "MPI_THREAD_MULTIPLE")]
    check("session", (status, pairs(files, ("key", "given"))),
          (0, {} if "no sessions" in output else {"r.0": given, "r.1": given}))

    status, _, errors, files = run(launched, "finalize", variables={"RCUINFO_HINTS_REPORT": "/nowhere/r"})
    check("a folder that is not there", (status, files, errors.count(TITLE), re.findall(".*cannot write.*", errors)),
          (0, {}, 1, ["rcuinfo: cannot write '/nowhere/r': No such file or directory"]))


main()
