#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
That a PMPI tool behind the interposer sees what it sees without it, and the program, hints_given, too: the tool comes
by LD_PRELOAD, where `rcuinfo run` puts the interposer first, or is linked with the program ahead of the MPI library.

usage: tool.py COMMAND PROGRAM PROGRAM_LINKED_WITH_THE_TOOL TOOL
"""
import re
import subprocess
import sys
import tempfile

from launch import environment, fail

FUNCTIONS = {"Alloc_mem", "Comm_dup_with_info", "File_open", "Comm_get_info", "File_get_info"}


def output(words, tool=None):
    """What a run prints, and which processes have had conversions: a daemon of Open MPI's has none."""
    variables = environment()
    variables.pop("LD_PRELOAD", None)
    if tool:
        variables["LD_PRELOAD"] = tool
    with tempfile.TemporaryDirectory() as directory:
        run = subprocess.run([*words, "."], cwd=directory, env=variables, stdin=subprocess.DEVNULL, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if run.returncode != 0:
        fail(f"{words} ended with {run.returncode}:\n{run.stdout}{run.stderr}")
    return run.stdout, re.findall(r"^(rcuinfo: process \d+): .* conversions [1-9]", run.stderr, re.MULTILINE)


def main():
    command, program, linked, tool = sys.argv[1:]
    if "tool:" in output([program])[0]:
        fail("the program has the tool by itself")
    for words, preloaded in (([program], tool), ([linked], None)):
        (plain, none), (ours, one) = output(words, preloaded), output([command, "run", "--stats", *words], preloaded)
        if set(re.findall(r"^tool: (\w+):", plain, re.MULTILINE)) != FUNCTIONS or none:
            fail(f"the tool does not work without us:\n{plain}")
        if ours != plain:
            fail(f"{words}: not what it is without us:\n{plain}\n{ours}")
        if len(one) != 1:
            fail(f"{words}: the store has not been used by one process: {one}")


main()
