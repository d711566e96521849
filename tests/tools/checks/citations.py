"""Every citation leads somewhere: to a section of a document in docs/, to an invariant, to a file of Python, or where a link in Markdown points.

``python -m tests.tools.checks.citations [PATH ...]`` looks through the whole repository, or through these files and folders.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from .places import ROOT

#: The folders that are looked through; at the top, the files beside them as well.
FOLDERS = ("plugins", "roles", "playbooks", "docs", "tests", "molecule", "meta", "changelogs", ".ci", ".github")
SUFFIXES = frozenset({".py", ".yml", ".md", ".j2", ".sh", ".go", ".svg", ".toml", ""})
#: These speak of citations that lead nowhere.
_OWN = frozenset({"tests/tools/checks/citations.py", "tests/tools/checks/test_citations.py"})
_MADE = frozenset({"__pycache__", "output"})

#: Between two words, where a comment or docstring may go on in the next line.
_GAP = r"(?:[ ]|\n[ ]*(?:\#:?[ ])?)"
_PAGE = r"(?:[a-z][a-z0-9-]*/)*[a-z][a-z0-9-]*"
_CITATION = re.compile(
    rf'(?P<file>(?:docs/)?{_PAGE}\.md)(?P<titles>(?:,{_GAP}"[^"]+"'
    rf"(?:,{_GAP}(?:steps?{_GAP})?\d+(?:{_GAP}(?:and|to){_GAP}\d+)?)?(?:{_GAP}\([a-e]\))?)+)"
)
_TITLE = re.compile(r'"([^"]+)"')
_FILE = re.compile(rf"\bdocs/{_PAGE}\.(?:md|svg|yml)\b")
_HEADING = re.compile(r"^#+ (.+?)\s*$", re.MULTILINE)
_INVARIANT = re.compile(r"\bI(\d+)\b")
_STATED = re.compile(r"^- \*\*I(\d+)\*\*", re.MULTILINE)
_LINK = re.compile(r"\]\((?!https?:|mailto:)([^)\s#]*)(?:#([^)\s]+))?\)")
#: A file of Python between backticks, or a module of a room, with or without a name in it.
_SOURCE = re.compile(r"`((?:[\w-]+/)*[\w-]+\.py)`")
_MODULE = re.compile(r"`((?:_[a-z]+\.)+(?!py\b)[a-z_]+)(?:\.[A-Z]\w*)?`")
#: Names of documents that are not in this repository.
_OUTSIDE = re.compile(
    r"\boperator-facts\b|\bstrimzi(?:-next)?\.md\b|\bclients-ca\.md\b|\bpeers\.md\b|\bansible-content\b|\btestbed\.md\b"
    r"|\bDESIGN(?:\.md)?\b|\bspec/[1-5]\b"
)


@dataclass(frozen=True)
class Documents:
    #: The titles of the sections of each document in docs/, by its path there.
    titles: Mapping[str, frozenset[str]]
    #: The numbers that are stated.
    invariants: frozenset[str]
    #: The end of the path of each file of Python, from each of its folders on.
    sources: frozenset[str]


def read_documents(root: Path = ROOT) -> Documents:
    pages = root / "docs"
    texts = {file.relative_to(pages).as_posix(): file.read_text() for file in pages.rglob("*.md")}
    titles = {name: frozenset(_HEADING.findall(text)) for name, text in texts.items()}
    paths = (file.relative_to(root).parts for file in root.rglob("*.py") if not _MADE & set(file.parts))
    sources = frozenset("/".join(parts[begin:]) for parts in paths for begin in range(len(parts)))
    return Documents(titles, frozenset(_STATED.findall(texts.get("design.md", ""))), sources)


def problems(text: str, path: Path, documents: Documents, root: Path = ROOT) -> Iterator[str]:
    """Every citation in the text of this file that leads nowhere, as ``line: message``."""
    found = [*_sections(text, documents), *_files(text, root), *_invariants(text, documents), *_outside(text)]
    found += _sources(text, documents)
    if path.suffix == ".md":
        found += _links(text, path)
    for position, message in sorted(found):
        yield f"{text.count(chr(10), 0, position) + 1}: {message}"


def _sections(text: str, documents: Documents) -> Iterator[tuple[int, str]]:
    for citation in _CITATION.finditer(text):
        name = citation["file"].removeprefix("docs/")
        for title in _TITLE.findall(citation["titles"]):
            wanted = re.sub(_GAP + "+", " ", title)
            if wanted not in documents.titles.get(name, ()):
                yield citation.start(), f'docs/{name} has no section "{wanted}"'


def _files(text: str, root: Path) -> Iterator[tuple[int, str]]:
    for file in _FILE.finditer(text):
        if not (root / file[0]).is_file():
            yield file.start(), f"there is no {file[0]}"


def _invariants(text: str, documents: Documents) -> Iterator[tuple[int, str]]:
    for named in _INVARIANT.finditer(text):
        if named[1] not in documents.invariants:
            yield named.start(), f"docs/design.md states no invariant {named[0]}"


def _sources(text: str, documents: Documents) -> Iterator[tuple[int, str]]:
    for cited in _SOURCE.finditer(text):
        if cited[1] not in documents.sources:
            yield cited.start(), f"there is no {cited[1]}"
    for cited in _MODULE.finditer(text):
        path = cited[1].replace(".", "/")
        if not documents.sources & {f"{path}.py", f"{path}/__init__.py"}:
            yield cited.start(), f"there is no module {cited[1]}"


def _outside(text: str) -> Iterator[tuple[int, str]]:
    for named in _OUTSIDE.finditer(text):
        yield named.start(), f"{named[0]} is a document that is not in this repository"


def _links(text: str, path: Path) -> Iterator[tuple[int, str]]:
    for link in _LINK.finditer(text):
        target = path.parent / link[1] if link[1] else path
        if not target.exists():
            yield link.start(), f"there is no {link[1]}"
        elif link[2] and target.suffix == ".md" and link[2] not in _anchors(target.read_text()):
            yield link.start(), f"{link[1] or path.name} has no section #{link[2]}"


def _anchors(text: str) -> set[str]:
    """As GitHub makes them of headings, and those that are written out."""
    made = (re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in _HEADING.findall(text))
    return {*made, *re.findall(r'<a id="([^"]+)"', text)}


def files_of(names: Iterable[str]) -> Iterator[Path]:
    """The files to look through; names: relative to the repository, everything where none is given."""
    given = [ROOT / name for name in names]
    for place in given or [*(ROOT / name for name in FOLDERS), *(file for file in ROOT.iterdir() if file.is_file())]:
        for file in sorted(place.rglob("*")) if place.is_dir() else [place]:
            relative = file.relative_to(ROOT)
            if file.is_file() and file.suffix in SUFFIXES and not _MADE & set(relative.parts):
                yield file


def main(names: Iterable[str]) -> int:
    documents, failed = read_documents(), False
    for file in files_of(names):
        relative = file.relative_to(ROOT)
        if str(relative) in _OWN:
            continue
        try:
            text = file.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        for problem in problems(text, file, documents):
            failed = True
            print(f"{relative}:{problem}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
