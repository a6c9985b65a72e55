#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
A client, unmodified, on 2 processes with a site's hint file: the site's pairs are in use as far as the library knows
them, one of them before the client's own, a slip is found, and the report names the line that each came from. With
RCUINFO_HINTS_FILTERED the slip does not get to the library.

usage: site_hints.py COMMAND FLAVOUR LAUNCHER CB_NODES taken|ignored PROGRAM...
       CB_NODES: what the library has in use when asked for 2; MPICH's ROMIO takes one for each machine
       taken|ignored: what becomes of ind_rd_buffer_size, which ROMIO knows, and Open MPI's own files do not
"""
import os
import sys

from launch import fail
from runs import hints_with

SITE = """[file]
ind_rd_buffer_size 1048576
cb_bufer_size 3145728
[file f*]
[impose] cb_nodes 2
"""


def check(slip, filtered):
    """One run; the slip's verdict and note are to be those given."""
    command, flavour, launcher, nodes, reading, *program = sys.argv[1:]
    os.environ["RCUINFO_HINTS_FILTERED"] = filtered
    hints, site = hints_with(SITE, command, flavour, launcher, program)

    found = sorted((hint["source"], hint["key"], hint["verdict"], hint["in_use"], hint["on"]) for hint in hints
                   if hint["function"] == "MPI_File_open" and hint["source"] and hint["key"] != "cb_bufer_size")
    wanted = [(f"{site}:2", "ind_rd_buffer_size", reading, "1048576" if reading == "taken" else None, "0-1"),
              (f"{site}:5", "cb_nodes", "taken" if nodes == "2" else "changed", nodes, "0-1")]
    if found != wanted:
        fail(f"the site's: {found}\nwanted: {wanted}")

    slips = {(hint["source"], hint["verdict"], hint["note"]) for hint in hints if hint["key"] == "cb_bufer_size"}
    if slips != {(f"{site}:3", *slip)}:
        fail(f"the slip: {slips}")

    # Where the client gives cb_nodes too, what it says has to yield.
    for hint in hints:
        if hint["function"] == "MPI_File_open" and hint["key"] == "cb_nodes" and hint["source"] is None:
            if hint["verdict"] != "not handed down":
                fail(f"imposed all the same: {hint}")


check(("unknown key", "did you mean 'cb_buffer_size'?"), "no")
check(("not handed down", "RCUINFO_HINTS_FILTERED"), "yes")
