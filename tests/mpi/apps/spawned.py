#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Checks that what a program under `rcuinfo run` spawns runs under it too, with its options: spawned processes print the
same as without it, have an MPI_INFO_ENV that says what was asked for, print counters, and report their hints, with the
rule. Where the MPI cannot spawn, its error must be the same. MPICH 5.0.2 and Open MPI 6.0.0rc2 do not return if there is
no such command: there is nothing to compare then.

usage: spawned.py COMMAND FLAVOUR LAUNCHER PROGRAM [SPAWNER SPAWNER]     SPAWNER: the same in Fortran
"""
import json
import pathlib
import shutil
import sys
import tempfile

from launch import fail, same, start, started

LIMIT_S = 40
MISSING_S = 15  # where the MPI may not return, as it does not find the command
TIMED_OUT = 124, 137
RULES = "[communicator]\nrule_for_child 1\n"


def run(words, directory, flavour, launcher, limit=LIMIT_S):
    done = started(["timeout", "--kill-after=5", str(limit), *start(flavour, launcher, 1), *words], directory)
    # What a spawned process prints may be cut where its parent's begins.
    return done, sorted(line for line in done.stdout.splitlines() if line.startswith(("child", "spawned")))


def check_one(launched, words, pair, spawned_command):
    """Runs a program that spawns a command, without and with the store. Returns the number of spawned processes."""
    command, flavour, launcher = launched
    with tempfile.TemporaryDirectory() as directory:
        place = pathlib.Path(directory)
        (place / "there").mkdir()
        (place / "rules").write_text(RULES)
        shutil.copy(words[2], place / "there" / "copy")
        shutil.copy(words[2], place / "here")
        pair = [word.replace("THERE", f"{directory}/there") for word in pair]
        words = [words[0], words[1], spawned_command, *pair]
        limit = MISSING_S if spawned_command in ("here", "./missing") else LIMIT_S
        plain, printed = run(words, directory, flavour, launcher, limit)
        if plain.returncode in TIMED_OUT and limit == MISSING_S:
            print(f"without the store, this has not ended in {limit} seconds: {words}")
            return 0
        options = ["--stats", "--hints=rules", "--hints-report=report"]
        done, had = run([command, "run", *options, *words], directory, flavour, launcher)
        what = f"{words}\n{plain.stdout}{plain.stderr}\n{done.stdout}{done.stderr}"
        spawned = sum(line.startswith("child") for line in printed)
        same(what, (done.returncode != 0, [line.split("; ")[0] for line in had]),
             (plain.returncode != 0, [line.split("; ")[0] for line in printed]))
        if not spawned:
            return 0
        same(what, spawned, int(words[1]))
        for line in had:
            said = line.split("; ")
            words_of_child = said[0].split(": ", 1)[1].strip("[]").split("] [")
            if line.startswith("child"):
                same(what, said[1:], [f"command {words_of_child[0]}", "argv " + (" ".join(words_of_child[1:]) or "none")])
        same(what, done.stderr.count("rcuinfo: process"), 1 + spawned)
        reports = [json.loads(file.read_text()) for file in place.glob("report*")]
        if any(hint["verdict"] == "the call did not return" for report in reports for hint in report["hints"]):
            fail(f"{what}\nall calls have returned: {reports}")
        keys = {(hint["key"], hint["given"]) for report in reports for hint in report["hints"]}
        if not {("hint_of_child", "1"), ("rule_for_child", "1")} <= keys:
            fail(f"{what}\nthe reports lack the spawned processes: {keys}")
        return spawned


def main():
    *launched, program = sys.argv[1:5]
    count = 0
    for number, spawner in zip("1212", [program, program, *sys.argv[5:]]):
        count += check_one(launched, [spawner, number, program], [], program)
    count += check_one(launched, [program, "2", program], ["wdir", "THERE"], program)
    for command, pair in ((program, ["wdir", "THERE"]), ("./copy", ["wdir", "THERE"]), ("here", []),
                          ("here", ["path", "THERE"]), ("./missing", [])):
        count += check_one(launched, [program, "1", program], pair, command)
    print(f"{count} processes were spawned")
    if count == 0:
        sys.exit(77)  # without the store, none either


if __name__ == "__main__":
    main()
