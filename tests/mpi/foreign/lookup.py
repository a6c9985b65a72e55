# SPDX-License-Identifier: BSD-3-Clause
"""
lookup.py LIBRARY TOOL OTHER: uses an info of an MPI library whose functions ctypes looks up, and prints a value; then,
whether the function of a tool, and of another MPI library, is their own.
"""
import ctypes
import sys


def address(library):
    return ctypes.cast(ctypes.CDLL(library).MPI_Win_allocate, ctypes.c_void_p).value


def is_own(library):
    return address(library) not in (address(None), address(sys.argv[1]))


mpi = ctypes.CDLL(sys.argv[1])
info, value, found = ctypes.c_void_p(), ctypes.create_string_buffer(16), ctypes.c_int()
mpi.MPI_Init(None, None)
mpi.MPI_Info_create(ctypes.byref(info))
mpi.MPI_Info_set(info, b"key", b"value")
mpi.MPI_Info_get(info, b"key", 15, value, ctypes.byref(found))
mpi.MPI_Info_free(ctypes.byref(info))
mpi.MPI_Finalize()
print(found.value, value.value.decode(), is_own(sys.argv[2]), is_own(sys.argv[3]))
