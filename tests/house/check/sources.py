#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Rules for the sources that no compiler checks.

includes  The sources under lib/ include only headers of the same or lower layers of lib/DESIGN.md; liburcu,
          ConcurrencyKit and xxHash each have one includer, malloc and the like one caller; in lib/core every atomic
          access names its order, and the orders are named in order.h alone. What is installed takes nothing from
          tests/: neither its sources nor the CMakeLists.txt beside them.
pairs     Every numbered pair [Pn] has `field`, `publish` and `acquire`, each at one place of the code at least, and a line in
          the table of lib/DESIGN.md, which has no other lines.

usage: sources.py includes|pairs SOURCE_ROOT      prints what is wrong; exit status 1 if anything is
"""
import pathlib
import re
import sys

# Names and headers that only the files whose paths in lib/ match may use.
ONLY = (
    (r"# *include *<urcu", r"core/rcu\.[ch]"),
    (r"# *include *<ck_", r"core/ck\.h"),
    (r"# *include *<xxhash\.h", r"core/text\.h"),
    (r"(?<![\w>.])(malloc|calloc|realloc|reallocarray|aligned_alloc|posix_memalign|memalign|free|strn?dup|v?asprintf|"
     r"getline|getdelim|open_memstream)\s*\(", r"core/memory/alloc\.c"),
    (r"memory_order_", r"core/order\.h|mpi/.*|fortran/.*"),
    (r"__ATOMIC_", r"core/(ck\.h|memory/arena\.[ch])"),
    (r"atomic_(load|store|exchange|fetch_[a-z]+|compare_exchange_(weak|strong))\s*\(", r"nothing"),  # implicit order
    (r"uatomic_|ck_pr_|cmm_", r"core/ck\.h"),
)
# Folders of lib/, and the folders of lib/ that they may include. The first match counts.
BESIDE = (
    (r"collective/", r"collective/|core/(memory/alloc|text)\.h"),
    (r"mpi/abi/", r"(?!collective/|mpi/interpose/|keys/|report/)"),
    (r"mpi/interpose/", r"(?!collective/|mpi/abi/)"),
    (r"keys/", r"(keys|pack|core)/"),
    (r"report/", r"(report|keys|core)/"),
    (r"(env|value|hints|pack)/", r"\1/|core/"),
    (r"", r"(?!collective/|keys/|report/)"),
)
# The other folders of what is installed, and where they may find the headers that they include by "".
INSTALLED = {"include": ("include",), "tools/rcuinfo": ("lib", "tools/rcuinfo")}


def read(path):
    return path.read_text(encoding="utf-8")


def layers(design):
    """Returns the number of the layer of each folder and each file of core/."""
    line = re.search(r"^## Layers\n+`(.*)`$", design, re.M)
    return {name: number for number, names in enumerate(line.group(1).split(" -> ")) for name in names.split(", ")}


def includes(lib, sources, design):
    numbers = layers(design)

    def layer(path):
        return numbers.get(re.sub(r".*/|\.[ch]$", "", path) if path.startswith("core/") else path.split("/")[-2])

    for path, text in sources.items():
        code = re.sub(r'/\*.*?\*/|//[^\n]*|(?<!include )"[^"\n]*"', " ", text, flags=re.S)
        if layer(path) is None:
            yield f"lib/{path}: has no place among the layers"
        for pattern, where in ONLY:
            for found in re.finditer(pattern, code):
                if not re.fullmatch(where, path):
                    yield f"lib/{path}: uses {found.group()}"
        folder, allowed = next(row for row in BESIDE if re.match(row[0], path))
        allowed = allowed.replace(r"\1", path.split("/")[0])
        for header in re.findall(r'^ *# *include *"(.*)"', code, re.M):
            if ".." in header or not (lib / header).is_file():
                yield f'lib/{path}: includes "{header}", which is not named from lib/'
            elif (layer(header) or 0) > (layer(path) or 0):
                yield f'lib/{path}: includes "{header}", of a layer above its own'
            elif not re.match(allowed, header):
                yield f'lib/{path}: includes "{header}", of a layer beside its own'


def from_tests(root):
    for folder, roots in INSTALLED.items():
        for path in sorted((root / folder).rglob("*.[ch]*")):
            for header in re.findall(r'^ *# *include *"(.*)"', read(path), re.M):
                if ".." in header or not any((root / one / header).is_file() for one in roots):
                    yield f'{path.relative_to(root)}: includes "{header}", which is not in {" or ".join(roots)}'
    builds = [*(root / "include").rglob("CMakeLists.txt"), *(root / "lib").rglob("CMakeLists.txt")]
    for path in (*builds, root / "tools/CMakeLists.txt"):
        for line in re.findall(r"^[^#\n]*(?:\btests/|/tests\b).*", read(path), re.M):
            yield f"{path.relative_to(root)}: names tests/: {line.strip()}"


def pairs(_, sources, design):
    text = "\n".join(source for path, source in sources.items() if path != "core/order.h")
    ends = re.findall(r"(\[P\d+\]) *([a-z]*)", text)
    named = re.findall(r"\[P\d+\]", design + sources["core/order.h"])
    for number in sorted({*named, *(number for number, _ in ends)}):
        for end in ("field", "publish", "acquire"):
            if (number, end) not in ends:
                yield f"{number} has no place that says '{number} {end}'"
        if number not in design:
            yield f"{number} is not in lib/DESIGN.md"
    for number, end in ends:
        if end not in ("field", "publish", "acquire"):
            yield f"'{number} {end}' says none of field, publish, acquire"


def main():
    rule, root = sys.argv[1], pathlib.Path(sys.argv[2])
    lib = root / "lib"
    sources = {str(path.relative_to(lib)): read(path) for path in sorted(lib.rglob("*.[ch]"))}
    faults = list({"includes": includes, "pairs": pairs}[rule](lib, sources, read(lib / "DESIGN.md")))
    faults += from_tests(root) if rule == "includes" else []
    print("\n".join(faults))
    sys.exit(1 if faults else 0)


main()
