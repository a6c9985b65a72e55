#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
A program that uses h5py: all processes open a file with hints, write it, read it back, and print the results.

usage: h5py_client.py FILE (created here, common to all processes)
"""
import sys

import h5py
import numpy
from mpi4py import MPI

if not hasattr(h5py, "File"):  # Debian's, with only the variant for MPI installed
    from h5py import _debian_h5py_mpi as h5py

ROWS = 64


def opened(name, mode, comm, info):
    file = h5py.File(name, mode, driver="mpio", comm=comm, info=info)
    comm_used, info_used = file.id.get_access_plist().get_fapl_mpio()
    print(f"{mode}: driver {file.driver}, {comm_used.size} processes")
    print(info_used.items())
    comm_used.Free()
    info_used.Free()
    return file


def main():
    comm = MPI.COMM_WORLD
    rows = ROWS // comm.size
    mine = slice(comm.rank * rows, (comm.rank + 1) * rows)
    info = MPI.Info.Create()
    info.update({"cb_buffer_size": "1048576", "cb_nodes": "1", "striping_unit": "65536", "of nobody": "x"})

    with opened(sys.argv[1], "w", comm, info) as file:
        numbers = file.create_dataset("numbers", (ROWS, 16), dtype="i4", track_times=False)
        with numbers.collective:
            numbers[mine] = numpy.arange(rows * 16).reshape(rows, 16) * (comm.rank + 1)
    with opened(sys.argv[1], "r", comm, info) as file:
        numbers = file["numbers"]
        with numbers.collective:
            print("read back:", numbers[mine].sum())
    info.Free()


main()
