"""Builds the collection and hands it to galaxy-importer, as Galaxy and Automation Hub do; its warnings count."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from .environments import environment
from .pythons import available_pairs
from .trees import copied_tree

#: The lines that galaxy-importer prints when it does not like something.
_BAD = re.compile(r"^(?:WARNING|ERROR): .*", re.MULTILINE)
#: The largest collection that Galaxy takes.
MAXIMUM_BYTES = 20 * 1024 * 1024


def main() -> int:
    bin_folder = environment(available_pairs()[0].python, "importer.txt") / "bin"
    tree = copied_tree("importer")
    variables = {
        **os.environ,
        "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}",
        "GALAXY_IMPORTER_CHECK_REQUIRED_TAGS": "true",
        "GALAXY_IMPORTER_REQUIRE_V1_OR_GREATER": "true",
        "GALAXY_IMPORTER_RUN_FLAKE8": "false",
        # A check of its own runs it, on all files and by stricter rules.
        "GALAXY_IMPORTER_RUN_ANSIBLE_LINT": "false",
    }
    variables.pop("PYTHONPATH", None)
    variables.pop("ANSIBLE_COLLECTIONS_PATH", None)
    with tempfile.TemporaryDirectory() as folder:
        build = ["ansible-galaxy", "collection", "build", str(tree), "--output-path", folder]
        subprocess.run(build, env=variables, check=True)
        tarball = next(Path(folder).glob("*.tar.gz"))
        print(f"{tarball.name}: {tarball.stat().st_size} bytes")
        if tarball.stat().st_size > MAXIMUM_BYTES:
            return 1
        command = [str(bin_folder / "python"), "-m", "galaxy_importer.main", str(tarball)]
        done = subprocess.run(
            command, cwd=folder, env=variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
    print(done.stdout)
    bad = _BAD.findall(done.stdout)
    print(f"{len(bad)} complaints")
    return 1 if bad else done.returncode


if __name__ == "__main__":
    sys.exit(main())
