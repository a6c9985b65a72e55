#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
The report of test_rules.F90 with rules.hints: each hint's place is the line of the call in the program, and not in a
library of the MPI's between the program and us; its source is the line of the hint file that has the key.

usage: report.py COMMAND PROGRAM SOURCE HINTS lines|offsets
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from launch import environment, fail


def check(hint, program, lines, rules, way):
    if re.sub(r"(_f08)?_$", "", hint["function"].lower()) != "mpi_file_open":
        fail(f"the program calls no such function: {hint}")
    if way == "lines":
        found = re.fullmatch(r"test_rules\.F90:(\d+)", hint["place"])
        if not found or not re.search(r"call[ (]mpi_file_open\(", lines[int(found[1]) - 1].lower()):
            fail(f"the call is not there: {hint}")
    elif not re.fullmatch(re.escape(program.name) + r"\+0x[0-9a-f]+", hint["place"]):
        fail(f"this is not in the program: {hint}")
    if hint["source"] is not None:
        file, number = hint["source"].rsplit(":", 1)
        if not os.path.samefile(file, rules) or hint["key"] not in rules.read_text().splitlines()[int(number) - 1].split():
            fail(f"the file does not say so there: {hint}")


def main():
    command, program, source, rules, way = sys.argv[1:]
    program, rules = pathlib.Path(program), pathlib.Path(rules)
    with tempfile.TemporaryDirectory() as directory:
        words = [command, "run", "--hints", str(rules), "--hints-report=report", str(program)]
        subprocess.run(words, cwd=directory, env=environment(), check=True, stdin=subprocess.DEVNULL)
        hints = json.loads((pathlib.Path(directory) / "report").read_text())["hints"]
    lines = pathlib.Path(source).read_text().splitlines()
    for hint in hints:
        check(hint, program, lines, rules, way)
    sizes = {(hint["name"].rsplit(".", 1)[1], hint["given"], hint["verdict"], hint["source"] is None)
             for hint in hints if hint["key"] == "cb_buffer_size"}
    wanted = {("ruled", "1234567", "taken", False), ("ruled", "1048576", "taken", True),
              ("ruled", "1234567", "not handed down", False), ("imposed", "7654321", "taken", False),
              ("imposed", "1048576", "not handed down", True)}
    if sizes != wanted:
        fail(f"{sizes}")


main()
