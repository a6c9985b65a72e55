#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Checks the report of test_calls.F90 with rules.hints. The place of each hint is in the program, not in a library of the
MPI between the program and us; for MPI_File_open it is the line of the call. The source is the line of the hint file
with the key. Rules match the name of a file without its trailing blanks: the real library has their values in use.

usage: report.py COMMAND PROGRAM FOLDER lines|offsets
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from launch import environment, fail

# The hints of MPI_File_open: key, value, verdict, and whether it comes from the hint file.
# Open MPI reads the former, and does not say what is in effect.
OF_FILE = {("cb_buffer_size", "7654321", "in effect", True), ("cb_buffer_size", "1048576", "not passed on", False)}
OF_OPENMPI = {("cb_buffer_size", "7654321", "read", True), ("cb_buffer_size", "1048576", "not passed on", False)}


def opens(hint):
    return hint["function"].lower().startswith("mpi_file_open")


def check(hint, program, lines, rules, way):
    if (hint["note"] or "").startswith("by librcuinfo"):
        fail(f"our own library has looked this up for the program: {hint}")
    place = r"test_calls\.F90:(\d+)" if way == "lines" else re.escape(program.name) + r"\+0x[0-9a-f]+"
    found = re.fullmatch(place, hint["place"])
    if not found:
        fail(f"this is not in the program: {hint}")
    # For some calls that come first in a subroutine, gfortran gives the line of the subroutine.
    if way == "lines" and opens(hint) and "MPI_File_open(" not in lines[int(found[1]) - 1]:
        fail(f"the call is not there: {hint}")
    if hint["source"] is not None:
        file, number = hint["source"].rsplit(":", 1)
        if not os.path.samefile(file, rules) or hint["key"] not in rules.read_text().splitlines()[int(number) - 1].split():
            fail(f"the file does not say so there: {hint}")


def main():
    command, program, folder, way = sys.argv[1:]
    program, rules = pathlib.Path(program), pathlib.Path(folder) / "rules.hints"
    with tempfile.TemporaryDirectory() as directory:
        words = [command, "run", "--hints", str(rules), "--hints-report=report", str(program)]
        subprocess.run(words, cwd=directory, env=environment(), check=True, stdin=subprocess.DEVNULL)
        hints = json.loads((pathlib.Path(directory) / "report").read_text())["hints"]
    lines = (pathlib.Path(folder) / "test_calls.F90").read_text().splitlines()
    hints = [hint for hint in hints if hint["verdict"] != "never applied"]
    for hint in hints:
        check(hint, program, lines, rules, way)
    found = {(hint["key"], hint["given"], hint["verdict"], hint["source"] is not None) for hint in hints
             if opens(hint) and hint["key"] == "cb_buffer_size"}
    if found != (OF_OPENMPI if program.name.endswith("openmpi") else OF_FILE):
        fail(f"{found}")


main()
