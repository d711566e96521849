# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Steps about parties outside the cluster that present certificates of the CA."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...._pki.certificates import Certificate
from ..goals import Phase
from ..names import counted, listed, named
from ..presenters import Presenter
from ..snapshot import Snapshot
from .base import StandIn, Step


def _with_certificate_of(snapshot: Snapshot, names: tuple[str, ...], authority: Certificate) -> Snapshot:
    known = frozenset({authority.fingerprint})

    def after(one: Presenter) -> Presenter:
        return replace(one, authorities=known, behind=False) if one.name in names else one

    return replace(snapshot, presenters=tuple(map(after, snapshot.presenters)))


@dataclass(frozen=True, kw_only=True)
class AwaitReissue(Step):
    """Have certificates outside the cluster issued anew by the CA in use, by the operator whose task that is. names: whose."""

    names: tuple[str, ...]
    authority: Certificate
    phase: Phase = Phase.USE

    def sentence(self) -> str:
        return f"have the User Operator issue {counted(len(self.names), 'certificate')} of {named(self.authority)}"

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        return _with_certificate_of(snapshot, self.names, self.authority)


@dataclass(frozen=True, kw_only=True)
class AwaitPickUp(Step):
    """Wait until programs that the operator restarts when a certificate changes present the new one. names: of these programs."""

    names: tuple[str, ...]
    authority: Certificate
    phase: Phase = Phase.USE

    def sentence(self) -> str:
        return f"wait until {listed(self.names)} present certificates of {named(self.authority)}"

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        return _with_certificate_of(snapshot, self.names, self.authority)
