#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
mpi4py's tests of infos, communicators, windows, sessions and persistent operations, on 2 processes, with this library: each
test passes, fails or is skipped as it is plain. With TEST_FULL in the environment, all modules of its tests that name infos,
windows or files. See mpis.py.
"""
import os
import re

from launch import fail
from mpis import Test, WHEELS

MODULES = ["test_info", "test_comm", "test_win", "test_session", "test_cco_pr_buf", "test_cco_pr_vec", "test_cco_pr_ngh_buf"]
# A line of `unittest -v`; the test's document, if any, and what it prints come before the result.
RESULT = re.compile(r"^\w+ \((\S+)\)(?:\n[^\n]*)?? \.\.\. (?:.*?)(ok|FAIL|ERROR|skipped|expected failure|unexpected success)\b",
                    re.M | re.S)
# They call MPI_Info_create_env, which the store has on every library.
ADDED = {"test_info.TestInfoEnv.testCreateEnv", "test_subclass.TestMyInfo.testCreateEnvType"}
COUNT = re.compile(r"^Ran (\d+) tests? in ", re.M)


def run(test, command, module):
    """The exit status, the number of tests run and the result of each, by test, of each process."""
    tests = test.mpis / "mpi4py/test"
    done, texts = test.results(2, ["timeout", "300", *command, str(tests / "main.py"), "-v", module])
    found = []
    for _, text in texts:
        count = COUNT.search(text)
        found.append((int(count[1]) if count else 0, {match[1]: match[2] for match in RESULT.finditer(text)}))
    if test.ours[0] in command and module == "test_info" and not test.used(texts):
        fail(f"the store is not used, or infos are left:\n{texts[0][1]}")
    return done.returncode, found, "\n".join([done.stdout, *(text[-1000:] for _, text in texts)])


def summary(results):
    values = [result for _, results_of_one in results for result in results_of_one.values()]
    return " ".join(f"{values.count(word)} {word}" for word in ("ok", "FAIL", "ERROR", "skipped"))


def main():
    test = Test()
    if not (test.mpis / "mpi4py/complete").exists():
        test.skip("mpi4py is not in build/mpis: tools/deps --mpis puts it there")
    modules = MODULES
    if os.environ.get("TEST_FULL"):
        modules = sorted(path.stem for path in (test.mpis / "mpi4py/test").glob("test_*.py")
                         if re.search(r"Info|INFO|\b(Win|File)\b", path.read_text()))
    of = test.mpi.name if test.mpi.name in WHEELS else "mpich5"
    python = str(test.mpis / of / "bin/python")
    # The wheel loads it by a name that Debian's MPICH does not have.
    library = test.folder / ("libmpi.so.12" if test.mpi.flavour == "mpich" else "libmpi.so.40")
    library.symlink_to(test.mpi.file.resolve())
    if test.mpi.name not in WHEELS:
        os.environ.update(LD_LIBRARY_PATH=str(test.folder), MPI4PY_LIBMPI=str(library))
    os.environ.update(PYTHONDONTWRITEBYTECODE="1")
    wrong, total = [], 0
    for module in modules:
        (status, plain, said), (our_status, ours, we_said) = (
            run(test, [*command, python], module) for command in ([], test.ours))
        total += sum(count for count, _ in plain)
        print(f"{module}: {plain[0][0]} run on each process; plain {summary(plain)}; ours {summary(ours)}", flush=True)
        if not all(count and (module not in MODULES or count == len(results)) for count, results in plain):
            if module in MODULES:
                fail(f"{module} does not run plain:\n{said}")
            continue
        for (_, before), (_, after) in zip(plain, ours):
            before.update({name: "ok" for name in ADDED if (before.get(name), after.get(name)) == ("skipped", "ok")})
        if status != our_status or plain != ours:
            wrong.append(f"{module} ended with {status} plain, {our_status} ours")
            for (_, before), (_, after) in zip(plain, ours):
                wrong += [f"{name}: {before.get(name)} plain, {after.get(name)} ours" for name in sorted({*before, *after})
                          if before.get(name) != after.get(name)][:5]
            wrong.append(we_said)
    if wrong:
        fail("\n".join(wrong))
    print(f"{total} tests on {test.mpi.name}, the same plain and ours")


main()
