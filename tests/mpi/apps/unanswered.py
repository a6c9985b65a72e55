#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Checks the report of calls that fail or do not return, and of hints that MPI has returned itself (unanswered.c), and that
writing a report changes nothing for the program (hints_given.c): without a reader of its standard error, at its limit for
the size of files, without room.

usage: unanswered.py COMMAND FLAVOUR LAUNCHER UNANSWERED HINTS_GIVEN
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from launch import environment, fail, outputs, same, start, started

KEY = "mpi_assert_no_any_tag"
MEMORY = "mpi_minimum_memory_alignment"


def lines_of(file):
    """Returns the hints of a journal, and whether it is complete."""
    lines = [json.loads(line) for line in file.read_text().splitlines()[1:] if line.strip()]
    return [line for line in lines if "verdict" in line], any("complete" in line for line in lines)


def check_failures(command, flavour, launcher, program, _):
    """The hints of the program and those of the rules are in calls that failed, with the class of the error."""
    for rules in ([], ["--hints", "rules"]):
        with tempfile.TemporaryDirectory() as directory:
            (pathlib.Path(directory) / "rules").write_text("[file]\ncb_buffer_size 4194304\n[window]\nno_locks true\n")
            texts = outputs(flavour, launcher, directory, 2, [command, "run", "--hints-report=r", *rules, program, "fails"])
            hints = json.loads((pathlib.Path(directory) / "r").read_text())["hints"]
        own, without = texts[0][0].split()
        if not own == without != "0":
            fail(f"the call has not failed plain: {texts[0][0]}")
        found = {(hint["key"], hint["verdict"], (hint["note"] or "")[:len(f"error class {own}, ") + 1].rstrip(".AFMN"),
                  hint["count"]) for hint in hints}
        note = f"error class {own}, "
        wanted = {("cb_nodes", "the call failed", note, 2)}
        if rules:
            wanted |= {("cb_buffer_size", "the call failed", note, 4), ("no_locks", "never applied", "", 2)}
        same(f"failures, {rules}", found, wanted)
        if rules and any((hint["source"] is None) != (hint["key"] == "cb_nodes") for hint in hints):
            fail(f"a rule has a source: {hints}")
        if rules and "no hints were given" in texts[0][1]:
            fail(texts[0][1])


def check_passed_on(command, flavour, launcher, program, _):
    """Of what the library has returned nothing is called wrong."""
    with tempfile.TemporaryDirectory() as directory:
        words = [command, "run", "--hints-report=r", program, "passes", "data"]
        texts = outputs(flavour, launcher, directory, 2, words)
        hints = json.loads((pathlib.Path(directory) / "r").read_text())["hints"]
    passed = [hint for hint in hints if hint["verdict"] != "default"]
    same("passed on", len(passed), int(texts[0][0]))
    wrong = [hint for hint in passed if hint["verdict"] in ("bad value", "unknown key")]
    if wrong:
        fail(f"the library has returned these: {wrong}")


def check_hangs(command, flavour, launcher, program, _):
    """The journal has the hints of a call while it has not returned, and if the process exits then."""
    for way in ("hangs", "exits"):
        with tempfile.TemporaryDirectory() as directory:
            options = ["-disable-auto-cleanup"] if flavour == "mpich" and way == "exits" else []
            done = started([*start(flavour, launcher, 2, *options), command, "run", "--hints-report=r", program, way, "r.0"],
                           directory)
            if re.search("has returned|has no", done.stderr):
                fail(done.stderr)
            hints, is_complete = lines_of(pathlib.Path(directory) / "r.0")
            same(f"{way}: {done.stderr}", ([(hint["key"], hint["given"], hint["verdict"], hint["function"]) for hint in hints],
                                           is_complete),
                 ([(KEY, "true", "the call did not return", "MPI_Comm_dup_with_info")], way == "exits"))
            shown = subprocess.run([command, "hints", "report", "r.0"], cwd=directory, stdout=subprocess.PIPE, text=True,
                                   check=True).stdout
        if not re.search(rf"{KEY}  true  the call did\s+not\s+return", shown):
            fail(f"{way}: the table has no such call:\n{shown}")


def check_threads(command, flavour, launcher, program, _):
    """Cancellation and forks leave no lock behind: neither calls nor MPI_Finalize wait for it."""
    for way in ("cancelled", "forks"):
        with tempfile.TemporaryDirectory() as directory:
            done = started([*start(flavour, launcher, 1), command, "run", "--hints-report=r", program, way], directory)
            same(f"{way}: {done.stderr}", (done.returncode, done.stdout, (pathlib.Path(directory) / "r").exists()),
                 (0, "good\n", True))


def check_files(command, flavour, launcher, program, _):
    """The table goes to what was the standard error, not to the file that the program has in its place."""
    with tempfile.TemporaryDirectory() as directory:
        done = started([*start(flavour, launcher, 1), command, "run", "--hints-report", program, "reuses", "data"], directory)
        same(done.stderr, (done.returncode, (pathlib.Path(directory) / "data").read_text(), MEMORY in done.stderr),
             (0, "", True))


def run_alone(words, directory, errors=subprocess.PIPE):
    """Runs a program without a launcher."""
    return subprocess.run(words, cwd=directory, env=environment(), text=True, stdout=subprocess.PIPE, stderr=errors)


def check_quiet(command, _flavour, _launcher, unanswered, program):
    """What becomes of the report is nothing to the program."""
    words = [command, "run", "--stats"]
    for way, status in (("finalize", 0), ("exit", 7)):
        end = [program, "--end", way]
        for options in ([], ["--hints-report"], ["--hints-report=r"]):
            with tempfile.TemporaryDirectory() as directory:
                reading, writing = os.pipe()
                os.close(reading)
                done = run_alone([*words, *options, *end], directory, writing)
                os.close(writing)
            same(f"nobody reads: {way} {options}", done.returncode, status)

        with tempfile.TemporaryDirectory() as directory:
            done = run_alone([*words, "--hints-report=r", unanswered, "small", way], directory)
            same(f"large: {way}", (done.returncode, "': File too large\n" in done.stderr), (status, True))

    with tempfile.TemporaryDirectory() as directory:
        place = pathlib.Path(directory)
        (place / "r").symlink_to("/dev/full")
        done = run_alone([*words, "--hints-report=r", program, "--end", "finalize"], directory)
        journals = [file for file in place.iterdir() if file.name.startswith("r.")]
        same(f"full: {done.stderr}", (done.returncode, "'/dev/full'" in done.stderr or
                                      "/r': No space left on device" in done.stderr, len(journals)), (0, True, 1))
        same("full", [hint["key"] for hint in lines_of(journals[0])[0]], [MEMORY])


def check_links(command, flavour, launcher, _, program):
    """A symbolic link in place of a journal is not followed."""
    with tempfile.TemporaryDirectory() as directory:
        place = pathlib.Path(directory)
        (place / "kept").write_text("as it was")
        (place / "r.0").symlink_to("kept")
        done = started([*start(flavour, launcher, 1), command, "run", "--hints-report=r", program, "--end", "finalize"],
                       directory)
        same("links", ((place / "kept").read_text(), "/r.0': a symbolic link" in done.stderr, (place / "r").exists()),
             ("as it was", True, True))


def main():
    for check in (check_failures, check_passed_on, check_hangs, check_threads, check_files, check_quiet, check_links):
        check(*sys.argv[1:])


main()
