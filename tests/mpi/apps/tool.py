#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
That a PMPI tool behind the interposer sees what it sees without it, and the program too: the tool comes by LD_PRELOAD,
where `rcuinfo run` puts the interposer first, or is linked with the program ahead of the MPI library.

usage: tool.py COMMAND TRACED TRACED_LINKED_WITH_THE_TOOL TOOL
"""
import re
import subprocess
import sys
import tempfile

from launch import environment, fail

ROUNDS = 3
CALLS = ROUNDS * 6  # each of the tool's functions once a round


def output(words, tool=None):
    """What a run prints, and the conversions of each process that had some: a daemon of Open MPI's has none."""
    variables = environment()
    variables.pop("LD_PRELOAD", None)
    if tool:
        variables["LD_PRELOAD"] = tool
    with tempfile.TemporaryDirectory() as directory:
        run = subprocess.run([*words, directory], env=variables, stdin=subprocess.DEVNULL, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if run.returncode != 0:
        fail(f"{words} ended with {run.returncode}:\n{run.stdout}{run.stderr}")
    return run.stdout, [int(number) for number in re.findall(r"conversions (\d+)", run.stderr) if number != "0"]


def main():
    command, traced, linked, tool = sys.argv[1:]
    run = [command, "run", "--stats"]
    untraced, _ = output([traced])
    if "tool:" in untraced:
        fail("the program has the tool by itself")
    for plain, words in ((output([traced], tool), [*run, traced]), (output([linked]), [*run, linked])):
        ours, conversions = output(words, tool if words[-1] == traced else None)
        calls = re.findall(r"^tool: \w+ (\w+):", plain[0], re.MULTILINE)
        asked = calls.count("MPI_Comm_get_info")  # by the ROMIO in MPICH 4.2, too
        if len(calls) - asked != CALLS - ROUNDS or asked < ROUNDS or plain[1]:
            fail(f"the tool does not work without us:\n{plain}")
        if ours != plain[0]:
            fail(f"{words}: not what it is without us:\n{plain[0]}\n{ours}")
        # 4 infos go and 2 come in each of two rounds; without an info only the 2 come.
        if conversions != [14]:
            fail(f"{words}: {conversions} conversions")


main()
