# SPDX-License-Identifier: BSD-3-Clause
"""
lookup.py LIBRARY TOOL: uses an info of an MPI library whose functions ctypes looks up, and prints a value; then, whether
the function of a tool is that of the tool.
"""
import ctypes
import sys



def address(library):
    return ctypes.cast(ctypes.CDLL(library).MPI_Win_allocate, ctypes.c_void_p).value


mpi = ctypes.CDLL(sys.argv[1])
info, value, found = ctypes.c_void_p(), ctypes.create_string_buffer(16), ctypes.c_int()
mpi.MPI_Init(None, None)
mpi.MPI_Info_create(ctypes.byref(info))
mpi.MPI_Info_set(info, b"key", b"value")
mpi.MPI_Info_get(info, b"key", 15, value, ctypes.byref(found))
mpi.MPI_Info_free(ctypes.byref(info))
print(found.value, value.value.decode(), address(sys.argv[2]) not in (address(None), address(sys.argv[1])))
mpi.MPI_Finalize()
