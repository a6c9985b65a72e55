#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
That bench_mpi measures every row that it owes, on each MPI that is there, and notices wrong values; never how large the
numbers are.

usage: mpi.py BENCH_MPI WRONG_MPI JSON FLAVOUR...    (wrong_mpi.c as a library; flavours: mpich openmpi)
"""
import json
import os
import subprocess
import sys

NAMES = {"mpich": "MPICH", "openmpi": "Open MPI"}
CALLS = {
    "get hit": [1, 4, 16, 128, 1024, 8192],
    "get miss": [16, 1024],
    "get_nthkey": [1, 16, 128],
    "get_nkeys": [1, 16],
    "set": [1, 4, 16, 32, 128, 1024, 8192],
    "dup + free": [1, 16, 128, 1024],
    "create 8 sets free": [8],
    "MPI_Alloc_mem with info": [16],
    "Comm_set_info": [4],
    "Win_set_info": [4],
    "Comm_get_info + free": [4],
    "File_get_info + free": [4],
    "Alloc_mem + free": [4],
}
LATENCIES = ["set, p50", "set, p99", "set, p99.9", "set, p99.99", "set, maximum"]


def expected(flavours):
    """(call, keys, readers, writers, against) of every row."""
    for call, sizes in CALLS.items():
        for keys in sizes:
            for flavour in flavours:
                yield call, keys, 0, 0, NAMES[flavour]
    yield "set", 65536, 0, 0, "rcuinfo, 16 keys"
    yield "dup + free", 65536, 0, 0, "rcuinfo, 1 key"
    yield "set, maximum", 65536, 0, 1, "rcuinfo, 16 keys"
    if "openmpi" not in flavours:
        return
    for readers, writers in (1, 1), (4, 4), (7, 1), (1, 7), (0, 2), (0, 8):
        yield "sets", 16, readers, writers, "Open MPI"
        if readers:
            yield "gets", 16, readers, writers, "Open MPI"
            yield "gets and sets", 16, readers, writers, "Open MPI"
    yield "gets", 16, 2, 0, "rcuinfo, 1 reader"
    for latency in LATENCIES:
        yield latency, 16, 1, 1, "Open MPI"


def status_of(*command):
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode


def main(program, wrong, path, *flavours):
    subprocess.run([program, "--repeats", "1", "--ms", "1", "--json", path], check=True)
    with open(path, encoding="utf-8") as file:
        result = json.load(file)
    rows = [(r["call"], r["keys"], r["readers"], r["writers"], r["against"]) for r in result["rows"]]
    missing = set(expected(flavours)) - set(rows)
    assert not missing, f"missing: {sorted(missing)}"
    assert len(rows) == len(set(rows)) == len(set(expected(flavours))), f"{len(rows)} rows"
    for row in result["rows"]:
        # A writer that did not come to run within a millisecond has done nothing; calls of one thread always take time.
        if row["readers"] + row["writers"] == 0:
            assert row["rcuinfo"]["min"] > 0 and row["other"]["min"] > 0 and row["ratio"]["median"] > 0, row
        assert ("target" in row) == ("met" in row), row
    assert sorted(result["mpi"]) == sorted(NAMES[flavour] for flavour in flavours), result["mpi"]
    for mistake in "value", "found", "lost", "set", "nth", "nkeys":
        done = subprocess.run([program, "--repeats", "1", "--ms", "1"], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True, check=False,
                              env={**os.environ, "LD_PRELOAD": wrong, "BENCH_MISTAKE": mistake})
        assert done.returncode == 1 and "wrong value" in done.stderr, f"{mistake}: {done}"
    for bad in "--no-such-option", "--repeats=0", "--ms=", "--json=/no/such/folder/file", "surplus":
        assert status_of(program, bad) == 2, bad
    assert status_of(program, "--help") == 0


main(*sys.argv[1:])
