# SPDX-License-Identifier: BSD-3-Clause
"""
Starts programs under a real launcher, as if none had started us, and hands back what each process has printed. For
scripts whose test sets PYTHONPATH to this folder.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

# The launcher's options with which words may begin, and the number of arguments of each.
OPTIONS = {"-wdir": 1, "-x": 1, "--default-hostfile": 1, "--mca": 2}
OF_LAUNCHERS = ("OMPI_", "PMI_", "PMIX_", "MPIR_", "HYD", "SLURM")


def environment():
    kept = {name: value for name, value in os.environ.items() if not name.startswith(OF_LAUNCHERS)}
    if os.geteuid() == 0:
        kept.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    # A job communicates with the job that started it by TCP, all on this machine, so use no other network interface.
    kept.update(OMPI_MCA_btl_tcp_if_include="lo")
    return kept


def fail(message):
    sys.exit(f"{os.path.basename(sys.argv[0])}: {message}")


def same(what, found, wanted):
    if found != wanted:
        fail(f"{what}:\n{found}\ninstead of\n{wanted}")


def start(flavour, launcher, processes, *options):
    """The beginning of a launcher's command, with more options."""
    return [launcher, *(["--oversubscribe"] if flavour == "openmpi" else []), *options, "-n", str(processes)]


def kept(place, words):
    """The words for Open MPI's launcher. Its own option that keeps the output loses it in version 5."""
    at = 0
    while words[at] in OPTIONS:
        at += 1 + OPTIONS[words[at]]
    return [*words[:at], str(pathlib.Path(__file__).parent / "keep_output.sh"), str(place), *words[at:]]


def started(command, directory, variables=(), stderr=subprocess.PIPE):
    """A launcher's run in a directory, with more variables in its environment."""
    # Keep the input open: at its end, Hydra 4.0.2 writes to a proxy which may have ended, and dies of that.
    reading, writing = os.pipe()
    done = subprocess.run(command, cwd=directory, env={**environment(), **dict(variables)}, stdin=reading, text=True,
                          stdout=subprocess.PIPE, stderr=stderr)
    os.close(reading)
    os.close(writing)
    return done


def results(flavour, launcher, directory, processes, words):
    """
    The launcher's run in the directory, and what each process prints, by rank: its standard output and its standard error
    output. Ahead of their program, the words may have options of the launcher's.
    """
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        options = [f"-outfile-pattern={place}/%r.stdout", f"-errfile-pattern={place}/%r.stderr"]
        if flavour == "openmpi":
            options, words = [], kept(place, words)
        done = started([*start(flavour, launcher, processes, *options), *words], directory, stderr=subprocess.STDOUT)
        files = [[place / f"{rank}.{stream}" for stream in ("stdout", "stderr")] for rank in range(processes)]
        # MPICH's makes no empty ones.
        return done, [[file.read_text() if file.exists() else "" for file in pair] for pair in files]


def outputs(flavour, launcher, directory, processes, words):
    """What each process of `results` prints, if the run ends with success; otherwise, this program ends."""
    done, texts = results(flavour, launcher, directory, processes, words)
    if done.returncode != 0:
        fail("\n".join([f"{done.args} ended with {done.returncode}:", done.stdout, *sum(texts, [])]))
    return texts


def ranks(flavour, launcher, directory, processes, words):
    """The standard output of each process, by rank."""
    return [out for out, _ in outputs(flavour, launcher, directory, processes, words)]


def host(flavour, launcher):
    """The launcher's name for this machine, and the variable that has it: Hydra's, or that of Hydra since MPICH 5."""
    names = {"mpich": ["MPIR_CVAR_CH3_INTERFACE_HOSTNAME", "PMI_HOSTNAME"], "openmpi": ["PMIX_HOSTNAME"]}[flavour]
    lines = ranks(flavour, launcher, "/", 1, ["env"])[0].splitlines()
    said = dict(line.split("=", 1) for line in lines if "=" in line)
    found = [(said[name], name) for name in names if said.get(name)]
    return found[0] if found else fail(f"{launcher} does not name the host")
