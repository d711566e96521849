# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The snapshot for decisions about the clients CA: brokers verify by it, users present certificates of it.

Where the key of the clients CA is kept elsewhere, the User Operator can sign nothing, and this collection issues the
certificates of users (docs/operator.md, "Users").

The presenters of certificates of the clients CA are users, programs that read their Secrets or Secrets that a user names, and the User Operator,
which may issue the next certificate of ``ca.crt`` at any time.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from ..._kube.client import KubeClient, Remembered
from ..._kube.resources import SECRETS
from ..._pki.building import authority_generation
from ..._pki.certificates import Certificate
from ..._trust.ledger.enrolment import is_in_doubt
from ..._trust.ledger.journal import in_flight
from ..._trust.model.clients import Presenter, ReissuePause, Renewal
from ..._trust.model.components import Component
from ..._trust.model.ledger import Ledger, TrustState
from ..._trust.model.snapshot import CaSecrets, CaUsers, IssuedBy, Nodes, Pod
from .. import names
from ..cluster.ca_secrets import CURRENT, read_ca_secrets
from ..cluster.kafka import note_absent_operator, user_listeners
from ..cluster.leaves import LeafSecret, ServedUser, holders_of_subjects, read_chain
from ..cluster.observe import NO_SURROUNDINGS, Observation, Surroundings, read_stored, unlabelled, without_parties
from ..cluster.pods import find_pods, has_role, is_ready, worker_of
from ..names import KAFKA_USERS, PAUSE_RECONCILIATION, USER_KEYSTORE, ClusterNames
from ..secret_data import annotation, entries, whole_number
from .readers import NamedCertificate, Reader
from .secrets import REMEDY, StoredUser, UserCertificate, read_clients_ca, why_users_are_paused
from .users import TLS, TLS_EXTERNAL, FormerPlaces, KnownUsers, UnreadNamespace, User, Users, users_of

Object = Mapping[str, Any]


def are_served(ca: CaSecrets) -> bool:
    """Whether the key of the CA in use or of the next CA is kept elsewhere."""
    return ca.in_use_elsewhere or any(authority.key_is_elsewhere for authority in ca.prepared)


def served_users(
    client: KubeClient,
    scope: ClusterNames,
    users: Users,
    ca: CaSecrets,
    ledger: Ledger | None,
    renewal_window: timedelta,
) -> dict[str, ServedUser]:
    """The users by their Secrets, which are read in full, so that a write rests on the content that was read; nothing private is kept. The renewal window
    is that of users that say nothing themselves.
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
    own = (user for user in _issued_to(users) if user.namespace == users.namespace and not user.unnameable)
    return (user for user in own if not _is_namesake(user, scope))


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


def _witnesses(users: Users, now: datetime) -> dict[str, Certificate]:
    leaves = {
        f"Secret {user.namespace}/{user.secret}": user.certificate.leaf
        for user in users.users
        if user.certificate is not None and user.certificate.has_key
    }
    return {secret: leaf for secret, leaf in leaves.items() if leaf is not None and not leaf.has_ended(now)}


def _is_namesake(user: User, scope: ClusterNames) -> bool:
    return user.name in holders_of_subjects(scope.cluster)


def with_secrets(presenters: Iterable[Presenter], scope: ClusterNames, users: Users) -> tuple[Presenter, ...]:
    """The presenters, each with the Secret that its certificate would be written to here, if any would."""
    secrets = {user.label: user.secret for user in _servable(users, scope)}
    return tuple(replace(presenter, secret=secrets.get(presenter.name, "")) for presenter in presenters)


def observe_clients_ca(
    client: KubeClient,
    scope: ClusterNames,
    now: datetime,
    around: Surroundings = NO_SURROUNDINGS,
    remembered: Remembered[StoredUser] | None = None,
) -> Observation:
    """Read the Kafka resource, its Secrets and brokers, then its users and the readers of their Secrets; and the CA source. The Secrets of users are
    remembered as earlier looks have read them. Raises KubeError.
    """
    stored = read_stored(client, scope)
    kafka, secrets = stored.kafka, stored.secrets
    found = find_pods(client, scope, kafka, secrets)
    brokers = [pod for pod, component in found.running_pods if _is_broker(pod, component)]
    listeners = user_listeners(kafka or {})
    certificates = secrets.get(scope.ca_certificate_secret)
    ca = read_ca_secrets(certificates, secrets.get(scope.ca_key_secret), scope.certificate_generation)
    # The operator keeps a replaced clients CA until it expires: that alone does not mean that a flow is under way.
    bare = without_parties(client, scope, now, stored, replace(ca, retired=()), around)
    ledger = bare.ledger
    clients_ca, used = read_clients_ca(certificates), _used(ca, ledger)
    known = KnownUsers(Remembered() if remembered is None else remembered, _keystores_count(ca, ledger, used))
    # A flow remembers what it has found when it begins.
    former = FormerPlaces(
        ledger.user_namespaces if ledger is not None else (), in_flight(ledger) is None and not ca.prepared
    )
    places = bare.outside_clients.named_places
    users = users_of(client, scope, kafka, clients_ca, now, places, known, former) if kafka else None
    served = (
        served_users(client, scope, users, ca, ledger, bare.leaves.renewal_window)
        if users is not None and are_served(ca)
        else {}
    )
    snapshot = replace(
        bare,
        reconciliation=replace(
            bare.reconciliation,
            operator=note_absent_operator(bare.reconciliation.operator, kafka, found.node_traces),
        ),
        nodes=Nodes(
            pods=tuple(_broker(pod, certificates) for pod in brokers) if kafka is not None else (),
            foreign_pods=found.foreign_pods,
            unlabelled_pods=unlabelled(((pod, Component.KAFKA) for pod in brokers), scope),
        ),
        objects=replace(
            bare.objects,
            unlabelled_of_users={
                user.secret_key: lost
                for user in (users.users if users is not None else ())
                if (lost := user.unlabelled)
            },
        ),
        users=CaUsers(
            presenters=_presenters(users, scope, ca, ledger, used, now),
            has_verifiers=kafka is None or any(listener.managed for listener in listeners),
            unmanaged_listeners=tuple(listener.label for listener in listeners if not listener.managed),
            issued_by=IssuedBy.USER_OPERATOR if users is None or users.has_operator else IssuedBy.NONE,
            pause_reissue=why_users_are_paused(
                (pod for pod, component in found.running_pods if component is Component.ENTITY_OPERATOR),
                users.other_namespaces if users is not None else (),
            ),
            user_leaves={secret: user.stored for secret, user in served.items()},
            witnesses=_witnesses(users, now) if users is not None and is_in_doubt(bare) else {},
            namesakes=namesakes(users, scope) if users is not None else (),
            unnameable_users={user.label: user.unnameable for user in users.users if user.unnameable}
            if users is not None
            else {},
            longest_life=users.longest_life(bare.leaves.validity) if users is not None else bare.leaves.validity,
            namespaces=users.namespaces if users is not None else None,
            unsearched=users.unsearched if users is not None else "",
        ),
    )
    expected = tuple(user.where for user in served.values())
    return Observation(
        scope, snapshot, kafka, secrets, found.own_pods, found.owners, expected_leaves=expected, served_users=served
    )


def _is_broker(pod: Object, component: Component) -> bool:
    return component is Component.KAFKA and has_role(pod, names.BROKER_ROLE_LABEL)


def _broker(pod: Object, certificates: Object | None) -> Pod:
    """A broker. It has a generation where that is another than the Secret's, because the operator is still to restart it; None where there is nothing to
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
    """Fingerprints of the CAs that are or were in use, or may have been: of a CA that was replaced before this collection came, or before its ledger was
    lost, only its entry tells that. Flows put a CA that was never in use under its fingerprint.
    """
    entries = ledger.entries if ledger is not None else ()
    left = (chain[0] for entry, chain in ca.other_entries.items() if entry != f"{chain[0].fingerprint}.crt")
    return frozenset(
        (
            *(certificate.fingerprint for certificate in (*ca.in_use, *left)),
            *(entry.fingerprint for entry in entries if entry.generations),
        )
    )


def _keystores_count(ca: CaSecrets, ledger: Ledger | None, used: frozenset[str]) -> bool:
    """Whether the certificates in keystores matter. A flow notes until when programs present the certificates that they have read. Where no flow is under
    way, and the CA in use is the only CA that ever was, every certificate is of that CA.
    """
    return in_flight(ledger) is not None or not used <= {certificate.fingerprint for certificate in ca.in_use}


def _presenters(
    users: Users | None, scope: ClusterNames, ca: CaSecrets, ledger: Ledger | None, used: frozenset[str], now: datetime
) -> tuple[Presenter, ...]:
    if users is None:
        return ()
    entries = ledger.entries if ledger is not None else ()
    known = [*ca.in_use, *(chain[0] for chain in ca.other_entries.values()), *(entry.certificate for entry in entries)]
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
        if entry.fingerprint == ledger.undone_ca and authority_generation(entry.certificate) is not None:
            continue
        yield entry.fingerprint


_WAIVER = "give a waiver for it that says until when it may go on"


@dataclass(frozen=True)
class _Authorities:
    """The CAs by which certificates of users are judged."""

    #: The Secrets of the clients CA.
    ca: CaSecrets
    #: The CAs of the cluster and of its ledger.
    known: tuple[Certificate, ...]
    #: Fingerprints of CAs that may have issued a certificate that was read at any time.
    used: frozenset[str]
    #: The time of the look.
    now: datetime
    #: The namespace where the cluster's own User Operator issues; the lives that another User Operator issues are unknown.
    home: str

    @property
    def outdated(self) -> frozenset[str]:
        """Fingerprints of the CAs that may have to validate a certificate that was issued at any time. The CA in use
        validates certificates of a CA that was renewed with its key.
        """
        found = self.used
        for current in self.ca.in_use:
            renewed = frozenset(
                certificate.fingerprint for certificate in self.known if current.stands_in_for(certificate)
            )
            found = (found - renewed) | {current.fingerprint}
        return found


def presenters_of(
    users: Users,
    ca: CaSecrets,
    known: Iterable[Certificate],
    used: Iterable[str],
    now: datetime,
    beside: Iterable[str] = (),
) -> tuple[Presenter, ...]:
    """The parties that present certificates of the clients CA. The CAs of the cluster and of its ledger are ``known``. Fingerprints tell which CAs are or
    were ``used``, and which CAs brokers accept ``beside`` them; another issuer than the User Operator may have issued certificates of each.
    """
    about = _Authorities(ca, tuple(dict.fromkeys(known)), frozenset(used), now, users.namespace)
    of_any_issuer = replace(about, used=about.used.union(beside))
    elsewhere, named = dict(_issued_elsewhere(users)), dict[str, list[NamedCertificate]]()
    for given in users.named_certificates:
        named.setdefault(given.certificate.subject, []).append(given)
    subjects = frozenset(elsewhere.values())
    return (
        *_of_the_operator(about),
        *(found for user in users.users for found in _of_user(user, about)),
        *(found for user in users.users for found in _of_paused(user)),
        *(_of_issuer_elsewhere(name, subject, named.get(subject, ()), about) for name, subject in elsewhere.items()),
        *(_of_unread(space) for space in users.unread),
        *(
            found
            for given in users.named_certificates
            for found in _presenters_of_named(given, subjects, of_any_issuer)
        ),
    )


def _of_the_operator(about: _Authorities) -> Iterator[Presenter]:
    for current in about.ca.in_use:
        yield Presenter("the User Operator", frozenset({current.fingerprint}), "ca.crt", Renewal.AT_ONCE)


def _of_user(user: User, about: _Authorities) -> Iterator[Presenter]:
    certificate = user.certificate
    if user.authentication != TLS or certificate is None:
        return
    why, remedy = _why_hindered(user, about)
    renewal = Renewal.ISSUED if user.watched else Renewal.BY_HAND
    found = Presenter(
        user.label, frozenset(), "", renewal, not certificate.is_current, remedy, why, user.pause, user=user.full_name
    )  # fmt: skip
    if not certificate.sha256:
        # A user without a certificate presents none.
        yield replace(found, evidence=certificate.problem)
    else:
        where = f"Secret {user.namespace}/{user.secret}"
        authorities, why = _issuers_held(certificate, where, about)
        if _is_keystore_in_doubt(certificate, about):
            found = replace(found, remedy=f"{REMEDY}; or {_WAIVER}.")
        yield replace(found, authorities=authorities, evidence=why)
    what = f"the certificate of user {user.name}"
    left_out = user.pause is ReissuePause.FOREIGN and not certificate.is_current
    pause = ReissuePause.FOREIGN if left_out else ReissuePause.NONE
    for reader in user.readers:
        # No other writer writes what it reads.
        reads = f"{reader.name} {user.name}" if user.namespace == about.home else ""
        yield replace(_reader(reader, what, certificate, about), pause=pause, certificate_source=reads)


def _of_paused(user: User) -> Iterator[Presenter]:
    """A user that got another authentication while this collection kept it paused for a switch: it presents nothing of its own any more, and the
    pause is still to be ended.
    """
    if user.authentication != TLS and user.pause.is_ours:
        yield Presenter(
            user.label, frozenset(), "it gets no certificate any more", pause=user.pause, user=user.full_name
        )


def _of_unread(space: UnreadNamespace) -> Presenter:
    """The users of a namespace that may not be read, all as one."""
    why = f"the run cannot tell which users of this cluster are left there: {space.problem}"
    return Presenter(
        f"{KAFKA_USERS.kind} {space.name}/*", None, why,
        remedy=f"{space.remedy} Where it has none that log in any more, {_WAIVER}.",
    )  # fmt: skip


def _why_hindered(user: User, about: _Authorities) -> tuple[str, str]:
    """Why the User Operator would not issue the certificate of this user again, and the remedy."""
    if user.unnameable:
        return user.unnameable, f"Give the user a shorter name; or {_WAIVER}."
    if not user.watched:
        move = f"Make it again in {about.home}, where the cluster's User Operator looks, have its programs read that Secret, and delete this user with its own"
        if user.namespace == about.home:
            move = "Add spec.entityOperator.userOperator to the Kafka resource"
        other = (
            f"where another User Operator serves it, give {user.namespace} in user_namespaces (strimzi_user_namespaces)"
        )
        return f"no User Operator is known to look for users in {user.namespace}", f"{move}; {other}; or {_WAIVER}."
    if user.pause is ReissuePause.FOREIGN:
        lift = f"Take {PAUSE_RECONCILIATION} off {user.label}, which is up to the person or program that has set it"
        return (
            f"it is paused ({PAUSE_RECONCILIATION})",
            f"{lift}: the User Operator issues it again then; or {_WAIVER}.",
        )
    remedy = f"See in the status of {user.label} what keeps the User Operator from issuing it again; or {_WAIVER}."
    if user.certificate is not None and user.certificate.is_spoilt:
        where = f"Secret {user.namespace}/{user.secret}"
        # The User Operator looks at the end of a certificate and at the ca.crt beside it, and at nothing else.
        how = f"delete {where}: the User Operator issues the certificate again"
        if about.ca.in_use_elsewhere:
            how = "run the reconcile playbook, which has the certificate issued again"
        remedy = f"Find the program or person that put it into {where}, then {how}; or {_WAIVER}."
    return "" if user.ready else "the User Operator says that it is not ready", remedy


def _issuers_held(certificate: UserCertificate, where: str, about: _Authorities) -> tuple[frozenset[str] | None, str]:
    """The CAs that may have issued what the Secret holds, and where it is, or why that is unknown. The certificate in a keystore may be of any CA that users
    had certificates of.
    """
    authorities, why = _issuers_beside_keystore(certificate, where, about)
    if authorities is None or not _is_keystore_in_doubt(certificate, about):
        return authorities, why
    return authorities | about.outdated, f"{where}: {certificate.keystore_doubt}"


def _is_keystore_in_doubt(certificate: UserCertificate, about: _Authorities) -> bool:
    """Whether the keystore may hold a certificate of another CA than the certificate beside it."""
    if not certificate.keystore_doubt:
        return False
    authorities, _why = _issuers_beside_keystore(certificate, "", about)
    return authorities is not None and not about.outdated <= authorities


def _issuers_beside_keystore(
    certificate: UserCertificate, where: str, about: _Authorities
) -> tuple[frozenset[str] | None, str]:
    """The CAs that may have issued the certificate beside the keystore, and where the certificate is, or why its CA is unknown (None). No CA for an expired
    certificate: every broker refuses it.
    """
    if certificate.not_after is not None and certificate.not_after <= about.now:
        return frozenset(), certificate.problem or f"the certificate in {where} has expired"
    if certificate.authority is None or not certificate.has_key:
        return None, f"{where}: {certificate.problem}"
    return _issuers(certificate, certificate.authority, about), where


def _last_end(certificate: UserCertificate) -> datetime | None:
    """When the last certificate ends that a reader of this Secret presents; None where the keystore in it may
    hold another certificate.
    """
    return None if certificate.keystore_doubt else certificate.not_after


def _issuers(certificate: UserCertificate, authority: Certificate, about: _Authorities) -> frozenset[str]:
    """Where a CA was renewed with its key, each of its certificates validates the leaf; the CA certificate beside the leaf says which it is."""
    same = [certificate for certificate in about.known if certificate.is_twin_of(authority)]
    named = [issuer for issuer in same if issuer == certificate.ca_beside]
    return frozenset(certificate.fingerprint for certificate in named or same or (authority,))


def _reader(reader: Reader, what: str, certificate: UserCertificate, about: _Authorities) -> Presenter:
    """A resource or pod that reads a Secret, as the presenter of the certificate that messages name by ``what``."""
    remedy = f"Restart it, so that it reads {what} again; or {_WAIVER}."
    renewal = Renewal.FOLLOWED if reader.followed else Renewal.BY_HAND
    if reader.followed:
        done = (
            "The operator restarts it by itself"
            if reader.pods is not None
            else f"The Access Operator copies {what} for it"
        )
        remedy = f"{done}: see in its status what keeps it from that; or {_WAIVER}."
    fresh = reader.is_up_to_date(certificate.changed_at, certificate.sha256)
    if fresh is None:
        why = f"the run cannot tell whether it has read {what} since that was issued"
        return Presenter(reader.name, None, why, renewal, remedy=remedy)
    if not fresh:
        # The certificate that it has read may be of any CA that may have issued one.
        why = f"it has not read {what} since that was issued"
        return Presenter(reader.name, about.outdated, why, renewal, remedy=remedy)
    own = frozenset() if certificate.authority is None else _issuers(certificate, certificate.authority, about)
    end = _last_end(certificate)
    if end is not None and end <= about.now:
        return Presenter(reader.name, frozenset(), f"{what}, which has expired", renewal, remedy=remedy, ends_at=end)
    return Presenter(reader.name, own, what, renewal, remedy=remedy, ends_at=end)


def _issued_elsewhere(users: Users) -> Iterator[tuple[str, str]]:
    """The users and superusers that may log in with certificates that the User Operator does not issue, and the subject of these."""
    for user in users.users:
        if user.authentication == TLS_EXTERNAL:
            yield user.label, f"CN={user.name}"
    known = {f"CN={user.name}" for user in users.users if user.authentication in (TLS, TLS_EXTERNAL)}
    authorization: Mapping[str, Any] = ((users.kafka.get("spec") or {}).get("kafka") or {}).get("authorization") or {}
    for name in authorization.get("superUsers") or ():
        if _is_of_a_certificate(str(name)) and name not in known:
            yield f"superuser {name}", str(name)


def _is_of_a_certificate(name: str) -> bool:
    """Whether this is a distinguished name, whichever attribute comes first. A user that logs in otherwise has a plain name, such as ``ANONYMOUS``."""
    return "=" in name


def _of_issuer_elsewhere(name: str, subject: str, own: Sequence[NamedCertificate], about: _Authorities) -> Presenter:
    """A party whose certificate another issuer issues.

    Its own certificates have its subject: they are known where the user of this collection names their Secrets; a kept certificate of a KafkaUser that
    moved may differ from the certificate that the KafkaUser still presents.
    """
    if all(given.is_kept for given in own):
        remedy = f"Name the Secret with its certificate in presenting_secrets; or see that it is of the CA in use, and {_WAIVER}."
        return Presenter(name, None, f"another issuer issues its certificate, {subject}", remedy=remedy)
    found = [_issuers_held(given.certificate, given.secret.label, about) for given in own]
    unknown = next((why for authorities, why in found if authorities is None), None)
    where = ", ".join(given.secret.label for given in own)
    remedy = f"Put a certificate of the CA in use into {where}, and restart its readers; delete it where no application reads it; or {_WAIVER}."
    if unknown is not None:
        return Presenter(name, None, unknown, remedy=remedy)
    together = frozenset(authority for authorities, _why in found for authority in authorities or ())
    # Where all of them have expired, it may log in with a certificate that lies elsewhere.
    return Presenter(name, together or None, "; ".join(why for _authorities, why in found), remedy=remedy)


def _presenters_of_named(
    named: NamedCertificate, elsewhere: Container[str], about: _Authorities
) -> Iterator[Presenter]:
    """The Secret itself, unless its certificate counts as that of a user or superuser; and its readers."""
    where, certificate = named.secret.label, named.certificate
    again = "put the certificate that its issuer has issued again into it, and restart its readers"
    first = f"Delete it where no program reads it any more; else {again}" if named.is_kept else f"P{again[1:]}"
    remedy = named.remedy or f"{first}; or {_WAIVER}."
    if not certificate.sha256:
        yield Presenter(where, None, f"{where}: {certificate.problem}", remedy=remedy)
    elif certificate.subject not in elsewhere:
        authorities, why = _issuers_held(certificate, where, about)
        yield Presenter(where, authorities, why, remedy=remedy)
    yield from (_reader_of_named(reader, where, certificate, about) for reader in named.readers)


def _reader_of_named(reader: Reader, where: str, certificate: UserCertificate, about: _Authorities) -> Presenter:
    found = _reader(reader, f"the certificate in {where}", certificate, about)
    own, _why = _issuers_held(certificate, where, about)
    current = frozenset(certificate.fingerprint for certificate in about.ca.in_use)
    # The operator restarts it when the Secret has changed; until then a person has to change that.
    follows = reader.followed and own == current and found.authorities != own
    return found if follows else replace(found, renewal=Renewal.BY_HAND)
