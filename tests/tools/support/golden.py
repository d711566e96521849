# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Golden files: the sentences that people read on one surface, in sections, compared whole.

The surfaces are::

    console         runs of the roles, line by line
    plan            plans, pages of a CA, and the last line of a status
    report          reports and their pages
    report_parts    parts of reports: sentences, rows and pictures
    stops           a violation of each condition
    stops_in_flows  violations whose sentences differ in a flow
    flows           errors, waits, warnings and choices of flows, beside the violations in stops_in_flows
    stops_in_rules  violations of rules, each of another cause of a condition; warnings; what is waited for
    steps           steps, the reasons for them, and what is left to do
    inventory       refusals of the inventory plugin
    roles           failures of tasks of the roles, and the report of a fleet
    kubernetes      errors of the way to the Kubernetes API and to pods
    handshakes      what a handshake shows, and what it leaves in doubt
    calls           single calls of modules: failures, warnings and single lines of results
    certificates    causes for which certificates, keys and keystores are refused
    issuers         what issuers answer and refuse, and why their answers are refused
    cluster         what is wrong with the objects of a cluster, and with its operators and users
    engine          errors and warnings of a call, and pauses that it leaves
    rolls           errors and rounds of rolls and reloads

Digests, times and durations differ from run to run. They become placeholders, so that a file changes only with its
sentences.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import CollectionError, TransportError

#: Each file has the sentences of one surface.
FOLDER = Path(__file__).parents[2] / "golden"

_HEAD = re.compile(r"^=== (.+) ===$", re.MULTILINE)
#: A digest in any of its forms; a shorter one is its begin.
_DIGEST = re.compile(
    r"\b(?:(?:[0-9A-F]{2}:){19,31}[0-9A-F]{2}|[0-9a-f]{64}|[0-9A-Fa-f]{40})\b"
    r"|(?<=\()(?:[0-9a-f]{12}|[0-9a-f]{16})(?=\))|(?<=SHA-256 )[0-9a-f]{16}\b|(?<=  )[0-9a-f]{16}(?=  )"
)
_ESTIMATE = r"\d+ (?:s|min|h)(?: \d+ (?:s|min))?"
_DURATION = r"(?:\d+\.\d s|(?:\d+ min )?\d+ s|\d+ h \d+ min)\b"
#: Patterns of texts that differ from run to run or from machine to machine, with their placeholders.
_OF_CHANCE = {
    r"\b[0-9a-f]{8}(?:-[0-9a-f]{8}){3}\b": "<plan hash>",
    r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b": "<id>",
    r"(?<=-)[0-9a-f]{12}\b": "<random>",
    r"(?<=-)[0-9a-f]{10}-[0-9a-z]{5}\b": "<random>",
    r"\b\d{4}-\d\d-\d\d(?:T| at | )\d\d[:-]\d\d(?:[:-]\d\d(?:\.\d+)?)?(?:Z| UTC|\b)": "<time>",
    r"\b\d{4}-\d\d-\d\d\b": "<date>",
    r"\b\d\d:\d\d(?::\d\d)? UTC\b": "<time>",
    r"\b127\.0\.0\.1:\d+\b": "<address>",
    # The operator issues all of them within seconds, and a busy machine decides which certificate ends first.
    r"(?<=certificates in use; the first to end: )Secret [^:]+: [^ ]+": "<certificate>",
    # A roll that took no time to speak of has no duration.
    rf" restarted in {_DURATION}": " restarted",
    rf"(\(| waited | after |clients get ){_DURATION}": r"\1<duration>",
    r"(?<=\()\d+(?= days left\))|(?<= in )\d+(?= days;)": "<number>",
    # A call adds the time of its own looks at the cluster to its estimate.
    rf"(restarts? in all, ){_ESTIMATE} to {_ESTIMATE}": r"\1<duration>",
    r"\b\d+ s(?= (?:ahead of|behind) the API server)": "<duration>",
    r"(?<=the clock of )\S+(?=: )": "<host>",
}


_TEST = re.compile(r"^ *def (test_\w+)\(", re.MULTILINE)


def as_words(test: str) -> str:
    """The name of a test as the name of its section."""
    return test.removeprefix("test_").replace("_", " ")


def without_chance(text: str) -> str:
    """The text with placeholders. A digest is numbered by its first appearance, so that a reader can tell CAs apart."""
    numbers: dict[str, int] = {}

    def numbered(digest: re.Match[str]) -> str:
        begin = digest.group().replace(":", "").lower()[:12]
        return f"<digest {numbers.setdefault(begin, len(numbers) + 1)}>"

    text = _DIGEST.sub(numbered, text)
    for pattern, placeholder in _OF_CHANCE.items():
        text = re.sub(pattern, placeholder, text)
    return text


@dataclass(frozen=True)
class GoldenFiles:
    """The files of FOLDER, as tests compare or write them."""

    #: Whether a test writes its section instead of comparing it.
    writes: bool = False
    folder: Path = FOLDER
    #: The name of the test that compares, as words.
    test: str = ""
    #: The id of its row of parameters; empty if it has no parameters.
    row: str = ""
    #: The sections that this test has written, by surface and name.
    written: dict[tuple[str, str], str] = field(default_factory=dict)

    def compare(self, surface: str, name: str, text: str) -> None:
        """Compares a section of the file of this surface."""
        sections = self._read(surface)
        if self.writes:
            assert self.written.setdefault((surface, name), text) == text, f"{name} says two things: name each case"
            self._write(surface, {**sections, name: text})
            return
        assert name in sections, f"{surface}.txt has no section {name}"
        changes = difflib.unified_diff(sections[name].splitlines(), text.splitlines(), "golden", "now", lineterm="")
        assert sections[name] == text, "\n".join([f"{surface}.txt, {name}:", *changes])

    def compare_stop(self, name: str, violation: object) -> None:
        """Compares the sentences of a violation in a flow, which are another form of those in ``stops``."""
        self.compare("stops_in_flows", name, without_chance(str(violation)))

    def compare_said(self, surface: str, said: object, case: str = "") -> None:
        """Compares the section of this test, or of one case of it. An error is compared with its remedy."""
        text = f"{said}\n{said.remedy}" if isinstance(said, (CollectionError, TransportError)) else str(said)
        self.compare(surface, f"{self.test}, {case}" if case else self.test, without_chance(text))

    def compare_tests(self, surface: str, *rooms: Path) -> None:
        """Compares the sections with the tests of these folders: each is of one of them. A file that is written gets the
        order of the tests, and loses other sections.
        """
        sections = self._read(surface)
        sources = (path.read_text(encoding="utf-8") for room in rooms for path in sorted(room.rglob("test_*.py")))
        tests = dict.fromkeys(as_words(test) for source in sources for test in _TEST.findall(source))
        known = [name for test in tests for name in sections if name == test or name.startswith(f"{test}, ")]
        if self.writes:
            self._write(surface, {name: sections[name] for name in known})
            return
        # Tests that run after this one write their sections behind the others.
        assert set(sections) == set(known)

    def compare_names(self, surface: str, names: Iterable[str]) -> None:
        """Compares the names of all sections, in their order. A file that is written gets this order, and loses other
        sections.
        """
        sections, wanted = self._read(surface), list(names)
        if self.writes:
            self._write(surface, {name: sections[name] for name in wanted if name in sections})
            return
        assert list(sections) == wanted

    def _read(self, surface: str) -> dict[str, str]:
        path = self._path(surface)
        _begin, *parts = _HEAD.split(path.read_text(encoding="utf-8") if path.exists() else "")
        return {name: text.strip("\n") for name, text in zip(parts[::2], parts[1::2], strict=True)}

    def _write(self, surface: str, sections: Mapping[str, str]) -> None:
        text = "\n\n".join(f"=== {name} ===\n{section}" for name, section in sections.items())
        self._path(surface).write_text(text + "\n", encoding="utf-8")

    def _path(self, surface: str) -> Path:
        return self.folder / f"{surface}.txt"
