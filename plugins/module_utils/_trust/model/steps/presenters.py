# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Steps about parties outside the cluster that present certificates of the CA."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar

from ...._pki.certificates import Certificate
from ..clients import Presenter, ReissuePause
from ..decision import Look, StandIn, Step
from ..goals import Phase
from ..names import counted, listed, named
from ..snapshot import Snapshot


def _with_certificate_of(snapshot: Snapshot, names: tuple[str, ...], authority: Certificate) -> Snapshot:
    known = frozenset({authority.fingerprint})

    def after(one: Presenter) -> Presenter:
        issued = replace(one, authorities=known, behind=False, pause=ReissuePause.NONE)
        return issued if one.name in names else one

    return _with_presenters(snapshot, map(after, snapshot.presenters))


def _paused(snapshot: Snapshot, names: tuple[str, ...], pause: ReissuePause) -> Snapshot:
    found = (replace(one, pause=pause) if one.name in names else one for one in snapshot.presenters)
    return _with_presenters(snapshot, found)


def _with_presenters(snapshot: Snapshot, presenters: Iterable[Presenter]) -> Snapshot:
    return snapshot.with_users(presenters=tuple(presenters))


@dataclass(frozen=True, kw_only=True)
class PauseReissue(Step):
    """Keep the User Operator from issuing certificates for these users until it is their turn. names: the users."""

    names: tuple[str, ...]
    phase: Phase = Phase.USE

    def sentence(self) -> str:
        return f"keep the User Operator from issuing {counted(len(self.names), 'certificate')} until it is their turn"

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        return _paused(snapshot, self.names, ReissuePause.OURS)

    def look(self, snapshot: Snapshot) -> Look:
        return Look.REMEMBERED if snapshot.nodes.pods else Look.NONE


@dataclass(frozen=True, kw_only=True)
class ResumeReissue(Step):
    """Let the User Operator issue certificates for these users again. names: the users."""

    names: tuple[str, ...]
    phase: Phase = Phase.USE

    def sentence(self) -> str:
        return f"let the User Operator issue {counted(len(self.names), 'certificate')} again"

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        return _paused(snapshot, self.names, ReissuePause.NONE)

    def look(self, snapshot: Snapshot) -> Look:
        return Look.REMEMBERED if snapshot.nodes.pods else Look.NONE


@dataclass(frozen=True, kw_only=True)
class AwaitReissue(Step):
    """Have the operator in charge issue certificates outside the cluster anew, by the CA in use. names: their holders.
    batch: how many at a time, after a first certificate; None: as many as the operator takes.
    """

    names: tuple[str, ...]
    authority: Certificate
    batch: int | None = None
    phase: Phase = Phase.USE
    only_waits: ClassVar[bool] = True

    def sentence(self) -> str:
        batches = f", {self.batch} at a time" if self.batch else ""
        return f"have the User Operator issue {counted(len(self.names), 'certificate')} of {named(self.authority)}{batches}"

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        return _with_certificate_of(snapshot, self.names, self.authority)


@dataclass(frozen=True, kw_only=True)
class AwaitKept(Step):
    """Let the operator in charge of certificates outside the cluster go on, and see that it keeps the certificates that
    were written for it. names: their holders.
    """

    names: tuple[str, ...]
    authority: Certificate
    phase: Phase = Phase.USE
    only_waits: ClassVar[bool] = True

    def sentence(self) -> str:
        return f"see that the User Operator keeps {counted(len(self.names), 'certificate')} of {named(self.authority)}"

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        return _paused(snapshot, self.names, ReissuePause.NONE)


@dataclass(frozen=True, kw_only=True)
class AwaitPickUp(Step):
    """Wait until programs present their new certificate: an operator restarts them for it, or copies it to them. names: of these programs."""

    names: tuple[str, ...]
    authority: Certificate
    phase: Phase = Phase.USE
    only_waits: ClassVar[bool] = True

    def sentence(self) -> str:
        return f"wait until {listed(self.names)} present certificates of {named(self.authority)}"

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        return _with_certificate_of(snapshot, self.names, self.authority)
