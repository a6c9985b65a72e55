# SPDX-License-Identifier: BSD-3-Clause
"""
usage: functions.py FLAVOUR LIBRARY COMPILER INCLUDE-DIRECTORY...

Checks that lib/mpi/functions.txt has each function of the MPI's mpi.h and mpi-ext.h that takes or returns an info, that
the interposer LIBRARY defines those of the list by both names, and no others, and that lib/mpi/mpi.h has the
constants and the sizes of the MPI's. (rcuinfo_rows.h compares the prototypes.)
"""
import pathlib
import re
import subprocess
import sys

LIB = pathlib.Path(__file__).resolve().parents[3] / "lib"
sys.path.insert(0, str(LIB / "mpi"))
import functions as listed  # noqa: E402

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


def constants(flavour, compiler, directories):
    """Yields the faults of our mpi.h for a flavour."""
    ours = (LIB / "mpi/mpi.h").read_text()
    part = ours if flavour == "abi" else ours[ours.index(f"RCUINFO__FLAVOUR_{flavour.upper()})"):]
    names = re.findall(r"#define (MPI_\w+) +\(?\(?\w+\)?-?\(?\w+\)?\n", part[:part.index("#else")])
    types = ["MPI_Aint", "MPI_Count", "MPI_Offset", "MPI_Fint", "MPI_Comm", "MPI_File", "MPI_Group", "MPI_Win"]
    values = f"#define RCUINFO__FLAVOUR_{flavour.upper()}\n#include <mpi/mpi.h>\n"
    text = output_of([compiler, "-E", "-P", "-x", "c", f"-I{LIB}", f"-I{LIB.parent}/include", "-"],
                     values + "".join(f"\nvalue_{name} {name}" for name in names))
    found = {name: re.sub(r"\(MPI_\w+ *\*?\)", "(intptr_t)", value) for name, value in re.findall(r"value_(\w+) (.*)", text)}
    if len(found) < 10:
        yield f"only {len(found)} constants were found in our mpi.h"
    sizes = {name: 4 if name == "MPI_Fint" or (flavour == "mpich" and name in ("MPI_Comm", "MPI_Group", "MPI_Win")) else 8
             for name in types}
    if flavour == "abi":
        del sizes["MPI_Fint"]
    # Not static assertions, in which pointers are no constants: the compiler leaves no call of what differs.
    checks = [f"void differs_{name}(void);\nvoid check_{name}(void) {{ if ({what} != {value}) differs_{name}(); }}"
              for name, what, value in [(name, f"(intptr_t)({name})", value) for name, value in found.items()] +
              [(name, f"sizeof({name})", size) for name, size in sizes.items()]]
    text = output_of([compiler, "-std=gnu11", "-w", "-O2", "-S", "-x", "c", *[f"-I{directory}" for directory in directories],
                      "-", "-o", "-"], HEADERS + "#include <stdint.h>\n" + "\n".join(checks) + "\n")
    print(f"{len(found)} constants and {len(sizes)} sizes compared")
    for name in sorted(set(re.findall(r"\bdiffers_(\w+)", text))):
        yield f"our mpi.h has another {name}"


def main():
    flavour, library, compiler, *directories = sys.argv[1:]
    names = set(declared(compiler, directories))
    on_infos = {name for name in names if name.startswith("MPI_Info_")}
    extensions = {name for name in names if name.startswith("MPIX_")}
    print(f"{flavour}: {len(names)} functions of mpi.h use infos: {len(on_infos)} on infos themselves, "
          f"{len(names - on_infos - extensions)} others, and {len(extensions)} extensions")
    wanted = {name for function in listed.read() for name in listed.names_of(function)}
    had = {name for name in defined(library) if re.match("P?MPI|ompi_|rcuinfo_[a-z]", name)}
    faults = [f"{name}: not in functions.txt" for name in sorted(names - wanted)]
    faults += [f"{name}: not defined by {library}" for name in sorted(wanted - had)]
    faults += [f"{name}: defined by {library}, but not in functions.txt" for name in sorted(had - wanted)]
    faults += unsuitable(library)
    faults += constants(flavour, compiler, directories)
    sys.exit("\n".join(faults) or None)


if __name__ == "__main__":
    main()
