# SPDX-License-Identifier: BSD-3-Clause
"""drive: what bench_mpi, bench_scale and bench_collective share: options and results as those of the programs in C
(harness/report.h), and the programs that do the measured work (harness/mpi_work.h).

A failure ends the program with status 1, invalid arguments with status 2.
"""
import getopt
import json
import os
import re
import resource
import signal
import socket
import statistics
import struct
import subprocess
import sys
from collections import namedtuple
from math import inf
from pathlib import Path
from typing import NamedTuple

NAME = os.path.basename(sys.argv[0])
SOURCE = Path(__file__).resolve().parent
BUILD = Path(os.path.abspath(sys.argv[0])).parent  # has a link to the program
if BUILD.resolve() == SOURCE:
    BUILD = SOURCE.parent / "build/release/bench"
if not (BUILD / "built.h").exists():
    sys.exit(f"{NAME}: {BUILD} is not built: cmake --preset release && cmake --build --preset release")
BUILT = dict(re.findall(r'#define BENCH_(\w+) "(.*)"', (BUILD / "built.h").read_text(encoding="utf-8")))
CORES = len(os.sched_getaffinity(0))
MPIS = ("MPICH", "Open MPI")

# As in mpi_work.h: enum mpi_work by name, enum mpi_rate, and the structs.
HEADER = (SOURCE / "harness/mpi_work.h").read_text(encoding="utf-8")
WORK = {name: int(number or index) for index, (name, number) in
        enumerate(re.findall(r"^    MPI_WORK_(\w+)(?: = (\d+))?,", HEADER, re.M))}
GETS, SETS, BOTH, LONGEST = range(4)
ORDER, RESULT, HELLO = struct.Struct("IIIIQ"), struct.Struct("5d"), struct.Struct("i128s")
Order = namedtuple("Order", "work keys readers writers nanoseconds", defaults=(0, 0, 0))


def fail(text, status=1):
    print(f"{NAME}: {text}", file=sys.stderr)
    sys.exit(status)


class Option(NamedTuple):
    """The default is False, a number or a list of numbers, as the value. If it is 0, `what` names it."""
    what: str
    default: object
    least: int = 0
    most: int = 0

    def parse(self, name, text):
        if self.default is False:
            return True
        well_formed = re.fullmatch("[0-9]{1,9}(,[0-9]{1,9})*", text)
        numbers = [int(number) for number in text.split(",")] if well_formed else [-1]
        if min(numbers) < self.least or max(numbers) > self.most:
            fail(f'--{name} "{text}": expected integers from {self.least} to {self.most}, separated by commas', 2)
        if isinstance(self.default, list):
            return numbers
        if len(numbers) > 1:
            fail(f'--{name} "{text}": expected one number', 2)
        return numbers[0]

    def help(self, name):
        if self.default is False:
            return f"  --{name:<16} {self.what}"
        name, default = (f"{name} N", self.default) if isinstance(self.default, int) else (
            f"{name} LIST", ",".join(map(str, self.default)))
        return f"  --{name:<16} {self.what}, {self.least} to {self.most}" + (f" ({default})" if default else "")


def read_options(about, options):
    """Returns {name: value} of the options, {name: Option}, and of --json."""
    values = {"json": None, **{name: option.default for name, option in options.items()}}
    names = [name + ("" if option.default is False else "=") for name, option in options.items()]
    try:
        given, surplus = getopt.gnu_getopt(sys.argv[1:], "", [*names, "json=", "help"])
    except getopt.GetoptError as error:
        fail(f"{error}; see --help", 2)
    for name, text in ((name[2:], text) for name, text in given):
        if name == "help":
            print(f"usage: {NAME} [options]\n{about}", *(option.help(name) for name, option in options.items()),
                  "  --json FILE        also write the numbers to FILE", "  --help\n",
                  "Exit status: 0 success, 1 a call failed or returned a wrong result, 2 invalid arguments.", sep="\n")
            sys.exit()
        values[name] = text if name == "json" else options[name].parse(name, text)
    if surplus:
        fail(f'unexpected argument "{surplus[0]}"; see --help', 2)
    return values


def spread(values):
    return {"min": min(values), "median": statistics.median(values), "max": max(values)}


def ratios(above, below):
    """The spread of the ratios of numbers that were measured in the same round."""
    return spread([a / b if b else inf if a else 1 for a, b in zip(above, below)])


def shown(value):
    if isinstance(value, str):
        return f"{value:<18}"
    if isinstance(value, dict):
        text = f"{value['median']:.4g} ({value['min']:.4g} to {value['max']:.4g})"
        return f"{text:<28}"
    return f"{value:<7.7g}"


def as_json(value):
    """Numbers with six digits; infinity, which JSON does not have, is null."""
    if isinstance(value, dict):
        return {name: as_json(inner) for name, inner in value.items()}
    return value if isinstance(value, str) else None if value == inf else float(f"{value:.6g}")


class Results:
    """Prints the machine, the build and the rows, and writes them to the file of --json."""

    def __init__(self, about, values):
        model = re.search(r"^model name\s*: (.*)", Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.M)
        self.all = {"bench": NAME, "machine": model[1] if model else os.uname().machine, "cores": CORES,
                    **{name: BUILT[name.upper()] for name in ("compiler", "build", "commit")},
                    **{name: value for name, value in values.items() if type(value) is int}}
        self.path, self.rows = values["json"], []
        print("{0}\nOn {machine}, {cores} usable cores, {compiler}, {build}, commit {commit}. Numbers: median of the "
              "rounds (minimum to maximum).\n".format(about, **self.all), flush=True)
        try:
            self.file = self.path and open(self.path, "w", encoding="utf-8")  # now, not after minutes of measuring
        except OSError:
            fail(f'--json: cannot write "{self.path}"', 2)

    def row(self, **fields):
        print("".join(f"{name} {shown(value)} " for name, value in fields.items()), flush=True)
        self.rows.append(as_json(fields))

    def close(self):
        try:
            if self.file:
                with self.file:
                    json.dump({**as_json(self.all), "rows": self.rows}, self.file, indent=2)
                    self.file.write("\n")
        except OSError:
            fail(f'--json: cannot write all of "{self.path}"')


class Child:
    """A measured program. It is started once and waits for orders, so that only one runs at a time. One that ends
    unexpectedly ends this program, unless it is fragile: that is started again."""

    def __init__(self, name, *command, store=False, fragile=False):
        self.name, self.store, self.fragile = name, store, fragile
        self.command = [str(word) for word in command]
        self.start()

    def start(self):
        """Waits for the hello. Ends this program if the child wrongly has or lacks the store."""
        self.socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self.process = subprocess.Popen([*self.command, str(theirs.fileno())], pass_fds=[theirs.fileno()],
                                            stderr=subprocess.DEVNULL if self.fragile else None)
        if self.fragile:
            resource.prlimit(self.process.pid, resource.RLIMIT_CORE, (0, 0))
        hello = self.socket.recv(HELLO.size + 1)
        if len(hello) != HELLO.size:
            self.ended(self.end())
        store, version = HELLO.unpack(hello)
        self.version = version.split(b"\0")[0].decode()
        if bool(store) != self.store:
            fail(f"{self.name}: the process {'lacks' if self.store else 'has'} the store")

    def end(self):
        """Tells the child to end, and returns its status."""
        self.socket.close()
        return self.process.wait()

    def ended(self, status):
        fail(f"{self.name}: its process ended (status {status})")

    def perform(self, order):
        """Returns the result, and None or how a plain library failed. A fragile child is stopped if it takes far too
        long."""
        self.socket.settimeout(order.nanoseconds / 1e9 * 4 + 2 if self.fragile else None)
        result, hangs = b"", False
        try:
            self.socket.send(ORDER.pack(*order), socket.MSG_NOSIGNAL)
            result = self.socket.recv(RESULT.size + 1)
        except socket.timeout:
            self.process.kill()
            hangs = True
        except OSError:
            pass  # it has ended
        if len(result) == RESULT.size:
            return RESULT.unpack(result), None
        status = self.end()
        if self.store or (not self.fragile and status >= 0):  # that a plain library crashes is a result
            self.ended(status)
        self.start()
        return None, "hangs" if hangs else "crashes" if status < 0 else "wrong values"


def programs(name):
    """Returns {MPI: path} of those that the build has made."""
    paths = {mpi: BUILD / f"{name}.{mpi.lower().replace(' ', '')}" for mpi in MPIS}
    return {mpi: path for mpi, path in paths.items() if path.exists()}


def start_children(results, inside=False):
    """Starts the program of each MPI, plain and on the store. Returns {name: Child}. inside: on MPICH only, on both
    libraries that tools/inside/mpich has built."""
    children, results.all["mpi"] = {}, {}
    for mpi, calls in programs("bench_mpi_calls").items():
        libraries = [SOURCE.parent / f"build/inside/{which}/install/lib" for which in ("plain", "inside")]
        if inside and mpi != "MPICH":
            continue
        if inside and not all((library / "libmpich.so.12").exists() for library in libraries):
            fail("--inside: run tools/inside/mpich first")
        plain, other = ([["env", f"LD_LIBRARY_PATH={library}", calls] for library in libraries] if inside else
                        ([calls], [BUILD.parent / "tools/rcuinfo", "run", calls]))
        child = children[mpi] = Child(mpi, *plain)
        print(f"# {mpi:<9} {child.version}")
        results.all["mpi"][mpi] = child.version
        store = f"rcuinfo on {mpi}"
        children[store] = Child(store, *other, store=not inside)
    return children


def stop_children(children):
    for child in children.values():
        if status := child.end():
            child.ended(status)


class Side:
    """An order of a child, and its results."""

    def __init__(self, child, order):
        self.child, self.order, self.results = child, order, []
        self.failed = None  # how the child failed, after which it is not asked again

    def measure(self):
        if not self.failed:
            result, self.failed = self.child.perform(self.order)
            self.results.append(result)

    def values(self, index):
        return [result[index] for result in self.results]


def measure(sides, rounds):
    """Measures each side once in each round. The first one changes from round to round."""
    terminal = sys.stderr.isatty()
    for turn in range(rounds):
        if terminal:
            print(f"\rround {turn + 1} of {rounds} ", end="", file=sys.stderr, flush=True)
        for index in range(len(sides)):
            sides[(index + turn) % len(sides)].measure()
    if terminal:
        print("\r\033[K", end="", file=sys.stderr, flush=True)


def run(about, options, bench, defaults=None):
    """Reads the options, calls bench(results, values), and writes the results. defaults: of options whose default
    depends on --quick, without and with it."""
    for number in (signal.SIGINT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)  # as in C
    values = read_options(about, options)
    for name, pair in (defaults or {}).items():
        values[name] = values[name] or pair[values["quick"]]
    results = Results(about, values)
    try:
        bench(results, values)
    except OSError as error:
        fail(error)
    results.close()
