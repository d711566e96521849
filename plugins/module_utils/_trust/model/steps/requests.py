# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Steps about leaves that another issuer issues."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import ClassVar

from ...._leaves.life import LeafRequest
from ...._pki.certificates import Chain
from ..names import counted, named
from ..snapshot import Snapshot
from .base import StandIn, Step


@dataclass(frozen=True, kw_only=True)
class AskForLeaves(Step):
    """Make keys for the leaves of these Secrets, and ask an issuer for the certificates.

    issuer: the CA that is to sign, with its chain. asked: the reference of the issuer. spare: whether they are for nodes that are yet to come.
    """

    secrets: tuple[str, ...]
    issuer: Chain
    asked: str
    spare: bool = False

    def sentence(self) -> str:
        what = counted(len(self.secrets), "spare certificate" if self.spare else "certificate")
        return f"ask {self.asked} for {what} of {named(self.issuer[0])}"

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        """In a forecast, every issuer answers at once."""
        authority = self.issuer[0].fingerprint
        made = {
            name: LeafRequest(
                name,
                self.asked,
                authority,
                snapshot.now,
                is_open=False,
                answer=(stand_in.leaf(self.issuer), *self.issuer),
            )
            for name in self.secrets
        }
        return _with_requests(snapshot, {**snapshot.leaves.requests, **made})


def _with_requests(snapshot: Snapshot, requests: Mapping[str, LeafRequest]) -> Snapshot:
    return replace(snapshot, leaves=replace(snapshot.leaves, requests=requests))


def _recorded(snapshot: Snapshot, secrets: tuple[str, ...]) -> Snapshot:
    requests = snapshot.leaves.requests
    changed = {name: replace(one, is_recorded=True) for name, one in requests.items() if name in secrets}
    return _with_requests(snapshot, {**requests, **changed})


@dataclass(frozen=True, kw_only=True)
class CollectLeaves(Step):
    """Record what has come back: certificates that have passed every check, so that their issuer is not needed any more,
    and refusals.
    """

    secrets: tuple[str, ...]
    asked: str

    def sentence(self) -> str:
        return f"record {counted(len(self.secrets), 'answer')} of {self.asked}"

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        return _recorded(snapshot, self.secrets)


@dataclass(frozen=True, kw_only=True)
class AwaitIssuer(Step):
    """Wait for the issuer, but not beyond ``until``: the next run goes on."""

    secrets: tuple[str, ...]
    issuer: Chain
    asked: str
    until: datetime
    holds_nothing: ClassVar[bool] = True
    only_waits: ClassVar[bool] = True

    def sentence(self) -> str:
        return f"wait until {self.asked} has issued {counted(len(self.secrets), 'certificate')}"

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        leaf = stand_in.leaf(self.issuer)
        answered = {
            name: replace(one, answer=one.answer or (leaf, *self.issuer), is_open=False)
            for name, one in snapshot.leaves.requests.items()
            if name in self.secrets
        }
        return _recorded(_with_requests(snapshot, {**snapshot.leaves.requests, **answered}), self.secrets)


@dataclass(frozen=True, kw_only=True)
class ForgetRequests(Step):
    """Remove requests that are served or not wanted any more, with the keys that were made for them."""

    secrets: tuple[str, ...]
    is_told: ClassVar[bool] = False

    def sentence(self) -> str:
        return f"remove {counted(len(self.secrets), 'request')} for certificates that are not needed any more"

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        left = {name: one for name, one in snapshot.leaves.requests.items() if name not in self.secrets}
        return _with_requests(snapshot, left)
