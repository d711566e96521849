# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A rule that does not hold any more, as the observers of flows and explorations report it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Breach:
    #: The number of the invariant in docs/design.md, such as I1; a word for a rule that has no number.
    rule: str
    #: The sentence, with a place for each party.
    sentence: str
    #: The parties, in the order of the sentence.
    parties: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.rule}: {self.sentence.format(*self.parties)}"


class InvariantBroken(AssertionError):
    """The text says which invariant, between whom, after which write."""

    def __init__(self, breach: Breach, where: str = "") -> None:
        super().__init__(f"{breach}, {where}" if where else str(breach))
        self.breach = breach
