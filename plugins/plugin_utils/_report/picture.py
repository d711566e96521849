# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The picture of the CAs that each party trusts: boxes and lines with their places, for SVG. Parties stand left, CAs
right.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from textwrap import wrap
from typing import Any

from ansible_collections.trustops.strimzi.plugins.plugin_utils._report import words
from ansible_collections.trustops.strimzi.plugins.plugin_utils._report.run import OPERATOR

WIDTH = 520
PARTY_X, PARTY_WIDTH, PARTY_HEIGHT, PARTY_STEP = 1, 200, 46, 60
CA_X, CA_WIDTH, CA_HEIGHT, CA_STEP = 329, 190, 77, 96
TOP = 26
#: Half the distance between the two lines of one party to one CA.
APART = 5
#: How far from its middle the lines arrive at a CA.
SPREAD = 20.0
PARTY_TEXT, CA_TEXT, STATE_TEXT = 27, 18, 27


def picture(
    parties: Sequence[Mapping[str, Any]], cas: Sequence[Mapping[str, Any]], absent: str, rows: int = 0
) -> dict[str, Any]:
    """The picture of parties and CAs. All CAs of the report come in one order. If a CA is ``there`` at this moment, it
    is marked so. Room is left for so many rows of parties: two pictures can be compared.
    """
    height = max(len(parties) * PARTY_STEP, rows * PARTY_STEP, len(cas) * CA_STEP) + TOP
    right = {ca["short"]: _ca(index, ca, absent, _first(height, len(cas), CA_STEP)) for index, ca in enumerate(cas)}
    left = [_party(index, party, _first(height, len(parties), PARTY_STEP)) for index, party in enumerate(parties)]
    arrivals = _spread(len(parties))
    lines = [line for row in zip(left, parties, arrivals, strict=True) for line in _lines(*row, right)]
    return {
        "width": WIDTH, "height": height, "ca_x": CA_X, "parties": left, "cas": list(right.values()), "lines": lines,
        "description": description(parties, cas),
    }  # fmt: skip


def _first(height: int, number: int, step: int) -> float:
    """The top of a column of boxes that stands in the middle."""
    return TOP + (height - TOP - number * step) / 2


def _party(index: int, party: Mapping[str, Any], first: float) -> dict[str, Any]:
    y = first + index * PARTY_STEP
    return {
        "x": PARTY_X, "y": y, "width": PARTY_WIDTH, "height": PARTY_HEIGHT, "middle": y + PARTY_HEIGHT / 2,
        "title": words.party(party["component"], party["count"]),
        "names": shortened(names_of(party), PARTY_TEXT),
        "full": ", ".join(party["names"]),
        "stacked": party["count"] > 1,
    }  # fmt: skip


def _ca(index: int, ca: Mapping[str, Any], absent: str, first: float) -> dict[str, Any]:
    y = first + index * CA_STEP
    unrecorded = "issues certificates" if ca["issuing"] else "trusted, does not issue"
    state = ca["meaning"] or unrecorded if ca["there"] else absent
    return {
        "x": CA_X, "y": y, "width": CA_WIDTH, "height": CA_HEIGHT, "middle": y + CA_HEIGHT / 2,
        "letter": ca["letter"], "colour": ca["colour"], "there": ca["there"],
        "title": shortened(ca["name"], CA_TEXT), "full": ca["subject"],
        "short": ca["short"], "state": wrap(state, STATE_TEXT),
    }  # fmt: skip


def _spread(number: int) -> list[float]:
    """The ends of the lines of each party, from the middle of the CA."""
    step = 2 * SPREAD / (number - 1) if number > 1 else 0.0
    return [index * step - (number - 1) * step / 2 for index in range(number)]


def _lines(
    box: Mapping[str, Any], party: Mapping[str, Any], arrival: float, cas: Mapping[str, Any]
) -> Iterable[dict[str, Any]]:
    begin = PARTY_X + PARTY_WIDTH
    for kind, shift in (("presents", -APART), ("trusts", APART)):
        for short in party[kind]:
            if short not in cas:
                continue
            ca = cas[short]
            y, end, half = box["middle"] + shift, ca["middle"] + arrival + shift / 2, (begin + CA_X) / 2
            yield {
                "kind": kind,
                "colour": ca["colour"],
                "title": f"{box['title']} {kind} {ca['letter']}",
                "path": f"M {begin} {y:g} C {half:g} {y:g}, {half:g} {end:g}, {CA_X} {end:g}",
            }


def names_of(party: Mapping[str, Any]) -> str:
    """The names in one line: "demo-kafka-0 … 2" if no number is missing, "demo-kafka-0, 3, 6" otherwise."""
    if party["component"] == OPERATOR:
        return "in each reconciliation"
    names = [str(name) for name in party["names"]]
    stems = {name.rpartition("-")[0] for name in names}
    numbers = [name.rpartition("-")[2] for name in names]
    if len(names) == 1 or len(stems) != 1 or not all(number.isdecimal() for number in numbers):
        return ", ".join(names)
    if int(numbers[-1]) - int(numbers[0]) == len(names) - 1:
        return f"{names[0]} … {numbers[-1]}"
    return f"{names[0]}, {', '.join(numbers[1:])}"


def shortened(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"


def description(parties: Iterable[Mapping[str, Any]], cas: Iterable[Mapping[str, Any]]) -> str:
    """The picture in words, for readers without it."""
    letters = {ca["short"]: ca["letter"] for ca in cas}
    sentences = []
    for party in parties:
        presents, trusts = (
            " and ".join(letters[short] for short in party[kind] if short in letters) for kind in ("presents", "trusts")
        )
        who = words.party(party["component"], party["count"])
        sentences.append(f"{who}: presents {presents or 'something unknown'}, trusts {trusts or 'nothing known'}.")
    return " ".join(sentences)
