#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
What a kind of window answers to the questions of window_expect.h, against its column in the table of include/README.md.
Real windows are asked on 2 processes, plainly and through `rcuinfo run`, which must not make a difference; of a version
of MPI that has no column there no more is known.

usage: window_info.py DOCUMENT COLUMN PROGRAM [COMMAND FLAVOUR LAUNCHER]
"""
import pathlib
import subprocess
import sys

from launch import fail, ranks

FIRST = "hints of a window (`tests/mpi/apps/window_expect.h`)"


def cells(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


def told(document, column):
    """The sentences of the table, with what its column says; None where there is no such column."""
    text = pathlib.Path(document).read_text()
    first, _, *rows = map(cells, text[text.index(f"| {FIRST} |"):].partition("\n\n")[0].splitlines())
    return [(row[0], row[first.index(column)]) for row in rows] if column in first else None


def answers(text):
    return [(line[4:], line[:3].strip()) for line in text.splitlines()]


def main():
    document, column, program, *launched = sys.argv[1:]
    if launched:
        command, flavour, launcher = launched
        texts = [ranks(flavour, launcher, "/", 2, words)[0] for words in ([program], [command, "run", program])]
    else:
        texts = [subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True).stdout]
    wanted = told(document, column) or answers(texts[0])
    for text in texts:
        if not text or answers(text) != wanted:
            fail("the table should say of {}:\n{}".format(
                column, "\n".join(f"| {sentence} | {answer} |" for sentence, answer in answers(text))))


main()
