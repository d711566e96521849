"""A Python of a later Debian, where this machine has none of that version: its packages, unpacked into the cache and
run by their own loader.

Nothing is installed, and nothing of the machine changes. The C library of the later release comes with the packages, as
the machine's own is too old for them. Standard library only.
"""

from __future__ import annotations

import os
import shutil
import sys
from functools import partial
from pathlib import Path

from ..cluster import debian
from ..cluster.cache import cache_root, cached

#: The release of Debian that has a Python of this version.
RELEASES = {"3.13": "trixie"}
#: The script that runs the interpreter beside it, with the name by which a caller has run the script. By that name an
#: interpreter finds its environment.
_LAUNCHER = """\
#!/bin/sh
exec '{loader}' --argv0 "$0" --library-path '{libraries}' '{interpreter}' "$@"
"""


def reason_to_do_without(version: str) -> str:
    """Why no Python of this version can be made here, or an empty string; asks, and changes nothing."""
    release = RELEASES.get(version)
    if release is None or not sys.platform.startswith("linux"):
        return f"no Debian is known that has Python {version} for this machine"
    missing = debian.missing(debian.of_roots(release))
    if os.geteuid() != 0:
        return f"only root unpacks the Python {version} of Debian {release}"
    if missing and shutil.which("apt-get") is None:
        return f"missing, and no apt-get to install them: {', '.join(missing)}"
    return ""


def debian_python(version: str) -> Path:
    """The interpreter, made when it is not there. Raises MissingTool."""
    release = RELEASES[version]
    key = f"python-{version}-{release}"
    cached(key, partial(_build, version, release, cache_root() / key), f"Python {version} of Debian {release}", "15 s")
    return cache_root() / key / "usr" / "bin" / f"python{version}"


def _build(version: str, release: str, target: Path, scratch: Path) -> None:
    """In a scratch folder, for the folder in which it will be."""
    debian.install(partial(debian.missing, debian.of_roots(release)))
    debian.make_root(release, (f"python{version}", f"python{version}-venv"), scratch, "--variant=extract")
    launch_from(version, target, scratch)


def launch_from(version: str, target: Path, scratch: Path) -> None:
    """Make the interpreter of a root in a scratch folder run where the root will be, from a machine with another C
    library.
    """
    program = scratch / "usr" / "bin" / f"python{version}"
    interpreter = program.rename(program.with_name(f"{program.name}.program"))
    loader = next(scratch.glob("usr/lib/*/ld-linux*.so.*"))
    places = {"loader": loader, "libraries": loader.parent, "interpreter": interpreter}
    program.write_text(
        _LAUNCHER.format_map({name: target / place.relative_to(scratch) for name, place in places.items()})
    )
    program.chmod(0o755)
    # Debian's own pip lies beside the interpreter, in a folder that it names from the root.
    wheels = Path("usr") / "share" / "python-wheels"
    for settings in scratch.glob(f"usr/lib/python{version}/_sysconfigdata*.py"):
        settings.write_text(settings.read_text().replace(f"'/{wheels}", f"'{target / wheels}"))
