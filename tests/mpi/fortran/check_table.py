#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the interposer's table for Fortran with the installed MPI.

usage: check_table.py COMPILER TABLE INTERPOSER mpich|openmpi INCLUDE_DIRECTORY...

Each C function of the headers that takes or returns an info determines its procedure: arguments, strings, and the place
of the info. Each such procedure of the real Fortran libraries that does not call C must be in the interposer. Each
procedure of the interposer must be in those libraries, unless its C function belongs to another version of MPI.
"""

import re
import sys

from functions import declared, defined, output_of

compiler, table, interposer, flavour, *directories = sys.argv[1:]
LIBRARIES = {"mpich": ["mpichfort"], "openmpi": ["mpi_mpifh", "mpi_usempif08"]}
# Suffixes after the lower-case name of the C function. In MPICH the other procedures call C.
SUFFIXES = {
    "mpich": ["_f08_", "_f08_large_", "_c_f08_"],
    "openmpi": ["_", "__", "_cptr_", "_cptr__", "_f08_", "_f08ts_", "_c_f08_", "_c_f08ts_"],
}


def row_of(parameters):
    """Returns the expected row of the table: kind, words, strings, info."""
    (place,) = (n for n, p in enumerate(parameters) if re.search(r"\bMPI_Info\b", p))
    strings = sum(bool(re.search(r"\bchar\b", p)) for p in parameters)
    kind = "IN"
    if any(re.search(r"\bMPI_Session \*", p) for p in parameters):
        kind = "SESSION"
    elif "*" in parameters[place]:
        kind = "OUT"
    elif any(re.search(r"\bint root$", p) for p in parameters) and "[]" not in parameters[place]:
        at_root = ["int root", "MPI_Comm comm"] == [p for p in parameters[place + 1 : place + 3]]
        kind = "AT_ROOT" if at_root else "IN"
    elif "[]" in parameters[place]:
        kind = "ARRAY"
    return kind, len(parameters) + 1 + strings, strings, place + 1


rows = {}
for kind, name, *numbers in re.findall(r"ROW\((\w+), ([\w#]+), (\d+), (\d+), (\d+)\)", open(table).read()):
    row = (kind, *map(int, numbers))
    name = re.sub("##SUFFIX$|_f08_$", "", name)
    for prefix in ("mpi_", "mpix_") if "##" in name else ("",):
        if rows.setdefault(name.replace("PREFIX##", prefix), row) != row:
            sys.exit(f"{name} is there twice, and different")

ours = defined(interposer)
files = [output_of([compiler, f"-print-file-name=lib{name}.so"]).strip() for name in LIBRARIES[flavour]]
theirs = set().union(*map(defined, files))
wrong = []
wanted = set()
functions = {name: p for name, p in declared(compiler, directories).items() if not re.match(r"MPI_(T_|\w+_c$)", name)}
for name, parameters in functions.items():
    lower = name.lower()
    if name.startswith("MPI_Info_"):
        continue
    present = [lower + suffix for suffix in SUFFIXES[flavour] if lower + suffix in theirs]
    wanted.update(present)
    for symbol in present:
        key = lower + "_cptr" if "_cptr_" in symbol else lower
        if rows.get(key) != row_of(parameters):
            wrong.append(f"{symbol}: the table has {rows.get(key)}, the header says {row_of(parameters)}")
ENDS = "(" + "|".join(sorted(SUFFIXES[flavour], key=len, reverse=True)) + ")$"
lower_names = {name.lower() for name in functions}
for name in "mpi_init", "mpi_init_thread", "mpi_finalize", "mpi_abort":
    wanted.update(name + suffix for suffix in SUFFIXES[flavour] if name + suffix in theirs)
for name in "create create_env delete dup free get get_nkeys get_nthkey get_string get_valuelen set".split():
    wanted.update(f"mpi_info_{name}{end}" for end in ("_", "__", "_f08_"))

fortran = {name for name in ours if re.match(r"mpix?_", name)}
wrong += [f"the interposer lacks {name}" for name in sorted(wanted - fortran)]
# For another version of MPI: the function, or the form of names.
used = {end for end in SUFFIXES[flavour] if any(re.match("mpi_", name) and name.endswith(end) for name in theirs)}
of_others = set()
for name in fortran:
    end = re.search(ENDS, name)
    base = end and name[: end.start()]
    if base in rows and (base not in lower_names or end[0] not in used or base + "_f08ts_" in theirs):
        of_others.add(name)
wrong += [f"the interposer has {name}, and nobody else" for name in sorted(fortran - wanted - of_others)]
print(f"{len(functions)} functions of C, {len(wanted)} procedures of Fortran")
if wrong or not functions:
    sys.exit("\n".join(wrong) or "no functions found")
