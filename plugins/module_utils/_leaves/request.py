# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The next thing to do about a leaf that another issuer issues: one live request for each leaf, and none for a leaf that is not
wanted (Improved and extensible Certificate controller, "requestmanager" and "issuing").
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from .back_off import next_try
from .life import Failure, LeafRequest, LeafState


class Next(Enum):
    """ASK: make a request, in the place of the one that is there. COLLECT: record what came back. WAIT: for the issuer, or for the next
    try. USE: it is at hand.
    """

    ASK = "ask"
    COLLECT = "collect"
    WAIT = "wait"
    USE = "use"


@dataclass(frozen=True)
class Wanted:
    """issuer: the reference of the issuer to be asked. authority: fingerprint of the CA that is to sign. insists: when the caller has asked that what
    had failed by then is tried again at once, and not what fails after that; None where no caller has. later: fingerprints of CAs that may
    take its place: their leaves are kept until one has.
    """

    issuer: str
    authority: str
    insists: datetime | None = None
    later: frozenset[str] = frozenset()

    def is_due(self, request: LeafRequest, now: datetime) -> bool:
        """Whether a request that is not open any more is made again."""
        failure = request.failure
        if failure is None or next_try(failure, request.secret) <= now:
            return True
        # A failure that lies ahead was noted by an earlier run, whose clock is ahead of this one.
        return self.insists is not None and not self.insists <= failure.at <= now

    def keeps(self, request: LeafRequest) -> bool:
        """Whether the request is answered by a CA that has to be trusted and in use first."""
        return request.answer is not None and not request.outdated and request.authority in self.later


def next_action(request: LeafRequest | None, wanted: Wanted, now: datetime) -> Next:
    """A request for something else is given up at once: also its failures say nothing about the new one. A recorded
    answer is used, whichever CA issued it: its checks do not ask for the issuer.
    """
    if request is None or request.outdated:
        return Next.ASK
    if request.authority != wanted.authority and not wanted.keeps(request):
        return Next.ASK
    if request.answer is not None and request.is_recorded:
        return Next.USE if request.authority == wanted.authority else Next.WAIT
    if request.issuer != wanted.issuer:
        return Next.ASK
    if not request.is_recorded:
        return Next.COLLECT
    if request.is_open:
        return Next.WAIT
    return Next.ASK if wanted.is_due(request, now) else Next.WAIT


def request_name(secret: str, key: str, names: str, authority: str, failure: Failure | None) -> str:
    """The name of the request of one revision: a run that continues a killed one gives the same, any other request has another name.

    secret: of the leaf. key: SHA-256 of the public key. names: SHA-256 of the names. authority: fingerprint of the CA that is to sign.
    failure: the last one in the row.
    """
    revision = "\n".join((key, names, authority, str(failure.count if failure else 0)))
    return f"{secret}-{hashlib.sha256(revision.encode()).hexdigest()[:10]}"


def state_of(request: LeafRequest | None, *, needed: bool, served: bool) -> LeafState:
    """The state in which the end entity's certificate is. needed: whether anything of the cluster needs one. served: whether one is in
    its Secret, and no other is wanted.
    """
    if not needed:
        return LeafState.NOT_NEEDED
    if served:
        return LeafState.IN_USE
    if request is None or request.outdated:
        return LeafState.REQUIRED
    if request.answer is not None:
        return LeafState.TRUST_PENDING
    return LeafState.REQUESTED if request.is_open else LeafState.REQUIRED
