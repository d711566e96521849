# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The life of a leaf that an issuer is asked for (CA abstraction, "Process for certificate issuance")."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from .._pki.certificates import Certificate, Chain


class LeafState(str, Enum):
    """How far the next certificate of an end entity has come.

    REQUIRED: no issuer has been asked yet, or the last request failed. REQUESTED: the issuer has it. TRUST_PENDING: it is issued and
    checked, and waits until every party trusts its CA. IN_USE: it is in its Secret, and no other is wanted. NOT_NEEDED: nothing of the
    cluster needs one any more.
    """

    REQUIRED = "REQUIRED"
    REQUESTED = "REQUESTED"
    TRUST_PENDING = "TRUST_PENDING"
    IN_USE = "IN_USE"
    NOT_NEEDED = "NOT_NEEDED"


@dataclass(frozen=True)
class Failure:
    """count: how many requests in a row have failed. at: when the last one did. why: a sentence with cause and remedy."""

    count: int
    at: datetime
    why: str

    @classmethod
    def after(cls, before: Failure | None, at: datetime, why: str) -> Failure:
        """The failure that is one more in the row. before: the failure that came before it, None for the first."""
        return cls(before.count + 1 if before else 1, at, why)


@dataclass(frozen=True)
class LeafRequest:
    """The record about the next certificate of one end entity, and what its issuer says of it now."""

    #: Secret of the leaf, which names the end entity.
    secret: str
    #: Reference of the issuer.
    issuer: str
    #: Fingerprint of the CA that has to sign.
    authority: str
    asked_at: datetime
    #: The difference between this request and the leaf that the cluster needs now, as a part of a sentence; empty where there is none.
    outdated: str = ""
    #: The words of the issuer while it waits, as a sentence.
    waiting: str = ""
    failure: Failure | None = None
    #: Whether the issuer may still answer.
    is_open: bool = True
    #: The certificate that came back and passed every check.
    answer: Chain | None = None
    #: Whether the Secret of the request records the answer or the failure. The collection then no longer needs the issuer for this request.
    is_recorded: bool = True

    @property
    def certificate(self) -> Certificate | None:
        return self.answer[0] if self.answer else None
