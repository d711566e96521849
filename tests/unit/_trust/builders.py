# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Snapshots by keyword. Without any: a healthy cluster that has one CA in use, ``OLD``, and needs nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from datetime import timedelta
from functools import cache
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.building import cross_certify
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate, Chain
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import OutsideClients
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import (
    Journal,
    Ledger,
    LedgerEntry,
    TrustState,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.names import ObjectNames
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.nodes import ObservedListener, Pools
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    Backup,
    CaSecrets,
    CaUsers,
    Component,
    Leaves,
    LinkCertificates,
    Nodes,
    Objects,
    Pod,
    PreparedAuthority,
    Reconciliation,
    Snapshot,
    StoredLeaf,
)

from ...tools.support.certificates import NOW, YEAR, Entity, key, make
from ...tools.support.certificates import leaf as issue_leaf

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
UNTRUSTED, UNUSED = TrustState.UNTRUSTED, TrustState.TRUSTED_UNUSED
ANY, ALL, PHASE_OUT = TrustState.TRUSTED_IN_USE_ANY, TrustState.TRUSTED_IN_USE_ALL, TrustState.PHASE_OUT
RUNS, PAUSED = Reconciliation(), Reconciliation(paused=True, paused_by_us=True, pause_effective=True)
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
PODS = ("demo-nodes-0", "demo-nodes-1", "demo-nodes-2")

#: The CA in use, its renewal with the same key, and CAs with keys (and so names) of their own.
OLD = make("cluster-ca v0", key(0), path_length=1)
RENEWED = make("cluster-ca v0", key(0), path_length=1, end=NOW + 2 * YEAR)
#: As the operator makes it: OLD renews it.
SHORT = make("cluster-ca v0", key(0), path_length=0)
#: A renewal that JVMs and OpenSSL do not take for one.
IDENTIFIED = make("cluster-ca v0", key(0), path_length=1, subject_identifier=b"its own")
NEW = make("cluster-ca v1", key(1), path_length=1)
THIRD = make("cluster-ca v2", key(2), path_length=1)
EXPIRED = make("cluster-ca v3", key(3), end=NOW - DAY)
EARLY = make("cluster-ca v4", key(4), begin=NOW + DAY)
#: Another key under the name of OLD.
IMPOSTOR = make("cluster-ca v0", key(5))
#: A CA below a root of its own.
ROOT = make("Corporate Root", key(6))
INTERMEDIATE = make("Corporate Issuing CA", key(7), ROOT)


def chain_of(authority: Entity, *above: Entity) -> Chain:
    return (authority.certificate, *(one.certificate for one in above))


@cache
def link_of(new: Entity, old: Entity) -> Certificate:
    """The link certificate: name and key of the new CA, certified by the old one."""
    return cross_certify(new.certificate, old.certificate, old.key, not_before=NOW - DAY, validity=YEAR)


def linked_form(new: Entity, old: Entity) -> Chain:
    """The form in which nodes present leaves of the new CA then: issuer first, what they send behind it after that."""
    return (link_of(new, old), old.certificate)


@cache
def linked_chain(new: Entity, old: Entity) -> Chain:
    """A leaf of the new CA as nodes present it to processes that know only the old one."""
    return (issue_leaf(new), link_of(new, old))


@cache
def stored_chain(issuer: Entity) -> Chain:
    return (issue_leaf(issuer), issuer.certificate)


def name_of(authority: Entity) -> str:
    return authority.certificate.fingerprint


def names_of(*authorities: Entity) -> frozenset[str]:
    return frozenset(map(name_of, authorities))


def hashes_of(issuer: Entity, *pod_names: str) -> frozenset[str]:
    """The annotations of pods that were started with leaves of this CA; of all nodes where none is named."""
    return frozenset(f"{name}, of {issuer.certificate.sha256[:8]}" for name in pod_names or PODS)


def hash_of(issuer: Entity, pod_name: str) -> str:
    (found,) = hashes_of(issuer, pod_name)
    return found


def uid_of(pod_name: str, start: int = 0) -> str:
    return f"{pod_name}#{start}"


def uids_of(*pod_names: str, start: int = 0) -> frozenset[str]:
    return frozenset(uid_of(name, start) for name in pod_names or PODS)


def a_pod(name: str = PODS[0], generation: int | None = 0, *, start: int = 0, **fields: Any) -> Pod:
    """start: how often it was replaced; each time it gets another UID."""
    made = Pod(name, uid_of(name, start), Component.KAFKA, generation, leaves=(name,), presents_stored=True)
    return replace(made, **fields)


def pods(generation: int | None = 0, *, start: int = 0, names: Iterable[str] = PODS) -> tuple[Pod, ...]:
    return tuple(a_pod(name, generation, start=start) for name in names)


def a_leaf(name: str = PODS[0], issuer: Entity = OLD, generation: int | None = 0, **fields: Any) -> StoredLeaf:
    made = StoredLeaf(name, f"{name}.crt", Component.KAFKA, stored_chain(issuer), generation)
    return replace(made, **fields)


def leaves(issuer: Entity = OLD, generation: int | None = 0, *, names: Iterable[str] = PODS) -> tuple[StoredLeaf, ...]:
    return tuple(a_leaf(name, issuer, generation) for name in names)


def entry(
    authority: Entity | Chain,
    state: TrustState = TrustState.TRUSTED_IN_USE_ALL,
    generations: Iterable[int] = (),
    awaiting: Iterable[str] | None = (),
    **fields: Any,
) -> LedgerEntry:
    """awaiting: () means every process trusts it, None that it was not read back."""
    chain = chain_of(authority) if isinstance(authority, Entity) else authority
    made = LedgerEntry(chain, state, frozenset(generations), None if awaiting is None else frozenset(awaiting))
    return replace(made, **fields)


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
    return Backup(
        f"Secret kafka/demo-cluster-ca-backup-{number}", NOW - age, kept, **{"ledger": ledger(*known), **fields}
    )


def ledger(*entries: LedgerEntry, **fields: Any) -> Ledger:
    return replace(Ledger(entries or (entry(OLD, generations={0}),)), **fields)


def a_journal(goal: Goal = Goal.REPLACE_KEY, old: Entity | None = OLD, new: Entity = NEW, **fields: Any) -> Journal:
    """In flight for an hour."""
    replaced: Certificate | None = old.certificate if old else None
    made = Journal(
        goal,
        replaces=replaced.fingerprint if replaced else None,
        successor=name_of(new),
        started_at=NOW - HOUR,
        replaces_sha256=replaced.sha256 if replaced else None,
    )
    return replace(made, **fields)


def books_of(snapshot: Snapshot) -> Ledger:
    return snapshot.ledger or Ledger()


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
            ("outside", OutsideClients),
            ("objects", Objects),
            ("users", CaUsers),
            ("nodes", Nodes),
            ("leaves", Leaves),
        )
        for one in fields(kind)
    },
    "pools": ("pools", "replicas"),
    "outside": ("outside", "clients"),
    "leaves": ("leaves", "stored"),
}


def changed(snapshot: Snapshot, **fields: Any) -> Snapshot:
    """The snapshot with these fields, its own and those of its parts."""
    for name, value in fields.items():
        part, field = _PARTS.get(name, ("", name))
        within = replace(_part(snapshot, part), **{field: value}) if part else value
        snapshot = replace(snapshot, **{part or name: within})
    return snapshot


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
