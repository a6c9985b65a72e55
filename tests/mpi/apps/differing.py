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
OF_WINDOWS = {("same_disp_unit", "true", "0", PARTLY), ("same_disp_unit", "true", "1", PARTLY)}
GIVEN = {"cb_nodes", "cb_buffer_size", "romio_ds_write", "ind_wr_buffer_size", "same_size", "same_disp_unit", "no_locks"}


def differing(hints):
    return {(hint["key"], hint["given"], hint["on"], hint["note"] or None) for hint in hints if hint["verdict"] == DIFFERS}


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
        text = subprocess.run([command, "hints", "report", "--csv", "r.0", "r.1"], cwd=directory, env=environment(), text=True,
                              stdout=subprocess.PIPE, check=True).stdout
    return list(csv.DictReader(text.splitlines()))


def main():
    command, flavour, launcher, program = sys.argv[1:]
    wanted = OF_WINDOWS | (OF_ROMIO if flavour == "mpich" else set())
    for is_killed in (False, True):
        hints = report_of(command, flavour, launcher, program, "all", is_killed)
        print(*hints, sep="\n")
        same(f"killed: {is_killed}", differing(hints), wanted)
        same("given", {hint["key"] for hint in hints if hint["verdict"] != "default"}, GIVEN)
    for is_killed in (False, True):
        same(f"one, killed: {is_killed}", differing(report_of(command, flavour, launcher, program, "one", is_killed)),
             {("same_size", "true", "0", PARTLY)})


main()
