#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the commands of README.md as they are written there, and compares what it says that they print.

Commands are: the lines of indented blocks and of blocks fenced as sh; the first column of tables that are headed `command`,
or by a folder, whose programs it names; and what a block is said to come after (After `COMMAND`:), which is run before
everything else. An indented block after "prints" is the output of the command before it. Blocks fenced as c, cpp, fortran
are programs, which stand for program.c and so on where no row below says otherwise, and those fenced as cmake are built
with one. A paragraph may end with other exit statuses than 0 for the commands after it: (exit status 5 or 6, 2, 0).

Each command is run by bash in the root of the checkout, which must hold build/release, and may write into build/ only.
HOME is a folder for this run, removed at the end. A command that names a program of the reader's is run in a folder where
that program, and all that is in the root, can be seen; a program that it makes is run too.

Where tools/check has done the work itself, a short form of the command is run instead, but for --full.

usage: readme.py ROOT [--full]      prints each command with its time; exit status 1 if one of them does not do what README.md says
"""
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

# Beginnings of commands that are not run here, and why. One with a second command behind it is run all the same.
SKIPPED = {
    "tools/quickstart": "the newcomer's first command; it would build once more",
    "tools/check": "runs this",
    "tools/mutants": "takes hours; tools/check runs tools/mutants --check",
    "tools/packages": "tools/check --full runs it",
    "tools/cross": "tools/check --full runs it",
    "tools/distro": "makes a system of its own",
    "tools/abi": "tools/check --full runs it",
    "tools/deps": "tools/check begins with it",
    "apt": "changes the machine; tools/packages installs into a fresh one",
    "sudo": "changes the machine; tools/packages installs into a fresh one",
}

# Commands whose work tools/check has done when it comes to this, in the presets or by the tests bench.*, and what is run
# instead of doing it again.
SHORTENED = (
    (re.compile(r"^(ctest .*)$"), r"\1 -N"),  # still there must be such tests
    (re.compile(r"^(bench/report) --quick$"), r"\1 --tiny"),
    (re.compile(r"^(build/release/bench/bench_\w+)$"), r"\1 --help"),
)

# What stands for the reader's program: its name, a pattern of the command, and a file of the tree. The first row counts;
# without one it is README's own program of that language.
PROGRAMS = (
    ("app", r"^mpirun\.openmpi ", "build/release/tests/mpi/apps/shared_info.openmpi"),
    ("app", r"^mpirun\.mpich ", "build/release/tests/mpi/apps/shared_info.mpich"),
    ("program.c", r"rcuinfo-collective", "tests/mpi/apps/agree.c"),
    ("program.c", r"rcuinfo[-_](mpich|openmpi)\b", "tests/install/consumer/linked.c"),
    ("program.c", r"rcuinfo-mpi\b", "tests/install/consumer/abi.c"),
    ("program.cpp", r"rcuinfo[-_](mpich|openmpi)\b", "tests/mpi/apps/shared_info.cpp"),
    ("program.cpp", r"rcuinfo-mpi\b", "tests/install/examples/ten_steps/ten_steps.cpp"),
)
SUFFIXES = {"c": ".c", "cpp": ".cpp", "c++": ".cpp", "fortran": ".f90"}
READERS = re.compile(r"(?<![\w/.-])(?:\./)?(app|program(?:\.\w+)?)(?![\w/.-])")

# What a shell, a linker or ctest says while the exit status may be 0.
COMPLAINT = re.compile(r"command not found|No such file or directory|cannot find|error while loading|"
                       r"No tests were found|^Total Tests: 0$", re.M)


class Command:
    def __init__(self, text, statuses=(0,)):
        self.text = text
        self.statuses = statuses
        self.output = None  # what README says that it prints


def here(statuses):
    """Of "1, 2; on Debian 13 3, 4" the part that holds on this machine."""
    everywhere, *elsewhere = statuses.split("; on Debian ")
    releases = dict(part.split(" ", 1) for part in elsewhere)
    return releases.get(platform.freedesktop_os_release().get("VERSION_ID"), everywhere)


class Readme:
    """What README.md has to be run: before (commands), commands, programs (by suffix), snippets of cmake."""

    def __init__(self, text):
        self.before, self.commands, self.programs, self.snippets = [], [], {}, []
        self.complaints = []
        paragraph, block, fence, header = "", [], None, ""
        for line in text.splitlines() + [""]:
            if fence is not None:
                if line.strip() == "```":
                    self.fenced(fence, "\n".join(block) + "\n", paragraph)
                    block, fence = [], None
                else:
                    block.append(line)
            elif line.startswith("```"):
                fence = line[3:].strip()
            elif line.startswith("    ") and (block or not paragraph or paragraph.endswith("\n")):
                block.append(line[4:])
            elif line.startswith("|"):
                cell = re.split(r"(?<!\\)\|", line)[1].strip()
                header = header or cell
                self.row(header, cell.replace("\\|", "|"))
            elif block and line.strip() == "":
                self.indented(block, paragraph)
                block, paragraph = [], ""
            elif line.strip() == "":
                header = ""
                self.prose(paragraph)
                paragraph += "\n" if paragraph and not paragraph.endswith("\n") else ""
            else:
                paragraph = line if paragraph.endswith("\n") else paragraph + " " + line
        if fence is not None:
            self.complaints.append("a fenced block does not end")

    def prose(self, paragraph):
        for text in re.findall(r"\b[Aa]fter\s+`([^` ]+ [^`]+)`", paragraph):
            if all(text != command.text for command in self.before):
                self.before.append(Command(text))

    def lines(self, block, paragraph):
        statuses = re.search(r"\(exit status (\d[^)]*)\)\W*$", paragraph)
        statuses = here(statuses.group(1)).split(",") if statuses else ["0"]
        lines = [line for line in "\n".join(block).replace("\\\n", "").splitlines() if line.strip()]
        for number, line in enumerate(lines):
            said = statuses[min(number, len(statuses) - 1)]
            ends = [int(status) for status in re.split(" or | to ", said)]
            self.commands.append(Command(line, tuple(range(ends[0], ends[1] + 1) if " to " in said else ends)))

    def indented(self, block, paragraph):
        if re.search(r"\bprints\W*$", paragraph):
            self.commands[-1].output = "\n".join(block) + "\n"
        else:
            self.lines(block, paragraph)

    def fenced(self, language, text, paragraph):
        if language in ("sh", "bash"):
            self.lines(text.splitlines(), paragraph)
        elif language == "cmake":
            self.snippets.append(text)
        elif language in SUFFIXES:
            self.programs.setdefault("program" + SUFFIXES[language], text)
        else:
            self.complaints.append(f"nobody knows how to run a block of '{language}'")

    def row(self, header, cell):
        spans = re.findall(r"`([^`]+)`", cell)
        if header == "command":
            self.commands += [Command(span) for span in spans]
        elif re.fullmatch(r"`[^`]+/`", header) and cell != header:
            self.commands += [Command(header.strip("`") + span) for span in spans]


class Place:
    """Where the commands are run: the checkout, and a folder for what they leave."""

    def __init__(self, root, scratch):
        self.root, self.scratch, self.exports = root, scratch, []
        for folder in ("home", "tmp"):
            os.mkdir(os.path.join(scratch, folder))
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith(("RCUINFO_", "LD_", "PKG_CONFIG", "CMAKE_", "OMPI_"))}
        self.environment.update(HOME=os.path.join(scratch, "home"), TMPDIR=os.path.join(scratch, "tmp"))

    def files(self):
        """Every file outside build/ with its size and time."""
        found = {}
        for folder, folders, names in os.walk(self.root):
            if folder == self.root:
                folders[:] = [name for name in folders if name not in (".git", "build")]
            for name in names + folders:
                status = os.lstat(os.path.join(folder, name))
                found[os.path.relpath(os.path.join(folder, name), self.root)] = (
                    status.st_mode, 0 if name in folders else status.st_size, 0 if name in folders else status.st_mtime_ns)
        return found

    def bash(self, text, folder):
        """Exit status, output and errors of a command; status None when it had to be ended."""
        with subprocess.Popen([OPEN_INPUT, "bash", "-c", text], cwd=folder, env=self.environment, text=True, errors="replace",
                              start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            try:
                output, errors = process.communicate(timeout=LIMIT)
                return process.returncode, output, errors
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                output, errors = process.communicate()
                return None, output, errors

    def desk(self, command, readme):
        """A folder with the reader's programs that the command names; the reason, when one of them is not known."""
        folder = tempfile.mkdtemp(dir=self.scratch)
        for name in os.listdir(self.root):
            os.symlink(os.path.join(self.root, name), os.path.join(folder, name))
        for name in READERS.findall(command):
            place = os.path.join(folder, name)
            rows = [row for row in PROGRAMS if row[0] == name and re.search(row[1], command)]
            if os.path.lexists(place):
                continue
            if rows:
                shutil.copy(os.path.join(self.root, rows[0][2]), place)
            elif name in readme.programs:
                with open(place, "w", encoding="utf-8") as file:
                    file.write(readme.programs[name])
            else:
                return folder, f"nothing stands for {name} in this command"
        return folder, None


def judge(command, status, output, errors):
    """What is wrong with how a command ended, or None."""
    if status is None:
        return f"does not end within {LIMIT} s"
    if status not in command.statuses:
        return f"ends with {status}, not with {' or '.join(map(str, command.statuses))}"
    complaint = COMPLAINT.search(errors) or COMPLAINT.search(output)
    if complaint:
        return f"says '{complaint.group()}'"
    if command.output is not None and output != command.output:
        return "does not print what README.md says:\n" + command.output + "---"
    return None


def run(place, readme, command):
    """Runs one command; what is wrong, or None, and what it said."""
    if not READERS.search(command.text):
        status, output, errors = place.bash("\n".join([*place.exports, command.text]), place.root)
        return judge(command, status, output, errors), output + errors
    folder, wrong = place.desk(command.text, readme)
    if wrong:
        return wrong, ""
    status, output, errors = place.bash("\n".join([*place.exports, command.text]), folder)
    made = os.path.join(folder, "a.out")
    if not os.path.exists(made):
        return judge(command, status, output, errors), output + errors
    wrong = judge(Command(command.text, command.statuses), status, output, errors)
    if not wrong:
        exports = [text for text in place.exports if "-rpath" not in command.text or "LD_LIBRARY_PATH" not in text]
        status, output, errors = place.bash("\n".join([*exports, made]), folder)
        program = Command(made)
        program.output = command.output
        wrong = judge(program, status, output, errors)
        wrong = wrong and "makes a program that " + wrong
    return wrong, output + errors


def build(place, readme, snippet):
    """Builds README's program with the lines for CMake; the same answer."""
    folder = tempfile.mkdtemp(dir=place.scratch)
    os.symlink(place.root, os.path.join(folder, "rcuinfo"))
    with open(os.path.join(folder, "program.c"), "w", encoding="utf-8") as file:
        file.write(readme.programs["program.c"])
    with open(os.path.join(folder, "CMakeLists.txt"), "w", encoding="utf-8") as file:
        file.write("cmake_minimum_required(VERSION 3.25)\nproject(program C CXX)\nadd_executable(program program.c)\n" + snippet)
    text = "cmake -S . -B b -G Ninja -DCMAKE_PREFIX_PATH=$HOME/rcuinfo && cmake --build b && b/program"
    status, output, errors = place.bash(text, folder)
    return judge(Command(text), status, output, errors), output + errors


def main():
    if len(sys.argv) < 2 or sys.argv[2:] not in ([], ["--full"]):
        sys.exit(__doc__)
    root = os.path.realpath(sys.argv[1])
    with open(os.path.join(root, "README.md"), encoding="utf-8") as file:
        readme = Readme(file.read())
    counts = {"passed": 0, "FAILED": 0, "skipped": 0}

    def tell(what, seconds, text, more=""):
        counts[what] += 1
        print(f"{what:8}{seconds:6.1f} s  {text}" + (f"\n    {more}" if more else ""), flush=True)

    for complaint in readme.complaints:
        tell("FAILED", 0, "README.md", complaint)
    scratch = tempfile.mkdtemp(prefix="readme.")
    try:
        place = Place(root, scratch)
        work = []
        for command in readme.before:
            if command.text.startswith("export "):
                place.exports.append(command.text)
            else:
                work.append((command.text, lambda command=command: run(place, readme, command)))
        for snippet in readme.snippets:
            title = "CMakeLists.txt: " + snippet.splitlines()[0]
            work.append((title, lambda snippet=snippet: build(place, readme, snippet)))
        for command in readme.commands:
            for pattern, short in SHORTENED if len(sys.argv) == 2 else ():
                command.text = pattern.sub(short, command.text)
            work.append((command.text, lambda command=command: run(place, readme, command)))
        files = place.files()
        for text, action in work:
            reasons = [reason for start, reason in SKIPPED.items() if re.match(re.escape(start) + r"(?![\w/.])[^;&|]*$", text)]
            if reasons:
                tell("skipped", 0, text, reasons[0])
                continue
            start = time.monotonic()
            wrong, said = action()
            now = place.files()
            strays = sorted(name for name in files.keys() | now.keys() if files.get(name) != now.get(name))
            files = now
            if not wrong and strays:
                wrong = "changes the checkout: " + ", ".join(strays)
            tell("FAILED" if wrong else "passed", time.monotonic() - start, text, wrong and f"{wrong}\n{said}")
    finally:
        shutil.rmtree(scratch)
    print("commands of README.md: " + ", ".join(f"{count} {what}" for what, count in counts.items()))
    sys.exit(1 if counts["FAILED"] or not counts["passed"] else 0)


main()
