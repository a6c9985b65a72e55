#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
The report of h5py_hints.py on 2 processes, with a site's hint file: it says what the program and what the site has
given, from which line, and that a key has a slip in it and another one two values. What the site says is in use as far as
it is when a program gives it itself, plain: Open MPI 5's ROMIO takes no cb_buffer_size.

usage: hints_report.py COMMAND LAUNCHER PYTHON PROGRAM 1|0 (whether this Open MPI has a ROMIO besides)
"""
import sys
import tempfile

from launch import fail, outputs
from runs import hints_with, romio

SITE = "no_locks true\n[window]\ncb_buffer_size 1\n[file *.h5]\ncb_buffer_size 3145728\n"
LINE = 5
ASK = """
from mpi4py import MPI
info = MPI.Info.Create()
info.Set("cb_buffer_size", "3145728")
file = MPI.File.Open(MPI.COMM_WORLD, "file.h5", MPI.MODE_CREATE | MPI.MODE_RDWR, info)
print(file.Get_info().Get("cb_buffer_size"))
"""


def asked(launcher, python, options):
    """What a plain program is told of the site's hint: the verdict, and the value in use."""
    with tempfile.TemporaryDirectory() as directory:
        value = outputs("openmpi", launcher, directory, (2, [*options, python, "-c", ASK]))[0][0].strip()
    return {"None": ("ignored", None), "3145728": ("taken", value)}.get(value, ("changed", value))


def check(hints, site, told):
    """The hints of the file, of each of the two libraries that open it."""
    hints = [hint for hint in hints if hint["function"] == "MPI_File_open" and hint["name"] == "file.h5"]
    places = sorted({hint["place"] for hint in hints})
    if any(hint["key"] == "no_locks" for hint in hints):
        fail("what is for all calls is no slip where it is no key")
    if len(places) != 2 or not places[0].startswith("MPI.") or not places[1].startswith("libhdf5"):
        fail(f"mpi4py and libhdf5 open the file: {places}")
    for place in places:
        here = [hint for hint in hints if hint["place"] == place]
        of_site = [hint for hint in here if hint["source"] == f"{site}:{LINE}"]
        if [(hint["key"], hint["given"], hint["on"]) for hint in of_site] != [("cb_buffer_size", "3145728", "0-1")]:
            fail(f"{place}: the site's: {of_site}")
        if (of_site[0]["verdict"], of_site[0]["in_use"]) != told:
            fail(f"{place}: a plain program is told {told}: {of_site}")
        found = sorted((hint["key"], hint["given"], hint["verdict"], hint["on"], hint["note"] or "")
                       for hint in here if hint["source"] is None and hint["key"] != "striping_unit")
        if found != [("cb_bufer_size", "1048576", "unknown key", "0-1", "did you mean 'cb_buffer_size'?"),
                     ("cb_nodes", "1", "differs between processes", "0", ""),
                     ("cb_nodes", "2", "differs between processes", "1", "")]:
            fail(f"{place}: the program's: {found}")


def main():
    command, launcher, python, program, has_romio = sys.argv[1:]
    for options in [[], ["--mca", "io", romio()]] if has_romio == "1" else [[]]:
        hints, site = hints_with(SITE, command, "openmpi", launcher, [python, program, "file.h5"], options)
        if any(hint["key"] == "cb_buffer_size" and hint["object"] == "window" for hint in hints):
            fail("the site says something of windows here")
        check(hints, site, asked(launcher, python, options))


main()
