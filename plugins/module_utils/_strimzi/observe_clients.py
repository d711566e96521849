# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The snapshot that decisions about the clients CA rest on: brokers verify by it, users present certificates of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from .._kube.client import KubeClient
from .._kube.remembered import Remembered
from .._pki.authorities import authority_generation
from .._trust.ledger.journal import in_flight
from .._trust.model.ledger import Ledger
from .._trust.model.presenters import Presenter
from .._trust.model.snapshot import NO_USERS, CaSecrets, CaUsers, Component, IssuedBy, Nodes, Pod
from .._trust.model.states import TrustState
from . import names
from .ca_secrets import read_ca_secrets
from .ca_source import CaSourceReference
from .finding_pods import find_pods
from .kafka import note_absent_operator
from .names import ClusterNames
from .observe import Observation, read_stored, unlabelled, without_parties
from .outside_clients import NOTHING_SAID, Outside
from .pods import has_role, is_ready, worker_of
from .secret_data import annotation, whole_number
from .served_users import are_served, namesakes, served_users, with_secrets
from .user_keystores import why_users_are_paused
from .user_listeners import user_listeners
from .user_presenters import presenters_of
from .user_secrets import StoredUser, read_clients_ca
from .users import KnownUsers, Users, users_of

Object = Mapping[str, Any]


def observe_clients_ca(
    client: KubeClient,
    scope: ClusterNames,
    now: datetime,
    asked: Outside = NOTHING_SAID,
    source: CaSourceReference | None = None,
    remembered: Remembered[StoredUser] | None = None,
) -> Observation:
    """Read the Kafka resource, its Secrets and brokers, then its users and who reads their Secrets; and where the user keeps the CAs to trust.
    remembered: the Secrets of users, as earlier looks have read them. Raises KubeError.
    """
    stored = read_stored(client, scope)
    kafka, secrets = stored.kafka, stored.secrets
    found = find_pods(client, scope, kafka, secrets)
    brokers = [pod for pod, component in found.running if _is_broker(pod, component)]
    listeners = user_listeners(kafka or {})
    certificates = secrets.get(scope.ca_certificate_secret)
    ca = read_ca_secrets(certificates, secrets.get(scope.ca_key_secret), scope.certificate_generation)
    # The operator keeps a replaced clients CA until it expires: that is no flow of its own which is still under way.
    bare = without_parties(client, scope, now, stored, replace(ca, retired=()), asked, source)
    ledger = bare.ledger
    clients_ca, used = read_clients_ca(certificates), _used(ca, ledger)
    known = KnownUsers(Remembered() if remembered is None else remembered, _keystores_count(ca, ledger, used))
    users = users_of(client, scope, kafka, clients_ca, now, bare.named, known) if kafka else None
    served = (
        served_users(client, scope, users, ca, ledger, bare.leaves.renewal_window)
        if users is not None and are_served(ca)
        else {}
    )
    snapshot = replace(
        bare,
        reconciliation=note_absent_operator(bare.reconciliation, kafka, found.nodes, found.own),
        nodes=Nodes(
            pods=tuple(_broker(pod, certificates) for pod in brokers) if kafka is not None else (),
            foreign=found.foreign,
            unlabelled=unlabelled(((pod, Component.KAFKA) for pod in brokers), scope),
        ),
        objects=replace(
            bare.objects,
            unlabelled_secrets={
                **bare.objects.unlabelled_secrets,
                **{one.secret: lost for one in (users.users if users is not None else ()) if (lost := one.unlabelled)},
            },
        ),
        users=CaUsers(
            presenters=_presenters(users, scope, ca, ledger, used, now),
            sends_chains=False,
            dated_anchors=False,
            has_verifiers=kafka is None or any(listener.managed for listener in listeners),
            unmanaged=tuple(listener.label for listener in listeners if not listener.managed),
            issued_by=IssuedBy.USER_OPERATOR if users is None or users.operated else IssuedBy.NONE,
            pause_reissue=why_users_are_paused(
                (pod for pod, component in found.running if component is Component.ENTITY_OPERATOR),
                users.elsewhere if users is not None else (),
            ),
            served={secret: user.stored for secret, user in served.items()},
            namesakes=namesakes(users, scope) if users is not None else (),
            unnameable={one.label: one.unnameable for one in users.users if one.unnameable}
            if users is not None
            else {},
            longest_life=users.longest_life(bare.leaves.validity) if users is not None else NO_USERS.longest_life,
        ),
    )
    expected = tuple(user.where for user in served.values())
    return Observation(scope, snapshot, kafka, secrets, found.own, found.owners, expected=expected, served=served)


def _is_broker(pod: Object, component: Component) -> bool:
    return component is Component.KAFKA and has_role(pod, names.BROKER_ROLE_LABEL)


def _broker(pod: Object, certificates: Object | None) -> Pod:
    """generation: where it is another than that of the Secret, because the operator is still to restart it; None where there is nothing to
    tell.
    """
    found = annotation(pod, names.CLIENTS_CA_CERT_GENERATION)
    number = None if found is None else whole_number(found)
    behind = number is not None and found != annotation(certificates, names.CA_CERT_GENERATION)
    return Pod(
        name=pod["metadata"]["name"],
        uid=pod["metadata"]["uid"],
        component=Component.KAFKA,
        generation=number if behind else None,
        leaves=(),
        presents_stored=None,
        ready=is_ready(pod),
        terminating="deletionTimestamp" in pod["metadata"],
        worker=worker_of(pod),
        verifies_only=True,
    )


def _used(ca: CaSecrets, ledger: Ledger | None) -> frozenset[str]:
    """Fingerprints of the CAs that are or were in use."""
    entries = ledger.entries if ledger is not None else ()
    # Of a CA that was replaced before this collection came, or before its ledger was lost, only the name of its entry tells that.
    retired = (ca.others[entry][0] for entry in ca.retired)
    return frozenset(
        (
            *(one.fingerprint for one in (*ca.in_use, *retired)),
            *(entry.fingerprint for entry in entries if entry.generations),
        )
    )


def _keystores_count(ca: CaSecrets, ledger: Ledger | None, used: frozenset[str]) -> bool:
    """Whether something hangs on which certificate is in a keystore. A flow notes until when programs present what they have read; where none is under
    way, and no CA was in use but that which is, a certificate can be of no other.
    """
    return in_flight(ledger) is not None or not used <= {one.fingerprint for one in ca.in_use}


def _presenters(
    users: Users | None, scope: ClusterNames, ca: CaSecrets, ledger: Ledger | None, used: frozenset[str], now: datetime
) -> tuple[Presenter, ...]:
    if users is None:
        return ()
    entries = ledger.entries if ledger is not None else ()
    known = [*ca.in_use, *(chain[0] for chain in ca.others.values()), *(entry.certificate for entry in entries)]
    beside = _trusted_beside(ledger) if ledger is not None else ()
    return with_secrets(presenters_of(users, ca, known, used, now, beside), scope, users)


def _trusted_beside(ledger: Ledger) -> Iterator[str]:
    """Fingerprints of the CAs that brokers accept. The next CA is none of them; and neither is a CA that is given up again, unless a person has
    brought it: of a CA that was made here no certificate existed before.
    """
    begun = in_flight(ledger)
    for entry in ledger.entries:
        if entry.state is TrustState.UNTRUSTED or (begun is not None and entry.fingerprint == begun.successor):
            continue
        if entry.fingerprint == ledger.undone and authority_generation(entry.certificate) is not None:
            continue
        yield entry.fingerprint
