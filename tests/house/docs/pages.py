#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks the manual pages. Every exported function has a page generated from its declaration, or a link to one that has
its name and its prototype. Nothing else has a page, so lib/rcuinfo.map and the headers list the same functions. Pages
refer only to existing pages. If a function's arguments are described, so is its result. The pages contain each @return,
Threads, Linearizes and Source of the headers. mandoc, and man-db with groff, report nothing, and pages fit in 80
columns. Every header that Doxygen reads contains @file. The command's page describes exactly the subcommands in its
help text, each with exactly its long options.

usage: pages.py MAN_TREE SOURCE_ROOT COMMAND        prints what is wrong; exit status 1 if anything is
"""
import os
import pathlib
import re
import subprocess
import sys

OPTION = r"(?<![\w-])--[a-z][a-z-]*"
tree, root = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
faults = []


def exported(name):
    """Returns the public functions of a symbol list, without patterns."""
    versions = re.findall(r"^(?:RCUINFO_\d.*)?\{[^}]*", (root / name).read_text(), re.MULTILINE)
    return re.findall(r"\b(rcuinfo_[a-z]\w*);", "".join(versions))


def check(name, pages):
    if name not in pages:
        return f"{name}: has no manual page"
    page, text = pages[name], pages[name].read_text()
    if text.startswith(".so "):
        page = tree / text[4:].strip()
        if not page.is_file():
            return f"{pages[name].name}: leads to {text[4:].strip()}, which is not there"
        text = page.read_text()
    heading = re.search(r"^\.SH NAME\n(.*) \\- ", text, re.MULTILINE)
    if heading is None or name not in re.split(", ", heading.group(1)):
        return f"{name}: {page.name} does not have it in NAME"
    if not re.search(rf'^\.BI ".*\b{name}\(', text, re.MULTILINE):
        return f"{name}: {page.name} does not have it in SYNOPSIS"
    section = re.search(rf"^\.SS {name}\(\)\n(.*?)^\.S[SH] ", text, re.MULTILINE | re.DOTALL).group(1)
    if "Arguments:" in section and "Returns:" not in section and f'.BI "void {name}(' not in text:
        return f"{name}: {page.name} has its arguments, and not what it returns"
    return None


def lint(path):
    """Yields the complaints of mandoc and man about a page."""
    for command in (("mandoc", "-T", "lint", "-W", "warning"), ("man", "--warnings", "-l")):
        done = subprocess.run([*command, path], env={**os.environ, "MANWIDTH": "80"}, capture_output=True, text=True)
        if done.returncode or done.stderr or command[0] == "mandoc" and done.stdout:
            yield f"{path.name}: {command[0]}: {done.stdout if command[0] == 'mandoc' else ''}{done.stderr}"
    if max(map(len, done.stdout.splitlines()), default=81) > 80:
        yield f"{path.name}: nothing is shown, or a line longer than 80 columns"


def usage(text):
    """Returns the options in usage lines, by subcommand (or ""). Lines without the command are continuations."""
    found, name = {}, None
    for line in text.splitlines():
        start = re.match(r"(?:Usage:)?\s+rcuinfo +((?:hints +)?[a-z]+|(?=--))", line)
        if start:
            name = " ".join(start.group(1).split())
        if name is not None:
            found.setdefault(name, set()).update(re.findall(OPTION, line))
    return found


def described(page):
    """Returns the options with a description, by subsection of the page."""
    description = page[page.index("\nDESCRIPTION\n") : page.index("\nEXIT STATUS\n")]
    sections = re.split(r"^   (rcuinfo .*)$", description, flags=re.M)
    found = {}
    for name, text in zip([""] + sections[1::2], sections[0::2]):
        tags = re.findall(rf"^ +({OPTION}.*)$", text, re.M)
        found[name.removeprefix("rcuinfo ")] = {option for tag in tags for option in re.findall(OPTION, tag)}
    return found


def compare_usage(command):
    """Compares the command's help texts with its page."""
    def output(*arguments):
        return subprocess.run(arguments, stdout=subprocess.PIPE, text=True, check=True).stdout

    page, help_text = output("env", "MANWIDTH=80", "man", "-l", tree / "man1/rcuinfo.1"), output(command, "--help")
    offered = usage(help_text.split("\n\n")[0])
    synopsis = page[page.index("\nSYNOPSIS\n") : page.index("\nDESCRIPTION\n")]
    for name in filter(None, offered):
        if output(command, *name.split(), "--help") != help_text:
            yield f"rcuinfo {name} --help: is another text than that of rcuinfo --help"
    for what, has in (("SYNOPSIS", usage(synopsis)), ("DESCRIPTION", described(page))):
        for name in sorted({*offered, *has}):
            if has.get(name) != offered.get(name):
                yield f"{what}: rcuinfo {name}: has {has.get(name)}, and the help text {offered.get(name)}"
    for option in set(re.findall(OPTION, help_text)) - set().union(*offered.values()):
        yield f"{option}: is somewhere in the help text, but not of a subcommand"


def main():
    functions = {*exported("lib/rcuinfo.map"), *exported("lib/collective/collective.map"),
                 *exported("lib/mpi/abi/rcuinfo_mpi.map"),
                 *re.findall(r"\b(MPI_\w+)\(", (root / "include/rcuinfo/abi/mpi.h").read_text())}
    if len(functions) < 80:
        faults.append(f"only {len(functions)} public functions were found")
    pages = {path.name.split(".")[0]: path for path in (tree / "man3").iterdir()}
    faults.extend(filter(None, (check(name, pages) for name in sorted(functions))))
    found = subprocess.run(["man", "-M", str(tree), "-w", "-S", "3", *functions], capture_output=True, text=True)
    if found.returncode != 0:
        faults.append(f"man -w: {found.stderr.strip()}")
    known = {path.name.split(".")[0] for path in tree.glob("man*/*")}
    for path in sorted(tree.glob("man*/*")):
        text = path.read_text()
        if not text.startswith(".so "):
            faults.extend(lint(path))
        elif path.name.split(".")[0] not in functions:
            faults.append(f"{path.name}: is no public function")
        others = re.findall(r"(?:^\.BR |\\fB)(rcuinfo\w*)(?: |\\fP)\([137]\)", text, re.MULTILINE)
        faults.extend(f"{path.name}: names the page {other}, which is not there" for other in {*others} - known)
    # Doxygen silently ignores a file without it.
    for path in sorted((root / "include/rcuinfo").rglob("*.h*")):
        if path.suffix in (".h", ".hpp") and path.name != "mpif.h" and "@file" not in path.read_text():
            faults.append(f"{path.relative_to(root)}: has no @file")
    headers = "".join(path.read_text() for path in (root / "include/rcuinfo").rglob("*.h*") if path.suffix != ".hpp")
    made = "".join(path.read_text() for path in pages.values())
    for word, title in (("@return", "Returns:"), (r"(?<!\d\. )\bThreads: ", "Threads:"),
                        (r"\bLinearizes ", "Linearizes"), (r"\bSource: ", "Source:")):
        wanted, found = len(re.findall(word, headers)), made.count(f"\\fB{title}\\fP")
        if wanted != found:
            faults.append(f"the pages have '{title}' {found} times, and the headers {wanted} times")
    faults.extend(compare_usage(sys.argv[3]))
    print("\n".join(faults))
    sys.exit(1 if faults else 0)


main()
