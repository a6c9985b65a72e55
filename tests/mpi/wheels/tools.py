#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
A profiling tool in the places where tools are: it and the program must print the same plain and ours. See tool.c,
tool_program.c and mpis.py.
"""
import difflib

from launch import fail
from mpis import HERE, Test


def main():
    test = Test()
    program, source = HERE / "tool_program.c", HERE / "tool.c"
    alone, tool = test.compile("alone", program), test.compile("libtool.so", "-shared", source)
    infos = test.compile("libinfos.so", "-DINFOS", "-shared", source)
    # What a shell sets is ahead of what it found, which is ours.
    ahead = ["sh", "-c", 'LD_PRELOAD=$1${LD_PRELOAD:+:$LD_PRELOAD} exec "$2"', "sh"]
    places = {
        "no tool": ([], [alone]),
        "in the executable": ([], [test.compile("inside", program, source)]),
        "in the executable, with infos": ([], [test.compile("inside_infos", "-DINFOS", program, source)]),
        "linked": ([], [test.compile("linked", program, tool)]),
        "preloaded": (["env", f"LD_PRELOAD={tool}"], [alone]),
        "preloaded ahead of us": ([], [*ahead, tool, alone]),
        "preloaded ahead of us, with infos": ([], [*ahead, infos, alone]),
    }
    wrong = []
    for place, (before, words) in places.items():
        plain = test.outputs(2, [*before, *words])
        wanted = 0 if place == "no tool" else 17 # more where the library calls a function by its public name
        if any(text.count("tool: ") < wanted for text in plain):
            fail(f"{place}: the tool prints something else plain:\n{plain[0]}")
        done, texts = test.results(2, [*before, *test.ours, *words])
        for rank, (text, (ours, errors)) in enumerate(zip(plain, texts)):
            if done.returncode != 0 or text != ours:
                lines = difflib.unified_diff(text.splitlines(), ours.splitlines(), "plain", "ours", n=0, lineterm="")
                wrong += [f"{place}, process {rank}: ended with {done.returncode}", errors, *list(lines)[:20]]
                break
        if not test.used(texts):
            wrong.append(f"{place}: the store is not used, or infos are left")
        print(f"{place}: {len(plain[0].splitlines())} lines")
    if wrong:
        fail("\n".join(wrong))


main()
