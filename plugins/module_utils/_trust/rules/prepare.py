# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Chapter "Prepare": a new CA, where the intent asks for one."""

from __future__ import annotations

from dataclasses import replace

from ..._pki.authorities import authority_generation
from ..gates.introduction import why_not_asked, why_not_linked
from ..ledger.target import resolve, rotation_of, supplied_for
from ..model.goals import Goal
from ..model.names import named
from ..model.snapshot import PreparedAuthority
from ..model.steps.authority import PrepareAuthority
from ..model.steps.base import Steps
from .situation import Situation


def prepare(at: Situation) -> Steps:
    """Certificate, key and, for a new key, link certificate of the next CA."""
    if not resolve(at.snapshot, at.intent, at.ledger).wanted:
        return ()
    goal, supplied = rotation_of(at.snapshot, at.intent, at.ledger), supplied_for(at.snapshot, at.intent, at.ledger)
    chain = supplied.chain if supplied else ()
    step = PrepareAuthority(
        goal=goal, replaces=at.snapshot.ca.current, generation=_next_generation(at, goal), supplied=chain
    )
    if goal is not Goal.REPLACE_KEY:
        return (step,)
    if not why_not_linked(at.snapshot, chain):
        return (replace(step, linked=True),)
    return (_asking(at, step, supplied),)


def _asking(at: Situation, step: PrepareAuthority, supplied: PreparedAuthority | None) -> PrepareAuthority:
    """The same with a link certificate that is asked for, where somebody can be asked."""
    current, linker = at.current, at.intent.links
    if current is None or linker is None or not at.snapshot.ca.is_kept_elsewhere(current):
        return step
    asked = linker.reference
    if why := why_not_asked(current, supplied, linker):
        return replace(step, because=f"{asked} is asked for no link certificate: {why}")
    because = (
        f"The key of {named(current)} is kept elsewhere, so {asked} is asked for the link certificate. Where it gives none, a "
        "warning says why, and everybody has to know the new CA before it is used: one restart of each node more."
    )
    return replace(step, linked=True, asked=asked, because=because)


def _next_generation(at: Situation, goal: Goal) -> int:
    """N of ``CN=cluster-ca vN``: a renewal keeps it, a new key takes one that no CA here has, because verifiers find
    issuers by name (RFC 5280 section 6.1)."""
    ca = at.snapshot.ca
    if at.current is None:
        return 0
    own = authority_generation(at.current)
    if goal is Goal.RENEW:
        return ca.key_generation if own is None else own
    known = [number for entry in at.ledger.entries if (number := authority_generation(entry.certificate)) is not None]
    if own is None:
        # No name says how far the numbers went. Each numbered CA had a certificate generation as well, so that is high
        # enough.
        known.append(at.generation)
    return max([*known, ca.key_generation]) + 1
