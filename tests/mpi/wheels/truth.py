#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
The verdicts on hints are true of this library: tests/mpi/apps/hints_truth.py with its column. See mpis.py.
"""
import subprocess
import sys

from launch import fail
from mpis import TESTS, Test

APPS = TESTS / "mpi/apps"
COLUMNS = {"intel": ["Intel 2021"], "mpich5": ["MPICH 5.0"], "openmpi5": ["Open MPI 5.0", "Open MPI 5.0 romio"]}


def main():
    test = Test()
    program = test.compile("hints_given", APPS / "hints_given.c")
    for column in COLUMNS[test.mpi.name]:
        words = [test.ours[0], test.mpi.flavour, test.mpi.launcher, program, APPS / "hints_truth.txt", column]
        if subprocess.run([sys.executable, APPS / "hints_truth.py", *words]).returncode != 0:
            fail(f"not true of {column}")


main()
