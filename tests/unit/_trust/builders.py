# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Snapshots by keyword. Without any: a healthy cluster that has one CA in use, ``OLD``, and needs nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from datetime import timedelta
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate, Chain
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger.update import note_pods_of_now
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import OutsideClients
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.listeners import ObservedListener
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.names import ObjectNames
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.pools import Pools
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    Backup,
    CaSecrets,
    CaUsers,
    Leaves,
    LinkCertificates,
    Nodes,
    Objects,
    OperatorPause,
    PreparedAuthority,
    Reconciliation,
    Snapshot,
)

from ...tools.support.certificates import DAY, NOW, Entity
from .authorities import OLD, chain_of, name_of
from .ledgers import entry, ledger
from .nodes import leaves, pods

RUNS, PAUSED = Reconciliation(), Reconciliation(pause=OperatorPause(is_set=True, is_ours=True, is_confirmed=True))
NAMES = ObjectNames(
    kafka="Kafka kafka/demo",
    certificate_secret="Secret kafka/demo-cluster-ca-cert",
    key_secret="Secret kafka/demo-cluster-ca",
    ledger="Secret kafka/demo-cluster-ca-trusted-certs",
    namespace="kafka",
    cluster="demo",
    ca="cluster CA",
    common_name="cluster-ca",
    specification="spec.clusterCa",
)


def prepared(authority: Entity, link: Certificate | None = None, back: Certificate | None = None) -> PreparedAuthority:
    """link: of this CA by the one that it replaces. back: of that one by this CA."""
    links = LinkCertificates(link, back) if link else None
    return PreparedAuthority(chain_of(authority), authority.certificate.public_key_sha256, links)


def others(*authorities: Entity) -> Mapping[str, Chain]:
    return {f"ca-{name_of(one)[:8]}.crt": chain_of(one) for one in authorities}


def secrets(current: Entity | Chain | None = OLD, **fields: Any) -> CaSecrets:
    chain = chain_of(current) if isinstance(current, Entity) else current or ()
    made = CaSecrets(current=chain, key=chain[0].public_key_sha256 if chain else None)
    return replace(made, **fields)


def a_backup(ca: CaSecrets | None = None, *, number: int = 1, age: timedelta = DAY, **fields: Any) -> Backup:
    """Of a day ago, with a ledger of its CA."""
    kept = secrets() if ca is None else ca
    known = (entry(kept.current, generations=(kept.certificate_generation,)),) if kept.current else ()
    secret = f"demo-cluster-ca-backup-{number}"
    return Backup(secret, f"Secret kafka/{secret}", NOW - age, kept, **{"ledger": ledger(*known), **fields})


def answering(snapshot: Snapshot, accepting: Iterable[str] = (), refusing: Iterable[str] = ()) -> Snapshot:
    """The listeners of all nodes were asked: they present what is stored, and accept and refuse these CAs."""
    stored = {leaf.secret: leaf.chain for leaf in snapshot.leaves.stored}
    listeners = tuple(
        ObservedListener(
            pod.name, pod.uid, 9091, stored.get(pod.name), frozenset(accepting), frozenset(refusing), source="handshake"
        )
        for pod in snapshot.nodes.pods
        if pod.component is Component.KAFKA
    )
    return snapshot.with_nodes(listeners=listeners)


#: The part of a snapshot that a keyword of ``cluster`` and ``changed`` goes to, and the field there.
_PARTS = {
    **{
        one.name: (part, one.name)
        for part, kind in (
            ("pools", Pools),
            ("outside_clients", OutsideClients),
            ("objects", Objects),
            ("users", CaUsers),
            ("nodes", Nodes),
            ("leaves", Leaves),
        )
        for one in fields(kind)
    },
    "pools": ("pools", "replicas"),
    "outside_clients": ("outside_clients", "clients"),
    "leaves": ("leaves", "stored"),
}


def changed(snapshot: Snapshot, **fields: Any) -> Snapshot:
    """The snapshot with these fields, its own and those of its parts."""
    for name, value in fields.items():
        part, field = _PARTS.get(name, ("", name))
        within = replace(_part(snapshot, part), **{field: value}) if part else value
        snapshot = replace(snapshot, **{part or name: within})
    return snapshot


def with_pods_noted(snapshot: Snapshot) -> Snapshot:
    """With the pods of this moment in the ledger."""
    return replace(snapshot, ledger=note_pods_of_now(snapshot, snapshot.ledger_or_empty))


def field_of(snapshot: Snapshot, name: str) -> Any:
    """The value for which ``changed`` has this keyword."""
    part, field = _PARTS.get(name, ("", name))
    return getattr(_part(snapshot, part) if part else snapshot, field)


def _part(snapshot: Snapshot, name: str) -> Any:
    """Of a CA without users: the value of one that has none yet."""
    return getattr(snapshot, name) or CaUsers()


def cluster(**fields: Any) -> Snapshot:
    """bundle: what is projected, unless it is said otherwise."""
    made = Snapshot(
        names=NAMES,
        now=NOW,
        ca=secrets(),
        ledger=ledger(),
        bundle=frozenset(),
        nodes=Nodes(pods()),
        leaves=Leaves(leaves()),
        reconciliation=Reconciliation(),
    )
    made = changed(made, **fields)
    return made if "bundle" in fields else replace(made, bundle=made.ca.projected)
