#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the commands of README.md, of the README.md of each folder and of .github/*.md as they are written there: first what
others are said to come after (After `COMMAND`), then the lines of indented blocks, and the first column of tables headed
`command`, or by a folder, whose programs it names. What is written twice is run once.

A command ends with status 0, or with what the paragraph above says, line by line (exit status 5 or 6, 2, 0). An indented
block after "prints" is the output of the command before it. Blocks fenced as c, cpp, fortran are programs: program.c and so
on where no row of PROGRAMS says otherwise. A command that names such a program is run in a folder that has it and what is
in ROOT, and the program that it makes is run, too; with lines fenced as cmake program.c is built. What is fenced as text is
not looked at. HOME is a folder for this run. Where tools/check has done the work itself, a short form of the command is run instead, but for --full.

usage: readme.py ROOT [--full]   after the build of the preset release; exit status 1 if one does not do what is written
"""
import glob
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

LIMIT = 600  # seconds, of one command
OPEN_INPUT = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "support", "open_input.sh")

# What tools/check runs itself, takes hours, or changes the machine. With a second command behind it it is run all the same.
SKIPPED = re.compile(r"(sudo|tools/(abi|check|cross|deps|distro|mutants|packages|quickstart))(?![\w/.])[^;&|]*")

# Commands whose work tools/check has done when it comes to this, or that go on for as long as they are told to; and what is
# run instead.
SHORTENED = (
    (re.compile(r"^(ctest .*)$"), r"\1 -N"),  # still there must be such tests
    (re.compile(r"^(bench/report) --quick$"), r"\1 --tiny"),
    (re.compile(r"^(build/release/bench/bench_\w+)$"), r"\1 --help"),
    (re.compile(r"^(build/release/bench/bench_mpi) --quick (.*)$"), r"\1 --repeats 1 --ms 1 \2"),
    (re.compile(r"^(\S+/rcuinfo stress) --seconds 10 (.*)$"), r"\1 --seconds 1 \2"),
    (re.compile(r"^(\S+/linearize) 200000$"), r"\1 2000"),
    (re.compile(r"^(tools/fuzz) --seconds 3$"), r"\1 --seconds 1"),
    (re.compile(r"^(\S+/processes.sh) 50 "), r"\1 5 "),
)

# What stands for the reader's program: its name, a pattern of the command, and a file of the tree. The first row counts.
PROGRAMS = (
    ("app", r"^mpirun\.openmpi ", "build/release/tests/mpi/apps/shared_info.openmpi"),
    ("app", r"^mpirun\.mpich ", "build/release/tests/mpi/apps/shared_info.mpich"),
    ("program.c", r"rcuinfo-collective", "tests/mpi/apps/agree.c"),
    ("program.c", r"rcuinfo[-_](mpich|openmpi)\b", "tests/install/consumer/linked.c"),
    ("program.c", r"rcuinfo-mpi\b", "tests/install/consumer/abi.c"),
    ("program.cpp", r"rcuinfo[-_](mpich|openmpi)\b", "tools/examples/mpi_errors.cpp"),
    ("program.cpp", r"rcuinfo-mpi\b", "tools/examples/ten_steps/ten_steps.cpp"),
)
FENCED = re.compile(r"^```(c|cpp|fortran|cmake|text)\n(.*?)^```$", re.M | re.S)
SUFFIXES = {"c": ".c", "cpp": ".cpp", "fortran": ".f90"}
READERS = re.compile(r"(?<![\w/.-])(?:\./)?(app|program(?:\.\w+)?)(?![\w/.-])")

# What a shell, a linker or ctest says while the exit status may be 0.
COMPLAINT = re.compile(r"command not found|No such file or directory|cannot find|error while loading|"
                       r"No tests were found|^Total Tests: 0$", re.M)


class Command:
    def __init__(self, text, statuses=(0,)):
        self.text, self.statuses, self.output = text, statuses, None


def statuses_of(paragraph):
    """The exit statuses that it says of each line; of "1, 2; on Debian 13 3, 4" those of this machine."""
    said = re.search(r"\(exit status (\d[^)]*)\)\W*$", paragraph)
    everywhere, *elsewhere = (said.group(1) if said else "0").split("; on Debian ")
    releases = dict(part.split(" ", 1) for part in elsewhere)
    found = []
    for text in releases.get(platform.freedesktop_os_release().get("VERSION_ID"), everywhere).split(","):
        ends = [int(status) for status in re.split(" or | to ", text)]
        found.append(range(ends[0], ends[1] + 1) if " to " in text else ends)
    return found


class Readme:
    """What a text has to be run: before and commands, programs by name, snippets of cmake."""

    def __init__(self, text):
        self.before, self.commands, self.programs, self.snippets = [], [], {}, []
        for language, code in FENCED.findall(text):
            if language == "cmake":
                self.snippets.append(code)
            elif language != "text":
                self.programs.setdefault("program" + SUFFIXES[language], code)
        text = FENCED.sub("", text)
        if re.search("^```", text, re.M):
            sys.exit("there is a block of a language that is not run here")
        paragraph = ""
        for part in re.split(r"\n(?:[ \t]*\n)+", text):
            if part.startswith("    "):
                self.block(part.replace("\\\n", "").splitlines(), paragraph)
            elif part.startswith("|"):
                self.table([re.split(r"(?<!\\)\|", line)[1].strip().replace("\\|", "|") for line in part.splitlines()])
            else:
                paragraph = " ".join(part.split())
                self.before += re.findall(r"\b[Aa]fter `([^` ]+ [^`]+)`", paragraph)

    def block(self, lines, paragraph):
        lines = [line[4:] for line in lines]
        if re.search(r"\bprints\W*$", paragraph):
            self.commands[-1].output = "\n".join(lines) + "\n"
            return
        statuses = statuses_of(paragraph)
        self.commands += [Command(line, statuses[min(at, len(statuses) - 1)]) for at, line in enumerate(lines)]

    def table(self, cells):
        folder = re.fullmatch(r"`([^`]+/)`", cells[0])
        if folder or cells[0] == "command":
            before = folder.group(1) if folder else ""
            self.commands += [Command(before + span) for cell in cells[1:] for span in re.findall(r"`([^`]+)`", cell)]


class Place:
    """Where the commands are run: the checkout, and a folder for what they leave."""

    def __init__(self, root, scratch, readme):
        self.root, self.scratch, self.readme = root, scratch, readme
        self.exports = [text for text in readme.before if text.startswith("export ")]
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith(("RCUINFO_", "LD_", "PKG_CONFIG", "CMAKE_", "OMPI_"))}
        for name in ("HOME", "TMPDIR"):
            self.environment[name] = tempfile.mkdtemp(dir=scratch)

    def bash(self, command, folder, exports):
        """Runs it; returns what is wrong, or None, and what it said."""
        with subprocess.Popen([OPEN_INPUT, "bash", "-c", "\n".join([*exports, command.text])], cwd=folder, text=True,
                              env=self.environment, errors="replace", start_new_session=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            try:
                output, errors = process.communicate(timeout=LIMIT)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                return f"does not end within {LIMIT} s", "".join(process.communicate())
        complaint = COMPLAINT.search(errors) or COMPLAINT.search(output)
        wrong = None
        if process.returncode not in command.statuses:
            wrong = f"ends with {process.returncode}, not with {' or '.join(map(str, command.statuses))}"
        elif complaint:
            wrong = f"says '{complaint.group()}'"
        elif command.output not in (None, output):
            wrong = f"does not print what is written:\n{command.output}---"
        return wrong, output + errors

    def write(self, folder, name, command=""):
        """The reader's program of that name; whether there is one."""
        place = os.path.join(folder, name)
        for program, pattern, path in PROGRAMS:
            if program == name and re.search(pattern, command):
                shutil.copy(os.path.join(self.root, path), place)
                return True
        if name in self.readme.programs:
            with open(place, "w", encoding="utf-8") as file:
                file.write(self.readme.programs[name])
        return name in self.readme.programs

    def run(self, command):
        if not READERS.search(command.text):
            return self.bash(command, self.root, self.exports)
        folder = tempfile.mkdtemp(dir=self.scratch)
        for name in os.listdir(self.root):
            os.symlink(os.path.join(self.root, name), os.path.join(folder, name))
        for name in set(READERS.findall(command.text)):
            if not self.write(folder, name, command.text):
                return f"nothing stands for {name} in this command", ""
        made = Command("./a.out")
        if not re.match(r"(cc|c\+\+|gfortran|mpi(cc|cxx)\.\w+) ", command.text):
            return self.bash(command, folder, self.exports)
        made.output, command.output = command.output, None
        wrong, said = self.bash(command, folder, self.exports)
        if not wrong:
            wrong, said = self.bash(made, folder, self.exports)
            wrong = wrong and "makes a program that " + wrong
        return wrong, said

    def build(self, snippet):
        """Builds program.c with the lines for CMake; the same answer."""
        folder = tempfile.mkdtemp(dir=self.scratch)
        self.write(folder, "program.c")
        with open(os.path.join(folder, "CMakeLists.txt"), "w", encoding="utf-8") as file:
            file.write("cmake_minimum_required(VERSION 3.25)\nproject(program C)\nadd_executable(program program.c)\n" + snippet)
        text = "cmake -S . -B b -G Ninja -DCMAKE_PREFIX_PATH=$HOME/rcuinfo && cmake --build b && b/program"
        return self.bash(Command(text), folder, self.exports)


def main():
    if len(sys.argv) < 2 or sys.argv[2:] not in ([], ["--full"]):
        sys.exit(__doc__)
    root = os.path.realpath(sys.argv[1])
    texts = []
    for pattern in ("README.md", "*/README.md", ".github/*.md"):
        for path in sorted(glob.glob(os.path.join(root, pattern))):
            with open(path, encoding="utf-8") as file:
                texts.append(file.read())
    readme = Readme("\n\n".join(texts))
    commands = {str(vars(command)): command for command in readme.commands}
    counts = {"passed": 0, "FAILED": 0, "skipped": 0}
    with tempfile.TemporaryDirectory(prefix="readme.") as scratch:
        place = Place(root, scratch, readme)
        before = [Command(text) for text in dict.fromkeys(readme.before) if text not in place.exports]
        for work in before + readme.snippets + list(commands.values()):
            start, wrong, said, what = time.monotonic(), None, "", "passed"
            if isinstance(work, str):
                text = "CMakeLists.txt: " + work.splitlines()[0]
                wrong, said = place.build(work)
            else:
                for pattern, short in SHORTENED if len(sys.argv) == 2 else ():
                    work.text = pattern.sub(short, work.text)
                text = work.text
                if SKIPPED.fullmatch(text):
                    what = "skipped"
                else:
                    wrong, said = place.run(work)
            what = "FAILED" if wrong else what
            counts[what] += 1
            print(f"{what:8}{time.monotonic() - start:6.1f} s  {text}" + (f"\n    {wrong}\n{said}" if wrong else ""), flush=True)
    print("commands: " + ", ".join(f"{count} {what}" for what, count in counts.items()))
    sys.exit(1 if counts["FAILED"] or not counts["passed"] else 0)


main()
