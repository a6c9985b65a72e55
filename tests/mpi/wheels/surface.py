#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Compares the functions of MPI that a program sees plain and ours, of all that any installed library has: none may be
missing, and only those of DOCUMENTED may be new. See surface.c and mpis.py.
"""
import re
import subprocess

from launch import fail
from mpis import HERE, Test

DOCUMENTED = {f"{p}MPI_Info_{name}" for p in ("", "P") for name in ("create_env", "get_string", "toint", "fromint")}
WAYS = {"w": "weak references", "d": "dlsym", "h": "dlsym on the library's handle"}


def functions(library):
    lines = subprocess.run(["nm", "-D", "--defined-only", library], stdout=subprocess.PIPE, text=True, check=True).stdout
    return set(re.findall(r" [TWi] (P?MPIX?_\w+)", lines))


def seen(text):
    """What a program printed: the names by way."""
    rows = [line.split(" ") for line in text.splitlines()]
    return len(rows), {way: {name for name, ways in rows if way in ways} for way in WAYS}


def main():
    test = Test()
    has = functions(test.mpi.file)
    names = sorted(set().union(*(functions(mpi.file) for mpi in test.installed.values())) | DOCUMENTED)
    (test.folder / "names.h").write_text("#define NAMES(_) " + " ".join(f"_({name})" for name in names) + "\n")
    words = [f"-I{test.folder}", "-O0", HERE / "surface.c"]
    program = test.compile("surface", *words)
    plugin = test.compile("plugin.so", "-DPLUGIN", "-shared", *words)
    host = str(test.folder / "host")
    subprocess.run([test.compiler, "-DHOST", "-o", host, *words, "-ldl"], check=True)

    wrong = []
    for what, command in (("a program", [program, test.mpi.file]), ("a plugin", [host, test.mpi.file, plugin])):
        texts = test.both(1, [str(word) for word in command])
        (count, plain), (our_count, ours) = (seen(text) for (text,) in texts)
        if count != len(names) or our_count != count or plain["h"] != has:
            fail(f"{what} was asked for {len(names)} names, and told of {count}, of which the library has {len(plain['h'])}")
        for way, how in WAYS.items():
            wrong += [f"{what}, {how}: {sign} {name}" for sign, found in (
                ("not seen:", plain[way] - ours[way]), ("new:", ours[way] - plain[way] - DOCUMENTED)) for name in sorted(found)]
            print(f"{what}, {how}: {len(plain[way])} of {count} names plain, {len(ours[way])} ours")
    if wrong:
        fail("\n".join([f"{len(wrong)} wrong:", *wrong]))


main()
