# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Writing leaves into the Secrets in which the operator will find and keep them (docs/operator.md, "Tried by hand", 5),
and the functions that carry out the issuing steps, by the type of the step.

If a leaf stays as it is, it can get the chain of the CA in use behind it. The Secret of a KafkaUser stands as the User
Operator keeps it, whichever CA has issued its certificate (docs/operator.md, "Users").
"""

from __future__ import annotations

import secrets as randomness
import string
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any, TypeAlias

from .._errors import CertificateError, StepError
from .._kube.resources import SECRETS
from .._pki.certificates import Certificate, Chain, encode_certificates, parse_certificates
from .._pki.keys import PrivateKey
from .._pki.keystores import pkcs12_keystore
from .._pki.requests import build_request
from .._strimzi import names
from .._strimzi.apply.carry_out import CarryOut
from .._strimzi.apply.work import Work, Write, WriteVerb, new_secret, public_fact, secret_patch, version, write_all
from .._strimzi.cluster.ca_secrets import CURRENT, key_of
from .._strimzi.cluster.leaves import LeafSecret
from .._strimzi.cluster.observe import Observation
from .._strimzi.cluster.subjects import LeafSubject, every_leaf, subject_for
from .._strimzi.names import CLUSTER_LABEL, KAFKA_USERS, KIND_LABEL, USER_KEYSTORE, USER_PASSWORD
from .._strimzi.secret_data import entries
from .._trust.model.components import Component
from .._trust.model.decision import Step
from .._trust.model.steps.authority import PrepareAuthority
from .._trust.model.steps.leaves import (
    AskForLeaves,
    AwaitIssuer,
    CollectLeaves,
    CorrectOrders,
    ForgetRequests,
    IssueLeaves,
    RechainLeaves,
)
from .acceptance import Acceptance, known_certificates, refuse_unmakeable
from .issuer import IssuedCertificate
from .links import InternalIssuer, prepare
from .pending.pending import correct_orders
from .pending.request_leaves import ask_for_leaves, await_issuer, collect_leaves, forget_requests
from .pending.requests import NextKeys, keys_of

#: Characters of the password of the PKCS#12 file.
_LENGTH = 32


def write_user(
    leaf: LeafSecret,
    issuer: Chain,
    key: PrivateKey,
    issued: IssuedCertificate,
    what: str,
    observation: Observation,
    work: Work,
) -> Write:
    """The pair, with the exact bytes of ``ca.crt``: with other bytes the User Operator would issue it again. A present
    PKCS#12 file gets the same pair and another password. If there is none, the User Operator makes a file of the pair,
    if it makes any.
    """
    # A listener with another truststore may know only the root above the CA in use.
    chain = (issued.leaf, *(certificate for certificate in issuer if not certificate.is_root))
    data = {
        **_ca_entry(observation),
        f"{leaf.entry}.crt": encode_certificates(chain),
        f"{leaf.entry}.key": key.reveal(),
    }
    stored = observation.served_users[leaf.secret]
    facts: Mapping[str, Any] = {"leaf": public_fact(issued.leaf)}
    if stored.version is None:
        body = new_secret(_labels(observation), leaf.secret, data, {})
        body["metadata"]["ownerReferences"] = [_owner(leaf, work)]
        return Write(
            WriteVerb.CREATE, SECRETS, leaf.secret, what, body, before={}, after=facts, namespace=leaf.namespace
        )
    if stored.has_keystore:
        password = _new_password()
        data |= {USER_KEYSTORE: pkcs12_keystore(leaf.common_name, key, chain, password), USER_PASSWORD: password}
    return Write(
        WriteVerb.UPDATE, SECRETS, leaf.secret, what, secret_patch(data), stored.version, {}, facts, leaf.namespace
    )


def keep_user(leaf: LeafSecret, observation: Observation) -> Write:
    """The write that keeps the certificate. The CA beside it becomes the CA in use, which has the same key."""
    what, patch = "put the CA in use beside the certificate", secret_patch(_ca_entry(observation))
    stored = observation.served_users[leaf.secret]
    return Write(WriteVerb.UPDATE, SECRETS, leaf.secret, what, patch, stored.version, namespace=leaf.namespace)


def _ca_entry(observation: Observation) -> dict[str, bytes]:
    return {CURRENT: entries(observation.secrets[observation.scope.ca_certificate_secret])[CURRENT]}


def _new_password() -> bytes:
    """A password of letters and digits, a letter first, as the User Operator makes it."""
    others = (randomness.choice(string.ascii_letters + string.digits) for _place in range(1, _LENGTH))
    return "".join((randomness.choice(string.ascii_letters), *others)).encode("ascii")


def _labels(observation: Observation) -> dict[str, str]:
    """The labels without which the User Operator does not find the Secret; it adds the others."""
    return {KIND_LABEL: KAFKA_USERS.kind, CLUSTER_LABEL: observation.scope.cluster}


def _owner(leaf: LeafSecret, work: Work) -> dict[str, Any]:
    """The reference to the KafkaUser: if the user goes, the Secret goes too. Raises KubeError."""
    user = work.client.get(KAFKA_USERS, leaf.namespace, leaf.common_name)
    return {
        "apiVersion": KAFKA_USERS.api_version, "kind": KAFKA_USERS.kind, "name": leaf.common_name,
        "uid": user["metadata"]["uid"], "controller": False, "blockOwnerDeletion": False,
    }  # fmt: skip


def issue_leaves(step: IssueLeaves, observation: Observation, work: Work) -> None:
    """Write each leaf with its key and its generation: signed here, or returned by an issuer before.

    Raises StepError if neither is possible, or a leaf must not be used.
    """
    wanted = [leaf for leaf in every_leaf(observation) if leaf.secret in step.secrets]
    phase = step.phase.value
    if work.dry_run:
        write_all(tuple(_describe_planned(leaf, step, observation) for leaf in wanted), work, phase)
        return
    signing = _signing_key(step, observation)
    made = _returned(wanted, observation) if signing is None else _sign_leaves(wanted, step, signing, observation, work)
    writes = tuple(
        _write(leaf, step, key, issued, observation, work) for leaf, (key, issued) in zip(wanted, made, strict=True)
    )
    write_all(writes, work, phase)


_Made: TypeAlias = tuple[PrivateKey, IssuedCertificate]


def _signing_key(step: IssueLeaves, observation: Observation) -> PrivateKey | None:
    """The key of the CA that signs; None if it is kept elsewhere. The next CA has its key in the same Secret."""
    authority, secret = step.issuer, observation.scope.ca_key_secret
    if observation.snapshot.ca.is_kept_elsewhere(authority[0]):
        return None
    key = key_of(authority[0], observation.secret(secret))
    if key is None:
        raise StepError(
            f"Secret {observation.scope.namespace}/{secret}",
            f"does not contain the key of {authority[0].subject}",
            "Put the key of this CA there as ca.key.",
        )
    return key


def _sign_leaves(
    wanted: list[LeafSecret], step: IssueLeaves, signing: PrivateKey, observation: Observation, work: Work
) -> Iterator[_Made]:
    issuer = InternalIssuer(step.issuer, signing, observation.snapshot.now, work.validity(observation))
    acceptance = Acceptance(step.issuer, known_certificates(observation.snapshot), work.clock.now())
    keys = keys_of(wanted, {}, observation, work)
    for leaf in wanted:
        key = keys[leaf.secret]
        yield key, sign_here(subject_for(leaf, observation), key, issuer, acceptance, leaf.secret)


def sign_here(
    subject: LeafSubject, key: PrivateKey, issuer: InternalIssuer, acceptance: Acceptance, secret: str
) -> IssuedCertificate:
    """A leaf from the internal issuer, fit for use in this Secret. Raises StepError."""
    try:
        issued = issuer.sign(build_request(subject.distinguished_name, subject.names, key))
    except CertificateError as error:
        raise refuse_unmakeable(secret, error) from None
    # Its length of life was judged before the flow began, and an abort goes back to a CA that may end soon.
    acceptance.refuse(issued, replace(subject, outlasts=timedelta(0)), key, secret)
    return issued


def _returned(wanted: list[LeafSecret], observation: Observation) -> Iterator[_Made]:
    """The keys and certificates of returned leaves, as this observation has read and checked them."""
    keys = NextKeys(observation.scope, observation.secrets)
    for leaf in wanted:
        request = observation.snapshot.leaves.requests[leaf.secret]
        key = keys.of(leaf.component, leaf.secret)
        if request.answer is None or request.outdated or key is None:
            raise StepError(
                f"There is no certificate at hand for Secret {leaf.secret}:",
                request.outdated or "it has not been issued",
                "Run the flow again: it asks for one.",
            )
        yield key, IssuedCertificate(request.answer[0], request.answer[1:])


def _describe_planned(leaf: LeafSecret, step: IssueLeaves, observation: Observation) -> Write:
    certificate = observation.served_users.get(leaf.secret)
    exists = certificate.version is not None if certificate is not None else leaf.secret in observation.secrets
    what = f"new leaf {leaf.entry}.crt of {step.issuer[0].subject}"
    return Write(WriteVerb.UPDATE if exists else WriteVerb.CREATE, SECRETS, leaf.secret, what, namespace=leaf.namespace)


def _write(
    leaf: LeafSecret,
    step: IssueLeaves,
    key: PrivateKey,
    issued: IssuedCertificate,
    observation: Observation,
    work: Work,
) -> Write:
    what = _describe_planned(leaf, step, observation).what
    if leaf.secret in observation.served_users:
        return write_user(leaf, step.issuer, key, issued, what, observation, work)
    existing = observation.secret(leaf.secret)
    chain = presented(leaf, issued.leaf, step.issuer, step.link, observation)
    data = {f"{leaf.entry}.crt": chain, f"{leaf.entry}.key": key.reveal()}
    annotations = {names.CLUSTER_CA_CERT_GENERATION: str(step.generation)}
    facts: Mapping[str, Any] = {
        "leaf": public_fact(issued.leaf),
        "generation": step.generation,
    }
    if existing is None:
        # The operator finds its leaves by their labels, and deletes leaves of unknown nodes.
        scope = observation.scope
        labels = scope.node_leaf_labels if leaf.component is Component.KAFKA else scope.labels
        body = new_secret(labels, leaf.secret, data, annotations)
        return Write(WriteVerb.CREATE, SECRETS, leaf.secret, what, body, before={}, after=facts)
    patch = secret_patch(data, dict(annotations))
    return Write(WriteVerb.UPDATE, SECRETS, leaf.secret, what, patch, version(existing), {}, facts)


def presented(
    leaf: LeafSecret, certificate: Certificate, issuer: Chain, link: Certificate | None, observation: Observation
) -> bytes:
    """The stored and presented chain. The chain of a node ends with the exact bytes of ca.crt, or the operator would
    issue the leaf again. Between leaf and ca.crt are the link certificates of the CA in use. If a leaf of the next CA
    has no link certificate, that CA stands alone behind it: the operator would not keep this leaf anyway.

    Components present the leaf alone. They present more if its CA is trusted through other certificates only: a link
    certificate and the CA in use, or the chain of an intermediate CA.
    """
    current = entries(observation.secrets[observation.scope.ca_certificate_secret])[CURRENT]
    if link is not None:
        return certificate.pem + link.pem + current
    snapshot = observation.snapshot
    if leaf.component is Component.KAFKA and issuer[0] != snapshot.ca.current[0]:
        return certificate.pem + encode_certificates(issuer)
    if leaf.component is Component.KAFKA:
        behind = snapshot.ca.behind_nodes(issuer, snapshot.now)
        return certificate.pem + encode_certificates(behind[: len(behind) - len(issuer)]) + current
    return certificate.pem + (encode_certificates(issuer) if len(issuer) > 1 else b"")


def _chain_entry(leaf: LeafSecret, observation: Observation) -> dict[str, bytes]:
    """The entry to write into the Secret: for a node, the chain. It has to end with ``ca.crt``, with the link
    certificates before it.

    Components keep their present chain. The operator does not compare it. If a Topic Operator was started while the old
    CA was ``ca.crt``, Cruise Control goes on presenting a link certificate to it.
    """
    if leaf.component is not Component.KAFKA:
        return {}
    entry = f"{leaf.entry}.crt"
    kept = parse_certificates(entries(observation.secrets[leaf.secret])[entry])[0]
    return {entry: presented(leaf, kept, observation.snapshot.ca.current, None, observation)}


def rechain_leaves(step: RechainLeaves, observation: Observation, work: Work) -> None:
    """Write the chains, and the CA in use beside certificates of users. The operator keeps a leaf of its generation
    with the bytes of ``ca.crt`` at its end (docs/operator.md, "Tried by hand", 5).
    """
    writes = []
    for leaf in every_leaf(observation):
        if leaf.secret not in step.secrets:
            continue
        if leaf.secret in observation.served_users:
            writes.append(keep_user(leaf, observation))
            continue
        existing = observation.secrets[leaf.secret]
        patch = secret_patch(_chain_entry(leaf, observation), {names.CLUSTER_CA_CERT_GENERATION: str(step.generation)})
        what = f"keep leaf {leaf.entry}.crt behind the chain of generation {step.generation}"
        writes.append(Write(WriteVerb.UPDATE, SECRETS, leaf.secret, what, patch, version(existing)))
    write_all(tuple(writes), work, step.phase.value)


CARRY_OUT: Mapping[type[Step], CarryOut] = {
    PrepareAuthority: prepare,
    IssueLeaves: issue_leaves,
    RechainLeaves: rechain_leaves,
    AskForLeaves: ask_for_leaves,
    CollectLeaves: collect_leaves,
    AwaitIssuer: await_issuer,
    ForgetRequests: forget_requests,
    CorrectOrders: correct_orders,
}
