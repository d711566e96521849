# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The removal of keys and link certificates that are not needed any more from the key Secret."""

from __future__ import annotations

from ..evidence.same_name import find_namesake
from ..model.steps.authority import TidyKeys
from ..model.steps.base import Steps
from .situation import Situation


def tidy(at: Situation) -> Steps:
    """Remove the entries of a prepared CA after the switch to it, and a kept key when its CA has left the ledger and no probe needs it.

    The link certificates of the CA in use stay, because leaves are presented behind them. What is stored decides that, and no clock does: they cannot be made
    again.
    """
    ca = at.snapshot.ca
    current = at.current.fingerprint if at.current else None
    switched = frozenset(one.fingerprint for one in ca.prepared if one.fingerprint == current)
    known = {entry.fingerprint for entry in at.ledger.entries} | {one.fingerprint for one in ca.prepared}
    stale = (ca.kept_keys - known - _for_probes(at)) | (ca.kept_keys & frozenset({current} if current else ()))
    in_use = frozenset(name for name, links in ca.links.items() if links == ca.links_in_use)
    unused = ((frozenset(ca.kept_links) - known) | switched) - in_use
    if not switched and not stale and not unused:
        return ()
    return (TidyKeys(prepared=switched, kept_keys=stale, links=unused, phase=at.phase),)


def _for_probes(at: Situation) -> frozenset[str]:
    """Fingerprints of the removed CAs of which a probe alone shows that listeners refuse them: their names are those of other CAs."""
    asked = (one for one in at.ledger.removed if one.awaiting & at.snapshot.uids)
    return frozenset(one.fingerprint for one in asked if find_namesake(one.certificate, at.snapshot) is not None)
