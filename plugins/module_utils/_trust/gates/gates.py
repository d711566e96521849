# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The gates as one value that ``decide`` is given, so that a test can leave one of them open."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from ..._pki.certificates import Chain
from ..model.ledger import Ledger
from ..model.snapshot import Snapshot
from ..model.violations import Violation
from .removal import removal_gate
from .trust import alone_gate, trust_gate

Violations: TypeAlias = tuple[Violation, ...]


@dataclass(frozen=True)
class Gates:
    """Each gate returns the violations that close it, and nothing where it is open.

    trust: every party accepts leaves that are presented in this form. alone: every party of the cluster accepts leaves
    of this CA that are presented alone. removal: no party relies on the CA with this fingerprint.
    """

    trust: Callable[[Snapshot, Ledger, Chain], Violations] = trust_gate
    alone: Callable[[Snapshot, Ledger, Chain], Violations] = alone_gate
    removal: Callable[[Snapshot, Ledger, str], Violations] = removal_gate


#: Every gate as it is outside of tests.
GATES = Gates()
