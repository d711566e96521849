# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The likeness of states of a flow: what decides about the next steps, without that which is another one each time.

A restarted pod has another UID and a renewed leaf another serial number, key and dates. A flow that comes back to a state but for these goes
round in a circle (I11).
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import fields, is_dataclass, replace
from datetime import datetime
from functools import cache
from typing import Any

from ..._pki.certificates import Certificate
from ..model.ledger import HeldByProcesses, LedgerEntry
from ..model.snapshot import Pod, Snapshot, StoredLeaf
from ..model.steps.base import Steps

#: Fields that say which leaf or which pod something is, or how long an answer has taken, and nothing else.
_CHANGING = {
    (Pod, "leaf_hash"), (Pod, "uid"), (StoredLeaf, "beside"), (LedgerEntry, "leaves"), (Snapshot, "clock"),
}  # fmt: skip


def state_of(snapshot: Snapshot, steps: Steps) -> int:
    """A digest of what decides, and of what was decided: the same for the same state."""
    return hash((_Likeness(snapshot).of(snapshot), likeness_of(steps, snapshot)))


def likeness_of(steps: Steps, snapshot: Snapshot) -> Any:
    """A value that is the same for the same steps on the same pods, also where these have restarted. Hashable."""
    return _Likeness(snapshot).of(steps)


class _Likeness:
    def __init__(self, snapshot: Snapshot) -> None:
        self._names = {pod.uid: pod.name for pod in snapshot.nodes.pods}

    def of(self, value: Any) -> Any:
        if isinstance(value, Certificate):
            # A leaf that was due is unlike the one that has taken its place: that ends on another day.
            leaf = value.subject, value.issuer, value.subject_alternative_names, value.not_after.date()
            return value.fingerprint if value.is_ca else leaf
        if isinstance(value, str):
            return self._names.get(value, value)
        if isinstance(value, datetime):
            return "a time"
        if isinstance(value, (LedgerEntry, HeldByProcesses)):
            value = self._without_past(value)
        if is_dataclass(value) and not isinstance(value, type):
            return (type(value).__name__, *(self.of(getattr(value, name)) for name in _fields_of(type(value))))
        if isinstance(value, Mapping):
            return frozenset((key, self.of(one)) for key, one in value.items())
        if isinstance(value, Set):
            return frozenset(map(self.of, value))
        if isinstance(value, tuple):
            return tuple(map(self.of, value))
        return value

    def _without_past(self, known: LedgerEntry | HeldByProcesses) -> LedgerEntry | HeldByProcesses:
        """Without the UIDs of pods that do not run any more."""
        if known.awaiting is not None:
            known = replace(known, awaiting=known.awaiting & self._names.keys())
        return (
            replace(known, lingering=known.lingering & self._names.keys())
            if isinstance(known, HeldByProcesses)
            else known
        )


@cache
def _fields_of(kind: type[Any]) -> tuple[str, ...]:
    return tuple(one.name for one in fields(kind) if (kind, one.name) not in _CHANGING)
