#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""That nothing under tests/ and tools/examples/ lies about unused, and that every ctest is named after its folder.

Complains of: a test that is not named <folder>.<name>..., after the folder that registers it, that in a group of folders
without the group's name (a canary: canary.* or canary_control.*, wherever it is), or whose program is not built; a folder
with a CMakeLists.txt that registers no test; a program that no test runs; a source or script that no test builds or runs,
and any other file that none of those names. What one of the builds uses is used.

usage: registration.py SOURCE_ROOT BUILD...     configured with Ninja, and built; exit status 1 after a complaint
"""
import json
import os
import re
import subprocess
import sys

SOURCES = (".c", ".cpp", ".f", ".F", ".f90", ".F90")
SCRIPTS = (".sh", ".py", ".cmake")
LINKED = re.compile(r"_(EXECUTABLE|SHARED_LIBRARY|SHARED_MODULE|MODULE_LIBRARY)_LINKER__")
NAME = re.compile(r"[a-z]+[a-z_]*(\.[A-Za-z0-9_-]+)+")
BEFORE = re.compile(r"[\w.-]")
AFTER = re.compile(r"[\w/-]|\.\w")
complaints = []


def complain(text):
    if text not in complaints:
        complaints.append(text)


class Build:
    """What one build tree registers and how its files are made."""

    def __init__(self, root, folder):
        self.folder = os.path.realpath(folder)
        listing = subprocess.run(["ctest", "--test-dir", self.folder, "--show-only=json-v1"], check=True,
                                 capture_output=True, text=True)
        listing = json.loads(listing.stdout)
        graph = listing["backtraceGraph"]
        self.registering = set()  # CMakeLists.txt, relative to tests/
        words = []
        for test in listing["tests"]:
            # The last frame: where a function that calls add_test is called from.
            node = graph["nodes"][test["backtrace"]]
            while "parent" in node and "command" in graph["nodes"][node["parent"]]:
                node = graph["nodes"][node["parent"]]
            where = os.path.relpath(graph["files"][node["file"]], os.path.join(root, "tests"))
            self.registering.add(where)
            self.look_at(test, os.path.dirname(where))
            words += test.get("command", [])
            for each in test.get("properties", []):
                if each["name"] in ("ENVIRONMENT", "ENVIRONMENT_MODIFICATION"):
                    words += each["value"]
        self.words = "\n".join(words) + "\n"
        self.read_ninja()

    def look_at(self, test, folder):
        name = test["name"]
        prefix = ".".join(folder.split("/")[1:] or [folder])
        if not NAME.fullmatch(name) or not name.startswith((prefix + ".", "canary.", "canary_control.")):
            complain(f"the test {name} of tests/{folder} is not named {prefix}.<name>")
        if "command" not in test:
            complain(f"the test {name} in {self.folder}: its program is not built")

    def read_ninja(self):
        self.inputs = {}
        self.linked = []
        with open(os.path.join(self.folder, "build.ninja"), encoding="utf-8") as file:
            text = file.read().replace("$\n", "")
        for line in re.findall(r"^build (.*)$", text, re.M):
            outputs, edge = re.split(r"(?<!\$): ", line, maxsplit=1)
            rule, _, inputs = edge.partition(" ")
            inputs = [self.path(word) for word in words_of(inputs.split(" || ")[0]) if word != "|"]
            outputs = [self.path(word) for word in words_of(outputs) if word != "|"]
            for output in outputs:
                self.inputs.setdefault(output, []).extend(inputs)
            ours = os.path.join(self.folder, "tests", "")
            if LINKED.search(rule) and any(path.startswith(ours) for path in inputs):
                self.linked.append(outputs[0])

    def path(self, word):
        word = re.sub(r"\$([ :$])", r"\1", word).replace("${cmake_ninja_workdir}", self.folder + "/")
        return os.path.normpath(os.path.join(self.folder, word))

    def reached(self):
        """All files that lead to what the tests name, through any number of build steps."""
        found = {path for path in self.inputs if names(self.words, path)}
        todo = list(found)
        while todo:
            for path in self.inputs.get(todo.pop(), []):
                if path not in found:
                    found.add(path)
                    todo.append(path)
        return found


def words_of(text):
    return re.findall(r"(?:\$.|[^ $])+", text)


def names(text, word):
    """Whether it is in the text, and not as part of a longer name."""
    at = text.find(word)
    while at >= 0:
        if not BEFORE.match(text[at - 1:at]) and not AFTER.match(text, at + len(word)):
            return True
        at = text.find(word, at + 1)
    return False


def kind_of(path):
    if os.path.basename(path) == "CMakeLists.txt":
        return "list"
    if path.endswith(SOURCES):
        return "source"
    if path.endswith(SCRIPTS) or os.access(path, os.X_OK):
        return "script"
    return "file"


def mentions(text, path):
    name = os.path.basename(path)
    if names(text.replace("/", " "), name):
        return True
    return name.endswith(".py") and re.search(r"^\s*(import|from)\b.*\b" + name[:-3] + r"\b", text, re.M) is not None


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def spread(used, files):
    """Adds what the used ones name. A source is not used by a source that does not include it, nor by a list, which has
    build steps for that; a script is used by scripts and lists only. A script may name a folder for all that is in it."""
    texts = {path: read(path) for path in used}
    deep = {os.path.dirname(path) for path in files} - {os.path.dirname(path) for path in used if kind_of(path) == "list"}
    todo = list(used)
    while todo:
        path = todo.pop()
        kind = kind_of(path)
        for other in files - used:
            asked = texts[path]
            wanted = kind_of(other)
            if wanted == "source" and kind == "source":
                asked = "\n".join(re.findall(r"^ *# *include.*", asked, re.M))
            elif wanted == "source" and kind != "script" or wanted == "script" and kind not in ("script", "list"):
                continue
            folder = os.path.dirname(other)
            if mentions(asked, other) or kind == "script" and folder in deep and mentions(asked, folder):
                used.add(other)
                texts[other] = read(other)
                todo.append(other)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    root = os.path.realpath(sys.argv[1])
    tests, examples = os.path.join(root, "tests"), os.path.join(root, "tools", "examples")
    builds = [Build(root, folder) for folder in sys.argv[2:]]
    if any(text.endswith("is not built") for text in complaints):  # ctest does not say what such tests run
        print("\n".join(complaints))
        sys.exit(1)
    files = {os.path.join(folder, name) for place in (tests, examples) for folder, _, listed in os.walk(place)
             for name in listed
             if "__pycache__" not in folder and name[0] != "." and not name.endswith((".md", ".pyc"))}

    used = {os.path.join(tests, "CMakeLists.txt")}
    whole = {tests, examples} | {os.path.join(tests, folder) for folder in os.listdir(tests)}  # to name these is to name no file
    for build in builds:
        whole |= {os.path.dirname(os.path.join(tests, where)) for where in build.registering}
    for build in builds:
        reached = build.reached()
        for path in build.linked:
            if path not in reached:
                complain(f"no test runs {path}")
        used |= reached & files
        used |= {os.path.join(tests, where) for where in build.registering}
        for path in files:
            folder = os.path.dirname(path)
            inside = names(build.words, path)
            while folder not in whole and not inside:
                inside = names(build.words, folder)
                folder = os.path.dirname(folder)
            if inside:
                used.add(path)
    lists = {path for path in files - used if kind_of(path) == "list"}
    check = os.path.join(root, "tools", "check")
    if os.path.exists(check):  # its steps
        used.add(check)
    spread(used, files - lists)
    beside = {os.path.dirname(path) for path in used}  # a project of its own, which a test builds
    for path in sorted(lists):
        if os.path.dirname(path) not in beside:
            complain(f"{os.path.relpath(path, root)} registers no test: is its folder in tests/CMakeLists.txt?")
    for path in sorted(files - used - lists):
        complain(f"{os.path.relpath(path, root)}: no test builds, runs or reads this {kind_of(path)}")
    print("\n".join(complaints + [f"{len(complaints)} complaints"]))
    sys.exit(1 if complaints else 0)


main()
