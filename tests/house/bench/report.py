#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""That bench/report makes a whole page of what the programs write; never how large the numbers are.

usage: report.py BENCH_REPORT BUILD DIRECTORY    (a directory for its files)
"""
import copy
import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser

VOID = {"meta", "br", "link"}
FIGURES = ["mpi_get", "mpi_set", "mpi_dup", "mpi_get_nthkey", "get_1_0", "get_1_100", "override_1_0",
           "insert_1_0", "mixed_1_0", "mixed_1_50", "iterate_1", "lifecycle", "memory"]
SHARED_FIGURES = ["mpi_shared_gets", "mpi_shared_sets"]  # where there is Open MPI
TABLES = ["One thread", "Threads on one object", "Targets", "bench_table: all rows", "bench_contended: all rows",
          "bench_iterate", "bench_lifecycle", "bench_memory",
          "bench_hints"]


class Page(HTMLParser):
    """Checks that elements close in order; gathers the texts outside of drawings and style, and what is referred to."""

    def __init__(self, text):
        super().__init__()
        self.open, self.texts, self.references = [], [], []
        self.feed(text)
        self.close()
        assert not self.open, f"not closed: {self.open}"

    def handle_starttag(self, tag, attrs):
        if tag not in VOID:
            self.open.append(tag)
        self.references += [value for name, value in attrs if name in ("src", "href", "data", "xlink:href")]

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> in {self.open}"
        self.open.pop()

    def handle_data(self, data):
        if not {"svg", "style"} & set(self.open):
            self.texts.append(data)


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def check_page(path, record):
    text = read(path)
    flavours = next(r["result"]["mpi"] for r in record["runs"] if r["result"]["bench"] == "bench_mpi")
    figures = set(FIGURES + (SHARED_FIGURES if "Open MPI" in flavours else []))
    page = Page(text)
    names = set(re.findall(r'id="(\w+)_plot_\d+"', text))
    assert figures <= names, f"no figure {figures - names}"
    words = " ".join(page.texts)
    for table in TABLES:
        assert table in words, table
    wrong = re.findall(r".{40}(?:None|NaN|\bnan\b|\binf\b)", words)
    assert not wrong, wrong
    for url in page.references:
        assert url.startswith("#"), f"not complete in itself: {url}"
    for drawing in re.findall(r"<svg.*?</svg>", text, re.DOTALL):
        assert "<path" in drawing, "an empty drawing"


def main(report, build, directory):
    os.makedirs(directory, exist_ok=True)
    output = os.path.join(directory, "page.html")
    numbers = os.path.join(directory, "page.json")
    done = run(report, "--tiny", "--build", build, "--output", output)
    assert done.returncode == 0, done.stderr
    record = json.loads(read(numbers))
    check_page(output, record)
    collective = os.path.exists(os.path.join(build, "bench", "bench_collective"))
    assert len(record["runs"]) == 7 + collective, len(record["runs"])
    assert ("bench_collective: all rows" in read(output)) == collective
    again = os.path.join(directory, "again.html")
    assert run(report, "--from", numbers, "--output", again).returncode == 0
    assert read(output) == read(again)

    # Times too short for the clock, and a peer that did nothing in some round.
    extreme = copy.deepcopy(record)
    rows = next(r["result"]["rows"] for r in extreme["runs"] if r["result"]["bench"] == "bench_mpi")
    times, rates = ([row for row in rows if row["more_is_better"] == better] for better in (False, True))
    times[0]["ratio"].update(min=0, median=0)
    times[1]["ratio"].update(min=0, median=0, max=0)
    if rates:
        rates[0]["ratio"].update(median=None, max=None)
    with open(os.path.join(directory, "extreme.json"), "w", encoding="utf-8") as file:
        json.dump(extreme, file)
    done = run(report, "--from", file.name, "--output", output)
    assert done.returncode == 0, done.stderr
    check_page(output, extreme)

    drawing = os.path.join(directory, "readme.svg")
    done = run(report, "--readme", numbers, "--output", drawing)
    assert done.returncode == 0, done.stderr
    rows = next(r["result"]["rows"] for r in record["runs"] if r["result"]["bench"] == "bench_mpi")
    assert done.stdout.count(" ≤ ") + done.stdout.count(" ≥ ") == sum("target" in row for row in rows)
    assert "<path" in read(drawing)

    nothing = os.path.join(directory, "nothing")
    done = run(report, "--quick", "--build", nothing, "--output", output)
    assert done.returncode == 1 and "cmake --preset release" in done.stderr, done.stderr
    assert run(report, "--from", os.path.join(directory, "no.json")).returncode == 1
    for bad in (["--no-such-option"], ["surplus"], ["--quick", "--full"], ["--output"]):
        assert run(report, *bad).returncode == 2, bad
    assert run(report, "--help").returncode == 0


main(*sys.argv[1:])
