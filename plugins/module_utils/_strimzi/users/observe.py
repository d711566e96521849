# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The snapshot for decisions about the clients CA: brokers verify by it, users present certificates of it.

If the key of the clients CA is kept elsewhere, the User Operator can sign nothing, and this collection issues the
certificates of users (docs/operator.md, "Users").
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from ..._kube.client import KubeClient, Remembered
from ..._pki.building import authority_generation
from ..._pki.certificates import MOST_IN_A_CHAIN, Certificate, length_problem
from ..._trust.ledger.enrolment import is_in_doubt
from ..._trust.ledger.journal import in_flight
from ..._trust.model.clients import Presenter
from ..._trust.model.components import Component
from ..._trust.model.ledger import Ledger, TrustState
from ..._trust.model.snapshot import (
    CaSecrets,
    CaUsers,
    IssuedBy,
    Nodes,
    Pod,
    Snapshot,
    StoredLeaf,
    UnlabelledSecret,
)
from .. import names
from ..cluster.ca_secrets import read_ca_secrets
from ..cluster.kafka import note_absent_operator
from ..cluster.leaves import LeafSecret, holders_of_subjects
from ..cluster.observe import NO_SURROUNDINGS, Observation, Surroundings, read_stored, unlabelled, without_parties
from ..cluster.pods import find_pods, has_role, is_ready, worker_of
from ..cluster.specified_listeners import user_listeners
from ..names import USER_CERTIFICATE, ClusterNames
from ..secret_data import annotation, whole_number
from ..user_certificate import ClientsCa, UserCertificate
from .presenters import presenters_of
from .reading import FormerPlaces, KnownUsers, users_of
from .secrets import read_clients_ca
from .users import TLS, User, Users

Object = Mapping[str, Any]


def observe_clients_ca(
    client: KubeClient,
    scope: ClusterNames,
    now: datetime,
    around: Surroundings = NO_SURROUNDINGS,
    remembered: Remembered[UserCertificate] | None = None,
) -> Observation:
    """Read the Kafka resource, its Secrets and brokers, then its users and the readers of their Secrets; and the CA
    source. The Secrets of users are remembered from earlier looks. Raises KubeError.
    """
    stored = read_stored(client, scope)
    kafka, secrets = stored.kafka, stored.secrets
    pods = find_pods(client, scope, kafka, secrets)
    brokers = [pod for pod, component in pods.running_pods if _is_broker(pod, component)]
    operators = [pod for pod, component in pods.running_pods if component is Component.ENTITY_OPERATOR]
    certificates = secrets.get(scope.ca_certificate_secret)
    ca = read_ca_secrets(certificates, secrets.get(scope.ca_key_secret), scope.certificate_generation)
    # The operator keeps a replaced clients CA until it expires: this alone is no sign of a flow under way.
    bare = without_parties(client, scope, now, stored, replace(ca, retired=()), around)
    users = _read_users(client, scope, kafka, certificates, bare, remembered) if kafka is not None else None
    served = {user.secret: user for user in _servable(users, scope)} if users is not None and are_served(ca) else {}
    snapshot = replace(
        bare,
        reconciliation=replace(
            bare.reconciliation,
            operator=note_absent_operator(bare.reconciliation.operator, kafka, pods.node_traces),
        ),
        nodes=Nodes(
            pods=tuple(_broker(pod, certificates) for pod in brokers) if kafka is not None else (),
            foreign_pods=pods.foreign_pods,
            unlabelled_pods=unlabelled(((pod, Component.KAFKA) for pod in brokers), scope),
        ),
        objects=replace(bare.objects, unlabelled_of_users=_unlabelled_of(users)) if users is not None else bare.objects,
        users=_describe_users(users, scope, bare, operators, served)
        if users is not None
        else CaUsers(pause_reissue=why_users_are_paused(operators), longest_life=bare.leaves.validity, namespaces=None),
    )
    return Observation(
        scope, snapshot, kafka, secrets, pods.own_pods, pods.owners,
        expected_leaves=tuple(_leaf_secret(user) for user in served.values()),
        served_users={secret: user.certificate for secret, user in served.items() if user.certificate is not None},
    )  # fmt: skip


def _read_users(
    client: KubeClient,
    scope: ClusterNames,
    kafka: Object,
    certificates: Object | None,
    bare: Snapshot,
    remembered: Remembered[UserCertificate] | None,
) -> Users:
    ledger = bare.ledger
    known_users = KnownUsers(Remembered() if remembered is None else remembered, _opens_keystores(bare.ca, ledger))
    # A flow remembers the namespaces that the look at its beginning has found.
    former = FormerPlaces(
        ledger.user_namespaces if ledger is not None else (), in_flight(ledger) is None and not bare.ca.prepared
    )
    places = bare.outside_clients.named_places
    return users_of(client, scope, kafka, read_clients_ca(certificates), bare.now, places, known_users, former)


def _unlabelled_of(users: Users) -> dict[tuple[str, str], UnlabelledSecret]:
    return {user.secret_key: unlabelled for user in users.users if (unlabelled := user.unlabelled)}


def _describe_users(
    users: Users, scope: ClusterNames, bare: Snapshot, operators: Iterable[Object], served: Mapping[str, User]
) -> CaUsers:
    listeners = user_listeners(users.kafka)
    return CaUsers(
        presenters=_presenters(users, scope, bare.ca, bare.ledger, bare.now),
        has_verifiers=any(listener.managed for listener in listeners),
        unmanaged_listeners=tuple(listener.label for listener in listeners if not listener.managed),
        issued_by=IssuedBy.USER_OPERATOR if users.has_operator else IssuedBy.NONE,
        pause_reissue=why_users_are_paused(operators, users.other_namespaces),
        user_leaves={secret: _stored_leaf(user, users.clients_ca, bare) for secret, user in served.items()},
        witnesses=_witnesses(users, bare.now) if is_in_doubt(bare) else {},
        namesakes=_namesakes(users, scope),
        unnameable_users={user.label: user.unnameable for user in users.users if user.unnameable},
        longest_life=users.longest_life(bare.leaves.validity),
        namespaces=users.namespaces,
        unsearched=users.unsearched,
    )


def are_served(ca: CaSecrets) -> bool:
    """Whether the key of the CA in use or of the next CA is kept elsewhere."""
    return ca.in_use_elsewhere or any(authority.key_is_elsewhere for authority in ca.prepared)


def _servable(users: Users, scope: ClusterNames) -> Iterator[User]:
    """The users of the cluster's own User Operator: it is unknown in which namespace another User Operator finds its
    CA. Left out are users with a name that does not fit into a certificate, and namesakes of the cluster's own
    processes, which could pass for these with a certificate.
    """
    own = (user for user in _issued_to(users) if user.namespace == users.namespace and not user.unnameable)
    return (user for user in own if not _is_namesake(user, scope))


def _issued_to(users: Users) -> Iterator[User]:
    return (user for user in users.users if user.authentication == TLS)


def _leaf_secret(user: User) -> LeafSecret:
    return LeafSecret(user.secret, "user", Component.USER, user.name, user.namespace, user.renewal_window)


def _stored_leaf(user: User, clients_ca: ClientsCa, bare: Snapshot) -> StoredLeaf | None:
    """The leaf of a user, issued by this collection; None without a Secret with the labels of users."""
    certificate = user.certificate
    if certificate is None or certificate.version is None:
        return None
    chain, problem = certificate.chain, certificate.unreadable
    if certificate.key_problem:
        problem = f"the private key beside it cannot be used: {certificate.key_problem}"
    key_beside = certificate.key_beside
    if len(chain) > MOST_IN_A_CHAIN:
        chain, problem, key_beside = (), length_problem(len(chain)), ""
    return StoredLeaf(
        user.secret, USER_CERTIFICATE, Component.USER, chain or None,
        _generation(certificate.stored_ca or b"", clients_ca.stored, bare.ca, bare.ledger), problem, key_beside,
        user.renewal_window or bare.leaves.renewal_window,
    )  # fmt: skip


def _generation(beside: bytes, in_use: bytes, ca: CaSecrets, ledger: Ledger | None) -> int | None:
    """The generation of the CA beside the certificate. None if this is the CA in use in other bytes than ``ca.crt``
    has, because the User Operator compares bytes, or if the ledger does not have this CA.
    """
    if beside == in_use:
        return ca.certificate_generation
    numbered = (entry for entry in (ledger.entries if ledger else ()) if entry.generations)
    own = next((entry for entry in numbered if entry.certificate.pem.strip() in beside), None)
    former = (own.generations if own is not None else frozenset()) - {ca.certificate_generation}
    return max(former, default=None)


def _namesakes(users: Users, scope: ClusterNames) -> tuple[str, ...]:
    """The users with the name of a process of the cluster, as presenters are named. If the issuer of a user's
    certificate added the organization of that process, the user could pass for the process.
    """
    return tuple(user.label for user in _issued_to(users) if _is_namesake(user, scope))


def _is_namesake(user: User, scope: ClusterNames) -> bool:
    return user.name in holders_of_subjects(scope.cluster)


def _witnesses(users: Users, now: datetime) -> dict[str, Certificate]:
    certificates = (user.certificate for user in users.users)
    return {
        certificate.label: certificate.chain[0]
        for certificate in certificates
        if certificate is not None and certificate.has_key and not certificate.chain[0].has_ended(now)
    }


def _is_broker(pod: Object, component: Component) -> bool:
    return component is Component.KAFKA and has_role(pod, names.BROKER_ROLE_LABEL)


def _broker(pod: Object, certificates: Object | None) -> Pod:
    """A broker. Its generation is set only if it differs from the generation of the Secret: the operator is still to
    restart the broker then.
    """
    generation = annotation(pod, names.CLIENTS_CA_CERT_GENERATION)
    number = None if generation is None else whole_number(generation)
    behind = number is not None and generation != annotation(certificates, names.CA_CERT_GENERATION)
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
    """Fingerprints of the CAs that are or were in use, or may have been. If a CA was replaced before this collection
    came, or before its ledger was lost, only its entry shows it. Flows put a CA that was never in use under its
    fingerprint.
    """
    entries = ledger.entries if ledger is not None else ()
    left = (chain[0] for entry, chain in ca.other_entries.items() if entry != f"{chain[0].fingerprint}.crt")
    return frozenset(
        (
            *(certificate.fingerprint for certificate in (*ca.in_use, *left)),
            *(entry.fingerprint for entry in entries if entry.generations),
        )
    )


def _opens_keystores(ca: CaSecrets, ledger: Ledger | None) -> bool:
    """Whether the certificates in PKCS#12 files matter. A flow notes until when programs present the certificates that
    they have read. If no flow is under way, and the CA in use is the only CA that ever was, every certificate is of
    this CA.
    """
    in_use = {certificate.fingerprint for certificate in ca.in_use}
    return in_flight(ledger) is not None or not _used(ca, ledger) <= in_use


def _presenters(
    users: Users, scope: ClusterNames, ca: CaSecrets, ledger: Ledger | None, now: datetime
) -> tuple[Presenter, ...]:
    """The presenters, each with the Secret to which its certificate would be written here, if any would."""
    entries = ledger.entries if ledger is not None else ()
    authorities = [
        *ca.in_use,
        *(chain[0] for chain in ca.other_entries.values()),
        *(entry.certificate for entry in entries),
    ]
    beside = _trusted_beside(ledger) if ledger is not None else ()
    secrets = {user.label: user.secret for user in _servable(users, scope)}
    presenters = presenters_of(users, ca, authorities, _used(ca, ledger), now, beside)
    return tuple(replace(presenter, secret=secrets.get(presenter.name, "")) for presenter in presenters)


def _trusted_beside(ledger: Ledger) -> Iterator[str]:
    """Fingerprints of the CAs that brokers accept. The next CA is none of them. Neither is an abandoned CA, unless a
    person has brought it: a CA that was made here had issued no certificate before its flow.
    """
    journal = in_flight(ledger)
    for entry in ledger.entries:
        if entry.state is TrustState.UNTRUSTED or (journal is not None and entry.fingerprint == journal.successor):
            continue
        if entry.fingerprint == ledger.undone_ca and authority_generation(entry.certificate) is not None:
            continue
        yield entry.fingerprint


_CONTAINER, _SETTING = "user-operator", "STRIMZI_PKCS12_KEYSTORE_GENERATION"
#: The value of a setting from a ConfigMap or a Secret, which no call reads.
_UNKNOWN = "unknown"


def why_users_are_paused(pods: Iterable[Object], elsewhere: Sequence[str] = ()) -> str:
    """Why the User Operator must not see any user while key and certificate of the CA do not match, as a sentence;
    empty if it may.

    The pods belong to the Entity Operator; if there is none, one may start at any moment. The pods of User Operators in
    namespaces ``elsewhere`` are unknown.
    """
    settings = list(_settings(pods))
    would = "would store an empty certificate for every user that it looks at between the two writes of the switch"
    if not settings or _UNKNOWN in settings:
        return f"No User Operator runs that shows whether it makes PKCS#12 files; an operator that does not {would}."
    if any(setting != "true" for setting in settings):
        return f"The User Operator makes no PKCS#12 files, and {would}."
    if elsewhere:
        return (
            f"The collection cannot see whether the User Operator of {', '.join(elsewhere)} makes PKCS#12 files; an "
            f"operator that does not {would}."
        )
    return ""


def _settings(pods: Iterable[Object]) -> Iterator[str]:
    """The setting of each User Operator; Strimzi's default if it is not set."""
    for pod in pods:
        for container in (pod.get("spec") or {}).get("containers") or ():
            if container.get("name") == _CONTAINER:
                values = (
                    _UNKNOWN if variable.get("valueFrom") else variable.get("value")
                    for variable in container.get("env") or () if variable.get("name") == _SETTING
                )  # fmt: skip
                yield str(next(values, None) or "true").lower()
