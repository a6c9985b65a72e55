#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Checks that a bench program runs, writes its results and rejects bad options. Does not look at times.

usage: programs.py JSON ROWS MEASURE BAD PROGRAM [ARGUMENT...]
           MEASURE: a spread in each row, or empty; BAD: a bad option
"""
import json
import pathlib
import subprocess
import sys

BAD = ("--no-such-option", "--keys=0", "--keys=1,x", "--repeats=", "--repeats=0",
       "--json=/no/such/folder/file", "surplus")


def run(status, *command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == status, done
    return done


def check_mpi(result):
    """Checks that each row occurs once, and its fields."""
    rows = result["rows"]
    assert len({(r["call"], r["keys"], r["readers"], r["writers"], r["against"]) for r in rows}) == len(rows)
    for row in rows:
        # A writer that was not scheduled within a millisecond has done nothing; calls in one thread always take time.
        if row["readers"] + row["writers"] == 0:
            assert row["rcuinfo"]["min"] > 0 and row["other"]["min"] > 0 and row["ratio"]["median"] > 0, row
        assert ("target" in row) == ("met" in row), row


def check_scale(result):
    """Checks that each row occurs once, and has rates unless it failed, which only threads on one info of MPICH may."""
    rows = result["rows"]
    assert len({(r["call"], r["infos"], r["threads"], r["library"]) for r in rows}) == len(rows)
    for row in rows:
        if "failed" in row:
            assert row["library"] == "MPICH" and row["infos"] == "shared" and row["threads"] > 1, row
        else:
            measures = {"calls_M_per_s"} & row.keys() or {"gets_M_per_s", "sets_M_per_s", "longest_us"}
            alone = row["kind"] == "threads" and not row["call"].startswith("1 in 8")  # also measured with one thread
            assert measures <= row.keys() and ("ratio" in row) == alone, row


def smoke(path, rows, measure, bad, *command):
    pathlib.Path(path).unlink(missing_ok=True)
    run(0, *command, "--json", path)
    result = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    assert len(result["rows"]) == int(rows) and result["commit"], f"{len(result['rows'])} rows, not {rows}"
    for spread in (row[measure] for row in result["rows"] if measure):
        assert 0 <= spread["min"] <= spread["median"] <= spread["max"], spread
    if result["bench"] == "bench_mpi":
        check_mpi(result)
    if result["bench"] == "bench_scale":
        check_scale(result)
    for option in (*BAD, bad):
        run(2, command[0], option)
    run(0, command[0], "--help")


smoke(*sys.argv[1:])
