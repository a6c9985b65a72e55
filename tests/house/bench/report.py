#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that bench/report makes a complete page from the results of the programs. Does not look at times.

usage: report.py BENCH_REPORT BUILD DIRECTORY    (DIRECTORY is for its files)
"""
import json
import pathlib
import re
import subprocess
import sys
from xml.etree import ElementTree

FIGURES = {"mpi_get", "mpi_set", "mpi_dup", "mpi_get_nthkey", "get_0", "get_100", "override_0",
           "insert_0", "mixed_1_0", "mixed_1_50", "iterate_1", "latency_get_1_1", "latency_set_1_1", "scale_own_get",
           "scale_own_create_free", "scale_shared_1_thread_sets_others_get"}
TABLES = ["One thread", "Threads on one object", "Targets", "bench_table: all rows", "bench_contended: all rows",
          "bench_scale: all rows",
          "bench_iterate", "bench_lifecycle", "bench_memory", "bench_hints"]


def of_mpi(record):
    return next(run["result"] for run in record["runs"] if run["result"]["bench"] == "bench_mpi")


def check_page(path):
    text = path.read_text(encoding="utf-8")
    names = set(re.findall(r'id="(\w+)_plot_\d+a?"', text))
    assert FIGURES <= names, f"no figure {FIGURES - names}"
    ElementTree.fromstring(text)  # must be well-formed
    for url in re.findall(r'\s(?:src|href|data|xlink:href)\s*=\s*["\']([^"\']*)', text):
        assert url.startswith("#"), f"not complete in itself: {url}"
    for drawing in re.findall(r"<svg.*?</svg>", text, re.DOTALL):
        assert "<path" in drawing, "an empty drawing"
    words = re.sub(r"<[^<>]*>", " ", re.sub(r"<(svg|style)\b.*?</\1>", "", text, flags=re.DOTALL))
    for table in TABLES:
        assert table in words, table
    wrong = re.findall(r".{40}(?:None|NaN|\bnan\b|\binf\b)", words)
    assert not wrong, wrong


def main(report, build, directory):
    def run(status, *options):
        done = subprocess.run([report, *options], capture_output=True, text=True, check=False)
        assert done.returncode == status, done
        return done

    directory = pathlib.Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    page, again, numbers = directory / "page.html", directory / "again.html", directory / "page.json"
    run(0, "--tiny", "--build", build, "--output", page)
    record = json.loads(numbers.read_text(encoding="utf-8"))
    check_page(page)
    collective = pathlib.Path(build, "bench", "bench_collective").exists()
    assert len(record["runs"]) == 8 + collective, len(record["runs"])
    assert ("bench_collective: all rows" in page.read_text(encoding="utf-8")) == collective
    run(0, "--from", numbers, "--output", again)
    assert page.read_bytes() == again.read_bytes()
    drawing = directory / "readme.svg"
    said = run(0, "--readme", numbers, "--output", drawing).stdout
    assert said.count(" ≤ ") + said.count(" ≥ ") == sum("target" in row for row in of_mpi(record)["rows"])
    assert said.count("\n| create + ") == 4 and said.count(": longest ") == 6, said
    assert "<path" in drawing.read_text(encoding="utf-8")

    # Times too short for the clock, a peer that did nothing in one round, and readers that never ran.
    rows = of_mpi(record)["rows"]
    times, rates = ([row for row in rows if row["more_is_better"] == better] for better in (False, True))
    times[0]["ratio"].update(min=0, median=0)
    times[1]["ratio"].update(min=0, median=0, max=0)
    if rates:
        rates[0]["ratio"].update(median=None, max=None)
    for row in next(run["result"]["rows"] for run in record["runs"] if run["result"]["bench"] == "bench_scale"):
        row.get("gets_M_per_s", {}).update(median=0, min=0, max=0)
    extreme = directory / "extreme.json"
    extreme.write_text(json.dumps(record), encoding="utf-8")
    run(0, "--from", extreme, "--output", page)
    check_page(page)

    assert "cmake --preset release" in run(1, "--quick", "--build", directory / "nothing", "--output", page).stderr
    run(1, "--from", directory / "no.json")
    for bad in (["--no-such-option"], ["surplus"], ["--quick", "--full"], ["--output"]):
        run(2, *bad)
    run(0, "--help")


main(*sys.argv[1:])
