# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The actions of a call, done or planned, in public facts: subjects, fingerprints, states, and no content."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .._pki.certificates import Certificate


def public_fact(certificate: Certificate) -> str:
    """A certificate as a public fact: its subject and the start of its SHA-256."""
    return f"{certificate.subject} {certificate.sha256[:16]}"


@dataclass(frozen=True)
class Action:
    """A write, restart, reload or wait."""

    #: Either create, update, delete, restart, reload or wait.
    verb: str
    object: str
    what: str
    phase: str
    #: Public facts about the object, before and after the action.
    before: Mapping[str, Any] | None = None
    after: Mapping[str, Any] | None = None
    seconds: float | None = None
    #: At the restart of a Kafka node, the largest number of nodes that were away at once, this node included.
    away: int | None = None

    @property
    def is_change(self) -> bool:
        return self.verb != "wait"

    def as_result(self) -> dict[str, Any]:
        """The same keys for every action, whether it was done or would be."""
        seconds = None if self.seconds is None else round(self.seconds, 1)
        return {
            "verb": self.verb,
            "object": self.object,
            "what": self.what,
            "phase": self.phase,
            "seconds": seconds,
            "away": self.away,
        }
