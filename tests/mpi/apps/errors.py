#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Checks that errors have the same effect with and without `rcuinfo run`: the program errors prints the same, except for
the error classes in DECIDED, and errors end it if they do without, and in the same way.

usage: errors.py COMMAND PROGRAM FLAVOUR
"""
import re
import signal
import subprocess
import sys

from launch import environment, fail

# Where the two libraries differ, or the standard is clearer than one of them, the store's classes are the same on both.
# For each: a pattern for the calls, the library's class and the store's class.
DECIDED = {
    "mpich": [(r'MPI_Info_set\(info, "key", NULL\)', "MPI_ERR_ARG", "MPI_ERR_INFO_VALUE"),
              (r"MPI_Info_\w+\(&?none\b.*", "MPI_ERR_ARG", "MPI_ERR_INFO")],
    "openmpi": [(r"MPI_Info_(create\(|dup\(info, )NULL\)", "MPI_ERR_INFO", "MPI_ERR_ARG"),
                (r'MPI_Info_get\(info, "key", 15, NULL, &flag\)', "MPI_ERR_INFO_VALUE", "MPI_ERR_ARG"),
                (r"MPI_Info_get_nthkey\((info, 0, NULL|p?info, 99, value)\)", "MPI_ERR_INFO_KEY", "MPI_ERR_ARG")],
}
# Parts of the message for a fatal MPI_ERR_INFO_NOKEY. It names MPI_Comm_call_errhandler if the store detects the error.
WORDS = {
    "mpich": ["Fatal error in ", "MPI_Info key is not defined"],
    "openmpi": ["MPI_ERR_INFO_NOKEY: unknown key for given info object", "on communicator MPI_COMM_WORLD",
                "MPI_ERRORS_ARE_FATAL"],
}
SAID = r"^rcuinfo: MPI_Info_delete, called from [^ ].*\+0x[0-9a-f]+: MPI_ERR_INFO_NOKEY: "
MISTAKES = 53


def done(words):
    """Runs a command. Returns the finished process and the lines it printed."""
    # Without a daemon, Open MPI prints fatal errors itself. With one, 4.1.4 loses parts of the message on the way.
    variables = {**environment(), "OMPI_MCA_ess_singleton_isolated": "1"}
    run = subprocess.run(words, env=variables, stdin=subprocess.DEVNULL, text=True, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE)
    return run, run.stdout.splitlines()


def decided(flavour, line):
    """Returns a line of a plain run, with the store's class in place of the library's."""
    call, _, rest = line.partition(": ")
    for pattern, native, ours in DECIDED[flavour]:
        if re.fullmatch(pattern, call):
            if not rest.startswith(native):
                fail(f"{flavour} alone prints {line}, not {native}")
            return f"{call}: {ours}{rest[len(native):]}"
    return line


def comm_of_infos(lines):
    """Returns the communicator whose handler the library calls for an error in an info."""
    (line,) = (line for line in lines if line.startswith('MPI_Info_delete(info, "absent")'))
    return "MPI_COMM_SELF" if "for MPI_COMM_SELF" in line else "MPI_COMM_WORLD"


def remembered(returned, lines):
    """
    Corrects the lines of a library that returns MPI_SUCCESS after it has called a user's handler, as only MPICH 5.0.2
    does. The store always returns the errors that it detects itself; their classes are in `returned`.
    """
    classes = dict(re.match(r"(.*): (\w+),", line).groups() for line in returned)
    wanted = []
    for line in lines:
        call, forgotten, rest = re.fullmatch(r"(.*): (\w+)(, .*)", line).groups()
        if forgotten == "0" and call.startswith("MPI_Info"):
            line = f"{call}: {classes[call]}{rest.replace('with another code', 'with that code')}"
        elif forgotten == "0" and "NO_COMM" in call:  # the store fails first, at MPI_Comm_rank
            line = f"{call}: {classes[call]}{rest}"
        wanted.append(line)
    return wanted


def compare(flavour, run, program, how):
    (plain, wanted), (ours, got) = done([program, how]), done([*run, program, how])
    if plain.returncode == -signal.SIGSEGV:  # MPICH 3.4, at null pointers
        print(f"{how}: without rcuinfo, the program crashes")
        return
    if plain.returncode != 0 or ours.returncode != 0:
        fail(f"{how} ended with {plain.returncode} and {ours.returncode}:\n{plain.stderr}\n{ours.stderr}")
    forgets = any(": 0, words fit, handled 1" in line for line in wanted)
    if forgets:
        wanted = remembered(done([program, "return"])[1], wanted)
    wanted = [decided(flavour, line) for line in wanted]
    if len(got) != MISTAKES or len(wanted) != MISTAKES:
        fail(f"{how} prints {len(got)} mistakes, and {len(wanted)} without rcuinfo")
    for want, line in zip(wanted, got):
        if want != line or "words fit" not in line or ("another" in line and not forgets):
            fail(f"{how}: lines differ:\n{want}\n{line}")
        told = f"handled 1 for {comm_of_infos(wanted)}, with that code"
        if how != "return" and line.startswith("MPI_Info") and told not in line:
            fail(f"{how}: the handler was not called exactly once: {line}")
    if set(re.findall(r"^rcuinfo: process \d+: live (\d+),", ours.stderr, re.M)) != {"0"}:
        fail(f"{how}: live infos at the end:\n{ours.stderr}")


def compare_end(flavour, command, program, where):
    """
    Whether errors in infos end a program that has set MPI_ERRORS_RETURN there. Returns whether they do, and whether
    rcuinfo's run printed a message.
    """
    runs = [done([*before, program, where]) for before in ([], command)]
    (plain, wanted), (ours, got) = runs
    if plain.returncode != ours.returncode or wanted != got:
        fail(f"{where} ended with {plain.returncode} and {ours.returncode}:\n{plain.stdout}\n{ours.stdout}{ours.stderr}")
    if ("Abort(" in plain.stderr) != ("Abort(" in ours.stderr):  # as MPICH from 4 on prints
        fail(f"{where}: messages differ:\n{plain.stderr}\n{ours.stderr}")
    if plain.returncode != 0 and not re.search(SAID, ours.stderr, re.M):
        fail(f"{where}: the store does not say which call ended the program:\n{ours.stderr}")
    # What the library itself leaves out cannot be missed.
    words = [word for word in WORDS[flavour] if word in plain.stderr]
    if plain.returncode != 0 and len(words) < len(WORDS[flavour]):
        print(f"{where}: without rcuinfo, the message is incomplete:\n{plain.stderr}")
    # Open MPI from 5 on leaves the message to a thread of PMIx, for which the process does not wait when it ends.
    complete = [words, []] if flavour == "openmpi" else [words]
    for run, lines in runs:
        shown = [word for word in words if word in run.stderr]
        if run.returncode != 0 and (lines != ["before"] or shown not in complete):
            fail(f"{where} continues, or its message is incomplete:\n{run.stdout}\nstandard error:\n{run.stderr}")
        if run.returncode == 0 and len(lines) != 4:
            fail(f"{where} prints\n{run.stdout}")
    return plain.returncode != 0, bool(shown)


def main():
    command, program, flavour = sys.argv[1:]
    run = [command, "run", "--stats"]
    for how in ("return", "handler", "freed"):
        compare(flavour, run, program, how)
    found = {where: compare_end(flavour, run, program, where)
             for where in ("neither", "world", "self", "unseen", "both")}
    ends = {where for where, (does_end, _) in found.items() if does_end}
    if not any(has_message for _, has_message in found.values()):
        fail("no error has a message")
    print(f"errors end a program that set MPI_ERRORS_RETURN on {', '.join(sorted(ends))}")
    if "neither" not in ends or "both" in ends:
        fail("that is not what the library does")


main()
