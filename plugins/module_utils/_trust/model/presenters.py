# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Parties outside the cluster that present certificates of the CA: those to whom certificates were issued, and the programs that
read them.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import Enum


class Renewal(Enum):
    """How a party comes to present certificates of another CA.

    AT_ONCE: it issues them itself, with the key of the CA in use. ISSUED: they are issued anew after the switch. FOLLOWED: an operator
    restarts it when its certificate has changed, or copies that for it. BY_HAND: a person has to restart it.
    """

    AT_ONCE = "at once"
    ISSUED = "issued"
    FOLLOWED = "followed"
    BY_HAND = "by hand"


class ReissuePause(Enum):
    """The party that keeps the issuer from a presenter. ASKED: this collection does, and the issuer has not confirmed it. OURS: it has.
    FOREIGN: another writer does. ENDED: nothing does any more, and the issuer still says so: it has not looked since, or is at work on it.
    """

    NONE = "none"
    ASKED = "asked"
    OURS = "ours"
    FOREIGN = "foreign"
    ENDED = "ended"

    @property
    def lasts(self) -> bool:
        return self not in (ReissuePause.NONE, ReissuePause.ENDED)

    @property
    def is_ours(self) -> bool:
        return self in (ReissuePause.ASKED, ReissuePause.OURS)


@dataclass(frozen=True)
class Presenter:
    """A party outside the cluster that presents certificates of a CA."""

    #: Kind, namespace and name of the party.
    name: str
    #: SHA-1 fingerprints of the CAs that may have signed its certificate; None where that is unknown.
    authorities: frozenset[str] | None
    #: The source of that knowledge, or the reason for its lack, without a full stop.
    why: str
    renewal: Renewal = Renewal.BY_HAND
    #: Whether another CA has come into use since the issue of its certificate.
    behind: bool = False
    #: The way in which the party comes to present a certificate of the CA in use.
    remedy: str = ""
    #: The reason why its issuer would not issue the next certificate, without a full stop; empty where it would.
    hindered: str = ""
    #: The pause that keeps the issuer from it for now.
    pause: ReissuePause = ReissuePause.NONE
    #: The Secret for its leaf, if this collection has to issue it; empty where it never has to.
    secret: str = ""
    #: For a program that has only ever read what one issuer writes, that issuer and the owner of the certificate; empty for any other party.
    reads: str = ""
    #: The end of the certificate that such a program has read; None where it may have read more than one.
    ends_at: datetime | None = None

    @property
    def is_followed(self) -> bool:
        """Whether an operator is about to bring it to its next certificate. Where another writer has paused its user, none is issued."""
        return self.renewal is Renewal.FOLLOWED and self.pause is not ReissuePause.FOREIGN
