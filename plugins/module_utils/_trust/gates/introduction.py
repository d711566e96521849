# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""How the leaves of the next CA are presented first: behind a link certificate, or after every party trusts it.

A link certificate (RFC 4210, NewWithOld) lets verifiers that know only the replaced CA validate them, so that no
process has to restart for trust alone (docs/operator.md, "Link certificates").
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..._pki.certificates import Certificate, Chain
from ..evidence.clients import without_outside_clients
from ..model.intent import Linker
from ..model.ledger import Ledger, LedgerEntry
from ..model.snapshot import Component, Pod, PreparedAuthority, Snapshot
from .gates import Gates, Violations
from .trust import refusals, select_refusals


@dataclass(frozen=True)
class Introduction:
    """form: the issuing CA as its leaves present it first, then what they send behind it.

    link: the certificate that leads from this CA to the one in use; None where every process trusts the CA itself
    before it is used.
    learners: components that would refuse the link until they have restarted and know the CA itself, each with the reason.
    because: why there is no link, as a sentence; empty where there is one.
    """

    form: Chain
    link: Certificate | None = None
    learners: Mapping[Pod, str] = field(default_factory=dict)
    because: str = ""


def introduction_of(snapshot: Snapshot, ledger: Ledger, entry: LedgerEntry, gates: Gates) -> Introduction:
    """How leaves of this CA are presented first, as the cluster is now."""
    prepared = next((one for one in snapshot.ca.prepared if one.fingerprint == entry.fingerprint), None)
    link = link_of(prepared, snapshot)
    if link is None:
        return Introduction(entry.chain, because=_why_no_link(prepared, snapshot))
    form = (link, *snapshot.ca.current)
    learners = _learners(snapshot, ledger, entry, form)
    able = snapshot.with_nodes(pods=tuple(pod for pod in snapshot.nodes.pods if pod not in learners))
    if select_refusals(gates.trust(without_outside_clients(able), ledger, form)):
        refusing = [
            f"{party.name} would refuse its link certificate: {why}." for party, why in refusals(able, ledger, form)
        ]
        return Introduction(entry.chain, because=refusing[0] if refusing else "")
    return Introduction(form, link, learners)


def why_not_presented(snapshot: Snapshot, ledger: Ledger, entry: LedgerEntry, gates: Gates) -> Violations:
    """The processes of the cluster that would refuse leaves of this CA in the form in which they are presented first.

    Without a link there are two forms: with their chain, as nodes present them, and alone, as the operator presents its
    own.
    """
    inside, introduction = without_outside_clients(snapshot), introduction_of(snapshot, ledger, entry, gates)
    if introduction.link is not None:
        return gates.trust(inside, ledger, introduction.form)
    return gates.trust(inside, ledger, entry.chain) or gates.alone(inside, ledger, entry.chain)


def link_of(prepared: PreparedAuthority | None, snapshot: Snapshot) -> Certificate | None:
    """The certificate that links this CA to the one in use. An intermediate CA that the CA in use has issued is linked
    by its own certificate.
    """
    current = snapshot.ca.current
    if prepared is None or not current or not snapshot.users.sends_chains:
        return None
    own = prepared.chain[0]
    if prepared.links is not None and prepared.links.new_with_old.signed_by(current[0]):
        return prepared.links.new_with_old
    return own if not own.is_root and own.signed_by(current[0]) else None


def _why_no_link(prepared: PreparedAuthority | None, snapshot: Snapshot) -> str:
    if prepared is None or not snapshot.ca.current or prepared.key == snapshot.ca.current[0].public_key_sha256:
        return ""
    return why_not_linked(snapshot, prepared.chain) or "it was prepared without a link certificate."


def why_not_linked(snapshot: Snapshot, supplied: Chain) -> str:
    """Why the CA in use cannot certify the next key, as a sentence; empty where it can.

    supplied: the next CA where it is brought; empty where it is made here.
    """
    if not snapshot.ca.current:
        return "there is no CA yet."
    if not snapshot.users.sends_chains:
        return "its certificates are stored and sent alone, without a link certificate behind them."
    current = snapshot.ca.current[0]
    if snapshot.ca.is_kept_elsewhere(current):
        return f"the key of {current.subject}, which would have to certify the new CA, is kept elsewhere."
    if snapshot.ca.key != current.public_key_sha256:
        return f"the key of {current.subject} is not at hand to certify the new one."
    return _why_no_root(supplied[0]) if supplied else ""


def why_not_asked(current: Certificate, supplied: PreparedAuthority | None, linker: Linker) -> str:
    """Why the issuer that keeps the key of the CA in use is not asked to certify the next key, as a sentence; empty where it can be.

    supplied: the next CA where it is brought; None where it is made here.
    """
    if current.path_length == 0:
        return f"{current.subject} permits no CA below it, so its issuer certifies none."
    if supplied is None:
        return ""
    own = supplied.chain[0]
    if supplied.elsewhere and not linker.keeps_both:
        return f"the key of {own.subject}, which would have to sign the request, is not here either."
    if why := _why_no_root(own):
        return why
    if not own.outlives_rewriting:
        return f"the issuer would write the name {own.subject} in other types of strings, which is another name to Go programs."
    return ""


def _why_no_root(supplied: Certificate) -> str:
    return "" if supplied.is_root else f"the supplied CA {supplied.subject} is no root: its own issuer certifies it."


def _learners(snapshot: Snapshot, ledger: Ledger, entry: LedgerEntry, form: Chain) -> dict[Pod, str]:
    """Components that would refuse the link, each with the reason: Kafka Exporter, a Go program, where the CA in use
    allows no CA below it. They hold no state and can restart first; nodes cannot.
    """
    before = snapshot.uids if entry.awaiting is None else entry.awaiting
    others = tuple(pod for pod in snapshot.nodes.pods if pod.uid in before and pod.component is not Component.KAFKA)
    found = refusals(snapshot.with_nodes(pods=others), ledger, form)
    return {party.pod: why for party, why in found if party.pod}
