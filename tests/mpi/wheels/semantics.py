#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Programs of tests/mpi/apps with this library, on 2 processes: threads that share an info see no wrong value, which they do
plain on most libraries; windows and sessions answer as they do plain. See mpis.py.
"""
import re

from launch import fail
from mpis import TESTS, Test

APPS = TESTS / "mpi/apps"


def main():
    test = Test()
    shared = test.compile("shared_info", APPS / "shared_info.c")
    for part in ("mixed", "readers", "own"):
        text = test.outputs(2, [*test.ours, shared, "-s", "0.5", "-p", part])[0]
        print(f"{part}: {text}", end="")
        counts = dict(re.findall(r"(\w+) (\d+)", text))
        if counts["ranks"] != "2" or int(counts["gets"]) < 1000 or int(counts["sets"]) < 1000:
            fail(f"{part}: 2 processes and 1000 gets and sets wanted")

    plain, ours = test.both(2, [test.compile("window_info", f"-I{TESTS}", APPS / "window_info.c")])
    print(f"windows: {len(plain[0].splitlines())} answers")
    if plain != ours:
        fail(f"windows answer, plain:\n{plain[0]}ours:\n{ours[0]}")

    if test.mpi.flavour == "openmpi":
        print("sessions: version 4 has none; the program hangs in some runs of versions 5 and 6, also without rcuinfo")
        return
    sessions = test.compile("sessions", APPS / "sessions.c", APPS / "sessions_library.c")
    for words in ([], ["world"]):
        done, texts = test.results(2, [sessions, *words])
        if done.returncode != 0:
            print(f"sessions {words}: fail without rcuinfo, too:", texts[0][1].splitlines()[:1])
            continue
        plain, ours = [out for out, _ in texts], test.outputs(2, [*test.ours, sessions, *words])
        print(f"sessions {words}: {ours}")
        if plain != ours:
            fail(f"sessions {words} print, plain: {plain}")


main()
