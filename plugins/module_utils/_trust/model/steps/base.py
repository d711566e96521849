# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The base of all steps that ``decide`` returns. A step is a plain value that describes itself; other layers
carry it out.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, ClassVar, Protocol, TypeAlias

from ..goals import Phase

if TYPE_CHECKING:
    from ...._pki.certificates import Certificate, Chain
    from ..snapshot import PreparedAuthority, Snapshot
    from .authority import PrepareAuthority


class Look(Enum):
    """Whether a call asks running nodes before a step. REMEMBERED: their earlier answers in this call count as well."""

    NONE = 0
    REMEMBERED = 1
    FRESH = 2


class StandIn(Protocol):
    """Makes certificates that do not exist yet, so that the gates can validate them in a forecast. They are not stored."""

    def authority(self, step: PrepareAuthority) -> PreparedAuthority:
        """The CA that this step would make."""

    def leaf(self, issuer: Chain) -> Certificate:
        """A leaf of a CA that this cluster has, or that ``authority`` made."""


@dataclass(frozen=True, kw_only=True)
class Step(ABC):
    """phase: where the step belongs.

    because: why this is done and not something else that a reader may expect, as a sentence; empty where there was no
    choice. avoidable: why nodes restart after it although they could read the change again, as a sentence; empty where
    they do not.
    """

    phase: Phase
    because: str = ""
    avoidable: str = ""
    #: Whether a line is shown when it begins; steps that only keep the books show none.
    is_told: ClassVar[bool] = True
    #: Whether it only waits: where it is decided on again, nothing was done twice.
    only_waits: ClassVar[bool] = False
    #: Whether it only waits, for as long as others take: other runs may work meanwhile.
    holds_nothing: ClassVar[bool] = False

    @abstractmethod
    def sentence(self) -> str:
        """The step in words, for people; it names CAs by subject and the start of their SHA-256."""

    @abstractmethod
    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        """The next snapshot, when the operator does its part and every restart succeeds: for forecasts only."""

    def as_left(self) -> str:
        """The step in words where a flow stops before it, as work that is left."""
        return self.sentence()

    def look(self, snapshot: Snapshot) -> Look:
        """Whether a call asks running nodes before this step."""
        return Look.NONE

    @property
    def changes_what_nodes_say(self) -> bool:
        """Whether nodes that run on may answer differently after it."""
        return False

    @property
    def restarts(self) -> frozenset[str]:
        """UIDs of the pods that are replaced by it."""
        return frozenset()


#: The steps of one rule; empty where it has nothing to do.
Steps: TypeAlias = tuple[Step, ...]
