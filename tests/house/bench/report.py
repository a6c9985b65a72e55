#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that bench/report runs all programs and makes its pages from their results, and that the programs reject bad
options. Does not look at times.

usage: report.py BENCH_REPORT BUILD DIRECTORY    (DIRECTORY is for its files)
"""
import json
import pathlib
import subprocess
import sys

BAD = ("--no-such-option", "--repeats=", "--repeats=0", "--json=/no/such/folder/file", "surplus")


def check_mpi(rows):
    """Checks that each row occurs once, and its fields."""
    assert len({(r["call"], r["keys"], r["readers"], r["writers"], r["against"]) for r in rows}) == len(rows)
    for row in rows:
        # A writer that was not scheduled within a millisecond has done nothing; calls in one thread always take time.
        if row["readers"] + row["writers"] == 0:
            assert row["rcuinfo"]["min"] > 0 and row["other"]["min"] > 0 and row["ratio"]["median"] > 0, row
        assert ("target" in row) == ("met" in row), row


def check_scale(rows):
    """Checks that each row occurs once, and has rates unless it failed, which only threads on one info of MPICH may."""
    assert len({(r["call"], r["infos"], r["threads"], r["library"]) for r in rows}) == len(rows)
    for row in rows:
        if "failed" in row:
            assert row["library"] == "MPICH" and row["infos"] == "shared" and row["threads"] > 1, row
        else:
            measures = {"calls_M_per_s"} & row.keys() or {"gets_M_per_s", "sets_M_per_s", "longest_us"}
            alone = row["kind"] == "threads" and not row["call"].startswith("1 in 8")  # also measured with one thread
            assert measures <= row.keys() and ("ratio" in row) == alone, row


def main(report, build, directory):
    def run(status, *options):
        done = subprocess.run([report, *options], capture_output=True, text=True, check=False)
        assert done.returncode == status, done
        return done

    directory = pathlib.Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    page, numbers = directory / "page.html", directory / "page.json"
    run(0, "--tiny", "--build", build, "--output", page)
    record = json.loads(numbers.read_text(encoding="utf-8"))
    collective = pathlib.Path(build, "bench", "bench_collective").exists()
    results = {run["result"]["bench"]: run["result"]["rows"] for run in record["runs"]}
    assert len(results) == 8 + collective and all(results.values()), results.keys()
    check_mpi(results["bench_mpi"])
    check_scale(results["bench_scale"])
    drawing = directory / "readme.svg"
    said = run(0, "--readme", numbers, "--output", drawing).stdout
    assert said.count(" ≤ ") + said.count(" ≥ ") == sum("target" in row for row in results["bench_mpi"])
    assert said.count("\n| create + ") == 4 and said.count(": longest ") == 6, said
    assert "<path" in drawing.read_text(encoding="utf-8")

    assert "cmake --preset release" in run(1, "--quick", "--build", directory / "nothing", "--output", page).stderr
    run(1, "--readme", directory / "no.json")
    for bad in (["--no-such-option"], ["surplus"], ["--quick", "--full"], ["--output"]):
        run(2, *bad)
    run(0, "--help")
    for bench in results:
        program = pathlib.Path(build, "bench", bench)
        for bad in BAD:
            assert subprocess.run([program, bad], capture_output=True, check=False).returncode == 2, (bench, bad)
        subprocess.run([program, "--help"], capture_output=True, check=True)


main(*sys.argv[1:])
