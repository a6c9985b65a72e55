#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Compares the answers of one kind of window to the questions of window_expect.h with its column in the table of
include/README.md. Real windows run on 2 processes, with and without `rcuinfo run`, and must give the same answers. For
a version of MPI without a column, only this is checked.

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
    """Returns the sentences of the table and the answers in the column; None if there is no such column."""
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
