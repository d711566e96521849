# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The snapshot for decisions about the clients CA: brokers verify by it, users present certificates of it.

Where the key of the clients CA is kept elsewhere, the User Operator can sign nothing, and this collection issues the
certificates of users (docs/operator.md, "Users").
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from ..._kube.client import KubeClient, Remembered
from ..._kube.resources import SECRETS
from ..._pki.building import authority_generation
from ..._trust.ledger.journal import in_flight
from ..._trust.model.clients import Presenter
from ..._trust.model.ledger import Ledger, TrustState
from ..._trust.model.snapshot import CaSecrets, CaUsers, Component, IssuedBy, Nodes, Pod
from .. import names
from ..clients import NOTHING_SAID, Outside
from ..cluster.ca_secrets import CURRENT, read_ca_secrets
from ..cluster.ca_source import CaSourceReference
from ..cluster.kafka import note_absent_operator, user_listeners
from ..cluster.leaves import LeafSecret, ServedUser, holders_of_subjects, read_chain
from ..cluster.observe import Observation, read_stored, unlabelled, without_parties
from ..cluster.pods import find_pods, has_role, is_ready, worker_of
from ..names import USER_KEYSTORE, ClusterNames
from ..secret_data import annotation, entries, whole_number
from .presenters import presenters_of
from .secrets import StoredUser, read_clients_ca, why_users_are_paused
from .users import TLS, KnownUsers, User, Users, users_of

Object = Mapping[str, Any]


def are_served(ca: CaSecrets) -> bool:
    """Whether the key of the CA in use or of the next CA is kept elsewhere."""
    return ca.in_use_elsewhere or any(one.elsewhere for one in ca.prepared)


def served_users(
    client: KubeClient,
    scope: ClusterNames,
    users: Users,
    ca: CaSecrets,
    ledger: Ledger | None,
    renewal_window: timedelta,
) -> dict[str, ServedUser]:
    """The users by their Secrets, which are read in full, so that a write rests on what was read; nothing private is kept. renewal_window: of users
    that say nothing themselves.
    """
    found = {
        user.secret: ServedUser(
            LeafSecret(user.secret, "user", Component.USER, user.name, users.namespace),
            user.renewal_window or renewal_window,
        )
        for user in _servable(users, scope)
    }

    def read(secret: dict[str, Any]) -> tuple[str, ServedUser] | None:
        name = str(secret["metadata"]["name"])
        return (name, _read(found[name], secret, users.clients_ca.stored, ca, ledger)) if name in found else None

    if found:
        found |= dict(client.each(SECRETS, users.namespace, read, label_selector=scope.user_selector))
    return found


def _servable(users: Users, scope: ClusterNames) -> Iterable[User]:
    """The users that the cluster's own User Operator serves, because it is unknown where another User Operator finds
    its CA. It leaves out namesakes of the cluster's own processes, which could pass for these with a certificate, and
    users with a name that does not fit into a certificate.
    """
    own = (one for one in _issued_to(users) if one.namespace == users.namespace and not one.unnameable)
    return (one for one in own if not _is_namesake(one, scope))


def _issued_to(users: Users) -> Iterable[User]:
    return (user for user in users.users if user.authentication == TLS)


def _read(user: ServedUser, secret: Object, in_use: bytes, ca: CaSecrets, ledger: Ledger | None) -> ServedUser:
    data = entries(secret)
    leaf = read_chain(user.where, secret, _generation(data.get(CURRENT, b""), in_use, ca, ledger))
    leaf = replace(leaf, renewal_window=user.renewal_window)
    return replace(
        user, stored=leaf, version=str(secret["metadata"]["resourceVersion"]), keystore=USER_KEYSTORE in data
    )


def _generation(beside: bytes, in_use: bytes, ca: CaSecrets, ledger: Ledger | None) -> int | None:
    """The generation of the CA that lies beside the certificate; None where that has other bytes than ``ca.crt``, because the User Operator compares
    bytes, or is none of the ledger.
    """
    if beside == in_use:
        return ca.certificate_generation
    known = (entry for entry in (ledger.entries if ledger else ()) if entry.generations)
    own = next((entry for entry in known if entry.certificate.pem.strip() in beside), None)
    former = (own.generations if own is not None else frozenset()) - {ca.certificate_generation}
    return max(former, default=None)


def namesakes(users: Users, scope: ClusterNames) -> tuple[str, ...]:
    """Users, as presenters are named, that a certificate would make processes of the cluster, were its issuer to add their organization."""
    return tuple(user.label for user in _issued_to(users) if _is_namesake(user, scope))


def _is_namesake(user: User, scope: ClusterNames) -> bool:
    return user.name in holders_of_subjects(scope.cluster)


def with_secrets(presenters: Iterable[Presenter], scope: ClusterNames, users: Users) -> tuple[Presenter, ...]:
    """The presenters, each with the Secret that its certificate would be written to here, if any would."""
    secrets = {user.label: user.secret for user in _servable(users, scope)}
    return tuple(replace(one, secret=secrets.get(one.name, "")) for one in presenters)


def observe_clients_ca(
    client: KubeClient,
    scope: ClusterNames,
    now: datetime,
    asked: Outside = NOTHING_SAID,
    source: CaSourceReference | None = None,
    remembered: Remembered[StoredUser] | None = None,
) -> Observation:
    """Read the Kafka resource, its Secrets and brokers, then its users and the readers of their Secrets; and
    the CA source.
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
            longest_life=users.longest_life(bare.leaves.validity) if users is not None else bare.leaves.validity,
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
    """Whether the certificates in keystores matter. A flow notes until when programs present the certificates that they have read. Where no flow is under
    way, and the CA in use is the only CA that ever was, every certificate is of that CA.
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
