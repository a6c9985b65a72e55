#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the commands of README.md, of the README.md of each folder and of .github/*.md in their order: the lines of
indented blocks and the first column of tables. The head of such a table is `command`, or the folder of the programs that
it lists. Repeated commands run once, and an export is for all that follow. A command must succeed.

Blocks fenced as c, cpp or fortran are programs: program.c and so on, unless a row of PROGRAMS names another file. A
command that names such a program is run in a folder that contains it and the files of ROOT, and the resulting program is
run, too. Lines fenced as cmake build program.c. Blocks fenced as text are ignored. HOME is a folder for this run. If
tools/check has done the work of a command itself, a short form is run instead.

usage: readme.py ROOT   after the build of the preset release; exit status 1 if a command fails its check
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# Not run: tools/check runs them itself, or they change the machine, or their result depends on what others publish
# (tools/findings), or they take longer than a command may here: tools/mutants, and tools/inside/mpich, which builds two MPIs
# and so has an exit status of its own to look at. Run if a second command follows. The build of the preset release is what
# this program needs: tools/check fails without it, and its binaries are run below.
SKIPPED = re.compile(r"(sudo|tools/(abi|check|cross|deps|distro|findings|inside/mpich|mutants|packages|quickstart))"
                     r"(?![\w/.])[^;&|]*|"
                     r"cmake --preset release && cmake --build --preset release")

# Commands whose work tools/check has done before, or that run for a given time, and their short forms.
SHORTENED = (
    (r"^(ctest .*)$", r"\1 -N"),  # the tests must exist
    (r"^(bench/report) --quick$", r"\1 --help"),  # bench.report has run them
    (r"^(build/release/bench/bench_\w+)$", r"\1 --help"),
    (r"^(build/release/bench/bench_mpi) --quick (.*)$", r"\1 --repeats 1 --ms 1 \2"),
    (r"^(build/release/bench/bench_scale) --quick (.*)$", r"\1 --threads 1,2 --repeats 1 --ms 1 \2"),
    (r"^(\S+/rcuinfo stress) --seconds 10 (.*)$", r"\1 --seconds 1 \2"),
    (r"^(\S+/linearize) 200000$", r"\1 2000"),
    (r"^(tools/fuzz) --seconds 3$", r"\1 --seconds 1 hint"),  # the tests fuzz.* have run the other targets
    (r"^(\S+/processes.sh) 50 ", r"\1 5 "),
)

# Files that serve as the reader's program: its name, a pattern of the command, and a file. The first match counts.
PROGRAMS = (
    ("app", r"^mpirun\.openmpi ", "build/release/tests/mpi/apps/shared_info.openmpi"),
    ("app", r"^mpirun\.mpich ", "build/release/tests/mpi/apps/shared_info.mpich"),
    ("program.c", r"rcuinfo-collective", "tests/mpi/apps/agree.c"),
    ("program.c", r"rcuinfo[-_](mpich|openmpi|interpose)\b", "tests/install/consumer/linked.c"),
    ("program.c", r"rcuinfo-mpi\b", "tools/examples/ten_steps/ten_steps.c"),
    ("program.cpp", r"rcuinfo[-_](mpich|openmpi|interpose)\b", "tools/examples/mpi_errors.cpp"),
    ("program.cpp", r"rcuinfo-mpi\b", "tools/examples/ten_steps/ten_steps.cpp"),
)
FENCED = re.compile(r"^```(c|cpp|fortran|cmake|text)\n(.*?)^```$", re.M | re.S)
FILES = {"c": "program.c", "cpp": "program.cpp", "fortran": "program.f90", "cmake": "lines", "text": "text"}
READERS = re.compile(r"(?<![\w/.-])(?:\./)?(app|lines|program\.\w+)(?![\w/.-])")
CMAKE = """mkdir made && cp program.c made && (echo 'cmake_minimum_required(VERSION 3.21)'
    echo 'project(program C)'; echo 'add_executable(program program.c)'; cat lines) >made/CMakeLists.txt &&
    cmake -S made -B made/b -DCMAKE_PREFIX_PATH=$HOME/rcuinfo && cmake --build made/b && made/b/program"""

# Complaints of shells, linkers and ctest whose exit status may still be 0.
COMPLAINT = re.compile(r"command not found|No such file or directory|cannot find|error while loading|"
                       r"No tests were found|^Total Tests: 0$", re.M)


def commands_of(text):
    """Returns the commands in their order."""
    found = []
    for part in re.split(r"\n(?:[ \t]*\n)+", text):
        if part.startswith("|"):
            cells = [re.split(r"(?<!\\)\|", line)[1].strip().replace("\\|", "|") for line in part.splitlines()]
            folder = re.fullmatch(r"`([^`]+/)`|command", cells[0])
            spans = [span for cell in cells[1:] for span in re.findall(r"`([^`]+)`", cell)] if folder else []
            found += [(folder.group(1) or "") + span for span in spans]
        elif part.startswith("    "):
            found += [line[4:] for line in part.replace("\\\n", "").splitlines()]
    return list(dict.fromkeys(found))


def run(text, folder, environment):
    """Runs a command. Returns what is wrong, or None."""
    reading, writing = os.pipe()  # keep the input open: Hydra 4.0.2 may die at its end
    done = subprocess.run(["timeout", "600", "bash", "-c", text], cwd=folder, env=environment, stdin=reading, text=True,
                          errors="replace", capture_output=True)
    os.close(reading)
    os.close(writing)
    complaint = COMPLAINT.search(done.stdout + done.stderr)
    wrong = None
    if done.returncode:
        wrong = f"ends with {done.returncode}"
    elif complaint:
        wrong = f"says '{complaint.group()}'"
    return wrong and f"{wrong}\n{done.stdout}{done.stderr}"


def place(folder, root, programs, command):
    """Puts the programs that the command names into the folder. Returns false if one is missing."""
    (folder / "a.out").unlink(missing_ok=True)
    for name in set(READERS.findall(command)):
        paths = [path for program, pattern, path in PROGRAMS if program == name and re.search(pattern, command)]
        if paths and (root / paths[0]).exists():
            shutil.copy(root / paths[0], folder / name)
        elif not paths and name in programs:
            (folder / name).write_text(programs[name], encoding="utf-8")
        else:
            return False
    return True


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    root = pathlib.Path(sys.argv[1]).resolve()
    text = "\n\n".join(path.read_text(encoding="utf-8") for pattern in ("README.md", "*/README.md", ".github/*.md")
                       for path in sorted(root.glob(pattern)))
    programs = {}
    for language, code in FENCED.findall(text):
        programs.setdefault(FILES[language], code)
    text = FENCED.sub("", text)
    if re.search("^```", text, re.M):
        sys.exit("there is a block of a language that is not run here")
    commands = commands_of(text) + ([CMAKE] if "lines" in programs else [])
    exports = []
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("RCUINFO_", "LD_", "PKG_CONFIG", "CMAKE_", "OMPI_"))}
    environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    counts = {"passed": 0, "FAILED": 0, "skipped": 0}
    with tempfile.TemporaryDirectory(prefix="readme.") as scratch:
        readers = pathlib.Path(scratch, "reader")
        for folder in (readers, pathlib.Path(scratch, "home"), pathlib.Path(scratch, "tmp")):
            folder.mkdir()
        environment.update(HOME=f"{scratch}/home", TMPDIR=f"{scratch}/tmp",
                           CMAKE_BUILD_PARALLEL_LEVEL=str(os.cpu_count()))  # otherwise "cmake --build" uses one core
        for path in root.iterdir():
            (readers / path.name).symlink_to(path)
        for line in commands:
            if line.startswith("export "):
                exports.append(line)
            for pattern, short in SHORTENED:
                line = re.sub(pattern, short, line)
            folder = readers if READERS.search(line) else root
            makes = re.match(r"(cc|c\+\+|gfortran|mpi(cc|cxx)\.\w+) ", line) and folder == readers
            wrong, what = None, "skipped"
            if not SKIPPED.fullmatch(line):
                wrong = "nothing stands for its program"
                if place(readers, root, programs, line):
                    text = "\n".join([*exports, line + (" && ./a.out" if makes else "")])
                    wrong = run(text, folder, environment)
                what = "FAILED" if wrong else "passed"
            counts[what] += 1
            print(f"{what:8} {line}" + (f"\n    {wrong}" if wrong else ""), flush=True)
    print("commands: " + ", ".join(f"{count} {what}" for what, count in counts.items()))
    sys.exit(1 if counts["FAILED"] or not counts["passed"] else 0)


main()
