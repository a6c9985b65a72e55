#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
That bench_mpi measures all kinds of rows, each once and on each MPI that is there, and notices wrong values; never how
large the numbers are.

usage: mpi.py BENCH_MPI WRONG JSON FLAVOUR...    (wrong.c as a library; flavours: mpich openmpi)
"""
import json
import os
import subprocess
import sys

NAMES = {"mpich": "MPICH", "openmpi": "Open MPI"}
CALLS = {"get hit", "get miss", "get_nthkey", "get_nkeys", "set", "dup + free", "create 8 sets free",
         "MPI_Alloc_mem with info", "Comm_set_info", "Win_set_info", "Comm_get_info + free", "File_get_info + free",
         "Alloc_mem + free"}
SHARED = {"sets", "gets", "gets and sets", "set, p50", "set, p99", "set, p99.9", "set, p99.99", "set, maximum"}
OWN = {"set", "dup + free", "set, maximum"}  # against rcuinfo itself, of another size


def run(program, *arguments, **environment):
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=False,
                          env={**os.environ, **environment})


def main(program, wrong, path, *flavours):
    done = run(program, "--repeats", "1", "--ms", "1", "--json", path)
    assert done.returncode == 0, done
    with open(path, encoding="utf-8") as file:
        result = json.load(file)
    rows = result["rows"]
    assert len({(r["call"], r["keys"], r["readers"], r["writers"], r["against"]) for r in rows}) == len(rows), rows
    for flavour, name in NAMES.items():
        calls = CALLS | (SHARED if flavour == "openmpi" else set()) if flavour in flavours else set()
        found = {row["call"] for row in rows if row["against"] == name}
        assert found == calls, f"{name}: {found ^ calls}"
    assert OWN <= {row["call"] for row in rows if row["against"].startswith("rcuinfo, ")}, rows
    wanted = len(OWN) + len(flavours) * 31 + ("openmpi" in flavours) * 20  # of 1 to 8192 keys; of 1 to 8 threads
    assert len(rows) == wanted, f"{len(rows)} rows, not {wanted}"
    for row in rows:
        # A writer that did not come to run within a millisecond has done nothing; calls of one thread always take time.
        if row["readers"] + row["writers"] == 0:
            assert row["rcuinfo"]["min"] > 0 and row["other"]["min"] > 0 and row["ratio"]["median"] > 0, row
        assert ("target" in row) == ("met" in row), row
    assert sorted(result["mpi"]) == sorted(NAMES[flavour] for flavour in flavours), result["mpi"]
    for mistake in "value", "found", "lost", "set", "nth", "nkeys":
        done = run(program, "--repeats", "1", "--ms", "1", LD_PRELOAD=wrong, BENCH_MISTAKE="mpi_" + mistake)
        assert done.returncode == 1 and "wrong value" in done.stderr, f"{mistake}: {done}"
    for bad in "--no-such-option", "--repeats=0", "--ms=", "--json=/no/such/folder/file", "surplus":
        assert run(program, bad).returncode == 2, bad
    assert run(program, "--help").returncode == 0


main(*sys.argv[1:])
