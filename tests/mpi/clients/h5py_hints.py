#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
A client of h5py and mpi4py: a file opened by each with hints, one of which has a slip in its key, and one another value on the last process.

usage: h5py_hints.py FILE (to be made, common to all processes)
"""
import sys

import h5py
from mpi4py import MPI

if not hasattr(h5py, "File"):  # Debian's, where there is only the one for MPI
    from h5py import _debian_h5py_mpi as h5py


def main():
    comm = MPI.COMM_WORLD
    info = MPI.Info.Create()
    info.update({"striping_unit": "65536", "cb_bufer_size": "1048576",
                 "cb_nodes": "2" if 0 < comm.rank == comm.size - 1 else "1"})
    with h5py.File(sys.argv[1], "w", driver="mpio", comm=comm, info=info) as file:
        file.create_dataset("numbers", (8, 8), dtype="i4")
    MPI.File.Open(comm, sys.argv[1], MPI.MODE_RDONLY, info).Close()
    info.Free()


main()
