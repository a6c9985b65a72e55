#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Checks the report of hints_given.c. It has one line for each hint that the program gives, with the place of the call and
the processes that give it, and no other lines. The value in use is the one that MPI returns to the program. The verdict
is one of OPEN, except for FINDINGS: hints_truth.py checks them. `rcuinfo hints report` prints the same table as the run.

usage: hints_report.py COMMAND FLAVOUR LAUNCHER PROGRAM PROCESSES lines|offsets LIBRARY (such as "Open MPI 6.0.0")
"""
import collections
import ctypes
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from launch import environment, fail, outputs

TITLE = re.compile(r"^rcuinfo: \d+ hints? of ", re.M)
FIELDS = ("line", "function", "object", "name", "key", "given", "in_use")
BOOLEAN = "a boolean is true or false"

# Hints whose verdict does not depend on the value in use: object and key, verdict and note.
FINDINGS = {
    ("file", "acess_style"): ("unknown key", "did you mean 'access_style'?"),
    ("file", "no_locks"): ("unknown key", "a key of window"),
    ("file", "comment"): ("unknown key", None),
    ("file", "collective_buffering"): ("bad value", BOOLEAN),
    ("window", "no_lock"): ("unknown key", "did you mean 'no_locks'?"),
    ("communicator", "mpi_assert_no_any_tags"): ("unknown key", "did you mean 'mpi_assert_no_any_tag'?"),
    ("communicator", "mpi_assert_exact_length"): ("bad value", BOOLEAN),
    ("communicator", "cb_nodes"): ("unknown key", "a key of file"),
    ("alloc_mem", "alloc_shared_noncontig"): ("unknown key", "a key of window"),
    ("port", "ip_port"): ("bad value", "an integer has decimal digits only"),
    ("session", "mpi_size"): ("unknown key", "a key of process_set"),
    ("spawn", "hsot"): ("unknown key", "did you mean 'host'?"),
}
# A key that only MPICH has.
FINDINGS_OF_OPENMPI = {("window", "alloc_shm"): ("unknown key", None)}
# Empty values are not passed on before Open MPI 6.
FINDINGS_BEFORE_6 = {("file", "comment"): ("not passed on", "the library does not accept empty values")}
# Objects that belong to all processes of the world, unless their name says to which part.
OF_THE_WORLD = {"window", "file", "communicator", "split_type"}
# The verdicts on other hints, which are not told apart here, and those that must occur.
OPEN = {"not used", "changed", "not known", "read", "in effect"}
VERDICTS = {"unknown key", "bad value", "open"}


def findings(library):
    if not library.startswith("Open MPI "):
        return FINDINGS
    since_6 = int(library.split()[2].split(".")[0]) >= 6
    return {**FINDINGS, **FINDINGS_OF_OPENMPI, **({} if since_6 else FINDINGS_BEFORE_6)}


def verdict(library, hint, rank, processes):
    """Returns the expected verdict and note of a hint."""
    if hint["object"] == "failed":
        return ("the call failed", None)
    found = findings(library).get((hint["object"], hint["key"]))
    if found:
        return found
    if processes > 1 and (hint["name"].endswith("/odd.data") or hint["key"] == "same_disp_unit"):
        most = "2" if hint["key"] == "cb_nodes" else "true"
        note = f"'{most}' on 0-{processes - 2}" if rank == processes - 1 and processes > 2 else None
        return ("differs between processes", note)
    return ("open", None)


def expected(library, texts, way):
    """Counts the expected lines of the report. A line is the rank that gives the hint, FIELDS, verdict and note."""
    lines = collections.Counter()
    for rank, text in enumerate(texts):
        for line in text.splitlines():
            if "\t" in line:
                hint = dict(zip(FIELDS, line.split("\t")))
                if way != "lines":
                    hint["line"] = ""
                lines[(rank, *hint.values(), *verdict(library, hint, rank, len(texts)))] += 1
    return lines


def place(hint, way):
    """Returns the source line of a hint's call. If the report has offsets, only checks that it names the program."""
    pattern = r"hints_given\.c:(\d+)" if way == "lines" else r"hints_given\.\w+\+0x[0-9a-f]+()"
    found = re.fullmatch(pattern, hint["place"])
    return found[1] if found else fail(f"not a place in the program: {hint}")


def reported(report, way):
    """Counts the lines of a report, in the form of `expected`."""
    lines = collections.Counter()
    for hint in (hint for hint in report["hints"] if hint["verdict"] != "default"):
        check_line(hint, report["processes"])
        in_use, failed = hint["in_use"], hint["verdict"] == "the call failed"
        if failed:
            in_use = re.match(r"error class (\d+), .", hint["note"])[1]
            hint.update(object="failed", name="-", note=None)
        if hint["function"] == "MPI_File_delete":
            in_use = "?"
        elif in_use is None:
            in_use = "-" if hint["object"] in OF_THE_WORLD | {"session"} else "?"
        name = re.sub(r"^#\d*(@|$)", lambda part: part[1] and "#@", "-" if hint["name"] is None else hint["name"])
        judgement = ("open", None) if hint["verdict"] in OPEN else (hint["verdict"], hint["note"])
        spans = [span.split("-") for span in hint["on"].split(",")]  # 0-2,5
        on = [rank for span in spans for rank in range(int(span[0]), int(span[-1]) + 1)]
        times, rest = divmod(hint["count"], len(on))
        if rest:
            fail(f"the count is not the same on all processes: {hint}")
        for rank in on:
            lines[(rank, place(hint, way), hint["function"], hint["object"], name, hint["key"], hint["given"], in_use,
                   *judgement)] += times
    return lines


def check_line(hint, processes):
    """Checks the fields that the program does not print."""
    reserved = hint["verdict"] != "unknown key" and hint["key"] not in {"romio_ds_write", "alloc_shm", "comment", "hsot", "mpi_size"}
    if (hint["section"] is not None) != reserved:
        fail(f"a section, and only for a key of the standard, expected: {hint}")
    failed = hint["verdict"] == "the call failed"
    group = f"0+{processes}" if not failed and hint["object"] in OF_THE_WORLD and hint["function"] != "MPI_File_delete" else ""
    if part := re.fullmatch(r"#\d*@(\d+\+\d+)", hint["name"] or ""):
        group = f"{part[1]}:"
    if hint["source"] is not None or re.sub(":.*", ":", hint["group"] or "") != group:
        fail(f"no hint file and the group {group} expected: {hint}")


def check_child(files, way, parents):
    """Checks that the spawned job has a report of its own, and says by whom it was spawned."""
    for file in files:
        report = json.loads(file.read_text())
        (hint,) = report["hints"]
        if f" child (spawned by {parents} process" not in report["command"]:
            fail(f"the child's command is {report['command']}")
        if (hint["key"], hint["given"]) != ("mpi_minimum_memory_alignment", "128"):
            fail(f"the report of the child is {hint}")
        place(hint, way)


def main():
    command, flavour, launcher, program, processes, way, library = sys.argv[1:]
    processes = int(processes)
    if way == "lines":
        ctypes.CDLL("libdw.so.1")
    with tempfile.TemporaryDirectory() as directory:
        files = pathlib.Path(directory) / ("a folder whose name is not cut where others end " * 2)
        files.mkdir()
        words = [command, "run", "--hints-report=report.json", program]
        texts = outputs(flavour, launcher, directory, processes, [*words, str(files), *words, "child"])
        report = json.loads((pathlib.Path(directory) / "report.json").read_text())
        again = subprocess.run([command, "hints", "report", "report.json"], cwd=directory, env=environment(), text=True,
                               stdout=subprocess.PIPE, check=True).stdout
        children = list(pathlib.Path(directory).glob("report.json.*"))
        check_child(children, way, processes)
    print(again)
    out, errors = zip(*texts)
    tables = [text[TITLE.search(text).start():] for text in errors if TITLE.search(text)]
    if not TITLE.search(errors[0]) or len(tables) != 1:
        fail(f"process 0, and only this one, should print a table:\n{errors}")
    if "... and " not in tables[0] and tables[0] != again.partition("Values in use for which no hint was given:\n")[0]:
        fail(f"the run printed a different table:\n{tables[0]}")
    if not (report["mpi"].replace(" ", "").lower().startswith(flavour) and report["command"].startswith(program) and
            re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:]{8}Z", report["date"])):
        fail(f"the report is of {report['mpi']}, {report['command']}, {report['date']}")
    if report["processes"] != processes or report["lost"] != 0:
        fail(f"{processes} processes and nothing lost expected: {report}")
    wanted, found = expected(library, out, way), reported(report, way)
    if wanted != found:
        fail("\n".join(["missing in the report:", *map(str, wanted - found), "unexpected:", *map(str, found - wanted)]))
    spawned = any(line[3] == "spawn" for line in wanted)
    if len(children) != spawned:
        fail(f"{len(children)} reports of {int(spawned)} child jobs")
    verdicts = {line[8] for line in found}
    if not verdicts >= VERDICTS | ({"differs between processes"} if processes > 1 else set()):
        fail(f"verdicts are missing: {verdicts}")
    if "and 2 more" not in again:
        fail("three files opened at one source line should be one row")


main()
