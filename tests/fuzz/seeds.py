#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Converts the seeds of a fuzz target: a line of seeds/TARGET.txt, a Python bytes literal, to a file and back.

usage: seeds.py unpack TEXT FOLDER       replaces the folder by one with a file for each seed
       seeds.py add TEXT FILE|FOLDER...  adds the files, and the files in the folders, to the text, and sorts it
"""
import ast
import hashlib
import pathlib
import shutil
import sys


def main():
    if len(sys.argv) < 4 or sys.argv[1] not in ("unpack", "add"):
        sys.exit(__doc__)
    text = pathlib.Path(sys.argv[2])
    seeds = {ast.literal_eval(line) for line in text.read_text(encoding="ascii").splitlines()} if text.exists() else set()
    if sys.argv[1] == "add":
        for path in map(pathlib.Path, sys.argv[3:]):
            seeds.update(file.read_bytes() for file in (path.iterdir() if path.is_dir() else [path]))
        text.write_text("".join(f"{seed!r}\n" for seed in sorted(seeds)), encoding="ascii")
        return
    folder = pathlib.Path(sys.argv[3])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for seed in seeds:
        (folder / hashlib.sha1(seed).hexdigest()).write_bytes(seed)


main()
