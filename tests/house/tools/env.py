#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Checks `rcuinfo env`. Its JSON, read by Python's parser, agrees with its table, for arbitrary bytes. Under a real
launcher the output of each process is right, and differs between processes only if the launcher was asked for that.

usage: env.py COMMAND json | env.py COMMAND FLAVOUR LAUNCHER
"""
import codecs
import json
import os
import platform
import socket
import subprocess
import sys
import tempfile

from launch import environment, host, ranks, same

LIMIT = 1023  # bytes of a value
CALLER = "the caller's arguments"
KERNEL = "/proc/thread-self/cmdline"
SIZE = {"mpich": "PMI_SIZE", "openmpi": "OMPI_COMM_WORLD_SIZE"}
WDIR = {"mpich": "the directory at load", "openmpi": "OMPI_MCA_initial_wdir"}
# The launcher's options that request a thread level, and the resulting output.
LEVEL = {"mpich": (["-genv", "MPIR_CVAR_DEFAULT_THREAD_LEVEL", "mpi_thread_serialized"],
                   ("thread_level", "MPI_THREAD_SERIALIZED", "MPIR_CVAR_DEFAULT_THREAD_LEVEL")),
         "openmpi": (["-x", "OMPI_MPI_THREAD_LEVEL=2"],
                     ("thread_level", "MPI_THREAD_SERIALIZED", "OMPI_MPI_THREAD_LEVEL"))}

codecs.register_error("each byte", lambda error: ("\ufffd" * (error.end - error.start), error.end))


def description(command, words, size, its_host, wdir, more=()):
    """Returns (key, value, source) of each pair. words: the arguments to describe, or None."""
    argv = " ".join(words[1:] if words else ["env", "--json", "--explain"])
    source = CALLER if words else KERNEL
    return [("command", words[0] if words else command, source), *([("argv", argv, source)] if argv else []),
            ("maxprocs", *size), ("soft", *size), ("host", *its_host), ("arch", platform.machine(), "uname"),
            ("wdir", *wdir), *more]


def triples(text):
    return [(key, pair["value"], pair["source"]) for key, pair in json.loads(text).items()]


def under_launcher(command, flavour, launcher):
    its_host = host(flavour, launcher)
    env = [command, "env", "--json", "--explain"]
    with tempfile.TemporaryDirectory() as place:
        place = os.path.realpath(place)
        here, usr = (place, WDIR[flavour]), ("/usr", WDIR[flavour])

        def check(n, options, words, its_host=its_host, wdir=here, more=()):
            wanted = description(command, words, (str(n), SIZE[flavour]), its_host, wdir, more)
            found = [triples(text) for text in ranks(flavour, launcher, place, n, [*options, *env, *(words or [])])]
            same(f"{flavour}, {options}", found, [wanted] * n)

        options, level = LEVEL[flavour]
        check(4, [], ["a", "b"])
        check(2, ["-wdir", "/usr", *options], ["a"], wdir=usr, more=[level])
        # orterun passes on where it has started the script, and that counts; Hydra does not.
        check(2, ["sh", "-c", 'cd /usr && exec "$0" "$@"'], None, wdir=usr if flavour == "mpich" else here)
        if flavour == "mpich":
            check(2, ["-hosts", "localhost"], ["a"], its_host=("localhost", its_host[1]))
            return
        hosts = os.path.join(place, "hosts")
        with open(hosts, "w", encoding="ascii") as file:
            file.write("localhost slots=2\n")
        option, name = ["--default-hostfile", hosts], "OMPI_MCA_orte_default_hostfile"
        # Open MPI 5 does not pass it on.
        is_told = f"\n{name}=" in ranks(flavour, launcher, place, 1, [*option, "env"])[0]
        check(2, option, ["a"], more=[("file", hosts, name)] if is_told else [])


# hints.report tests more valid and invalid UTF-8.
WORDS = [
    [b"a"],
    [b"", b"", b""],
    [b"two words", b" three  more ", b"-x", b"--stats", "äß€ 漢 😀".encode()],
    [b'"', b"\\", b'\\"', b"/", b"\\u0041", b"{}[]:,'", bytes(range(1, 32)), b"\x7f"],
    [bytes(range(128, 256)), b"a\xffb", b"\xe2\x82a\xf0\x9f\x98"],
    [b"\xc1\xbf", b"\xf5\x80\x80\x80", b"\xf8\x88\x80\x80\x80", b"\xed\x9f\xbf", b"\xee\x80\x80"],
    [b"x" * (LIMIT - 1) + "€".encode(), "ä".encode() * LIMIT],
]


def output(command, *words, **options):
    done = subprocess.run([command, "env", *words], env=environment(), check=True, stdout=subprocess.PIPE, **options)
    return done.stdout


def check_words(command, words):
    pairs = json.loads(output(command, "--json", "--", *words).decode())  # strictly UTF-8
    values = [words[0], *([b" ".join(words[1:])] if words[1:] else [])]
    wanted = [value[:LIMIT].decode(errors="each byte") for value in values]
    same(f"--json of {words}", list(pairs.values())[:len(values)], wanted)
    same(f"keys of {words}", list(pairs)[:3], ["command", *(["argv"] * (len(values) - 1)), "maxprocs", "soft"][:3])
    both = json.loads(output(command, "--json", "--explain", "--", *words))
    same(f"--json --explain of {words}", {key: pair["value"] for key, pair in both.items()}, pairs)
    same("its members", {tuple(pair) for pair in both.values()}, {("value", "source")})
    shown = bytes(63 if byte < 32 or byte == 127 else byte for byte in range(256))
    raw = {**{key: value.encode() for key, value in pairs.items()},
           **{key: value[:LIMIT].translate(shown) for key, value in zip(pairs, values)}}
    plain = [b"%-12s  %s\n" % (key.encode(), raw[key]) for key in pairs]
    same(f"table of {words}", output(command, "--", *words), b"".join(plain))
    explained = [b"%-12s  %-32s  %s\n" % (key.encode(), both[key]["source"].encode(), raw[key]) for key in pairs]
    same(f"--explain of {words}", output(command, "--explain", "--", *words), b"".join(explained))


def check_json(command):
    for words in WORDS:
        check_words(command, words)
    same("options of the program", output(command, b"a", b"--json"), output(command, b"--", b"a", b"--json"))
    # A socket that separates writes: the output must be one write, whatever its length.
    reading, writing = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    longest = ["--json", "--", b"\1" * LIMIT, b"\1" * LIMIT]
    with reading, writing:
        subprocess.run([command, "env", *longest], env=environment(), stdout=writing, check=True)
        same("the first write", reading.recv(1 << 17), output(command, *longest))
    with tempfile.TemporaryDirectory() as place:
        place = os.path.realpath(place)
        wanted = description(command, None, ("1", "no launcher"), (platform.node(), "uname"),
                             (place, "the directory at load"))
        same("alone", triples(output(command, "--json", "--explain", cwd=place)), wanted)


if sys.argv[2] == "json":
    check_json(sys.argv[1])
else:
    under_launcher(*sys.argv[1:])
