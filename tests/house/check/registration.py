#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that every file under tests/ and tools/examples/ is used, and that every ctest is named after its folder.

Reports a test whose program is not built, or whose name is not <folder>.<name>... after the folder that registers it,
without the name of a group of folders (canaries in any folder are named canary.* or canary_control.*); a folder with a
CMakeLists.txt that registers no test; a program that no test runs; a source or script that no test builds or names, and
that no script or CMakeLists.txt names (a library may be missing here); and any other file that is not named anywhere.
A file is used if one of the builds uses it.

usage: registration.py SOURCE_ROOT BUILD...     configured with Ninja, and built; exit status 1 after a report
"""
import json
import pathlib
import re
import subprocess
import sys

SOURCES = (".c", ".cpp", ".f", ".F", ".f90", ".F90")
SCRIPTS = (".sh", ".py", ".cmake")
NAME = re.compile(r"[a-z]+[a-z_]*(\.[A-Za-z0-9_-]+)+")


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def words_in(text):
    """Returns the words in the text that may be names of files and folders."""
    modules = re.findall(r"^\s*(?:import|from) (\w+)", text, re.M)
    return {*re.findall(r"[\w.-]+", text), *(f"{module}.py" for module in modules)}


def look_at(build, folders, reached):
    """Adds the folders that register tests, and the paths that tests name or that lead to these; yields complaints."""
    words = ""
    for test in json.loads(output("ctest", "--test-dir", build, "--show-only=json-v1"))["tests"]:
        values = {each["name"]: each["value"] for each in test["properties"]}
        folder = pathlib.Path(values["WORKING_DIRECTORY"]).relative_to(build)
        folders.add(folder)
        name, prefix = test["name"], ".".join(folder.parts[2:] or folder.parts[1:])
        if not NAME.fullmatch(name) or not name.startswith((prefix + ".", "canary.", "canary_control.")):
            yield f"the test {name} of {folder} is not named {prefix}.<name>"
        if "command" not in test:
            yield f"the test {name} in {build}: its program is not built"
        texts = [*test.get("command", []), *values.get("ENVIRONMENT", []), *values.get("ENVIRONMENT_MODIFICATION", [])]
        words += "\n".join([*texts, ""])
    named = set(re.findall(r"/[^\s:;=,'\"]+", words))
    targets = [line.rsplit(": ", 1) for line in output("ninja", "-C", build, "-t", "targets", "all").splitlines()[1:]]
    wanted = [path for path, _ in targets if str(build / path) in named]
    if wanted:
        reached |= {str(build / path) for path in output("ninja", "-C", build, "-t", "inputs", *wanted).splitlines()}
    reached |= named
    for path, rule in targets:
        if path.startswith("tests/") and "_EXECUTABLE_LINKER__" in rule and str(build / path) not in reached:
            yield f"no test runs {build / path}"


def unused(root, folders, reached):
    """Yields complaints about files."""
    files = [path for place in ("tests", "tools/examples") for path in sorted((root / place).rglob("*"))
             if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".md"]
    texts = {path: path.read_text(encoding="utf-8", errors="replace")
             for path in [*files, root / "tools/check"] if path.exists()}
    lists = {path for path in files if path.name == "CMakeLists.txt"}
    texts.update({path: re.sub(r"#.*", "", texts[path]) for path in lists})
    words = {path: words_in(text) for path, text in texts.items()}
    projects = {path for path in lists if path == root / "tests" / path.name or "project(" in texts[path]}
    scripts = {path for path in texts if path.suffix in (*SCRIPTS, "")} | projects
    for path in files:
        local, folder = path.relative_to(root), path.parent
        if path in lists:
            if path not in projects and local.parent not in folders:
                yield f"{local} registers no test: is its folder in tests/CMakeLists.txt?"
            continue
        if {str(path), str(folder)} & reached:
            continue
        kind, by = "file", texts
        if path.suffix in (*SOURCES, *SCRIPTS):
            kind, by = "source" if path.suffix in SOURCES else "script", scripts | lists
        names = {path.name} if local.parent in folders else {path.name, folder.name}
        if not any(names & words[other] for other in by if other != path):
            yield f"{local}: no test builds, runs or reads this {kind}"


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    root = pathlib.Path(sys.argv[1]).resolve()
    folders, reached, complaints = set(), set(), []
    for build in sys.argv[2:]:
        complaints += look_at(pathlib.Path(build).resolve(), folders, reached)
    complaints += unused(root, folders, reached)
    complaints = list(dict.fromkeys(complaints))
    print("\n".join([*complaints, f"{len(complaints)} complaints"]))
    sys.exit(1 if complaints else 0)


main()
