#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Fortran's three interfaces against the standard ABI's header of C.

usage: check_interfaces.py MPI_H MPIF_H MODULE MODULE_F08 LIBRARY

What the header declares says what Fortran must: every function, by both names, in both modules, with the same arguments
in the same order, their types and, in mpi_f08, their intents; the procedures in the library, for all interfaces; and
every constant, lengths without the NUL.
"""

import re
import subprocess
import sys

header, mpif, module, module_f08, library = sys.argv[1:]
# Handles as integers are what Fortran has.
ONLY_IN_C = {"MPI_Info_toint", "MPI_Info_fromint"}
wrong = []


def text_of(path, comment):
    with open(path, encoding="ascii") as file:
        return re.sub(comment, " ", file.read(), flags=re.S)


c_text = text_of(header, r"/\*.*?\*/")


def same(what, fortran, c):
    if fortran != c:
        wrong.append(f"{what}: {fortran}, and by the header {c}")


def functions():
    """Name to a list of type and name of each parameter."""
    found = {}
    for name, parameters in re.findall(r"\bint\s+(MPI_Info_\w+)\s*\(([^)]*)\);", c_text):
        if name not in ONLY_IN_C:
            pairs = (re.fullmatch(r"\s*(.*?)(\w+)(\[\])?\s*", p).groups("") for p in parameters.split(","))
            found[name] = [(kind.strip() + array, argument) for kind, argument, array in pairs]
    return found


def wanted_arguments(name, parameters, handle):
    """What a module must declare: name, type and intent of each argument. Fortran has no command line to give."""
    wanted = []
    for kind, argument in parameters:
        if argument in ("argc", "argv"):
            continue
        if kind.startswith("const char"):
            row = "character(len=*)", "in"
        elif kind.startswith("char"):
            # The length of the string is an argument itself.
            length = "valuelen" if handle != "integer" and name == "MPI_Info_get" else "*"
            row = f"character(len={length})", "out"
        elif kind.startswith("MPI_Info"):
            row = handle, "in" if "*" not in kind else "inout" if name == "MPI_Info_free" else "out"
        elif argument == "flag":
            row = "logical", "out"
        else:
            row = "integer", "in" if "*" not in kind else "inout" if argument == "buflen" else "out"
        wanted.append((argument, *row))
    return wanted + [("ierror", "integer", "out" if handle == "integer" else "out, optional")]


def declared(path, suffix):
    """Name to the arguments that an interface body declares, in order."""
    found = {}
    body = r"^\s*subroutine (\w+)\((.*?)\)\n(.*?)^\s*end subroutine"
    text = text_of(path, r"![^\n]*")
    for name, arguments, lines in re.findall(body, text, re.M | re.S):
        rows = {}
        for attributes, names in re.findall(r"^\s*(\w+[^\n]*?) :: ([^\n]*)", lines, re.M):
            kind, *more = re.split(r",\s*(?![^(]*\))", attributes)
            intent = [re.sub(r"intent\((\w+)\)", r"\1", word) for word in sorted(more)]
            rows.update({n.strip(): (kind, ", ".join(intent)) for n in names.split(",")})
        if not name.endswith(suffix):
            wrong.append(f"{path}: {name} without {suffix}")
        found[name.removesuffix(suffix)] = [(n.strip(), *rows.get(n.strip(), ("", ""))) for n in arguments.split(",")]
    second = re.findall(r"procedure\((\w+)\) :: P(\w+)", text)
    same(f"{path}: second names", sorted(second), sorted((name + suffix,) * 2 for name in found))
    generic = re.findall(r"^\s*interface (P?MPI_\w+)\s+procedure (\w+)\s+end interface", text, re.M)
    both = [prefix + name for name in found for prefix in ("", "P")] if suffix else []
    same(f"{path}: generic names", sorted(generic), sorted((name, name + suffix) for name in both))
    return found


def check_module(path, suffix, handle):
    found = declared(path, suffix)
    same(f"{path}: procedures", sorted(found), sorted(functions()))
    for name, parameters in functions().items():
        wanted = wanted_arguments(name, parameters, handle)
        got = found.get(name)
        if got and handle == "integer":
            # Intents are ours to choose; what is written only sometimes is not INTENT(OUT).
            often = {"ierror", "newinfo"} | ({"info"} if "create" in name else set())
            wanted = [(a, k, "inout" if i == "out" and a not in often else i) for a, k, i in wanted]
        same(f"{path}: {name}", got, wanted)


def check_constants():
    values = dict(re.findall(r"#define (MPI_\w+)\s+(?:\(\(MPI_Info\))?(\w+)", c_text))
    wanted = {name: int(value, 0) - name.startswith("MPI_MAX_") for name, value in values.items()}
    text = text_of(mpif, r"![^\n]*")
    got = {name: int(value) for name, value in re.findall(r"(MPI_\w+)=(\d+)", text)}
    same("mpif.h", got, wanted)
    # The module for integers includes it; the other names each one.
    names = set(re.findall(r"\bMPI_(?!Info)\w+", text_of(module_f08, r"![^\n]*"))) - {"MPI_VAL"}
    same(module_f08, sorted(names), sorted(wanted))


def check_library():
    lines = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    got = {name: address for address, _, name in map(str.split, lines.splitlines())}
    wanted = {p + name.lower() + end for name in functions() for p in ("", "p") for end in ("_", "__", "_f08_")}
    same(library, sorted(name for name in got if not name.startswith("__")), sorted(wanted))
    apart = [name for name in got if name.startswith("pmpi") and got[name] != got.get(name[1:])]
    same(f"{library}: second names of something else", apart, [])


check_module(module, "", "integer")
check_module(module_f08, "_f08", "type(MPI_Info)")
check_constants()
check_library()
print(f"{len(functions())} functions")
if wrong or not functions():
    sys.exit("\n".join(wrong) or "no functions found")
