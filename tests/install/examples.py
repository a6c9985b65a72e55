#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Builds the programs of tools/examples, with the commands in their comments, the program in each public header, and
the one in README.md under "Natively", without warnings, against an installed rcuinfo. They must print the text in their
.txt file or after `// prints: `, and leave no live info. `mpicc` and `mpicxx` are those of each flavour in turn, and
each process of their programs must use the store; the program of mpi_collective.h runs on two processes if there is a
launcher. Programs for missing packages are left out.

usage: examples.py SOURCE PREFIX LIBRARY_DIRECTORY WORK_DIRECTORY VERSION PACKAGE...

PACKAGE: fortran, mpich, openmpi. Environment: EXAMPLES, the folders; LAUNCHER_mpich and LAUNCHER_openmpi, words;
and CC, CXX, FC. Prints what is wrong; exit status 1 if anything is.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

source, prefix, libraries, work = map(pathlib.Path, sys.argv[1:5])
version, packages = sys.argv[5], sys.argv[6:]
mpis = [package for package in packages if package != "fortran"]
faults = []
COMMAND = re.compile(r"^(?: \*|!)(?: Build:| +) *((?:cc|c\+\+|mpicc|mpicxx|gfortran) .*)$", re.M)
# MPI_Info_get is deprecated since MPI-4.0, and an mpi.h may warn of it. Programs leave many constants of mpif.h unused.
WARNINGS = "-Wall -Wextra -Werror "
C_WARNINGS, FORTRAN_WARNINGS = WARNINGS + "-Wno-deprecated-declarations", WARNINGS + "-Wno-unused-parameter"


def try_it(name, command, wanted, launcher=(), processes=1, report="live"):
    """Builds a program with the command and runs it, after the launcher if any. `processes` processes must print the
    store's report."""
    program = os.path.splitext(name)[0]
    warnings = FORTRAN_WARNINGS if command.startswith("gfortran") else C_WARNINGS
    command = f"{command.replace('<prefix>', str(prefix))} {warnings} -o {program}"
    runs = [["bash", "-c", command]]
    if launcher is not None:
        runs.append([*launcher, f"./{program}", "one", "two words"])
    for words in runs:
        done = subprocess.run(words, cwd=work, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode != 0:
            faults.append(f"{words} ends with {done.returncode}: {done.stdout}{done.stderr}")
            return
    if launcher is None:
        return
    told = re.findall(r"^rcuinfo: process \d+: (.*)", done.stderr, re.M)
    users = [line for line in told if re.match(report, line)]  # other processes that Open MPI starts print one, too
    makes_none = program.startswith("version")  # no object, and so no report
    if done.stdout != wanted or len(users) != processes * (not makes_none) or not all(line.startswith("live 0,") for line in told):
        faults.append(f"{command}: prints {done.stdout!r}, and should print {wanted!r}; of {processes}: {done.stderr}")


def try_file(path):
    text = path.read_text()
    commands = COMMAND.findall(text if path.suffix.lower().startswith(".f") else text[:text.index("\n */")])
    if not commands:
        faults.append(f"{path} does not say how it is built")
    expected = path.with_suffix(".txt")
    wanted = (expected if expected.exists() else path.with_name("expected.txt")).read_text()
    for command in commands:
        needs = re.search(r"rcuinfo-(?:mpi-)?(mpich|openmpi|fortran)", command)
        if command.startswith("mpi"):
            for flavour in mpis:
                try_it(path.name, command.replace(" ", f".{flavour} ", 1), wanted, [prefix / "bin/rcuinfo", "run"],
                       report=r"live \d+, gets \d+, sets [1-9]")
        elif not needs or needs.group(1) in packages:
            try_it(path.name, command, wanted)


def try_header(path):
    found = re.findall(r"^ \* @code\{\.\w+\}\n((?: \*.*\n)*?) \* @endcode$", path.read_text(), re.M)
    text = "".join(line[3:] + "\n" for line in found[0].splitlines()) if len(found) == 1 else ""
    wanted = "".join(f"{line}\n" for line in re.findall(r"// prints: (.*)", text))
    if not wanted:
        faults.append(f"{path} has {len(found)} examples, or does not state what that prints")
    name = path.name + (".c" if path.suffix == ".h" else ".cpp")
    (work / name).write_text(text)
    compiler = "cc -std=c11" if path.suffix == ".h" else "c++ -std=c++17"
    build = f"{compiler} {name} $(pkg-config --cflags --libs rcuinfo%s)"
    if path.name == "mpi_collective.h":
        for flavour in mpis:
            launcher = os.environ[f"LAUNCHER_{flavour}"]
            try_it(name, build % f"-collective-{flavour}", wanted, launcher.split() if launcher else None, 2)
    else:
        over_mpi = path.name in ("mpi_compat.h", "mpi_info.hpp")
        for package in ["-mpi", *(f"-{flavour}" for flavour in mpis)] if over_mpi else [""]:
            try_it(name, build % package, wanted)


def main():
    shutil.rmtree(work, ignore_errors=True)
    (work / "bin").mkdir(parents=True)
    for name, variable in (("cc", "CC"), ("c++", "CXX"), ("gfortran", "FC")):
        if compiler := shutil.which(os.environ.get(variable) or name):
            (work / "bin" / name).symlink_to(compiler)
    os.environ.update(PATH=f"{work}/bin:{os.environ['PATH']}", PKG_CONFIG_PATH=f"{libraries}/pkgconfig",
                      LD_LIBRARY_PATH=str(libraries), RCUINFO_STATS="1")
    for folder in os.environ["EXAMPLES"].split(":"):
        for path in sorted(pathlib.Path(folder).glob("*.[!t]*")):
            shutil.copy(path, work)
            try_file(path)
    for path in sorted((prefix / "include/rcuinfo").glob("*.h*")):
        try_header(path)
    for path in (libraries / "pkgconfig").glob("*.pc"):
        if f"\nVersion: {version}\n" not in path.read_text():
            faults.append(f"{path.name} is not of version {version}")
    # Before an MPI library for which pkg-config has no file.
    if "-Wl,--no-as-needed -lrcuinfo_interpose " not in subprocess.getoutput("pkg-config --libs rcuinfo-interpose") + " ":
        faults.append("rcuinfo-interpose lacks it")
    natively = re.search(r"^\*\*3\. Natively.*?^```c\n(.*?)^```$", (source / "README.md").read_text(), re.M | re.S)
    (work / "natively.c").write_text(natively.group(1))
    try_it("natively.c", "cc natively.c $(pkg-config --cflags --libs rcuinfo)", "cb_nodes=4\ncb_buffer_size=1048576\n")
    print("\n".join(faults))
    sys.exit(1 if faults else 0)


main()
