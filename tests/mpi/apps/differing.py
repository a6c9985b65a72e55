#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Checks what the report says of hints that differ between processes (differing.c): of a job that finalizes MPI, and of
the journals of one that is killed.

usage: differing.py COMMAND FLAVOUR LAUNCHER PROGRAM
"""
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

from launch import environment, fail, outputs, same, start, started

DIFFERS = "differs between processes"
PARTLY = "given by 1 of its 2 processes"
# What only ROMIO compares, and what the standard requires.
OF_ROMIO = {("romio_ds_write", "enable", "0", None), ("romio_ds_write", "disable", "1", None),
            ("ind_wr_buffer_size", "65536", "0", None), ("ind_wr_buffer_size", "65537", "1", None)}
OF_WINDOWS = {("same_disp_unit", "true", "0", PARTLY), ("same_disp_unit", "true", "1", PARTLY),
              ("mpi_accumulate_granularity", "8", "0", None), ("mpi_accumulate_granularity", "16", "1", None)}
GIVEN = {"cb_nodes", "cb_buffer_size", "romio_ds_write", "ind_wr_buffer_size", "same_size", "same_disp_unit", "no_locks",
         "mpi_accumulate_granularity"}


def differing(hints):
    return {(hint["key"], hint["given"], hint["on"], hint["note"] or None) for hint in hints if hint["verdict"] == DIFFERS}


def merged(command, directory):
    """What the journals r.0 and r.1 say together."""
    text = subprocess.run([command, "hints", "report", "--csv", "r.0", "r.1"], cwd=directory, env=environment(), text=True,
                          stdout=subprocess.PIPE, check=True).stdout
    return list(csv.DictReader(text.splitlines()))


def check_parts(command):
    """Of a hint that one of two processes gave it is known that the other did not, unless a part of the job is missing."""
    line = {"verdict": "read", "object": "window", "key": "same_size", "given": "true", "name": "#1@0+2", "group": "0+2:1",
            "function": "MPI_Win_create", "on": "0", "count": 1}
    for size, found in ((2, {("same_size", "true", "0", PARTLY)}), (4, set())):
        with tempfile.TemporaryDirectory() as directory:
            for n in (0, 1):
                lines = [{"journal": n, "size": size, "rules": "0"}, *([line] if n == 0 else [])]
                (pathlib.Path(directory) / f"r.{n}").write_text("".join(json.dumps(one) + "\n" for one in lines))
            same(f"a job of {size}", differing(merged(command, directory)), found)


def report_of(command, flavour, launcher, program, part, is_killed):
    """The hints of the whole report: what the job has written, or what its journals say together."""
    with tempfile.TemporaryDirectory() as directory:
        place = pathlib.Path(directory)
        (place / "folder" / "inner").mkdir(parents=True)
        words = [command, "run", "--hints-report=r", program, part, str(place / "folder")]
        if not is_killed:
            outputs(flavour, launcher, directory, 2, words)
            return json.loads((place / "r").read_text())["hints"]
        options = ["-disable-auto-cleanup"] if flavour == "mpich" else []
        done = started([*start(flavour, launcher, 2, *options), *words, "killed"], directory)
        if done.returncode == 0:
            fail("the job was not killed")
        return merged(command, directory)


def main():
    command, flavour, launcher, program = sys.argv[1:]
    wanted = OF_WINDOWS | (OF_ROMIO if flavour == "mpich" else set())
    for is_killed in (False, True):
        hints = report_of(command, flavour, launcher, program, "all", is_killed)
        print(*hints, sep="\n")
        same(f"killed: {is_killed}", differing(hints), wanted)
        same("given", {hint["key"] for hint in hints if hint["verdict"] != "default"}, GIVEN)
    check_parts(command)
    for is_killed in (False, True):
        same(f"one, killed: {is_killed}", differing(report_of(command, flavour, launcher, program, "one", is_killed)),
             {("same_size", "true", "0", PARTLY)})


main()
