#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Whose error handler is called, plain and ours, and how errors without one end a program. See errors.c and mpis.py.
"""
from launch import fail
from mpis import HERE, Test


def main():
    test = Test()
    program = test.compile("errors", HERE / "errors.c")
    called, wrong = set(), []
    for words in [[of, *how] for of in ("self", "world", "both", "neither") for how in ([], ["return"])]:
        runs = [test.results(1, [*ours, program, *words]) for ours in ([], test.ours)]
        (plain, ours) = [(done.returncode != 0, texts[0][0]) for done, texts in runs]
        called |= {line for line in plain[1].splitlines() if "handler" in line}
        print(f"{' '.join(words)}: {'ends' if plain[0] else 'goes on'}")
        if plain[0] == plain[1].endswith("end\n"):
            fail(f"{words}: plain, the program is not ended by an error:\n{plain[1]}{runs[0][0].stdout}{runs[0][1][0][1]}")
        if plain != ours:
            wrong.append("{}: plain, it {}:\n{}ours, it {}:\n{}{}".format(
                " ".join(words), *("ends" if value is True else "goes on" if value is False else value
                                   for value in (*plain, *ours)), runs[1][1][0][1]))
    if not called:
        fail("no handler was called")
    if wrong:
        fail("\n".join(wrong))


main()
