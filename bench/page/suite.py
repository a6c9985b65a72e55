# SPDX-License-Identifier: BSD-3-Clause
"""suite: which programs are run with which arguments, and their results."""
import json
import os
import subprocess
import sys
import tempfile
import time
from datetime import datetime, timezone

KEYS = "1,4,16,128,1024,8192,65536"

# Arguments by mode. tiny: as short as can be, for tests.
SUITE = {
    "bench_mpi": {"quick": "--quick", "full": "", "tiny": "--repeats 1 --ms 1"},
    "bench_table": {"quick": f"--keys {KEYS} --repeats 5 --ms 2", "full": f"--keys {KEYS} --threads 1,2",
                    "tiny": "--keys 1,2,16 --repeats 1 --ms 1"},
    "bench_contended": {"quick": "--repeats 3 --ms 17", "full": "--objects 1,64",
                        "tiny": "--threads 1,2 --sets 0,50 --readers 1 --writers 1 --repeats 1 --ms 5"},
    "bench_iterate": {"quick": "--repeats 5 --ms 1", "full": "", "tiny": "--keys 1,16 --repeats 1 --ms 1"},
    "bench_lifecycle": {"quick": "--repeats 5 --ms 3", "full": "",
                        "tiny": "--keys 1,16 --threads 1,2 --repeats 1 --ms 1"},
    "bench_hints": {"quick": "--repeats 5 --ms 3", "full": "", "tiny": "--threads 1,2 --repeats 1 --ms 1"},
    "bench_memory": {"quick": "--repeats 3 --mib 8 --ms 100", "full": "",
                     "tiny": "--keys 1,16 --values 16 --mib 1 --storm-keys 16 --ms 5 --repeats 1"},
    "bench_collective": {"quick": "--processes 2,4 --keys 1,256 --repeats 3 --ms 5", "full": "",
                         "tiny": "--processes 2 --keys 1,16 --repeats 1 --ms 1"},
}
OPTIONAL = {"bench_mpi", "bench_collective"}  # not built where there is no MPI


class SuiteError(Exception):
    """A program is not there, or failed."""


def say(start, text):
    print(f"[{time.monotonic() - start:3.0f} s] {text}", file=sys.stderr, flush=True)


def programs(build):
    """{name: path} of what there is to run."""
    found = {name: os.path.join(build, "bench", name) for name in SUITE}
    missing = [name for name, path in found.items() if not os.access(path, os.X_OK)]
    if set(missing) - OPTIONAL:
        raise SuiteError(f"{', '.join(missing)} not found in {build}/bench; build first:\n"
                         "  cmake --preset release && cmake --build --preset release\n"
                         "or name another build tree with --build")
    return {name: path for name, path in found.items() if name not in missing}


def run_one(path, arguments):
    """Runs a program with its output left out, and returns its JSON."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        done = subprocess.run([path, *arguments, "--json", file.name], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            raise SuiteError(f"{path} {' '.join(arguments)}: status {done.returncode}\n{done.stderr}".rstrip())
        return json.load(file)


def run(found, mode):
    """Runs all programs that there are; returns the record that page.make takes."""
    start = time.monotonic()
    for name in SUITE.keys() - found.keys():
        say(start, f"{name} is not there (built without an MPI): left out")
    runs = []
    for place, (name, path) in enumerate(found.items()):
        arguments = SUITE[name][mode].split()
        command = " ".join([os.path.relpath(path), *arguments])
        say(start, f"{place + 1} of {len(found)}: {command}")
        runs.append({"command": command, "result": run_one(path, arguments)})
    return {"date": datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC"), "mode": mode,
            "seconds": round(time.monotonic() - start), "runs": runs}
