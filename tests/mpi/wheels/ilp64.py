#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Fortran whose integers have 8 bytes, by the library's own procedures for it: the same plain and ours. See ilp64.f90 and
mpis.py.
"""
from launch import fail
from mpis import HERE, Test


def main():
    test = Test()
    program = test.compile("ilp64", "-fdefault-integer-8", "-ffree-line-length-none", HERE / "ilp64.f90",
                           test.mpi.file.parent / "libmpi_ilp64.so.4", "-lgfortran")
    plain = test.outputs(2, [program])
    if any(" 3 keys\n" not in text or "padded" not in text for text in plain):
        fail(f"the program prints something else plain:\n{plain[0]}")
    done, texts = test.results(2, [*test.ours, program])
    for before, (ours, errors) in zip(plain, texts):
        if done.returncode != 0 or ours != before:
            fail(f"ended with {done.returncode}; plain:\n{before}ours:\n{ours}{errors}")
    if not test.used(texts):
        fail("the store is not used, or infos are left")


main()
