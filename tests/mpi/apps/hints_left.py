#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Checks the report files of hints_given.c for each way that it ends. Processes that finalize MPI write one common file.
If they do not, or use sessions only, each that reaches its end writes its own; `rcuinfo hints report` merges these. A
forked child writes none. Without the option there is none. A file that cannot be written only causes one message.

usage: hints_left.py COMMAND FLAVOUR LAUNCHER PROGRAM
"""
import fcntl
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from launch import environment, fail, same, start, started

TITLE = re.compile(r"^rcuinfo: \d+ hints? of ", re.M)
FILE, NO_FILE = ["--hints-report=r"], ["--hints-report"]
MEMORY = ("mpi_minimum_memory_alignment", "64")
ALL = {"r": [(*MEMORY, "0-1", 2)]}
EACH = {f"r.{rank}": [(*MEMORY, str(rank), 1)] for rank in (0, 1)}
EXITED = 7  # the exit status of hints_given.c
# The way it ends, the options, the hints in each file left, and the number of tables printed. If both processes exit,
# Open MPI's launcher may kill one before it writes its file or prints its table.
ENDS = [("finalize", [], {}, 0), ("finalize", FILE, ALL, 1), ("finalize", NO_FILE, {}, 1), ("fork", FILE, ALL, 1),
        ("fork", NO_FILE, {}, 1), ("exit", FILE, EACH, 0), ("exit", NO_FILE, {}, 2),
        ("abort", FILE, EACH, 0), ("kill", FILE, EACH, 0)]


def read(file):
    """Returns the report in a file. A journal has a hint in each line after the first, and a last one if it is complete."""
    text = file.read_text()
    if '"journal":' not in text.splitlines()[0]:
        return json.loads(text)
    lines = [json.loads(line) for line in text.splitlines()[1:] if line.strip()]
    return {"hints": [line for line in lines if "complete" not in line]}


def run(launched, way, options=(), variables=()):
    """Runs the program on two processes. Returns its status, its outputs, and its files by name."""
    command, flavour, launcher, program = launched
    # If a process exits before MPI_Finalize, MPICH's launcher kills the others without this option; Open MPI has none.
    of_launcher = ["-disable-auto-cleanup"] if flavour == "mpich" and way == "exit" else []
    words = [*start(flavour, launcher, 2, *of_launcher), command, "run", *options, program, "--end", way]
    with tempfile.TemporaryDirectory() as directory:
        done = started(words, directory, variables)
        files = {file.name: read(file) for file in pathlib.Path(directory).iterdir()}
        if len(files) == 2:
            done.stdout += subprocess.run([command, "hints", "report", *files], cwd=directory, stdout=subprocess.PIPE,
                                          text=True, check=True).stdout
    # Hydra 4.0.2 may report such an exit as signal 1, which was not sent. The check "alone" verifies the exit status.
    status = EXITED if way == "exit" and "Hangup (signal 1)" in done.stdout else done.returncode
    return status, done.stdout, done.stderr, files


def pairs(files, fields=("key", "given", "on", "count")):
    return {name: sorted(tuple(hint[field] for field in fields) for hint in report["hints"])
            for name, report in files.items()}


def check_rules(command, flavour, launcher, program):
    """Processes with different hint files say so when MPI is initialized."""
    shell = 'exec "$0" run --hints-report=r --hints "${PMIX_RANK:-$PMI_RANK}.hints" "$1" --end finalize'
    for other, differs in (("a 1", 0), ("b 1", 1)):
        with tempfile.TemporaryDirectory() as directory:
            for rank, hint in enumerate(("a 1", other)):
                (pathlib.Path(directory) / f"{rank}.hints").write_text(hint)
            words = [*start(flavour, launcher, 2), "bash", "-c", shell, command, program]
            errors = started(words, directory).stderr
        same(f"{other}:\n{errors}", errors.count("the processes have read different hint files:"), differs)


def check_journals(command, flavour, launcher, program):
    """The journals of all processes stay if the report cannot be written, and count all calls."""
    with tempfile.TemporaryDirectory() as directory:
        (pathlib.Path(directory) / "r").mkdir()
        started([*start(flavour, launcher, 2), command, "run", *FILE, program, "--end", "twice"], directory)
        files = {file.name: read(file) for file in pathlib.Path(directory).iterdir() if file.is_file()}
    same("no report", pairs(files), {name: 2 * lines for name, lines in EACH.items()})


def check_taken(command, flavour, launcher, program):
    """A journal that another process has, such as one of the job that spawned this one, stays as it is."""
    with tempfile.TemporaryDirectory() as directory, (pathlib.Path(directory) / "r.0").open("w") as taken:
        fcntl.lockf(taken, fcntl.LOCK_EX)  # not flock: the child of a fork would have it as well
        taken.write("another's")
        taken.flush()
        started([*start(flavour, launcher, 2), command, "run", *FILE, program, "--end", "abort"], directory)
        same("taken", (pathlib.Path(directory) / "r.0").read_text(), "another's")
        files = {file.name: read(file) for file in pathlib.Path(directory).iterdir() if file.name != "r.0"}
    number = max((name.split(".")[1] for name in files), key=int)
    same("beside it", pairs(files), {f"r.{n}": [(*MEMORY, n, 1)] for n in ("1", number)})


def check_jobs(command, _flavour, _launcher, program):
    """Of jobs that write the same file at once, each writes it whole."""
    with tempfile.TemporaryDirectory() as directory:
        for _ in range(8):
            jobs = [subprocess.Popen([command, "run", *FILE, program, "--end", "finalize"], cwd=directory, env=environment(),
                                     stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for _ in range(6)]
            errors = "".join(job.communicate()[1] for job in jobs)
            same(errors, "cannot write" in errors, False)
            same("jobs at once", pairs({"r": read(pathlib.Path(directory) / "r")}), {"r": [(*MEMORY, "0", 1)]})
        same("beside it", [file.name for file in pathlib.Path(directory).iterdir()], ["r"])


def main():
    launched = sys.argv[1:]
    statuses = {way: run(launched, way)[0] for way in ("exit", "abort", "kill")}
    for way, options, hints, tables in ENDS:
        what = f"{way} {options}"
        status, output, errors, files = run(launched, way, options)
        found = len(TITLE.findall(errors))
        if launched[1] == "openmpi" and way == "exit":
            hints = {name: hints[name] for name in files or hints}
            tables = found if tables and found == 1 else tables
        if way == "kill":  # the launcher's status differs from run to run
            status = statuses[way]
        same(f"{what}:\n{errors}", (status, found, pairs(files)), (statuses.get(way, 0), tables, hints))
        # `rcuinfo hints report` looks up the lines in journals.
        place = r"/.+/hints_given\.\w+\+0x[0-9a-f]+" if hints == EACH else r"hints_given\.[^/]+"
        if any(not re.fullmatch(place, hint["place"]) for report in files.values() for hint in report["hints"]):
            fail(f"wrong place of a call: {files}")
        if not options:
            same("without the option", "rcuinfo" in errors, False)
        if len(files) == 2:  # merged
            same(what, (output.count("rcuinfo: 1 hint of 2 processes: "), output.count(f"  {MEMORY[0]}  64  "),
                        len(re.findall(r" at hints_given\.[^/]+\n", output))), (1, 1, 1))

    with tempfile.TemporaryDirectory() as directory:
        done = started([launched[0], "run", *FILE, launched[3], "--end", "exit"], directory)
        same("alone", done.returncode, EXITED)

    check_journals(*launched)
    check_taken(*launched)
    check_jobs(*launched)
    status, output, errors, files = run(launched, "session", FILE)
    given = [("mpi_size", "4"), ("thread_level", "MPI_THREAD_MULTIPLE")]
    same("session", (status, pairs(files, ("key", "given"))),
         (0, {} if "no sessions" in output else {"r.0": given, "r.1": given}))

    status, _, errors, files = run(launched, "full", FILE)
    same(f"full:\n{errors}", (status, "not recorded for lack" in errors, files["r"]["lost"] > 0), (0, True, True))

    status, _, errors, files = run(launched, "finalize", variables={"RCUINFO_HINTS_REPORT": "/nowhere/r"})
    messages = sorted(re.findall("rcuinfo: cannot write '(.*)': No such file or directory", errors))
    same("a folder that is not there", (status, files, len(TITLE.findall(errors)), messages),
         (0, {}, 1, ["/nowhere/r", "/nowhere/r.0", "/nowhere/r.1"]))

    check_rules(*launched)


main()
