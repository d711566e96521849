"""docs/architecture.md is true to the tree: its tables of rooms name every folder, and every path it names exists."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from .places import ROOT

DOCUMENT = Path("docs") / "architecture.md"
#: Rooms whose tables name the folders below their folders as well.
_DEEP = frozenset({"plugins/module_utils/_trust"})
#: Where a path in the text may begin.
_BASES = ("", "plugins", "plugins/module_utils", "tests", "plugins/module_utils/_trust")
_IGNORED = frozenset({"__pycache__", "output"})
_ROOM = re.compile(r"^## `(?P<room>[\w/]+)/`$", re.MULTILINE)
_ROW = re.compile(r"^\| `(?P<folder>[\w/]+)/` \| (?P<sentence>.*?) \|$", re.MULTILINE)
_PATH = re.compile(r"`((?:[\w.-]+/)+(?:[\w.-]+)?|[\w-]+\.(?:py|toml))`")


def problems(root: Path = ROOT) -> Iterator[str]:
    """A sentence for each thing in the document that is not so."""
    text = (root / DOCUMENT).read_text()
    for room, section in _sections(text):
        named = {row["folder"]: row["sentence"] for row in _ROW.finditer(section)}
        there = set(_folders(root, room))
        for folder in sorted(there - set(named)):
            yield f"the table of {room}/ lacks {folder}/"
        for folder in sorted(set(named) - there):
            yield f"the table of {room}/ names {folder}/, which does not exist"
        for folder in sorted(folder for folder, sentence in named.items() if not sentence):
            yield f"the table of {room}/ says nothing of {folder}/"
    for path in dict.fromkeys(_PATH.findall(_ROW.sub("", text))):
        if not any((root / base / path).exists() for base in _BASES):
            yield f"there is no {path}"


def _sections(text: str) -> Iterator[tuple[str, str]]:
    """The name of each room, and what stands below its heading."""
    for heading in _ROOM.finditer(text):
        yield heading["room"], text[heading.end() :].partition("\n## ")[0]


def _folders(root: Path, room: str) -> Iterator[str]:
    """Folders of a room in which anything lies."""
    for folder in sorted((root / room).iterdir()):
        if folder.is_dir() and folder.name not in _IGNORED and any(file.is_file() for file in folder.iterdir()):
            yield folder.name
            if room in _DEEP:
                yield from (f"{folder.name}/{below}" for below in _folders(root, f"{room}/{folder.name}"))


def main() -> int:
    found = list(problems())
    for problem in found:
        print(f"{DOCUMENT}: {problem}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
