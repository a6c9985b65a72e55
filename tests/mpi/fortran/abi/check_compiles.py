#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the compiler takes and what it refuses, with the two modules and with mpif.h.

usage: check_compiles.py COMPILER MODULE_DIRECTORY INCLUDE_DIRECTORY [FLAG...]

A program with the statements of GOOD must compile without a warning; with one of BAD instead it must not, and the
compiler must say what is named beside that, and nothing else. All that a declaration says is for check_interfaces.py.
"""

import os
import re
import subprocess
import sys

compiler, modules, abi, *flags = sys.argv[1:]

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
# Names of the arguments in any order; and the second names.
GOOD_EVERYWHERE = [
    "call MPI_Info_get(flag=flag, value=text, valuelen=8, key='k', info=info, ierror=ierr)",
    "call PMPI_Info_dup(newinfo=copy, info=info, ierror=ierr)",
    "call PMPI_Info_get(info, text(2:3), len(text(4:)), text(4:), flag, ierr)",
    "same = info == MPI_INFO_NULL",
]
GOOD = {"rcuinfo_mpi": ["n = info"],
        "rcuinfo_mpi_f08": ["call PMPI_Info_set(info, 'k', 'v')", "info = MPI_Info(info%MPI_VAL)",
                            "same = any([info, copy] /= MPI_INFO_NULL .or. [info, copy] == MPI_INFO_NULL)"]}
# Of mpi_f08: a constant is none to write to, and a handle is no integer.
BAD = {"call MPI_Info_free(MPI_INFO_ENV)": "There is no specific subroutine",
       "same = info == 0": "Operands of comparison operator",
       "n = info": "Cannot convert TYPE(mpi_info) to INTEGER"}
# By mpif.h nothing is checked but the size of an INTEGER, on which everything depends.
INCLUDING = """      program including
      include 'mpif.h'
      integer info, ierr
      call MPI_INFO_CREATE(info, ierr)
      end
"""
wrong = []


def compile_it(source, *more):
    """What the compiler says of it: its errors, and all that it says."""
    command = [compiler, "-fsyntax-only", *more, *flags, "-I" + modules, "-I" + abi, "-x", "f95", "-"]
    environment = {**os.environ, "LC_ALL": "C"}  # the words of the messages are looked at
    said = subprocess.run(command, input=source, capture_output=True, text=True, env=environment).stderr
    return re.findall(r"^Error: (.*)", said, re.M), said


def compile_statements(module, statements):
    source = PROGRAM.format(module=module, handle="type(MPI_Info)" if module.endswith("_f08") else "integer",
                            statements="\n  ".join(statements))
    return compile_it(source, "-ffree-form", "-Wall", "-Wextra", "-Werror")


for module, good in GOOD.items():
    _, said = compile_statements(module, GOOD_EVERYWHERE + good)
    if said:
        wrong.append(f"{module}: refused or warned of: {said}")
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
if wrong:
    sys.exit("\n".join(wrong))
