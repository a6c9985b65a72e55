# SPDX-License-Identifier: BSD-3-Clause
"""What the scripts of this folder do alike."""
import json
import pathlib
import re
import subprocess
import tempfile

from launch import outputs


def romio():
    """What this Open MPI calls its ROMIO."""
    components = subprocess.run(["ompi_info", "--parsable"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return re.search(r"^mca:io:(romio\d+):", components, re.MULTILINE)[1]


def hints_with(site, command, flavour, launcher, program, options=()):
    """The hints that are reported of a program on 2 processes with a site's hint file, and where that file was."""
    with tempfile.TemporaryDirectory() as directory:
        place = pathlib.Path(directory).resolve()
        (place / "site.hints").write_text(site)
        run = [*options, command, "run", "--hints", "site.hints", "--hints-report=report", *program]
        print(outputs(flavour, launcher, directory, (2, run))[0][1])
        return json.loads((place / "report").read_text())["hints"], str(place / "site.hints")
