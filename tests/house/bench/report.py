#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that bench/report runs all programs and makes its pages from their results. Does not look at times.

usage: report.py BENCH_REPORT BUILD DIRECTORY    (DIRECTORY is for its files)
"""
import json
import pathlib
import subprocess
import sys

def of_mpi(record):
    return next(run["result"] for run in record["runs"] if run["result"]["bench"] == "bench_mpi")


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
    assert len(record["runs"]) == 8 + collective, len(record["runs"])
    drawing = directory / "readme.svg"
    said = run(0, "--readme", numbers, "--output", drawing).stdout
    assert said.count(" ≤ ") + said.count(" ≥ ") == sum("target" in row for row in of_mpi(record)["rows"])
    assert said.count("\n| create + ") == 4 and said.count(": longest ") == 6, said
    assert "<path" in drawing.read_text(encoding="utf-8")

    assert "cmake --preset release" in run(1, "--quick", "--build", directory / "nothing", "--output", page).stderr
    run(1, "--readme", directory / "no.json")
    for bad in (["--no-such-option"], ["surplus"], ["--quick", "--full"], ["--output"]):
        run(2, *bad)
    run(0, "--help")


main(*sys.argv[1:])
