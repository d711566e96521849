# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Clients outside the cluster that hold a copy of its CA: Connect, MirrorMaker 2, Bridge, and Secrets named by the user.

These clients verify what the listeners present, so the gates ask about them. The evidence is the copy of the CAs that
is stored for a client. Where it is not known what a client trusts, the gate is closed as if the client refused; only a
waiver for this client opens it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ..._pki.certificates import Certificate, Chain
from ..model.clients import Follows, OutsideClient, Waiver
from ..model.ledger import Ledger
from ..model.snapshot import Snapshot


def waiver_of(client: str, snapshot: Snapshot) -> Waiver | None:
    """The waiver of this client that holds now."""
    return next((one for one in snapshot.outside.waivers if one.client == client and one.holds_at(snapshot.now)), None)


def unmatched(snapshot: Snapshot) -> tuple[Waiver, ...]:
    """Waivers for clients that were not seen: the name is wrong, or the client is gone. Clients are looked for only
    where the cluster has nodes.
    """
    if not snapshot.nodes.pods:
        return ()
    seen = {client.name for client in snapshot.outside.clients} | {one.name for one in snapshot.users.presenters}
    return tuple(waiver for waiver in snapshot.outside.waivers if waiver.client not in seen)


def clients_asked_by_gates(snapshot: Snapshot, ledger: Ledger) -> tuple[OutsideClient, ...]:
    """The clients that the gates ask about: those that hold a CA of the cluster, or may, and are not waived.

    A client that is known to hold none of the cluster's CAs verifies another certificate, such as that of a listener
    with a certificate of its own.
    """
    if not snapshot.nodes.pods:
        return ()
    known = tuple(_known(snapshot, ledger))
    return tuple(
        client
        for client in snapshot.outside.clients
        if waiver_of(client.name, snapshot) is None
        and (client.declared or client.trusts is None or any(_is_anchored(one, client.trusts) for one in known))
    )


def without_outside_clients(snapshot: Snapshot) -> Snapshot:
    """The snapshot without outside clients, for questions about the cluster's own processes: states, and what a restart
    can bring about.
    """
    return snapshot.with_clients(())


def with_copies_updated(snapshot: Snapshot) -> Snapshot:
    """The snapshot as it will be when the operator has brought every copy up to date and restarted the clients that
    read it.
    """
    return snapshot.with_clients(tuple(_followed(client, snapshot) for client in snapshot.outside.clients))


def _known(snapshot: Snapshot, ledger: Ledger) -> Iterator[Chain]:
    """The CAs of this ledger and of the snapshot's: a caller hands over a ledger without a CA to ask what would be so
    without it. And the CA before the one in use, as long as nodes lead from it.
    """
    yield from (entry.chain for entry in ledger.entries)
    yield from (entry.chain for entry in snapshot.ledger.entries) if snapshot.ledger else ()
    links = snapshot.ca.links_in_use
    if links is not None and (sent := links.sent_at(snapshot.now)):
        yield sent[1:]


def _is_anchored(chain: Chain, trusts: Chain) -> bool:
    """Whether the client trusts one of the CAs of this chain, or a twin, by which path validation would end as well."""
    return any(one.is_twin_of(held) for one in chain for held in trusts)


def trust_without(leaving: Certificate, client: OutsideClient) -> Chain | None:
    """The certificates that a client trusts when this CA has left: the operator takes it out of the copies that it
    makes of all CAs; a copy made by hand keeps it, and one of ``ca.crt`` alone until it is the CA in use.
    """
    if client.trusts is None or client.follows is not Follows.TRUSTED:
        return client.trusts
    return tuple(one for one in client.trusts if one.fingerprint != leaving.fingerprint)


def _followed(client: OutsideClient, snapshot: Snapshot) -> OutsideClient:
    if client.follows is Follows.NOTHING:
        return client if client.trusts is None else replace(client, doubt="")
    current = snapshot.ca.in_use
    others = tuple(chain[0] for chain in snapshot.ca.others.values()) if client.follows is Follows.TRUSTED else ()
    # An earlier certificate of a CA that was renewed goes with the others, and is in no book any more.
    ours = tuple(_ever_known(snapshot))
    foreign = tuple(one for one in client.trusts or () if not any(map(one.is_twin_of, ours)))
    return replace(client, trusts=tuple(dict.fromkeys((*foreign, *current, *others))), doubt="")


def _ever_known(snapshot: Snapshot) -> Iterable[Certificate]:
    ledger = snapshot.ledger
    yield from snapshot.ca.current
    yield from (chain[0] for chain in snapshot.ca.others.values())
    if ledger is not None:
        yield from (entry.certificate for entry in ledger.entries)
        yield from (removed.certificate for removed in ledger.removed)
