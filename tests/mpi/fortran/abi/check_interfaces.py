#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares Fortran's three interfaces with the C header of the standard ABI, and checks programs that use them.

usage: check_interfaces.py INCLUDE_DIRECTORY SOURCE_DIRECTORY LIBRARY COMPILER MODULE_DIRECTORY [FLAG...]

Each function of the header must be in both modules, by both names, with the same arguments in the same order, their
types and, in mpi_f08, their intents, and its procedures for all interfaces in the library. Each constant must be there,
too; lengths exclude the NUL.

A program with the statements of GOOD must compile without a warning. With one of BAD instead it must not compile, and
the compiler must print the error given with it, and no other.
"""

import os
import re
import subprocess
import sys

abi, sources, library, compiler, modules, *flags = sys.argv[1:]
header, mpif = f"{abi}/mpi.h", f"{abi}/mpif.h"
module, module_f08 = f"{sources}/rcuinfo_mpi.f90", f"{sources}/rcuinfo_mpi_f08.f90"
# Fortran has handles as integers.
ONLY_IN_C = {"MPI_Info_toint", "MPI_Info_fromint"}
PROGRAM = """program statements
  use {module}
  implicit none
  {handle} :: info = MPI_INFO_ENV, copy
  integer :: n = 0, ierr
  logical :: flag, same
  character(len=8) :: text = ' '
  {statements}
  print *, info, copy, n, flag, same, text, ierr
end program
"""
# Arguments by name in any order, and the second names of procedures.
GOOD_EVERYWHERE = [
    "call MPI_Info_get(flag=flag, value=text, valuelen=8, key='k', info=info, ierror=ierr)",
    "call PMPI_Info_dup(newinfo=copy, info=info, ierror=ierr)",
    "call PMPI_Info_get(info, text(2:3), len(text(4:)), text(4:), flag, ierr)",
    "same = info == MPI_INFO_NULL",
]
GOOD = {"rcuinfo_mpi": ["n = info"],
        "rcuinfo_mpi_f08": ["call PMPI_Info_set(info, 'k', 'v')", "info = MPI_Info(info%MPI_VAL)",
                            "same = any([info, copy] /= MPI_INFO_NULL .or. [info, copy] == MPI_INFO_NULL)"]}
# mpi_f08: a constant cannot be written, and a handle is not an integer.
BAD = {"call MPI_Info_free(MPI_INFO_ENV)": "There is no specific subroutine",
       "same = info == 0": "Operands of comparison operator",
       "n = info": "Cannot convert TYPE(mpi_info) to INTEGER"}
# With mpif.h only the size of an INTEGER is checked, on which everything depends.
INCLUDING = """      program including
      include 'mpif.h'
      integer info, ierr
      call MPI_INFO_CREATE(info, ierr)
      end
"""
wrong = []


def text_of(path, comment):
    with open(path, encoding="ascii") as file:
        return re.sub(comment, " ", file.read(), flags=re.S)


c_text = text_of(header, r"/\*.*?\*/")


def same(what, fortran, c):
    if fortran != c:
        wrong.append(f"{what}: {fortran}, and by the header {c}")


def functions():
    """Returns a map from name to the types and names of the parameters."""
    found = {}
    for name, parameters in re.findall(r"\bint\s+(MPI_Info_\w+)\s*\(([^)]*)\);", c_text):
        if name not in ONLY_IN_C:
            pairs = (re.fullmatch(r"\s*(.*?)(\w+)(\[\])?\s*", p).groups("") for p in parameters.split(","))
            found[name] = [(kind.strip() + array, argument) for kind, argument, array in pairs]
    return found


def wanted_arguments(name, parameters, handle):
    """Returns the expected names, types and intents of a procedure. Fortran passes no command line."""
    wanted = []
    for kind, argument in parameters:
        if argument in ("argc", "argv"):
            continue
        if kind.startswith("const char"):
            row = "character(len=*)", "in"
        elif kind.startswith("char"):
            # The string's length is an argument, too.
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
    """Returns a map from name to the arguments that an interface body declares, in order."""
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
    generic = re.findall(r"^ *interface (P?MPI_\w+); procedure (\w+); end interface", text, re.M)
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
            # Intents are our choice; an argument that is written only sometimes is not INTENT(OUT).
            often = {"ierror", "newinfo"} | ({"info"} if "create" in name else set())
            wanted = [(a, k, "inout" if i == "out" and a not in often else i) for a, k, i in wanted]
        same(f"{path}: {name}", got, wanted)


def check_constants():
    values = dict(re.findall(r"#define (MPI_\w+)\s+(?:\(\(MPI_Info\))?(\w+)", c_text))
    wanted = {name: int(value, 0) - name.startswith("MPI_MAX_") for name, value in values.items()}
    text = text_of(mpif, r"![^\n]*")
    got = {name: int(value) for name, value in re.findall(r"(MPI_\w+)=(\d+)", text)}
    same("mpif.h", got, wanted)
    # The module for integers includes it; the other one lists each constant.
    names = set(re.findall(r"\bMPI_(?!Info)\w+", text_of(module_f08, r"![^\n]*"))) - {"MPI_VAL"}
    same(module_f08, sorted(names), sorted(wanted))


def check_library():
    lines = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    got = {name: address for address, _, name in map(str.split, lines.splitlines())}
    wanted = {p + name.lower() + end for name in functions() for p in ("", "p") for end in ("_", "__", "_f08_")}
    same(library, sorted(name for name in got if not name.startswith("__")), sorted(wanted))
    apart = [name for name in got if name.startswith("pmpi") and got[name] != got.get(name[1:])]
    same(f"{library}: second names of something else", apart, [])


def compile_it(source, *more):
    """Compiles a program. Returns the errors, and all messages."""
    command = [compiler, "-fsyntax-only", *more, *flags, "-I" + modules, "-I" + abi, "-x", "f95", "-"]
    environment = {**os.environ, "LC_ALL": "C"}  # messages are compared
    said = subprocess.run(command, input=source, capture_output=True, text=True, env=environment).stderr
    return re.findall(r"^Error: (.*)", said, re.M), said


def compile_statements(module, statements):
    source = PROGRAM.format(module=module, handle="type(MPI_Info)" if module.endswith("_f08") else "integer",
                            statements="\n  ".join(statements))
    return compile_it(source, "-ffree-form", "-Wall", "-Wextra", "-Werror")


def check_compiler():
    for name, good in GOOD.items():
        _, said = compile_statements(name, GOOD_EVERYWHERE + good)
        if said:
            wrong.append(f"{name}: refused or warned of: {said}")
    for statement, reason in BAD.items():
        errors, _ = compile_statements("rcuinfo_mpi_f08", [statement])
        if len(errors) != 1 or reason not in errors[0]:
            wrong.append(f"{statement}: not '{reason}', but: {errors}")
    for form in ("-ffree-form", "-ffixed-form"):
        errors, _ = compile_it(INCLUDING, form)
        if errors:
            wrong.append(f"mpif.h {form}: {errors}")
        errors, said = compile_it(INCLUDING, form, "-fdefault-integer-8")
        if not errors or "Division by zero" not in errors[0] or "mpif.h:" not in said:
            wrong.append(f"mpif.h {form} with long integers: not 'Division by zero', but: {said}")


check_module(module, "", "integer")
check_module(module_f08, "_f08", "type(MPI_Info)")
check_constants()
check_library()
check_compiler()
print(f"{len(functions())} functions")
if wrong or not functions():
    sys.exit("\n".join(wrong) or "no functions found")
