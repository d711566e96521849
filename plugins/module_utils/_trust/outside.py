# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Clients outside the cluster that hold a copy of its CA: Connect, MirrorMaker 2, Bridge, and Secrets named by the user.

They verify what the listeners present, so both gates ask about them. Their evidence is what is stored; what is not
known of a client holds like a refusal, and only a waiver for that very client leads past it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.verifiers import Verifier
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.validation import is_valid
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.violations import Violation
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.waivers import waiver_of

if TYPE_CHECKING:
    from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Ledger, LedgerEntry
    from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Chain, Snapshot


class Follows(Enum):
    """What of the cluster's CA certificate Secret a client's copy is made of, again and again, by the operator.

    ISSUING: ``ca.crt`` alone. TRUSTED: every entry. NOTHING: its copy does not come from there.
    """

    NOTHING = "nothing"
    ISSUING = "issuing"
    TRUSTED = "trusted"


@dataclass(frozen=True)
class OutsideClient:
    """name: kind, namespace and name. trusts: the certificates in its stored copy; None when it cannot be read.

    doubt: why it is not known what its processes trust, without a full stop; empty when they read that copy.
    kind: whose path validation rules it applies. remedy: how it comes to trust a CA. declared: the user says that it
    trusts this cluster.
    """

    name: str
    trusts: Chain | None
    doubt: str = ""
    kind: Verifier = Verifier.JVM
    follows: Follows = Follows.NOTHING
    remedy: str = ""
    declared: bool = False


def relying(snapshot: Snapshot, ledger: Ledger) -> tuple[OutsideClient, ...]:
    """The clients that the gates ask about: those that hold a CA of the cluster, or may, and are not waived.

    One that is known to hold none verifies something else: a listener with a certificate of its own.
    """
    if not snapshot.pods:
        return ()
    entries = _known(snapshot, ledger)
    return tuple(
        client
        for client in snapshot.outside
        if waiver_of(client.name, snapshot) is None
        and (client.declared or client.trusts is None or any(_is_anchored(one, client.trusts) for one in entries))
    )


def refusing_outside(snapshot: Snapshot, ledger: Ledger, authority: Chain, gate: str) -> tuple[Violation, ...]:
    """Trust gate: the clients that cannot validate leaves of this CA as nodes present them, or may not."""
    found = []
    for client in relying(snapshot, ledger):
        if client.trusts is None or not is_valid(authority, client.trusts, snapshot.now, client.kind):
            named = f"{authority[0].subject} ({authority[0].sha256[:16]})"
            message = f"cannot validate certificates of the CA {named}"
            found.append(_violation(gate, client, client.doubt if client.trusts is None else message))
        elif client.doubt:
            found.append(_violation(gate, client, client.doubt))
    return tuple(found)


def needing_outside(
    snapshot: Snapshot, ledger: Ledger, leaving: Certificate, presented: Iterable[Chain], gate: str
) -> tuple[Violation, ...]:
    """Removal gate: the clients that could not validate these CAs' leaves without the one that leaves, or may not.

    Once it was taken out, what is not known puts nothing back: the copies are being replaced at that moment.
    """
    withdrawn = leaving.fingerprint not in snapshot.ca.projected
    forms = [_without(leaving, chain) for chain in presented]
    found = []
    for client in relying(snapshot, ledger):
        left = _left_without(leaving, client)
        if left is not None and not all(is_valid(form, left, snapshot.now, client.kind) for form in forms):
            message = f"could no longer validate what nodes present without the CA {leaving.subject}"
            found.append(_violation(gate, client, f"{message} ({leaving.sha256[:16]})"))
        elif client.doubt and not withdrawn:
            found.append(_violation(gate, client, client.doubt))
    return tuple(found)


def within_cluster(snapshot: Snapshot) -> Snapshot:
    """The snapshot for what concerns the cluster's own processes alone: states, and what a restart can bring about."""
    return replace(snapshot, outside=())


def settled(snapshot: Snapshot) -> Snapshot:
    """The snapshot once the operator has looked at every client again: copies are new, processes have read them."""
    return replace(snapshot, outside=tuple(_followed(client, snapshot) for client in snapshot.outside))


def _violation(gate: str, client: OutsideClient, message: str) -> Violation:
    return Violation(gate, client.name, f"{message}.", client.remedy)


def _known(snapshot: Snapshot, ledger: Ledger) -> tuple[LedgerEntry, ...]:
    """The CAs of the ledger, with those that the caller asks what it would be like without."""
    return (*ledger.entries, *(snapshot.ledger.entries if snapshot.ledger else ()))


def _is_anchored(entry: LedgerEntry, trusts: Chain) -> bool:
    """By name and key, as path validation finds an anchor."""
    held = {(one.subject_der, one.public_key_sha256) for one in trusts}
    return any((one.subject_der, one.public_key_sha256) in held for one in entry.chain)


def _without(leaving: Certificate, chain: Chain) -> Chain:
    """A bridge from the leaving CA ends with it."""
    return (chain[0], *(one for one in chain[1:] if not one.signed_by(leaving)))


def _left_without(leaving: Certificate, client: OutsideClient) -> Chain | None:
    """A copy that the operator makes loses the CA as well; one made by hand keeps it."""
    if client.trusts is None or client.follows is Follows.NOTHING:
        return client.trusts
    return tuple(one for one in client.trusts if one.fingerprint != leaving.fingerprint)


def _followed(client: OutsideClient, snapshot: Snapshot) -> OutsideClient:
    if client.follows is Follows.NOTHING:
        return client if client.trusts is None else replace(client, doubt="")
    current = snapshot.ca.current[:1]
    others = tuple(chain[0] for chain in snapshot.ca.others.values()) if client.follows is Follows.TRUSTED else ()
    ours = {one.fingerprint for one in _ever_known(snapshot)}
    foreign = tuple(one for one in client.trusts or () if one.fingerprint not in ours)
    return replace(client, trusts=tuple(dict.fromkeys((*foreign, *current, *others))), doubt="")


def _ever_known(snapshot: Snapshot) -> Iterable[Certificate]:
    ledger = snapshot.ledger
    yield from snapshot.ca.current
    yield from (chain[0] for chain in snapshot.ca.others.values())
    if ledger is not None:
        yield from (entry.certificate for entry in ledger.entries)
        yield from (removed.certificate for removed in ledger.removed)
