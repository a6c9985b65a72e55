#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Generates the manual pages of section 3 from Doxygen's XML, so that the headers' docstrings are the only source: a
page for each public C header that has functions, and a link for each function to the page that documents it.

usage: man3.py XML_FOLDER MAN_FOLDER VERSION DATE

A page is named after its header, rcuinfo_info for info.h, unless PAGES gives another name. MAN_FOLDER is emptied first.
The links of functions MPI_* have the section "3rcuinfo", because the packages of the MPI libraries have pages with the
same names.
"""
import pathlib
import re
import shutil
import sys
import textwrap
import xml.etree.ElementTree

PAGES = {"abi/mpi.h": "rcuinfo_mpi", "mpi_compat.h": "rcuinfo_mpi", "version.h": "rcuinfo_version_string"}
LIBRARY = "The store of info objects (librcuinfo, \\-lrcuinfo; pkg\\-config rcuinfo)"
LIBRARIES = {
    "rcuinfo_mpi": "The standard ABI (librcuinfo_mpi; pkg\\-config rcuinfo\\-mpi), and for what is of mpi_compat.h "
    "the interposer (librcuinfo_interpose; pkg\\-config rcuinfo\\-mpich, rcuinfo\\-openmpi, rcuinfo\\-interpose)",
    "rcuinfo_mpi_collective": "Infos across processes (librcuinfo_collective_mpich, librcuinfo_collective_openmpi; "
    "pkg\\-config rcuinfo\\-collective\\-mpich, rcuinfo\\-collective\\-openmpi)",
}
WIDTH = 72  # columns of a prototype: 80 without the indent
CODE = r"(?:RCUINFO|MPI)_(?:SUCCESS|ERR_[A-Z_]+)"

pages = {}  # by name
places = {}  # the page of each function and header
meanings = {}  # the meaning of each status code


def flat(element):
    """Returns the text of an element, with each run of blanks as one."""
    return " ".join("".join(element.itertext()).split()) if element is not None else ""


def escape(text):
    """Escapes text for troff."""
    return text.translate(str.maketrans({"\\": "\\e", "^": "\\(ha", "~": "\\(ti", "`": "\\(ga"}))


def code(text):
    """Escapes code, and keeps its hyphens and quotes as ASCII."""
    return escape(text).replace("-", "\\-").replace("'", "\\(aq")


class Page:
    """One manual page: the XML it is generated from, and its lines."""

    def __init__(self, name):
        self.name = name
        self.files = []  # (name without rcuinfo/, the file's element)
        self.functions = []  # the function elements, in the order of the headers
        self.types = []  # elements of enums, typedefs and structs
        self.constants = []
        self.lines = []
        self.fresh = True  # there is no text after the last heading

    def heading(self, kind, title):
        self.lines.append(f"{kind} {title}")
        self.fresh = True

    def own(self, name):
        """Returns the markup for a function's name in this page."""
        where = places.get(name)
        return f"\\fB{name}\\fP" + ("" if where is None else "()" if where is self else "(3)")

    def text(self, text):
        self.lines.append("\\&" + text if text[:1] in (".", "'") else text)
        self.fresh = False

    def paragraph(self, text):
        if not text.strip():
            return
        if not self.fresh:
            self.lines.append(".PP")
        self.text(" ".join(text.split()))

    def items(self, items, title=""):
        """Adds a list of (tag, text)."""
        if not items:
            return
        self.paragraph(title)
        self.lines += [".RS 4", ".PD 0"]
        for tag, text in items:
            self.lines.append(".TP")
            self.text(tag)
            self.text(text)
        self.lines += [".PD", ".RE"]

    def names(self, text):
        """Returns escaped text with markup for functions, constants and headers."""

        def replace(match):
            word = match.group(0)
            if word.endswith(".h"):
                page = places.get(word, self)
                return code(word) if page is self else f"\\fB{page.name}\\fP(3)"
            return f"\\fB{word}\\fP" if match.string[match.end() :].startswith("(") else self.own(word)

        return re.sub(r"(?<![\w/.<-])(?:[a-z_]+\.h|(?:rcuinfo|RCUINFO|P?MPI)_\w+)\b", replace, escape(text))

    def piece(self, element):
        """Returns the text of an inline element and of what follows it."""
        text = self.inline(element)
        if element.tag == "computeroutput":
            text = f"\\fB{code(flat(element))}\\fP"
        elif element.tag == "simplesect":
            text = f"{element.findtext('title')}: {self.inline(element.find('para'))}"
        return text + self.names(element.tail or "")

    def inline(self, element):
        """Returns the text of an element without paragraphs."""
        return " ".join((self.names(element.text or "") + "".join(map(self.piece, element))).split())

    def blocks(self, element):
        """Adds the paragraphs and lists of a description, without its titled sections."""
        shown = {"orderedlist": self.list, "itemizedlist": self.list, "programlisting": self.example}
        for para in element.findall("para"):
            text = self.names(para.text or "")
            for child in para:
                if child.tag in shown:
                    self.paragraph(text)
                    shown[child.tag](child)
                    text = self.names(child.tail or "")
                elif child.tag not in ("simplesect", "parameterlist"):
                    text += self.piece(child)
            self.paragraph(text)

    def example(self, element):
        """Adds a program listing. Doxygen writes its blanks as elements."""
        for blank in element.iter("sp"):
            blank.text = " "
        lines = [code("".join(line.itertext())) for line in element.findall("codeline")]
        self.lines += [".PP", ".EX", *lines, ".EE"]
        self.fresh = False

    def list(self, element):
        numbered = element.tag == "orderedlist"
        for number, item in enumerate(element.findall("listitem"), 1):
            self.lines.append(f".IP {number}. 4" if numbered else ".IP \\(bu 4")
            self.text(self.inline(item))

    def sections(self, element):
        """Adds the titled sections: Threads, Linearizes, Source."""
        for section in element.findall("para/simplesect[@kind='par']"):
            title = section.findtext("title")
            text = " ".join(self.inline(para) for para in section.findall("para"))
            self.paragraph(f"\\fB{title}{'' if title == 'Linearizes' else ':'}\\fP {text}")

    def description(self, element):
        """Adds the brief sentence and the detailed description; for a function or a type, as one paragraph."""
        brief, detailed = element.find("briefdescription"), element.find("detaileddescription")
        self.blocks(brief)
        self.fresh = element.get("kind") != "file"
        self.blocks(detailed)
        self.fresh = False

    def returns(self, element):
        """Adds what a function returns, as a list if it consists of codes."""
        text = flat(element.find(".//simplesect[@kind='return']"))
        before, *codes = re.split(rf"(?:^|(?<=; )|(?<=\. ))({CODE})(?=[:;,.]|$)", text)
        after = ""
        if codes:
            codes[-1], _, after = codes[-1].partition(". ")
        if text:
            self.paragraph("\\fBReturns:\\fP " + self.names(before.rstrip("; ")))
        items = []
        for name, said in zip(codes[::2], codes[1::2]):
            said = said[2:] if said.startswith(": ") else meanings[name] + said
            items.append((f"\\fB{name}\\fP", self.names(said.rstrip("; ."))))
        self.items(items)
        if after:
            self.paragraph(self.names(after.rstrip(".") + "."))

    def parameters(self, element):
        items = []
        for item in element.iter("parameteritem"):
            name = item.find(".//parametername")
            direction = {"out": " (out)", "inout": " (in, out)"}.get(name.get("direction"), "")
            items.append((f"\\fI{name.text}\\fP{direction}", self.inline(item.find("parameterdescription/para"))))
        self.items(items, "\\fBArguments:\\fP")

    def function(self, element):
        self.heading(".SS", f"{element.findtext('name')}()")
        self.description(element)
        self.parameters(element)
        self.returns(element)
        self.sections(element.find("detaileddescription"))

    def type(self, element):
        name = element.findtext("name") or element.findtext("compoundname") or ""
        if element.get("kind") == "typedef" and element.findtext("argsstring"):
            self.lines += [".PP", ".nf", *prototype(element), ".fi"]
        else:
            self.paragraph(f"\\fB{'enum' if name[:1] in ('', '@') else name}\\fP")
        self.heading(".RS", "4")
        self.description(element)
        self.parameters(element)
        self.returns(element)
        self.lines.append(".RE")
        members = element.findall("enumvalue") or element.findall(".//memberdef[@kind='variable']")
        self.items([(tag(member), self.member(member)) for member in members])

    def member(self, element):
        return " ".join(self.inline(para) for para in sentences(element))

    def constant(self, element):
        value = element.findtext("initializer") or ""
        shown = f" ({code(value)})" if re.fullmatch(r"-?\w+", value) else ""
        return (f"\\fB{element.findtext('name')}\\fP{shown}", self.member(element))

    def write(self, version, date):
        """Returns the lines of the page."""
        names = dict.fromkeys([self.name] + [f.findtext("name") for f in self.functions])
        brief = flat(self.files[0][1].find("briefdescription")).rstrip(".")
        self.lines = [
            '.\\" Made by tools/doc/man3.py of ' + ", ".join(f"rcuinfo/{name}" for name, _ in self.files),
            f'.TH {self.name} 3 "{date}" "rcuinfo {version}" "Library Functions"',
            ".nh", ".ad l",  # names and code stay whole
            ".SH NAME", ", ".join(names) + " \\- " + escape(brief[0].lower() + brief[1:]),
            ".SH LIBRARY", LIBRARIES.get(self.name, LIBRARY),
            ".SH SYNOPSIS", ".nf", *(f".B #include <rcuinfo/{name}>" for name, _ in self.files), ".PP",
            *(line for element in self.functions for line in prototype(element)), ".fi",
        ]
        self.heading(".SH", "DESCRIPTION")
        for name, element in self.files:
            if len(self.files) > 1:
                self.heading(".SS", f"rcuinfo/{name}")
            self.description(element)
            self.sections(element.find("detaileddescription"))
        if self.constants or self.types:
            self.heading(".SS", '"Types and constants"')
            self.items([self.constant(element) for element in self.constants])
            for element in sorted(self.types, key=lambda element: int(element.find("location").get("line"))):
                self.type(element)
        for element in self.functions:
            self.function(element)
        self.heading(".SH", '"RETURN VALUE"')
        makes = self.own("rcuinfo_status_string")
        self.text(f"The return values are listed with each function above; {makes} returns the message for an rcuinfo_status_t.")
        self.heading(".SH", '"SEE ALSO"')
        others = sorted(name for name in pages if name != self.name)
        self.lines.append(",\n".join([f".BR {name} (3)" for name in others] + [".BR rcuinfo (7)"]))


def sentences(element):
    """Returns the paragraphs of a description without lists."""
    return [para for name in ("briefdescription", "detaileddescription") for para in element.findall(f"{name}/para")]


def declaration(element):
    """Returns (type, name, suffix) of a parameter or a member."""
    kind = flat(element.find("type"))
    name = element.findtext("declname") or element.findtext("name") or ""
    behind = element.findtext("array") or element.findtext("argsstring") or ""
    return kind if kind.endswith("*") or not name else kind + " ", name, behind


def prototype(element):
    """Returns the lines of a prototype. Arguments are not split; their names are in italics."""
    text = "".join(declaration(element)).replace(" ", "\0").replace(",\0", ", ").replace("(", "( ") + ";"
    rows = textwrap.wrap(text, WIDTH, subsequent_indent=" " * 8, break_long_words=False, break_on_hyphens=False)
    rows = [row.replace("( ", "(").replace("\0", " ") for row in rows]
    pieces = (re.split(r"(?<=[ *])(\w+)(?=\W*(?:, |,$|\);$))", row) for row in rows)
    return [".BI " + " ".join(f'"{code(piece)}"' for piece in row) for row in pieces]


def tag(member):
    """Returns the name of an enumerator or a member, with its type or value."""
    name = member.findtext("name")
    if member.tag == "enumvalue":
        value = (member.findtext("initializer") or "").removeprefix("= ")
        return f"\\fB{name}\\fP" + (f" ({value})" if value else "")
    kind, name, behind = declaration(member)
    return f"\\fB{code(kind)}\\fP\\fI{name}\\fP\\fB{code(behind)}\\fP"


def load(folder):
    """Reads the XML into pages, places and meanings."""
    trees = {path.name: xml.etree.ElementTree.parse(path).getroot() for path in sorted(folder.glob("*.xml"))}
    for tree in trees.values():
        for element in tree.findall("compounddef[@kind='file']"):
            name = element.find("location").get("file").removeprefix("rcuinfo/")
            if not name.endswith(".h"):
                continue
            page_name = PAGES.get(name, "rcuinfo_" + name[:-2])
            page = pages.setdefault(page_name, Page(page_name))
            page.files.append((name, element))
            places[name] = page
            for inner in element.findall("innerclass"):
                page.types.append(trees[inner.get("refid") + ".xml"].find("compounddef"))
            for member in element.iter("memberdef"):
                kind, name = member.get("kind"), member.findtext("name")
                if kind == "function" and name not in places and not name.startswith("PMPI_"):
                    page.functions.append(member)
                    places[name] = page
                elif kind in ("enum", "typedef"):
                    page.types.append(member)
                elif kind == "define" and not (member.findtext("initializer") or "").startswith("__attribute__"):
                    page.constants.append(member)
                for value in [member] + member.findall("enumvalue"):
                    if re.fullmatch(CODE, value.findtext("name")):
                        meanings[value.findtext("name")] = " ".join(map(flat, sentences(value)))
    for name in [name for name, page in pages.items() if not page.functions]:
        del pages[name]


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    target = pathlib.Path(sys.argv[2])
    load(pathlib.Path(sys.argv[1]))
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    for page in pages.values():
        page.files.sort(key=lambda entry: entry[0])
        page.write(*sys.argv[3:])
        (target / f"{page.name}.3").write_text("\n".join(page.lines) + "\n")
        for function in page.functions:
            name = function.findtext("name")
            if name != page.name:
                link = target / (f"{name}.3rcuinfo" if name.startswith("MPI_") else f"{name}.3")
                link.write_text(f".so man3/{page.name}.3\n")


main()
