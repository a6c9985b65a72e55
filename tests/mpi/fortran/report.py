#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
The report of test_calls.F90 with rules.hints: each hint's place is in the program, not in a library of the MPI's between
it and us, and that of MPI_File_open's is the line of the call; its source is the line of the hint file that has the key.
And the rules reach a file by its name without the blanks behind it: the real library says that they are in use.

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

# Of the hints of MPI_File_open: key, value, verdict, and whether it is of the hint file.
OF_FILE = {("cb_buffer_size", "7654321", "taken", True), ("cb_buffer_size", "1048576", "not handed down", False)}


def opens(hint):
    return hint["function"].lower().startswith("mpi_file_open")


def check(hint, program, lines, rules, way):
    place = r"test_calls\.F90:(\d+)" if way == "lines" else re.escape(program.name) + r"\+0x[0-9a-f]+"
    found = re.fullmatch(place, hint["place"])
    if not found:
        fail(f"this is not in the program: {hint}")
    # For some calls that are the first of a subroutine gfortran names its first line.
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
    for hint in hints:
        check(hint, program, lines, rules, way)
    found = {(hint["key"], hint["given"], hint["verdict"], hint["source"] is not None) for hint in hints
             if opens(hint) and hint["key"] == "cb_buffer_size"}
    if found != OF_FILE:
        fail(f"{found}")


main()
