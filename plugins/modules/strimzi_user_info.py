#!/usr/bin/python
# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: strimzi_user_info
short_description: Show the certificates of a Strimzi cluster's users, and the programs that present them
version_added: 1.0.0
description:
  - Most calls give O(cluster) and O(namespace), which name the C(Kafka) resource, and O(presenting_secrets) for
    certificates that are in no Secret of a KafkaUser.
  - Lists every KafkaUser of a cluster, the certificate in its Secret, the clients CA under which brokers accept that
    certificate, and the pods and resources that present it. On every listener on which users log in it checks which
    clients CAs each broker accepts. It changes nothing.
  - Run it before you renew or replace the clients CA, also with Strimzi itself or by hand. Strimzi issues new
    certificates to all users as soon as it has another clients CA, and does not wait until every broker trusts it.
  - The result contains no private key. The module opens a PKCS#12 file if another program than the
    User Operator has written to the Secret, which takes a twentieth of a second for each.
  - It sees certificates outside the Secrets of KafkaUsers if O(presenting_secrets) names their Secrets, such as
    Secrets of users with C(tls-external), or of superusers whose names are in the Kafka resource.
options:
  evidence:
    description:
      - V(handshake) makes handshakes with the listeners, with certificates that live for an hour and give no rights.
        V(auto) does so if the module can reach any of them. V(annotations) opens no connection.
    type: str
    choices: [auto, handshake, annotations]
    default: auto
  pod_access:
    description:
      - How the module reaches ports of brokers. V(port_forward) goes through the API server, V(direct) to the addresses
        of the pods, if there is a route to them.
    type: str
    choices: [port_forward, direct]
    default: port_forward
extends_documentation_fragment:
  - trustops.strimzi.cluster.auth
  - trustops.strimzi.cluster
  - trustops.strimzi.flow.presenting
  - trustops.strimzi.attributes
seealso:
  - module: trustops.strimzi.strimzi_ca_info
author:
  - The trustops.strimzi contributors (@trustops)
"""

EXAMPLES = r"""
- name: Read the users and their certificates
  trustops.strimzi.strimzi_user_info:
    cluster: demo
    namespace: kafka
  register: seen

- name: Show which applications have not read their new certificate yet
  ansible.builtin.debug:
    msg: "{{ seen.users | map(attribute='presenters') | flatten | selectattr('up_to_date', 'equalto', false) |
      map(attribute='name') }}"

- name: Fail if a broker would refuse a user
  ansible.builtin.assert:
    that: seen.problems | length == 0
    fail_msg: "{{ seen.problems | join(' ') }}"
"""

RETURN = r"""
namespace:
  description: The namespace in which the cluster's User Operator looks for users.
  returned: always
  type: str
  sample: kafka
user_operator:
  description: Whether there is a User Operator, which issues the certificates of users.
  returned: always
  type: bool
  sample: true
clients_cas:
  description: The CAs whose certificates brokers accept from users; C(current) says which CA issues.
  returned: always
  type: list
  elements: dict
  sample:
    - {subject: "CN=clients-ca v0,O=io.strimzi", sha256: "6c1f0e", not_after: "2027-01-01T00:00:00Z", current: true}
users:
  description: Every user of the cluster, by name.
  returned: always
  type: list
  elements: dict
  contains:
    name: {description: The KafkaUser., type: str, returned: always, sample: orders}
    namespace: {description: Its namespace., type: str, returned: always, sample: kafka}
    authentication:
      description: "Its authentication, such as V(tls); empty if it has none."
      type: str
      returned: always
      sample: tls
    secret: {description: The Secret that the User Operator writes for it., type: str, returned: always, sample: orders}
    ready: {description: Whether the User Operator reports it as ready., type: bool, returned: always, sample: true}
    paused: {description: Whether it is paused., type: bool, returned: always, sample: false}
    certificate:
      description: "The certificate in its Secret; null if it gets none, as with V(scram-sha-512)."
      type: dict
      returned: always
      contains:
        subject: {description: Subject., type: str, returned: always, sample: CN=orders}
        issuer:
          description: The issuer in the certificate.
          type: str
          returned: always
          sample: "CN=clients-ca v0,O=io.strimzi"
        sha256: {description: SHA-256 fingerprint., type: str, returned: always, sample: "77aa01"}
        not_after: {description: Its end., type: str, returned: always, sample: "2027-01-01T00:00:00Z"}
        ca:
          description: The clients CA under which it is valid; empty without any.
          type: str
          returned: always
          sample: clients-ca v0 (6c1f0e9a2b3c)
        keystore: {description: Whether a PKCS#12 file lies beside it., type: bool, returned: always, sample: true}
        changed_at:
          description: "When the Secret changed last; null if that is not recorded."
          type: str
          returned: always
          sample: "2026-01-01T00:00:00Z"
        problem:
          description: The problem of the certificate or the PKCS#12 file; empty without a problem.
          type: str
          returned: always
          sample: ""
    presenters:
      description:
        - Pods that mount the Secret or have it in their environment, resources that name it, and KafkaAccess resources
          that copy it, in the namespaces of users. C(up_to_date) says whether a pod has started since the Secret
          changed; null if that is unknown.
      type: list
      elements: dict
      returned: always
      sample: [{name: Pod kafka/orders-0, up_to_date: true}]
named_certificates:
  description: The certificates in the Secrets of O(presenting_secrets), with their problems, and the programs that
    present them, as for users.
  returned: always
  type: list
  elements: dict
  sample:
    - secret: Secret apps/partner entry tls.crt
      certificate: {subject: CN=partner}
      presenters: [{name: Pod apps/partner-0, up_to_date: true}]
users_by_ca:
  description: How many users have a valid certificate of each clients CA, and when the first and the last of them end.
  returned: always
  type: list
  elements: dict
  sample:
    - {ca: clients-ca v0 (6c1f0e9a2b3c), users: 12, first_end: "2027-01-01T00:00:00Z", last_end: "2027-03-01T00:00:00Z"}
user_listeners:
  description:
    - Each listener on which users log in with certificates, as each broker has it. A listener with the authentication
      V(custom) is among them if it asks for certificates (C(ssl.client.auth)).
  returned: always
  type: list
  elements: dict
  contains:
    name: {description: Its name., type: str, returned: always, sample: tls}
    port: {description: Its port., type: int, returned: always, sample: 9093}
    type: {description: "Its type, such as V(internal).", type: str, returned: always, sample: internal}
    managed:
      description: "Whether the operator gives it the clients CA, as it does not with V(custom)."
      type: bool
      returned: always
      sample: true
    pod:
      description: The broker that answered; empty without an answer.
      type: str
      returned: always
      sample: demo-kafka-0
    trusts:
      description: Clients CAs of which it accepts certificates.
      type: list
      elements: str
      returned: always
      sample: ["clients-ca v0 (6c1f0e9a2b3c)"]
    refuses:
      description: Clients CAs of which it refuses certificates.
      type: list
      elements: str
      returned: always
      sample: []
    why:
      description: Sentences about missing evidence and its cause.
      type: list
      elements: str
      returned: always
      sample: []
    problems:
      description: Users that it refuses for their CA.
      type: list
      elements: str
      returned: always
      sample: []
unasked:
  description: Why this call made no handshake with a listener; empty if it did.
  returned: always
  type: str
  sample: ""
problems:
  description: Problems of certificates of users, and listeners that would refuse some of them, as sentences.
  returned: always
  type: list
  elements: str
  sample: ["KafkaUser kafka/orders: its private key does not belong to its certificate."]
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible import connect
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.arguments import (
    time_text,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.module import ClusterModule, SystemClock
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.options import (
    LOOK_SECONDS,
    LiveLook,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.tables import (
    CLUSTER,
    LOOK,
    PRESENTING,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.ca_secrets import (
    read_ca_secrets,
    read_secrets,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.clients import OutsideOptions
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.specified_listeners import (
    UserListener,
    user_listeners,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.ledger.layouts import read_ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import CaKind
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.user_certificate import (
    ClientsCa,
    UserCertificate,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.users.readers import Key, Reader
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.users.reading import read_users
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.users.users import User, Users
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import NamedPlaces, UserNamespace
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.listeners import ObservedListener
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.names import counted, label

#: Why the collection does not ask a listener with the authentication ``custom``.
_CUSTOM = (
    "the Kafka resource says which CAs it trusts (authentication custom); this collection neither asks nor changes it"
)


def describe_users(users: Users) -> dict[str, Any]:
    return {
        "namespace": users.namespace,
        "user_operator": users.has_operator,
        "clients_cas": [_authority(anchor, users.clients_ca) for anchor in users.clients_ca.anchors],
        "users": [_user(user, users) for user in users.users],
        "named_certificates": [_named(certificate, users) for certificate in users.named_certificates],
        "users_by_ca": _by_authority(users.users),
        "problems": [*_unwatched(users), *_unread(users),
                     *_problems((user.label, user.certificate) for user in users.users), *_unlabelled(users.users),
                     *_problems((certificate.label, certificate) for certificate in users.named_certificates)],
    }  # fmt: skip


def _unwatched(users: Users) -> list[str]:
    own = f", the cluster's own looks in {users.namespace}"
    return [
        f"{user.label}: no User Operator is known to look for users in "
        f"{user.namespace}{own if user.namespace != users.namespace else ''}: its certificate is not issued again."
        for user in users.users
        if not user.watched
    ]


def _unread(users: Users) -> Iterator[str]:
    for space in users.unread:
        yield (
            f"KafkaUser {space.name}/*: it is unknown which users of this cluster are left there: {space.problem}. "
            f"{space.remedy}"
        )


def _problems(holders: Iterable[tuple[str, UserCertificate | None]]) -> list[str]:
    return [
        f"{name}: {problem}."
        for name, certificate in holders
        if certificate is not None and (problem := _problem(certificate))
    ]


def _unlabelled(users: Iterable[User]) -> Iterator[str]:
    for user in users:
        if (unlabelled := user.unlabelled) is not None:
            yield (
                f"Secret {user.namespace}/{user.secret} lacks {' and '.join(unlabelled.lost)}, {unlabelled.purpose}. "
                f"To put back what it had: {unlabelled.command(user.secret, user.namespace)}"
            )


def _problem(certificate: UserCertificate) -> str:
    """The problem of a certificate, or of the PKCS#12 file beside it with the remedy: no operator opens the file."""
    if certificate.problem or not certificate.keystore_doubt:
        return certificate.problem
    return f"{certificate.keystore_doubt}. {certificate.keystore_remedy}"


def describe_user_listeners(read: Users, seen: Sequence[ObservedListener]) -> list[dict[str, Any]]:
    """Each listener once for each broker that the call asked; once, without a broker, if the call asked none."""
    users = Counter(_authorities(user.certificate for user in read.users))
    named = Counter(_authorities(read.named_certificates))
    holders = {
        authority: [
            counted(count[authority], what)
            for count, what in ((users, "user"), (named, "named certificate"))
            if count[authority]
        ]
        for authority in (*users, *named)
    }
    return [
        described for listener in user_listeners(read.kafka) for described in _listener(listener, read, seen, holders)
    ]


def _authorities(certificates: Iterable[UserCertificate | None]) -> Iterator[Certificate]:
    """The CAs under which certificates are valid."""
    for certificate in certificates:
        if certificate is not None and certificate.authority is not None:
            yield certificate.authority


def _listener(
    listener: UserListener, read: Users, seen: Sequence[ObservedListener], holders: Mapping[Certificate, Sequence[str]]
) -> list[dict[str, Any]]:
    """The listener once for each broker that the call asked; once, without a broker, if the call asked none."""
    facts = {"name": listener.name, "port": listener.port, "type": listener.kind, "managed": listener.managed}
    answers = [answer for answer in seen if listener.managed and answer.port == listener.port]
    if answers:
        return [{**facts, **_answer(listener, answer, read.clients_ca, holders)} for answer in answers]
    return [
        {**facts, "pod": "", "trusts": [], "refuses": [], "why": [] if listener.managed else [_CUSTOM], "problems": []}
    ]


def _answer(
    listener: UserListener,
    answer: ObservedListener,
    clients_ca: ClientsCa,
    holders: Mapping[Certificate, Sequence[str]],
) -> dict[str, Any]:
    refused = [authority for authority in clients_ca.anchors if authority.fingerprint in answer.refuses]
    return {
        "pod": answer.pod,
        "trusts": [label(authority) for authority in clients_ca.anchors if authority.fingerprint in answer.accepts],
        "refuses": [label(authority) for authority in refused],
        "why": sorted({reason for reason in (answer.failure, *answer.doubts.values()) if reason}),
        "problems": [
            f"Listener {listener.name} ({listener.port}) of Pod {answer.pod} refuses certificates of "
            f"{label(authority)} ({', '.join(holders[authority])}): it has to read its trust again, or to restart."
            for authority in refused if authority in holders
        ],
    }  # fmt: skip


def _authority(authority: Certificate, clients_ca: ClientsCa) -> dict[str, Any]:
    return {
        "subject": authority.subject,
        "sha256": authority.sha256,
        "not_after": time_text(authority.not_after),
        "current": authority == clients_ca.current,
    }


def _user(user: User, users: Users) -> dict[str, Any]:
    return {
        "name": user.name,
        "namespace": user.namespace,
        "authentication": user.authentication,
        "secret": user.secret,
        "ready": user.ready,
        "paused": user.pause.lasts,
        "certificate": _certificate(user.certificate) if user.certificate is not None else None,
        "presenters": _readers(user.secret_key, user.certificate, users),
    }


def _named(certificate: UserCertificate, users: Users) -> dict[str, Any]:
    return {
        "secret": certificate.label,
        "certificate": _certificate(certificate),
        "presenters": _readers(certificate.secret.key, certificate, users),
    }


def _certificate(certificate: UserCertificate) -> dict[str, Any]:
    return {
        "subject": certificate.subject,
        "issuer": certificate.leaf.issuer if certificate.leaf is not None else "",
        "sha256": certificate.sha256,
        "not_after": time_text(certificate.not_after),
        "ca": label(certificate.authority) if certificate.authority is not None else "",
        "keystore": certificate.has_keystore,
        "changed_at": time_text(certificate.changed_at),
        "problem": _problem(certificate),
    }


def _readers(secret: Key, certificate: UserCertificate | None, users: Users) -> list[dict[str, Any]]:
    return [_reader(reader, certificate) for reader in users.readers_of(secret)]


def _reader(reader: Reader, certificate: UserCertificate | None) -> dict[str, Any]:
    return {"name": reader.name, "up_to_date": reader.is_up_to_date(certificate)}


def _by_authority(users: Iterable[User]) -> list[dict[str, Any]]:
    """How many users have a valid certificate of each CA, and when the first and the last of these end."""
    certificates: dict[Certificate, list[UserCertificate]] = {}
    for user in users:
        if user.certificate is not None and user.certificate.authority is not None:
            certificates.setdefault(user.certificate.authority, []).append(user.certificate)
    return [
        {"ca": label(authority), "users": len(own), "first_end": time_text(ends[0]), "last_end": time_text(ends[-1])}
        for authority, own in sorted(certificates.items(), key=lambda item: item[0].sha256)
        if (ends := sorted(certificate.not_after for certificate in own if certificate.not_after is not None))
    ]


class UsersModule(ClusterModule):
    """A call that looks at users and listeners."""

    def show(self) -> dict[str, Any]:
        client = self.client()
        places, remembered = self._asked(client)
        users = read_users(client, self.scope(), SystemClock().now(), places, remembered)
        if users.unsearched:
            self.module.warn(users.unsearched)
        look = LiveLook(self.value("evidence"))
        listeners = look.take(partial(self._ask, client, users))
        described, user_listeners_seen = describe_users(users), describe_user_listeners(users, listeners or ())
        return {
            **self.done_so_far(),
            **described,
            "user_listeners": user_listeners_seen,
            "problems": [
                *described["problems"],
                *(problem for user in user_listeners_seen for problem in user["problems"]),
            ],
            "unasked": look.reason,
        }

    def _asked(self, client: KubeClient) -> tuple[NamedPlaces, tuple[UserNamespace, ...]]:
        """The places to look at: as given; if not given, as the flow in flight on the clients CA has them. And the
        namespaces that the ledger remembers.
        """
        scope = self.scope().of(CaKind.CLIENTS)
        secrets = read_secrets(client, scope)
        certificates, keys = (secrets.get(name) for name in (scope.ca_certificate_secret, scope.ca_key_secret))
        ca = read_ca_secrets(certificates, keys, scope.certificate_generation)
        ledger = read_ledger(secrets, scope)
        return self.said(OutsideOptions).places_to_look_at(ca, ledger), ledger.user_namespaces if ledger else ()

    def _ask(self, client: KubeClient, users: Users) -> tuple[ObservedListener, ...]:
        # Imported only when a look is taken.
        from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.listeners import (
            look_at_user_listeners,
        )

        return look_at_user_listeners(
            client,
            self.scope(),
            users.kafka,
            users.clients_ca,
            connect.opener_for(self.params, client, self.scope()),
            now=SystemClock().now(),
            seconds=LOOK_SECONDS,
        )


SPEC = CLUSTER + PRESENTING + LOOK


def main() -> None:
    module = UsersModule(SPEC)
    module.execute(module.show)


if __name__ == "__main__":
    main()
