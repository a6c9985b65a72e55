#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Runs a program that uses MPI infos on 2 processes, alone and through `rcuinfo run --stats`, each time in an empty
directory with the same name. The output of each process and the files left must be the same, except for the differences
listed here. With the store, each process must convert at least CONVERSIONS infos for MPI or from MPI, and leave none.

usage: client.py RCUINFO FLAVOUR LAUNCHER CLIENT CONVERSIONS PROGRAM... [-- PROGRAM...]...
"""
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from launch import fail, outputs

# The environment of all runs.
VARIABLES = {
    "PNETCDF_HINTS": "cb_buffer_size=1048576;nc_header_align_size=1024;nc_var_align_size=512;nc_record_align_size=256",
    # OpenCoarrays leaves messages unreceived; UCX reports them on standard output, with addresses.
    "UCX_LOG_LEVEL": "error",
}

# What the report of a client's first program says of a key. mpi4py enumerates the keys of an info, which is no reading.
REPORTED = {
    "mpi4py": ("of nobody", "table: unknown key None"),
    "h5py": ("of nobody", "table: unknown key None"),
    "pnetcdf": ("nc_header_align_size", r"look-up: read by (PnetCDF in the program|libpnetcdf\.so\.\d+)"),
}

# Where it says that a client opens its file, if the client's Python tells the line of the script, and if not. The line is
# that of a call that has these words.
PLACES = {
    "mpi4py": (r"mpi4py_client\.py:(\d+)", r"MPI\.\S+\+0x[0-9a-f]+()", "MPI.File.Open("),
    "h5py": (r"libhdf5\S+\+0x[0-9a-f]+ from h5py_client\.py:(\d+)", r"libhdf5\S+\+0x[0-9a-f]+()", "h5py.File("),
}

# Differences between runs without us: a pattern, and its replacement in both texts.
VARYING = [
    # Open MPI reads it from memory that rank 0 may not have written yet.
    (r"(window .*: blocking_fence)=.*", r"\1=(varies)"),
    # The launcher's process.
    (r"(env: ompi_positioned_file_dir=.*(?:pid|ompi|prterun\.\w+))\.\d+", r"\1.(varies)"),
]

# Differences because of us, by client: patterns of the line alone, and of the line with the store, or None. Each must
# occur once, unless the library alone prints the same as the store: then nothing may differ.
DIFFERENT = {
    "mpi4py": [
        # The number of a key that does not exist is MPI_ERR_ARG here, as in MPICH.
        ("nth too large: error class 31, MPI_ERR_INFO_KEY: invalid key argument for info object",
         "nth too large: error class 13, MPI_ERR_ARG: invalid argument of some other kind"),
        # Open MPI before version 6 rejects empty values; the store accepts them.
        ("empty value: error class 33, MPI_ERR_INFO_VALUE: invalid value argument for info object",
         "empty value: None"),
        # Open MPI has the command that its launcher started, the store has the program.
        (r"env: command=(python3|\S+/keep_output\.sh)", "env: command=/usr/bin/python3"),
        (r"env: argv=(\S+ /usr/bin/python3 )?\S+/mpi4py_client\.py file", r"env: argv=\S+/mpi4py_client\.py file"),
        # Open MPI has the level that MPI_Init_thread requests; the store has the launcher's, at any time.
        ("env: 12 keys", "env: 11 keys"),
        ("env: thread_level=MPI_THREAD_MULTIPLE", None),
    ],
}

COUNTS = re.compile(r"^rcuinfo: process \d+: live (\d+), .*, conversions (\d+), left out ", re.MULTILINE)


def romio():
    """Returns the launcher's options that select ROMIO, under the name that this Open MPI has for it."""
    components = subprocess.run(["ompi_info", "--parsable"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return ["--mca", "io", re.search(r"^mca:io:(romio\d+):", components, re.MULTILINE)[1]]


def steady(text):
    for pattern, replacement in VARYING:
        text = re.sub(pattern, replacement, text)
    return text.splitlines()


def substitute(pairs, lines, through):
    """Returns the lines. Those that differ because of us are marked or left out."""
    for n, pair in enumerate(pairs):
        if pair[through] is None:
            continue
        found = [at for at, line in enumerate(lines) if re.fullmatch(pair[through], line)]
        if len(found) != 1:
            fail(f"there should be one line {pair[through]!r}, {'through the store' if through else 'plain'}:\n" +
                 "\n".join(lines))
        lines[found[0]:found[0] + 1] = [] if None in pair else [f"(different, {n})"]
    return lines


def check_counts(words, errors, least):
    (live, conversions), *more = COUNTS.findall(errors) or [("none", "0")]
    print(f"{words[0]}: {conversions} conversions, {live} left")
    if more or live != "0" or int(conversions) < least:
        fail(f"{words}: one report, at least {least} conversions and no info left wanted:\n{errors}")


def check_report(report, key, wanted):
    """Checks the evidence, verdict and note on a key."""
    found = {f"{hint['evidence']}: {hint['verdict']} {hint['note']}" for hint in json.loads(report.read_text())["hints"]
             if hint["key"] == key}
    if len(found) != 1 or not re.fullmatch(wanted, *found):
        fail(f"verdicts on {key}: {found}")


def check_places(report, client, python, script):
    """Checks where the file is opened."""
    tells = subprocess.run([python, "-c", "import ctypes; ctypes.pythonapi._Py_DumpTraceback"], stderr=subprocess.DEVNULL,
                           check=False).returncode == 0
    with_line, without, words = PLACES[client]
    source = pathlib.Path(script).read_text().splitlines()
    places = {hint["place"] for hint in json.loads(report.read_text())["hints"] if hint["function"] == "MPI_File_open"}
    found = [re.fullmatch(with_line if tells else without, place) for place in places]
    if not found or not all(found) or (tells and not all(words in source[int(at[1]) - 1] for at in found)):
        fail(f"places of MPI_File_open{'' if tells else ', from a Python that does not tell'}: {places}")


def run(tool, flavour, launcher, client, least, programs, directory, through):
    """Runs the programs. Returns the output of each process, and the files left."""
    report = directory.with_name("report")
    ours = [tool, "run", "--stats", *([f"--hints-report={report}"] if client in REPORTED and least else [])]
    before = (romio() if client == "hdf5_romio" else []) + (ours if through else [])
    printed = []
    directory.mkdir()
    for words in programs:
        for output, errors in outputs(flavour, launcher, directory, 2, [*before, *words]):
            printed.append(steady(output))
            if through:
                check_counts(words, errors, least)
        if words is programs[0] and report.exists():
            check_report(report, *REPORTED[client])
            if client in PLACES:
                check_places(report, client, *words[:2])
    files = {file.name: file.read_bytes() for file in sorted(directory.iterdir())}
    shutil.rmtree(directory)
    return printed, files


def main():
    tool, flavour, launcher, client, least, *words = sys.argv[1:]
    programs = [list(program) for is_end, program in itertools.groupby(words, "--".__eq__) if not is_end]
    os.environ.update(VARIABLES)
    with tempfile.TemporaryDirectory() as place:
        directory = pathlib.Path(place) / "work"
        (plain, files), (ours, our_files) = (
            run(tool, flavour, launcher, client, int(least), programs, directory, through) for through in (False, True))
    for n, (before, after) in enumerate(zip(plain, ours)):
        pairs = [pair for pair in DIFFERENT.get(client, [])
                 if pair[1] is None or not any(re.fullmatch(pair[1], line) for line in before)]
        before, after = substitute(pairs, before, False), substitute(pairs, after, True)
        if before != after:
            wrong = [f"plain: {a}\nours:  {b}" for a, b in zip(before, after) if a != b]
            fail("\n".join([f"output {n} differs, {len(before)} and {len(after)} lines:", *wrong]))
    if not any(plain):
        fail("nothing was printed")
    wrong = [name for name in {**files, **our_files} if files.get(name) != our_files.get(name)]
    if wrong:
        fail(f"files that differ: {wrong}")
    print(f"{client} on {flavour}: the same {sum(map(len, plain))} lines and {len(files)} files")


main()
