# SPDX-License-Identifier: BSD-3-Clause
"""
usage: functions.py names|forwarders OUTPUT
       functions.py rows OUTPUT DECLARED...

Reads functions.txt, beside it, and writes C. names: the definitions of all names that an interposer has, each of which
calls the function that names_bind chooses. forwarders: for the interposer of one flavour, the prototypes, and the rows
of the functions that pass an info on. rows: for the tests, the rows of the functions that a list of names has.
"""
import pathlib
import re
import sys
from typing import NamedTuple


class Function(NamedTuple):
    kind: str
    object: str  # e.g. "file(fh,filename)"
    result: str
    name: str
    parameters: list  # each as (declaration, name)


class ListError(Exception):
    pass


def parameter(text):
    found = re.search(r"(\w+)(?:\[\])?$", text)
    if not found:
        raise ListError(f"a parameter without a name: {text}")
    return text, found[1]


def read():
    """Returns the functions of the list."""
    functions = []
    for line in pathlib.Path(__file__).with_name("functions.txt").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        found = re.fullmatch(r"(\w+) +(\S+) +(?:(\w+) )?(\w+)(?:\[([cx,]+)\])?\((.*)\)", line)
        if not found:
            raise ListError(f"functions.txt: {line}")
        kind, of, result, name, also, parameters = found.groups()
        ways = [(name, "int", "int")]
        if also and "c" in also:
            ways.append((name + "_c", "MPI_Count", "MPI_Aint"))
        if also and "x" in also:
            ways.append((name.replace("MPI_", "MPIX_"), "int", "int"))
        for way, count, displacement in ways:
            text = re.sub(r"\bDISPLACEMENT\b", displacement, re.sub(r"\bCOUNT\b", count, parameters))
            each = [] if text == "void" else [parameter(one.strip()) for one in text.split(",")]
            functions.append(Function(kind, of, result or "int", way, each))
    return functions


def declared(function):
    return ", ".join(text for text, _ in function.parameters) or "void"


def names_of(function):
    return [function.name, "P" + function.name] if function.name.startswith("MPI") else [function.name]


# How a parameter is passed: in the calling conventions of C, handles are passed like pointers in all three flavours.
def word(text):
    if text.rstrip("[]") != text or "*" in text:
        return "void *"
    kind = text.split()[0]
    return {"int": "int", "MPI_Fint": "int", "MPI_T_cb_safety": "int", "MPI_Aint": "intptr_t", "MPI_Count": "int64_t",
            "MPI_Offset": "int64_t", "rcuinfo_t": "uint64_t"}.get(kind, "void *")


def names(functions):
    """Yields the C of the names."""
    all_names = [(name, function) for function in functions for name in names_of(function)]
    yield "#include <mpi/interpose/names.h>\n"
    yield f"const size_t rcuinfo__names_count = {len(all_names)};"
    yield "const char *const rcuinfo__names[] = {"
    yield from (f'    "{name}",' for name, _ in all_names)
    yield "};"
    yield "const bool rcuinfo__names_always[] = {"
    yield from (f"    {int(function.kind == 'always')}," for _, function in all_names)
    yield "};"
    yield f"_Atomic(rcuinfo__function_t) rcuinfo__names_bound[{len(all_names)}];\n"
    for number, (name, function) in enumerate(all_names):
        words = [word(text) for text, _ in function.parameters]
        result = word(function.result + " result") if function.result != "int" else "int"
        pairs = ", ".join(f"{kind} a{n}" for n, kind in enumerate(words)) or "void"
        arguments = ", ".join(f"a{n}" for n in range(len(words)))
        yield (f"__attribute__((visibility(\"default\"))) {result} {name}({pairs});\n{result} {name}({pairs})\n{{\n"
               f"    return (({result} (*)({', '.join(words) or 'void'}))rcuinfo__names_find({number}))({arguments});\n}}")


def object_of(function):
    """Returns the object as the macros of rows want it: (KIND, handle, name)."""
    if function.object == "-":
        return "(OTHER, NULL, NULL)"
    kind, handle, name = re.fullmatch(r"(\w+)\((\S+?)(?:,(\w+))?\)", function.object).groups()
    return f"({kind.upper()}, {'NULL' if handle == '-' else handle}, {name or 'NULL'})"


def row(function):
    passed = ["real" if name in ("info", "info_used") else name for _, name in function.parameters]
    if passed.count("real") != 1:
        raise ListError(f"{function.name} has no info or several")
    return (f"    ROW({function.kind.upper()}, {function.name}, {object_of(function)}, ({declared(function)}), "
            f"({', '.join(passed)}))")


def rows_of_mpi_h(functions):
    """Yields the rows, after prototypes that do not compile where they disagree with mpi.h."""
    yield "#pragma once"
    yield "#include <mpi.h>\n#if __has_include(<mpi-ext.h>)\n#include <mpi-ext.h>\n#endif"
    for function in functions:
        for name in names_of(function) if function.name != "MPI_Psend_init" else []:  # MPICH 4.0: no const
            yield f"{function.result} ({name})({declared(function)});"  # it may also be a macro
    yield from rows(functions)


def rows(functions):
    yield "#define RCUINFO__FUNCTIONS(ROW) \\"
    yield " \\\n".join(row(function) for function in functions if function.kind not in ("by_hand", "always"))


def forwarders(functions):
    """Yields the header of a flavour's interposer."""
    yield "#pragma once"
    yield "#if !defined(RCUINFO__NAMES_ALONE)"
    for function in functions:
        for name in names_of(function):
            yield f"{function.result} {name}({declared(function)});"
            yield f"{function.result} rcuinfo__{name}({declared(function)});"
    yield "#endif"
    yield from rows(functions)
    yield "#define RCUINFO__NAMES(NAME) \\"
    yield " \\\n".join(f"    NAME({name})" for function in functions for name in names_of(function))


def main():
    kind, output, *had = sys.argv[1:]
    functions = read()
    if kind == "rows":
        functions = [function for function in functions if function.name in had]
    text = {"names": names, "forwarders": forwarders, "rows": rows_of_mpi_h}[kind](functions)
    pathlib.Path(output).write_text("/* Made from functions.txt. */\n" + "\n".join(text) + "\n")


if __name__ == "__main__":
    try:
        main()
    except ListError as error:
        sys.exit(f"functions.py: {error}")
