# SPDX-License-Identifier: BSD-3-Clause
"""
usage: functions.py FLAVOUR LIBRARY COMPILER INCLUDE-DIRECTORY...

Checks that the interposer LIBRARY defines each function of the flavour's mpi.h and mpi-ext.h that takes or returns an
info, and no others except the rows of its table, INIT, WATCHED and ADDED. (install.symbols has the full list.) Also
checks that each row passes its parameters on in order, and the real info: the compiler cannot tell two parameters of one
type apart.
"""
import pathlib
import re
import subprocess
import sys

# Functions that initialize or finalize MPI, and take no info.
INIT = {"MPI_Init", "MPI_Init_thread", "MPI_Finalize", "MPI_Abort"}
# Functions that set the error handler of MPI_COMM_SELF, on which it depends who gets the errors in infos.
WATCHED = {
    "mpich": {"MPI_Comm_set_errhandler", "MPI_Errhandler_set"},
    "openmpi": set(),
    "abi": {"MPI_Comm_set_errhandler"},
}
# Functions of MPI-4.0 and 5.0 that the interposer defines even if the real library lacks them.
ADDED = {
    "mpich": {"MPI_Info_create_env", "MPI_Info_get_string"},
    "openmpi": {"MPI_Info_create_env", "MPI_Info_get_string", "MPI_Info_toint", "MPI_Info_fromint"},
    "abi": set(),
}

# Not defined: MPICH's handles are integers that these return unchanged; the ABI lacks c2f and f2c, whatever mpi.h says.
THROUGH = {
    "mpich": {f"MPI_Info_{way}" for way in ("c2f", "f2c", "toint", "fromint")},
    "openmpi": set(),
    "abi": {"MPI_Info_c2f", "MPI_Info_f2c"},
}

HEADERS = """#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif
"""


def output_of(command, text=None):
    return subprocess.run(command, input=text, text=True, stdout=subprocess.PIPE, check=True).stdout


def declared(compiler, directories):
    """Returns the functions except PMPI_* with MPI_Info as a parameter or result, as a map from name to parameters."""
    options = [f"-I{directory}" for directory in directories]
    text = output_of([compiler, "-E", "-P", "-x", "c", *options, "-"], HEADERS)
    text = re.sub(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)", " ", text)
    functions = {}
    for declaration in re.split(r"[;{}]", text):
        if declaration.lstrip().startswith("typedef"):
            continue
        found = re.fullmatch(r"([\w\s*]*?)\b(MPIX?_\w+)\s*\((.*)\)\s*", declaration.strip(), re.DOTALL)
        if found and re.search(r"\bMPI_Info\b", found[1] + "," + found[3]):
            functions[found[2]] = [parameter.strip() for parameter in found[3].split(",")]
    return functions


def defined(library):
    lines = output_of(["nm", "-D", "--defined-only", library]).splitlines()
    return {line.split()[-1].split("@")[0] for line in lines}


def unsuitable(library):
    """Yields a fault for each MPI function that the library needs by name, and if it binds its own symbols."""
    for line in output_of(["nm", "-D", "--undefined-only", library]).splitlines():
        if re.match("P?MPIX?_|ompi_", line.split()[-1]):
            yield f"{library} refers to {line.split()[-1]}"
    if "SYMBOLIC" in output_of(["readelf", "-d", library]):
        yield f"{library} binds its own symbols"


def named(text):
    """Returns the functions that are named in the text of the table."""
    persistent = re.findall(r"PREFIX##(\w+)", text)
    return set(re.findall(r"\bMPIX?_\w+", text)) | {
        prefix + name + suffix for prefix in ("MPI_", "MPIX_") for name in persistent for suffix in ("", "_c")}


def misplaced(text):
    """Yields the faults of the table's rows."""
    rows = re.findall(r"__ROW(?:_TYPED)?\(ROW, [A-Z_]+, ([\w#]+), \([^)]*\),\s*\(([^)]*)\),\s*\(([^)]*)\)\)", text)
    if len(rows) != len(re.findall(r"__ROW(?:_TYPED)?\(ROW, [A-Z]", text)):
        yield "the table has rows that cannot be parsed"
    for name, parameters, arguments in rows:
        names = re.findall(r"(\w+)(?:\[\])?(?:,|$)", parameters)
        wanted = ["real" if parameter in ("info", "info_used") else parameter for parameter in names]
        if re.findall(r"\w+", arguments) != wanted or wanted.count("real") != 1:
            yield f"{name} passes {arguments} on for {parameters}"


def main():
    flavour, library, compiler, *directories = sys.argv[1:]
    folder = pathlib.Path(__file__).resolve().parents[3] / "lib/mpi/interpose"
    table = "".join(path.read_text() for path in sorted(folder.glob("table*.h"))).replace("\\\n", " ")
    names = set(declared(compiler, directories))
    on_infos = {name for name in names if name.startswith("MPI_Info_")}
    extensions = {name for name in names if name.startswith("MPIX_")}
    print(f"{flavour}: {len(names)} functions of mpi.h use infos: {len(on_infos)} on infos themselves, "
          f"{len(names - on_infos - extensions)} others, and {len(extensions)} extensions")
    wanted = (names | INIT | WATCHED[flavour] | ADDED[flavour]) - THROUGH[flavour]
    had = {name for name in defined(library) if re.match("MPIX?_", name)}
    # Whatever that mpi.h lacks: the program's library may be newer.
    rows = set(re.findall(r"__ROW\(ROW, [A-Z_]+, (MPI_\w+),", table))
    faults = [f"{name}: not defined by {library}" for name in sorted((wanted | rows) - had)]
    faults += [f"{name}: not in the flavour's mpi.h, or has no info there" for name in sorted(had - wanted - named(table))]
    faults += misplaced(table)
    faults += unsuitable(library)
    sys.exit("\n".join(faults) or None)


if __name__ == "__main__":
    main()
