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

    #: Kind, namespace and name.
    name: str
    #: SHA-1 fingerprints of the CAs of which its certificate may be; None where that is not known.
    authorities: frozenset[str] | None
    #: How it is known, or why it is not, without a full stop.
    why: str
    renewal: Renewal = Renewal.BY_HAND
    #: Whether its certificate is still to be issued anew, because another CA is in use than when it was issued.
    behind: bool = False
    #: How it comes to present a certificate of the CA in use.
    remedy: str = ""
    #: Why it would not be issued anew, without a full stop; empty where it would.
    hindered: str = ""
    #: Whether that is because a pause keeps the issuer from it for now.
    pause: ReissuePause = ReissuePause.NONE
    #: Where its leaf would be written to, if this collection had to issue that; empty where it never would.
    secret: str = ""
    #: Of a program that has only ever read what one issuer writes, its name and whose certificate that is; empty of any other party.
    reads: str = ""
    #: When the certificate that such a program has read ends; None where it is not known which that is, as when there is a newer one.
    ends_at: datetime | None = None

    @property
    def is_followed(self) -> bool:
        """Whether an operator is about to bring it to its next certificate. Where another writer has paused its user, none is issued."""
        return self.renewal is Renewal.FOLLOWED and self.pause is not ReissuePause.FOREIGN
