#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Checks the verdicts of the report against what was read in the sources of the MPI libraries (hints_truth.txt), and the
evidence that each has; and that the values which no hint gave are reported, with the line of ROMIO_HINTS that gave one.

usage: hints_truth.py COMMAND FLAVOUR LAUNCHER PROGRAM TRUTH LIBRARY (such as "Open MPI 4.1", a column of TRUTH)
"""
import json
import pathlib
import sys
import tempfile

from launch import fail, outputs

EVIDENCE = {"standard", "table", "look-up", "set", "get_info"}


def read_truth(path, library):
    """Returns the verdict on each hint; "-": it cannot be given."""
    *_, heading = (line for line in path.read_text().splitlines() if line.startswith("# hint"))
    column = [name.strip() for name in heading.split("|")].index(library)
    rows = (line.split("|") for line in path.read_text().splitlines() if not line.startswith("#"))
    return {tuple(row[0].split()): row[column].strip() for row in rows}


def kind_of(hint):
    return "view" if hint["function"] == "MPI_File_set_view" else hint["object"]


def main():
    command, flavour, launcher, program, truth, library = sys.argv[1:]
    wanted = read_truth(pathlib.Path(truth), library)
    with tempfile.TemporaryDirectory() as directory:
        hints = pathlib.Path(directory) / "hints"
        hints.write_text("".join(" ".join(hint) + "\n" for hint in wanted))
        of_romio = pathlib.Path(directory) / "of_romio"
        # ROMIO copies all keys of that file, which is no use of one.
        of_romio.write_text("# ROMIO's own\nind_wr_buffer_size 1048576\naccess_style sequential\n")
        words = ["env", f"ROMIO_HINTS={of_romio}"] + (["OMPI_MCA_io=^ompio"] if library.endswith("romio") else [])
        words += [command, "run", "--hints-report=report", program, "--each", str(hints)]
        print(outputs(flavour, launcher, directory, 1, words)[0][1])
        report = json.loads((pathlib.Path(directory) / "report").read_text())
    defaults = {(hint["key"], hint["in_use"], hint["source"]) for hint in report["hints"] if hint["verdict"] == "default"}
    found = {(kind_of(hint), hint["key"], hint["given"]): hint for hint in report["hints"] if hint["verdict"] != "default"}

    wrong = [f"{' '.join(hint)}: {verdict}, the report says {found.get(hint)}" for hint, verdict in wanted.items()
             if (found[hint]["verdict"] if hint in found else "-") != verdict]
    wrong += [f"without evidence: {hint}" for hint in found.values() if hint["evidence"] not in EVIDENCE]
    wrong += [f"not given: {hint}" for hint in found.keys() - wanted.keys()]
    own = {("ind_wr_buffer_size", "1048576", f"{of_romio}:2"), ("cb_buffer_size", "16777216", None)}
    if library.startswith(("MPICH", "Intel")) and not own <= defaults:
        wrong += [f"not reported: {own - defaults}"]
    if wrong or len(wanted) < 75:
        fail("\n".join(wrong))


main()
