#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the manual pages of section 3 of Doxygen's XML: one for each public C header that has functions, and for each
function a link to the page that has it, so that the docstrings of the headers are the one source.

usage: man3.py XML_FOLDER MAN_FOLDER VERSION DATE

Pages have the name of their header, rcuinfo_info for info.h, but where PAGES says otherwise: a header that is new gets
a page of itself. MAN_FOLDER is emptied first. The links of functions that are called MPI_* have the section
"3rcuinfo", since the MPI libraries' own packages have pages of these names.
"""
import pathlib
import re
import sys
import xml.etree.ElementTree

PAGES = {"abi/mpi.h": "rcuinfo_mpi", "mpi_compat.h": "rcuinfo_mpi", "version.h": "rcuinfo_version_string"}
LIBRARY = "The store of info objects (librcuinfo, \\-lrcuinfo; pkg\\-config rcuinfo)"
LIBRARIES = {
    "rcuinfo_mpi": "The standard ABI (librcuinfo_mpi, \\-lrcuinfo_mpi; pkg\\-config rcuinfo\\-mpi).\n"
    "The interposers (librcuinfo_mpich, librcuinfo_openmpi; pkg\\-config rcuinfo\\-mpich, rcuinfo\\-openmpi) have\n"
    "what stands here of mpi_compat.h",
    "rcuinfo_mpi_collective": "Infos across processes (librcuinfo_collective_mpich \\-lrcuinfo, "
    "librcuinfo_collective_openmpi \\-lrcuinfo;\npkg\\-config rcuinfo\\-collective\\-mpich, "
    "rcuinfo\\-collective\\-openmpi)",
}
WIDTH = 72  # columns of a prototype: 80 without the indent
CODE = r"(?:RCUINFO|MPI)_(?:SUCCESS|ERR_[A-Z_]+)"


class Page:
    """What one manual page is made of."""

    def __init__(self, name):
        self.name = name
        self.files = []  # (name behind rcuinfo/, the file's element)
        self.functions = []  # the function elements, in the order of the headers
        self.profiling = []  # those of a group of its own: they only say what others do
        self.types = []  # (line, element of an enum, a typedef or a struct)
        self.constants = []


def flat(element):
    """The text of an element, blanks made one."""
    return " ".join("".join(element.itertext()).split()) if element is not None else ""


def escape(text):
    """Text as troff wants it."""
    text = text.replace("\\", "\\e")
    for sign, name in (("^", "\\(ha"), ("~", "\\(ti"), ("`", "\\(ga")):
        text = text.replace(sign, name)
    return text


def code(text):
    """A piece of code: its hyphens and quotes stay what they are."""
    return escape(text).replace("-", "\\-").replace("'", "\\(aq")


class Writer:
    """Writes one page. `pages` are all of them, `meanings` what each status code means."""

    def __init__(self, page, pages, meanings):
        self.page, self.pages, self.meanings = page, pages, meanings
        self.lines = []
        self.fresh = True  # nothing stands below the last heading
        self.places = {f.findtext("name"): p for p in pages.values() for f in p.functions}
        self.places.update({name: p for p in pages.values() for name, _ in p.files})

    def heading(self, kind, title):
        self.lines.append(f"{kind} {title}")
        self.fresh = True

    def own(self, name):
        """How the page calls a function."""
        where = self.places.get(name)
        return f"\\fB{name}\\fP" + ("" if where is None else "()" if where is self.page else "(3)")

    def text(self, text):
        """Lines of text, each sentence in lines of its own."""
        for line in re.sub(r"(?<=[a-z0-9)]\.) (?=[A-Z\\])", "\n", text).split("\n"):
            self.lines.append("\\&" + line if line[:1] in (".", "'") else line)
        self.fresh = False

    def paragraph(self, text):
        if not self.fresh:
            self.lines.append(".PP")
        self.text(text)

    def items(self, items):
        """A list of (tag, text)."""
        if not items:
            return
        self.lines += [".RS 4", ".PD 0"]
        for tag, text in items:
            self.lines.append(".TP")
            self.text(tag)
            self.text(text)
        self.lines += [".PD", ".RE"]

    def names(self, text):
        """Escaped text in which functions, constants and headers look like what they are."""

        def replace(match):
            word = match.group(0)
            if word.endswith(".h"):
                page = self.places.get(word, self.page)
                return code(word) if page is self.page else f"\\fB{page.name}\\fP(3)"
            return f"\\fB{word}\\fP" if match.string[match.end() :].startswith("(") else self.own(word)

        return re.sub(r"(?<![\w/.<-])(?:[a-z_]+\.h|(?:rcuinfo|RCUINFO|P?MPI)_\w+)\b", replace, escape(text))

    def inline(self, element):
        """The text of an element that has no paragraphs in it."""
        text = self.names(element.text or "")
        for child in element:
            if child.tag == "computeroutput":
                text += f"\\fB{code(flat(child))}\\fP"
            elif child.tag == "simplesect":
                text += f"{child.findtext('title')}: {self.inline(child.find('para'))}"
            else:
                text += self.inline(child)
            text += self.names(child.tail or "")
        return " ".join(text.split())

    def blocks(self, element):
        """The paragraphs and lists of a description, without what has a title."""
        for para in element.findall("para"):
            rest = xml.etree.ElementTree.Element("para")
            rest.text = para.text
            for child in para:
                if child.tag in ("orderedlist", "itemizedlist", "programlisting"):
                    self.block(rest)
                    (self.example if child.tag == "programlisting" else self.list)(child)
                    rest = xml.etree.ElementTree.Element("para")
                    rest.text = child.tail
                elif child.tag not in ("simplesect", "parameterlist"):
                    rest.append(child)
            self.block(rest)

    def block(self, para):
        if text := self.inline(para):
            self.paragraph(text)

    def example(self, element):
        """A program. Doxygen writes its blanks as elements."""
        for blank in element.iter("sp"):
            blank.text = " "
        lines = [code("".join(line.itertext())) for line in element.findall("codeline")]
        self.lines += [".PP", ".EX", *lines, ".EE"]
        self.fresh = False

    def list(self, element):
        numbered = element.tag == "orderedlist"
        for number, item in enumerate(element.findall("listitem"), 1):
            self.lines.append(f".IP {number}. 4" if numbered else ".IP \\(bu 4")
            self.text(" ".join(self.inline(para) for para in item.findall("para")))

    def sections(self, element, skip=()):
        """What has a title: Threads, Linearizes."""
        for section in element.findall("para/simplesect[@kind='par']"):
            title = section.findtext("title")
            if title not in skip:
                text = " ".join(self.inline(para) for para in section.findall("para"))
                self.paragraph(f"\\fB{title}{'' if title == 'Linearizes' else ':'}\\fP {text}")

    def description(self, element):
        """The brief sentence and what follows it; of a function or a type they are one paragraph."""
        brief, detailed = element.find("briefdescription"), element.find("detaileddescription")
        self.blocks(brief)
        self.fresh = element.get("kind") != "file"
        self.blocks(detailed)
        self.fresh = False

    def returns(self, element):
        """What a function returns: a list where that is made of codes."""
        text = flat(element.find(".//simplesect[@kind='return']"))
        if not text:
            return
        before, items, after = split_returns(text)
        self.paragraph("\\fBReturns:\\fP" + (f" {self.names(before)}" if before else ""))
        self.items([(f"\\fB{name}\\fP", self.names(self.meaning(name, text))) for name, text in items])
        if after:
            self.paragraph(self.names(after.rstrip(".") + "."))

    def meaning(self, name, text):
        if text.startswith(": "):
            return text[2:]
        if name not in self.meanings:
            sys.exit(f"man3.py: {self.page.name}: nothing says what {name} means")
        return self.meanings[name] + text

    def parameters(self, element):
        items = []
        for item in element.iter("parameteritem"):
            name = item.find(".//parametername")
            direction = {"out": " (out)", "inout": " (in, out)"}.get(name.get("direction"), "")
            items.append((f"\\fI{name.text}\\fP{direction}", self.inline(item.find("parameterdescription/para"))))
        if items:
            self.paragraph("\\fBArguments:\\fP")
            self.items(items)

    def function(self, element):
        self.heading(".SS", f"{element.findtext('name')}()")
        self.description(element)
        self.parameters(element)
        self.returns(element)
        self.sections(element.find("detaileddescription"), skip=("Source",))

    def synopsis(self):
        self.heading(".SH", "SYNOPSIS")
        prototypes = [line for element in self.page.functions + self.page.profiling for line in prototype(element)]
        includes = [f".B #include <rcuinfo/{name}>" for name, _ in self.page.files]
        self.lines += [".nf", *includes, ".PP", *prototypes, ".fi"]

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

    def standards(self):
        self.heading(".SH", "STANDARDS")
        sources = [text for _, element in self.page.files for text in self.sources(element.find("detaileddescription"))]
        functions = [line for element in self.page.functions for text in self.sources(element)
                     for line in (".TP", self.own(element.findtext("name")), text)]
        if not sources and not functions:
            sources = ["None: these calls are rcuinfo's own."]
        for text in sources:
            self.paragraph(text)
        self.lines += functions

    def sources(self, element):
        return [self.names(flat(s.find("para"))) for s in element.iter("simplesect") if s.findtext("title") == "Source"]

    def errors(self):
        """The codes of all functions, by what they mean in general."""
        texts = [flat(s) for f in self.page.functions for s in f.findall(".//simplesect[@kind='return']")]
        said = dict(item for text in reversed(texts) for item in split_returns(text)[1] if "_ERR_" in item[0])
        if said:
            self.heading(".SH", "ERRORS")
        for name in sorted(said):
            self.lines += [".TP", f"\\fB{name}\\fP", self.names(self.meanings.get(name, said[name].lstrip(":, ")))]

    def page_text(self, version, date):
        page = self.page
        names = dict.fromkeys([page.name] + [f.findtext("name") for f in page.functions])
        brief = flat(page.files[0][1].find("briefdescription")).rstrip(".")
        self.lines = [
            '.\\" Made by tools/doc/man3.py of ' + ", ".join(f"rcuinfo/{name}" for name, _ in page.files),
            f'.TH {page.name} 3 "{date}" "rcuinfo {version}" "Library Functions"',
            ".nh", ".ad l",  # names and code stay whole
            ".SH NAME", ", ".join(names) + " \\- " + escape(brief[0].lower() + brief[1:]),
            ".SH LIBRARY", LIBRARIES.get(page.name, LIBRARY),
        ]
        self.synopsis()
        self.heading(".SH", "DESCRIPTION")
        for name, element in page.files:
            if len(page.files) > 1:
                self.heading(".SS", f"rcuinfo/{name}")
            self.description(element)
            self.sections(element.find("detaileddescription"), skip=("Source",))
        if page.constants or page.types:
            self.heading(".SS", '"Types and constants"')
            self.items([self.constant(element) for element in page.constants])
            for _, element in sorted(page.types, key=lambda entry: entry[0]):
                self.type(element)
        for element in page.functions:
            self.function(element)
        if page.profiling:
            self.heading(".SS", '"Profiling interface"')
            self.description(page.profiling[0])
        self.heading(".SH", '"RETURN VALUE"')
        if any(flat(function.find("type")) == "rcuinfo_status_t" for function in page.functions):
            self.text("A function of type rcuinfo_status_t returns \\fBRCUINFO_SUCCESS\\fP (0), or an error, of which "
                      f"{self.own('rcuinfo_status_string')} makes a sentence.")
        self.text("What each function returns is said with it above.")
        self.errors()
        self.standards()
        self.heading(".SH", '"SEE ALSO"')
        others = sorted(name for name in self.pages if name != page.name)
        self.lines.append(",\n".join([f".BR {name} (3)" for name in others] + [".BR rcuinfo (7)"]))
        return "\n".join(self.lines) + "\n"


def sentences(element):
    """The paragraphs of a description that has no lists."""
    return [para for name in ("briefdescription", "detaileddescription") for para in element.findall(f"{name}/para")]


def split_returns(text):
    """(what stands before the codes, [(code, what stands behind it)], what stands after them)."""
    starts = [m for m in re.finditer(rf"(?:^|(?<=; )|(?<=\. ))({CODE})(?=[:;,.]|$)", text)]
    if not starts:
        return text, [], ""
    ends = [m.start() for m in starts[1:]] + [len(text)]
    items = [(m.group(1), text[m.end() : end].rstrip("; ")) for m, end in zip(starts, ends)]
    name, last = items[-1]
    last, _, after = last.partition(". ")
    items[-1] = (name, last)
    return text[: starts[0].start()].rstrip("; "), [(name, text.rstrip(".")) for name, text in items], after


def declaration(element):
    """(type, name, what stands behind it) of a parameter or a member."""
    kind = flat(element.find("type"))
    name = element.findtext("declname") or element.findtext("name") or ""
    return kind if kind.endswith("*") or not name else kind + " ", name, element.findtext("array") or element.findtext("argsstring") or ""


def prototype(element):
    """The lines of a prototype, none longer than WIDTH where that can be; arguments stay whole, their names in italics."""
    head = f"{declaration(element)[0]}{element.findtext('name')}("
    arguments = element.findtext("argsstring")[1:-1].split(", ")
    longest = max(map(len, arguments)) + len(");")
    indent = len(head) if len(head) + longest <= WIDTH else 8
    rows = [head]
    for place, argument in enumerate(arguments):
        behind = ");" if place == len(arguments) - 1 else ","
        if len(rows[-1]) + len(argument + behind) + 1 > WIDTH and (place or indent == 8):
            rows.append(" " * indent + argument + behind)
        else:
            rows[-1] += (" " if place else "") + argument + behind
    pieces = (re.split(r"(?<=[ *])(\w+)(?=\W*(?:, |,$|\);$))", row) for row in rows)
    return [".BI " + " ".join(f'"{code(piece)}"' for piece in row) for row in pieces]


def tag(member):
    """The name of an enumerator or a member, with its type or value."""
    name = member.findtext("name")
    if member.tag == "enumvalue":
        value = (member.findtext("initializer") or "").removeprefix("= ")
        return f"\\fB{name}\\fP" + (f" ({value})" if value else "")
    kind, name, behind = declaration(member)
    return f"\\fB{code(kind)}\\fP\\fI{name}\\fP\\fB{code(behind)}\\fP"


def load(folder):
    """The pages by name, and what each status code means."""
    trees = {path.name: xml.etree.ElementTree.parse(path).getroot() for path in sorted(folder.glob("*.xml"))}
    pages, meanings = {}, {}
    for tree in trees.values():
        for element in tree.findall("compounddef[@kind='file']"):
            name = element.find("location").get("file").removeprefix("rcuinfo/")
            if not name.endswith(".h"):
                continue
            page_name = PAGES.get(name, "rcuinfo_" + name[:-2])
            page = pages.setdefault(page_name, Page(page_name))
            page.files.append((name, element))
            read_members(page, element)
            for inner in element.findall("innerclass"):
                struct = trees[inner.get("refid") + ".xml"].find("compounddef")
                page.types.append((line(struct), struct))
            for member in element.iter("memberdef"):
                for value in [member] + member.findall("enumvalue"):
                    if re.fullmatch(CODE, value.findtext("name")):
                        meanings[value.findtext("name")] = " ".join(map(flat, sentences(value)))
    return {name: page for name, page in pages.items() if page.functions}, meanings


def read_members(page, element):
    for section in element.findall("sectiondef"):
        for member in section.findall("memberdef"):
            kind = member.get("kind")
            if kind == "function":
                if section.get("kind") == "user-defined":
                    page.profiling.append(member)
                elif all(f.findtext("name") != member.findtext("name") for f in page.functions):
                    page.functions.append(member)
            elif kind in ("enum", "typedef"):
                page.types.append((line(member), member))
            elif kind == "define" and not (member.findtext("initializer") or "").startswith("__attribute__"):
                page.constants.append(member)


def line(element):
    return int(element.find("location").get("line"))


def main():
    if len(sys.argv) != 5:
        sys.exit("usage: man3.py XML_FOLDER MAN_FOLDER VERSION DATE")
    source, target = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    pages, meanings = load(source)
    target.mkdir(parents=True, exist_ok=True)
    for old in target.iterdir():
        old.unlink()
    for page in pages.values():
        page.files.sort(key=lambda entry: entry[0])
        (target / f"{page.name}.3").write_text(Writer(page, pages, meanings).page_text(*sys.argv[3:]))
        for function in page.functions:
            name = function.findtext("name")
            link = target / (f"{name}.3rcuinfo" if name.startswith("MPI_") else f"{name}.3")
            if name != page.name:
                link.write_text(f".so man3/{page.name}.3\n")


main()
