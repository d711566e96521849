"""``ansible-test sanity`` on a copy of the tree: every test, none ignored."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

from ..cluster.cache import cache_root, locked
from .pythons import find_python, pyenv_root
from .run import NOTE
from .trees import copied_tree

#: Pythons that modules and controller have to work with, of tests/config.yml.
SUPPORTED = ("3.10", "3.11", "3.12", "3.13")
#: ansible-test fetches this script from the net unless it is in its cache; ensurepip and the package index do as well.
_PIP_BOOTSTRAP = '''\
"""Installs the pip that ansible-test asks for, from the interpreter's own copy and the package index."""
import os
import subprocess
import sys

environment = {name: value for name, value in os.environ.items() if name != "GET_PIP"}
for arguments in (["ensurepip", "--default-pip"], ["pip", "install", "--quiet", "pip==%(version)s"]):
    subprocess.run([sys.executable, "-m", *arguments], env=environment, check=True)
'''
_SKIPPED = re.compile(r'WARNING: (Skipping sanity test .*|Required program "\w+" not found\.)')


def pip_version() -> str:
    """The version of pip that this ansible-test bootstraps its environments with."""
    found = importlib.util.find_spec("ansible_test")
    if found is None or not found.submodule_search_locations:
        raise SystemExit("ansible-test is not installed here")
    source = Path(found.submodule_search_locations[0]) / "_internal" / "python_requirements.py"
    version = re.search(r"\bpip='([0-9.]+)'", source.read_text())
    if version is None:
        raise SystemExit(f"{source} no longer says which pip it bootstraps")
    return version.group(1)


def seed_pip_bootstrap(version: str) -> None:
    """Puts our bootstrap script where ansible-test looks for one before it fetches any."""
    script = Path.home() / ".ansible" / "test" / "cache" / f"get_pip_{version.replace('.', '_')}.py"
    if not script.exists():
        script.parent.mkdir(parents=True, exist_ok=True)
        script.write_text(_PIP_BOOTSTRAP % {"version": version})


def search_path(links: Path) -> str:
    """A PATH in which every ``python3.x`` runs: ansible-test tries each that it sees, and pyenv's shims often do not.

    ``links`` is filled with links to the interpreters that the modules support and that are here.
    """
    with locked(f"pythons-{links.name}"):
        links.mkdir(parents=True, exist_ok=True)
        for version in SUPPORTED:
            _link(links / f"python{version}", find_python(version))
    shims = str(pyenv_root() / "shims")
    return os.pathsep.join([str(links), *(part for part in os.environ["PATH"].split(os.pathsep) if part != shims)])


def _link(link: Path, interpreter: Path | None) -> None:
    """Left alone where it is right already: another work tree may be using it."""
    if link.is_symlink() and link.readlink() == interpreter:
        return
    link.unlink(missing_ok=True)
    if interpreter:
        link.symlink_to(interpreter)


def main() -> int:
    tree = copied_tree(f"sanity-{sys.version_info[0]}.{sys.version_info[1]}")
    if ignored := [file for file in sorted(tree.glob("tests/sanity/ignore*")) if file.read_text().strip()]:
        print("nothing may be ignored here:", *ignored)
        return 1
    seed_pip_bootstrap(pip_version())
    done = subprocess.run(
        ["ansible-test", "sanity", "--venv", "--color", "no", *sys.argv[1:]],
        cwd=tree,
        env={**os.environ, "PATH": search_path(cache_root() / "pythons" / tree.parents[2].name)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    print(done.stdout)
    for reason in sorted(set(_SKIPPED.findall(done.stdout))):
        print(f"{NOTE}{reason}")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
