#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The command's manual page describes each subcommand that its help text has, with each long option of that, and no
others.

usage: command.py MAN_PAGE COMMAND        prints what is wrong; exit status 1 if anything is
"""
import os
import re
import subprocess
import sys

OPTION = r"(?<![\w-])--[a-z][a-z-]*"


def output(*arguments, **environment):
    return subprocess.run(arguments, stdout=subprocess.PIPE, text=True, check=True, env={**os.environ, **environment}).stdout


def usage(text):
    """The options by subcommand ("" for none) of usage lines; a line that does not begin with the command goes on."""
    found, name = {}, None
    for line in text.splitlines():
        start = re.match(r"(?:Usage:)?\s+rcuinfo +((?:hints +)?[a-z]+|(?=--))", line)
        if start:
            name = " ".join(start.group(1).split())
        if name is not None:
            found.setdefault(name, set()).update(re.findall(OPTION, line))
    return found


def described(page):
    """The options that have a description, by the subsections of the page."""
    sections = re.split(r"^   (rcuinfo .*)$", page[page.index("\nDESCRIPTION\n") : page.index("\nEXIT STATUS\n")], flags=re.M)
    found = {}
    for name, text in zip([""] + sections[1::2], sections[0::2]):
        tags = re.findall(rf"^ +({OPTION}.*)$", text, re.M)
        found[name.removeprefix("rcuinfo ")] = {option for tag in tags for option in re.findall(OPTION, tag)}
    return found


def main():
    page = output("man", "-l", sys.argv[1], MANWIDTH="80", LC_ALL="C")
    command = sys.argv[2]
    help_text = output(command, "--help")
    offered = usage(help_text.split("\n\n")[0])
    synopsis = page[page.index("\nSYNOPSIS\n") : page.index("\nDESCRIPTION\n")]
    faults = [f"rcuinfo {name} --help: is another text than that of rcuinfo --help"
              for name in filter(None, offered) if output(command, *name.split(), "--help") != help_text]
    for what, has in (("SYNOPSIS", usage(synopsis)), ("DESCRIPTION", described(page))):
        faults += [f"{what}: rcuinfo {name}: has {has.get(name)}, and the help text {offered.get(name)}"
                   for name in sorted({*offered, *has}) if has.get(name) != offered.get(name)]
    faults += [f"{option}: is somewhere in the help text, but not of a subcommand"
               for option in set(re.findall(OPTION, help_text)) - set().union(*offered.values())]
    print("\n".join(faults))
    sys.exit(1 if faults else 0)


main()
