#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the compiler takes and what it refuses, with the two modules and with mpif.h.

usage: check_compiles.py COMPILER MODULE_DIRECTORY INCLUDE_DIRECTORY [FLAG...]

A program with the statements of GOOD must compile without a warning; with one of BAD instead it must not, and the
compiler must say what is named beside that, and nothing else. That each argument has its type and intent is for
check_interfaces.py to say.
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
  {other} :: wrong
  integer :: n = 0, ierr
  integer(selected_int_kind(18)) :: long = 0
  logical :: flag, same
  character(len=8) :: text = ' '
  {statements}
  print *, info, copy, wrong, n, long, flag, same, text, ierr
end program
"""

# Names of the arguments as the standard has them, in any order, and each function by both names.
GOOD_EVERYWHERE = """
MPI_Info_create(ierror=ierr, info=info)
MPI_Info_set(value='v', key='k', info=info, ierror=ierr)
MPI_Info_delete(key='k', info=info, ierror=ierr)
MPI_Info_get(flag=flag, value=text, valuelen=8, key='k', info=info, ierror=ierr)
MPI_Info_get_valuelen(flag=flag, valuelen=n, key='k', info=info, ierror=ierr)
MPI_Info_get_string(flag=flag, value=text, buflen=n, key='k', info=info, ierror=ierr)
MPI_Info_get_nkeys(nkeys=n, info=info, ierror=ierr)
MPI_Info_get_nthkey(key=text, n=0, info=info, ierror=ierr)
MPI_Info_dup(newinfo=copy, info=info, ierror=ierr)
MPI_Info_free(info=info, ierror=ierr)
MPI_Info_create_env(info=info, ierror=ierr)
MPI_Info_get(info, text(2:3), len(text(4:)), text(4:), flag, ierr)
""".strip().splitlines()

# What is wrong, and what is said with rcuinfo_mpi; a generic name, as in rcuinfo_mpi_f08, is said to have no such
# procedure, for whatever reason. "{p}": once for each name of the procedure.
BAD_EVERYWHERE = [
    ("call {p}MPI_Info_free(MPI_INFO_ENV, ierr)", "Non-variable expression in variable definition context"),
    ("call {p}MPI_Info_set(wrong, 'k', 'v', ierr)", "Type mismatch in argument"),
    ("call {p}MPI_Info_get_nkeys(info, n, long)", "Type mismatch in argument"),
    ("call {p}MPI_Info_set(info, key='k', ierror=ierr)", "Missing actual argument"),
    ("call {p}MPI_Info_set(info, name='k', value='v', ierror=ierr)", "Keyword argument 'name' at"),
]
BAD = {
    "rcuinfo_mpi": BAD_EVERYWHERE + [("call {p}MPI_Info_create(info)", "Missing actual argument")],
    "rcuinfo_mpi_f08": [(s, "There is no specific subroutine") for s, _ in BAD_EVERYWHERE]
    + [
        ("same = info == 0", "Operands of comparison operator"),
        ("same = info < copy", "Operands of comparison operator"),
        ("n = info", "Cannot convert TYPE(mpi_info) to INTEGER"),
    ],
}
GOOD = {
    "rcuinfo_mpi": ["same = info == MPI_INFO_NULL", "n = info"],
    "rcuinfo_mpi_f08": [
        "same = info == MPI_INFO_NULL",
        "same = info /= copy",
        "same = any([info, copy] == MPI_INFO_NULL)",
        "n = info%MPI_VAL",
        "info = MPI_Info(n)",
    ]
    + ["call " + re.sub(r", ierror=ierr|ierror=ierr, |, ierr(?=\))", "", s) for s in GOOD_EVERYWHERE],
}
# By mpif.h nothing is checked but the size of an INTEGER, on which everything depends.
INCLUDING = """      program including
      include 'mpif.h'
      integer info, ierr
      call MPI_INFO_CREATE(info, ierr)
      end
"""
programs = 0
wrong = []


def compile_it(source, *more):
    """What the compiler says of it: its errors, and all that it says."""
    global programs
    programs += 1
    command = [compiler, "-fsyntax-only", *more, *flags, "-I" + modules, "-I" + abi, "-x", "f95", "-"]
    environment = {**os.environ, "LC_ALL": "C"}  # the words of the messages are looked at
    said = subprocess.run(command, input=source, capture_output=True, text=True, env=environment).stderr
    return re.findall(r"^Error: (.*)", said, re.M), said


def compile_statements(module, statements):
    handle, other = ("integer", "real") if module == "rcuinfo_mpi" else ("type(MPI_Info)", "integer")
    source = PROGRAM.format(module=module, handle=handle, other=other, statements="\n  ".join(statements))
    return compile_it(source, *"-ffree-form -Wall -Wextra -Werror".split())


for module in GOOD:
    _, said = compile_statements(module, GOOD[module] + ["call " + p + s for s in GOOD_EVERYWHERE for p in ("", "P")])
    if said:
        wrong.append(f"{module}: refused or warned of: {said}")
    for statement, reason in BAD[module]:
        statements = [statement.format(p=p) for p in ("", "P")] if "{p}" in statement else [statement]
        errors, _ = compile_statements(module, statements)
        if len(errors) != len(statements) or not all(reason in error for error in errors):
            wrong.append(f"{module}: {statement}: not '{reason}', but: {errors}")
for form in ("-ffree-form", "-ffixed-form"):
    errors, _ = compile_it(INCLUDING, form)
    if errors:
        wrong.append(f"mpif.h {form}: {errors}")
    errors, said = compile_it(INCLUDING, form, "-fdefault-integer-8")
    if not errors or "Division by zero" not in errors[0] or "mpif.h:" not in said:
        wrong.append(f"mpif.h {form} with long integers: not 'Division by zero', but: {said}")
print(f"{programs} programs")
if wrong:
    sys.exit("\n".join(wrong))
