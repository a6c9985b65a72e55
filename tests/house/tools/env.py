#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
`rcuinfo env`: its JSON, read by Python's parser, says the same as its table, whatever the bytes. Under a real launcher,
what each process prints is right, and differs between processes only where the launcher was told so.

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

from launch import environment, fail, host, ranks, takes_several

LIMIT = 1023  # bytes of a value
CALLER = "the caller's arguments"
KERNEL = "/proc/self/cmdline"
SIZE = {"mpich": "PMI_SIZE", "openmpi": "OMPI_COMM_WORLD_SIZE"}
WDIR = {"mpich": "the directory at load", "openmpi": "OMPI_MCA_initial_wdir"}
# The launcher's options that ask for a thread level, and what is then said of it.
LEVEL = {"mpich": (["-genv", "MPIR_CVAR_DEFAULT_THREAD_LEVEL", "mpi_thread_serialized"],
                   ("thread_level", "MPI_THREAD_SERIALIZED", "MPIR_CVAR_DEFAULT_THREAD_LEVEL")),
         "openmpi": (["-x", "OMPI_MPI_THREAD_LEVEL=2"],
                     ("thread_level", "MPI_THREAD_SERIALIZED", "OMPI_MPI_THREAD_LEVEL"))}

codecs.register_error("each byte", lambda error: ("\ufffd" * (error.end - error.start), error.end))


def same(what, found, wanted):
    if found != wanted:
        fail(f"{what}:\n{found}\ninstead of\n{wanted}")


def description(command, words, size, its_host, wdir, more=()):
    """(key, value, source) of each pair; words: the caller's, or None."""
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
        here = (place, WDIR[flavour])
        usr = ("/usr", WDIR[flavour])

        def check(what, wanted, *contexts):
            found = [triples(text) for text in ranks(flavour, launcher, place, *contexts)]
            same(f"{flavour}, {what}", found, wanted)

        def size(n):
            return (str(n), SIZE[flavour])

        for n in 2, 4:
            check(f"-n {n}", [description(command, ["a", "b"], size(n), its_host, here)] * n, (n, [*env, "a", "b"]))
        check("no arguments", [description(command, None, size(2), its_host, here)] * 2, (2, env))
        check("-wdir", [description(command, ["a"], size(2), its_host, usr)] * 2, (2, ["-wdir", "/usr", *env, "a"]))
        if takes_several(launcher):
            check("several programs", [description(command, ["a"], size(3), its_host, here)] +
                  [description(command, ["b", "c  d", ""], size(3), its_host, usr)] * 2,
                  (1, [*env, "a"]), (2, ["-wdir", "/usr", *env, "b", "c  d", ""]))
        options, level = LEVEL[flavour]
        check("a thread level", [description(command, ["a"], size(2), its_host, here, [level])] * 2,
              (2, [*options, *env, "a"]))
        # orterun says where it has started the script, and that counts; Hydra says nothing.
        script = ["sh", "-c", 'cd /usr && exec "$0" "$@"']
        there = usr if flavour == "mpich" else here
        check("behind a script", [description(command, None, size(2), its_host, there)] * 2, (2, [*script, *env]))
        if flavour == "mpich":
            check("-hosts", [description(command, ["a"], size(2), ("localhost", its_host[1]), here)] * 2,
                  (2, ["-hosts", "localhost", *env, "a"]))
        else:
            hosts = os.path.join(place, "hosts")
            with open(hosts, "w", encoding="ascii") as file:
                file.write("localhost slots=2\n")
            option, name = ["--default-hostfile", hosts], "OMPI_MCA_orte_default_hostfile"
            # Open MPI 5 says it to nobody.
            is_told = f"\n{name}=" in ranks(flavour, launcher, place, (1, [*option, "env"]))[0]
            check("--default-hostfile", [description(command, ["a"], size(2), its_host, here,
                                                     [("file", hosts, name)] if is_told else [])] * 2,
                  (2, [*option, *env, "a"]))
        table = subprocess.run([command, "env", "a", "b"], env=environment(), cwd=place, stdout=subprocess.PIPE,
                               check=True, text=True).stdout
        wanted = table.replace("  1\n", "  2\n").replace(f"host      {platform.node()}\n", f"host      {its_host[0]}\n")
        same(f"{flavour}, table", ranks(flavour, launcher, place, (2, [command, "env", "a", "b"])), [wanted] * 2)


WORDS = [
    [b"a"],
    [b"a", b"b", b"c"],
    [b"", b"", b""],
    [b"two words", b" three  more "],
    [b"-x", b"--stats"],
    [b'"', b"\\", b'\\"', b"/", b"\\u0041"],
    [b"a\nb", b"\t\r\b\f", b"{}[]:,'"],
    [bytes(range(1, 32)), b"\x7f"],
    ["äß€ 漢 😀".encode(), b"\xef\xbf\xbd", b"\xef\xbb\xbf"],
    [bytes(range(128, 256))],
    [b"\xff", b"a\xffb", b"\xe2\x82", b"\xe2\x82a\xf0\x9f\x98"],
    [b"\xc0\xaf", b"\xc1\xbf", b"\xe0\x80\xaf", b"\xf0\x80\x80\xaf"],  # longer than need be
    [b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xed\x9f\xbf", b"\xee\x80\x80"],  # surrogates, and what is next to them
    [b"\xf4\x8f\xbf\xbf", b"\xf4\x90\x80\x80", b"\xf8\x88\x80\x80\x80", b"\xfe"],  # the last character, and beyond
    [b"x" * (LIMIT - 1) + "€".encode(), "ä".encode() * LIMIT],
    [b"a", b"\xf0\x9f" * LIMIT],
]


def output(command, *words):
    return subprocess.run([command, "env", *words], env=environment(), stdout=subprocess.PIPE, check=True).stdout


def check_json(command):
    for words in WORDS:
        text = output(command, "--json", "--", *words).decode()  # strictly UTF-8
        pairs = json.loads(text)
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
        table = b"".join(b"%-8s  %s\n" % (key.encode(), raw[key]) for key in pairs)
        same(f"table of {words}", output(command, "--", *words), table)
        width = max(len(pair["source"]) for pair in both.values())
        table = b"".join(b"%-8s  %-*s  %s\n" % (key.encode(), width, both[key]["source"].encode(), raw[key])
                         for key in pairs)
        same(f"--explain of {words}", output(command, "--explain", "--", *words), table)
    same("options of the program", output(command, b"a", b"--json"), output(command, b"--", b"a", b"--json"))
    # A socket that keeps writes apart: all comes at once, however long.
    reading, writing = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    longest = [b"\1" * LIMIT, b"\1" * LIMIT]
    with reading, writing:
        subprocess.run([command, "env", "--json", "--", *longest], env=environment(), stdout=writing, check=True)
        same("the first write", reading.recv(1 << 17), output(command, "--json", "--", *longest))
    with tempfile.TemporaryDirectory() as place:
        place = os.path.realpath(place)
        text = subprocess.run([command, "env", "--json", "--explain"], env=environment(), cwd=place, check=True,
                              stdout=subprocess.PIPE).stdout
        same("alone", triples(text), description(command, None, ("1", "no launcher"), (platform.node(), "uname"),
                                                 (place, "the directory at load")))


if sys.argv[2] == "json":
    check_json(sys.argv[1])
else:
    under_launcher(*sys.argv[1:])
