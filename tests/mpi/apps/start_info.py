#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
That start_info sees the same through `rcuinfo run` before init, after it and after finalize, under a real launcher: the
program's own command and arguments, what the launcher says, and from init on, in MPI_INFO_ENV alone, behind that what
the library's own has more, as processes of the same job that run without rcuinfo see it.

usage: start_info.py COMMAND FLAVOUR LAUNCHER PROGRAM
"""
import collections
import os
import platform
import re
import sys
import tempfile

from launch import fail, host, ranks, takes_several

OURS = ["command", "argv", "maxprocs", "soft", "host", "arch", "wdir", "file", "thread_level"]


def sections(text):
    """The pairs of each WHEN, in order."""
    found = collections.defaultdict(list)
    for line in text.splitlines():
        when, key, value = re.fullmatch(r"(\w+) (\w+)=(.*)", line).groups()
        found[when].append((key, value))
    return dict(found)


def more_of_rank(pairs, rank):
    """What the library has more on rank 3, as that rank has it: since Open MPI 6 each has a directory of its own."""
    return [(key, re.sub("/3$", f"/{rank}", value) if key == "ompi_positioned_file_dir" else value)
            for key, value in pairs if key not in OURS]


def main():
    command, flavour, launcher, program = sys.argv[1:]
    its_host, _ = host(flavour, launcher)
    with tempfile.TemporaryDirectory() as directory:
        directory = os.path.realpath(directory)
        contexts = [(2, [command, "run", program, "a", "b c"]), (1, ["-wdir", "/usr", command, "run", program, "d"]),
                    (1, [program]), (1, [command, "run", program])]
        texts, sizes = [], []
        one_job = takes_several(launcher)
        for job in [contexts] if one_job else [[context] for context in contexts]:
            texts += ranks(flavour, launcher, directory, *job)
            size = sum(processes for processes, _ in job)
            sizes += [str(size)] * size
        plain = sections(texts[3]).get("env_between", [])
        if (flavour == "openmpi") != bool(more_of_rank(plain, 3)):
            fail(f"{flavour} has by itself: {plain}")
        for rank, text in enumerate(texts[:3]):
            start = [("command", program), ("argv", "d" if rank == 2 else "a b c"), ("maxprocs", sizes[rank]),
                     ("soft", sizes[rank]), ("host", its_host), ("arch", platform.machine()),
                     ("wdir", "/usr" if rank == 2 else directory)]
            wanted = {f"{what}_{when}": start for what in ("env", "made") for when in ("before", "between", "after")}
            wanted["env_between"] = wanted["env_after"] = start + more_of_rank(plain, rank)
            found = sections(text)
            if not one_job:  # what the library has more is of the job
                found, wanted = ({when: [(key, value if key in OURS else "") for key, value in pairs]
                                  for when, pairs in of.items()} for of in (found, wanted))
            if found != wanted:
                fail(f"rank {rank}:\n{found}\ninstead of\n{wanted}")
        # A program without arguments has no argv, also where the launcher gave `rcuinfo run` some.
        alone = dict(sections(texts[4])["env_between"])
        if alone.get("command") != program or "argv" in alone:
            fail(f"without arguments: {alone}")


main()
