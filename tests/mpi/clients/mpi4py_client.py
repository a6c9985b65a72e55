#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
A program that uses mpi4py: the methods of Info, and infos of windows, files, communicators and ports. Prints the
results in order.

usage: mpi4py_client.py FILE (created and deleted here, common to all processes)
"""
import sys

from mpi4py import MPI


def show(what, info):
    print(f"{what}: {info.Get_nkeys()} keys")
    for n in range(info.Get_nkeys()):
        key = info.Get_nthkey(n)
        print(f"{what}: {key}={info.Get(key)}")


def show_used(what, used):
    show(what, used)
    used.Free()


def make(pairs):
    info = MPI.Info.Create()
    info.update(pairs)
    return info


def methods():
    info = make({"first": "1", "second": "two", "blanks": "  in  between  "})
    print("get:", info.Get("blanks"), info.Get("missing"), "second" in info, list(info), info.items())
    info.Delete("first")
    info.Set("first", "last")
    show("moved", info)
    for what, call, *arguments in [("nth too large", info.Get_nthkey, 99), ("empty value", info.Set, "empty", ""),
                                   ("item missing", info.__getitem__, "missing"),
                                   ("pop missing", getattr(info, "pop", info.__getitem__), "missing")]:  # not in 3.0
        try:
            print(f"{what}: {call(*arguments)!r}")
        except MPI.Exception as error:
            print(f"{what}: error class {error.Get_error_class()}, {error.Get_error_string()}")
        except KeyError as error:
            print(f"{what}: KeyError {error}")
    copy = info.Dup()
    copy.Set("only here", "yes")
    print("dup:", sorted(set(copy) - set(info)), info == copy, MPI.Info.f2py(info.py2f()) == info)
    info.Free()
    print("freed:", info == MPI.INFO_NULL, bool(info), bool(copy))
    copy.Free()


def windows(comm):
    info = make({"no_locks": "false", "accumulate_ordering": "rar,raw", "same_size": "true", "of nobody": "x"})
    print("given:", dict(info))
    made = {}
    for what, call, *arguments in [("allocate", MPI.Win.Allocate, 64, 8, info, comm),
                                   ("create", MPI.Win.Create, bytearray(64), 8, info, comm),
                                   ("allocate_shared", MPI.Win.Allocate_shared, 64, 8, info, comm),
                                   ("create_dynamic", MPI.Win.Create_dynamic, info, comm),
                                   ("null", MPI.Win.Allocate, 64, 8, MPI.INFO_NULL, comm)]:
        try:
            made[what] = call(*arguments)
        except MPI.Exception as error:  # Debian 11's Open MPI cannot make all
            print(f"window {what}: {error.Get_error_string()}")
    show("after the windows", info)
    info.update({"no_locks": "false", "accumulate_ops": "same_op"})
    for what, window in made.items():
        show_used(f"window {what}", window.Get_info())
        window.Set_info(info)
        show_used(f"window {what} changed", window.info)
        window.Free()
    info.Free()


def files(comm, name):
    info = make({"cb_buffer_size": "1048576", "cb_nodes": "1", "striping_unit": "65536", "access_style": "write_once"})
    file = MPI.File.Open(comm, name, MPI.MODE_CREATE | MPI.MODE_RDWR, info)
    show_used("file", file.Get_info())
    info.Set("cb_buffer_size", "2097152")
    file.Set_info(info)
    file.Set_view(comm.rank * 8, MPI.BYTE, MPI.BYTE, "native", info)
    file.Write_at_all(0, bytes([65 + comm.rank] * 8))
    show_used("file changed", file.info)
    file.Close()
    comm.Barrier()
    with open(name, "rb") as content:
        print("file content:", content.read())
    comm.Barrier()
    if comm.rank == 0:
        MPI.File.Delete(name, info)
    info.Free()


def communicators(comm):
    info = make({"mpi_assert_no_any_tag": "true", "of nobody": "x"})
    made = {"dup_with_info": comm.Dup_with_info(info), "dup": comm.Dup(), "dup given": comm.Dup(info),
            "split_type": comm.Split_type(MPI.COMM_TYPE_SHARED, comm.rank, info),
            "dist_graph_adjacent": comm.Create_dist_graph_adjacent([0], [0], info=info),
            "dist_graph": comm.Create_dist_graph([comm.rank], [1], [0], info=info)}
    for what, other in made.items():
        show_used(f"communicator {what}", other.Get_info())
        other.Set_info(info)
        show_used(f"communicator {what} changed", other.info)
        print("sum:", other.allreduce(comm.rank + 1))
        other.Free()
    memory = MPI.Alloc_mem(4096, info)
    print("memory:", len(memory))
    MPI.Free_mem(memory)
    info.Free()


def processes(comm):
    """Connects processes through a port."""
    info = make({"of nobody": "x"})
    port = comm.bcast(MPI.Open_port(info) if comm.rank == 0 else None)
    connected = MPI.COMM_SELF.Accept(port, info) if comm.rank == 0 else MPI.COMM_SELF.Connect(port, info)
    print("connected:", connected.sendrecv(comm.rank, 0, source=0))
    connected.Disconnect()
    if comm.rank == 0:
        MPI.Close_port(port)
    info.Free()


def main():
    comm = MPI.COMM_WORLD
    methods()
    windows(comm)
    files(comm, sys.argv[1])
    communicators(comm)
    processes(comm)
    show("env", MPI.INFO_ENV)


main()
