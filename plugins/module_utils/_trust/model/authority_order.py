# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The order of a CA: what is made when a flow needs its next CA, by the step itself or for a forecast."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from ..._pki.certificates import Chain
from .goals import Goal


@dataclass(frozen=True)
class LinkPlan:
    """The link certificates between the next CA and the CA in use, and the issuers that sign them."""

    #: Reference of the issuer that has to sign the link certificate by the CA in use; empty if its key is in the
    #: cluster.
    issuer: str = ""
    #: Reference of the issuer that has to sign the other link certificate. Empty if the key of the next CA is in the
    #: cluster, or if there is none.
    back_issuer: str = ""
    #: The latest end of the other link certificate, of the CA in use by the next CA; None if it ends with one of the
    #: two CAs.
    back_until: datetime | None = None
    #: The clients that refuse nodes without the other link certificate, as a sentence.
    refusing_clients: str = ""


@dataclass(frozen=True, kw_only=True)
class AuthorityOrder:
    """The next CA as a step is to make it."""

    #: The goal of the flow that begins with this CA.
    goal: Goal
    #: The CA that the next CA replaces, with its chain; empty if there is none.
    replaces: Chain
    #: The number in its name ``cluster-ca vN``.
    generation: int
    #: Path length of a renewal that this collection makes; None allows any number of CAs below it.
    path_length: int | None = None
    #: The earliest end of a renewal that this collection makes, if its usual life would end before; None if its usual
    #: life is enough.
    at_least_until: datetime | None = None
    #: The link certificates that are made with it; None if there are none.
    links: LinkPlan | None = None
    #: The CA that the caller brings, with its chain; empty if this collection makes the CA.
    supplied: Chain = ()
