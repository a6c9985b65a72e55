#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Runs an unmodified program on 2 processes with the hint file of a site. The pairs of the site that the library knows are
passed to it, one of them in place of the program's own; a misspelled key is found, and a pair for all calls is not taken for
one. The report has the line of the hint file for each pair, and the place where the program or its library opens the
file. With RCUINFO_HINTS_FILTERED the misspelled key is not passed to the library.

usage: site_hints.py COMMAND FLAVOUR LAUNCHER romio|stored|dropped PROGRAM...
       romio: it uses ind_rd_buffer_size, and one aggregator for each machine, of the two that are requested
       stored, dropped: Open MPI's own files do not use ind_rd_buffer_size, and return it or not
"""
import json
import os
import pathlib
import re
import sys
import tempfile

from launch import fail, outputs

SITE = """no_locks true
[file]
ind_rd_buffer_size 1048576
cb_bufer_size 3145728
[file f*]
[impose] cb_nodes 2
"""


def check(slip, filtered):
    """Runs the program once. Checks the verdict and note on the misspelled key."""
    command, flavour, launcher, files, *program = sys.argv[1:]
    os.environ["RCUINFO_HINTS_FILTERED"] = filtered
    with tempfile.TemporaryDirectory() as directory:
        place = pathlib.Path(directory).resolve()
        (place / "site.hints").write_text(SITE)
        run = [command, "run", "--hints", "site.hints", "--hints-report=report", *program]
        print(outputs(flavour, launcher, directory, 2, run)[0][1])
        hints = json.loads((place / "report").read_text())["hints"]
    of_file = [hint for hint in hints if hint["function"] == "MPI_File_open"]

    found = sorted((hint["source"], hint["key"], hint["verdict"], hint["note"] or hint["in_use"], hint["on"])
                   for hint in of_file if hint["source"])
    reading, nodes = {"romio": (("in effect", "1048576"), ("changed", "1")),
                      "stored": (("not used", "only stored"), ("read", "2")),
                      "dropped": (("not used", None), ("read", "2"))}[files]
    wanted = [(f"{place}/site.hints:3", "ind_rd_buffer_size", *reading, "0-1"),
              (f"{place}/site.hints:4", "cb_bufer_size", *slip, "0-1"),
              (f"{place}/site.hints:6", "cb_nodes", *nodes, "0-1")]
    if found != wanted:
        fail(f"the site's: {found}\nwanted: {wanted}")
    for hint in of_file:
        # If the program gives cb_nodes, too, the imposed value replaces it.
        if hint["key"] == "cb_nodes" and hint["source"] is None and hint["verdict"] != "not passed on":
            fail(f"imposed all the same: {hint}")
        if not re.fullmatch(r"(libhdf5\S*|libpnetcdf\S*|ncmpigen)\+0x[0-9a-f]+", hint["place"]):
            fail(f"not where the client opens it: {hint}")


check(("unknown key", "did you mean 'cb_buffer_size'?"), "no")
check(("not passed on", "RCUINFO_HINTS_FILTERED"), "yes")
