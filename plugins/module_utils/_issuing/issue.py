# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Issuing leaves into the Secrets where the operator will find and keep them (docs/operator.md, "Tried by hand", 5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .._kube.resources import SECRETS
from .._pki.certificates import Certificate, CertificateError, Chain, encode_certificates
from .._pki.keys import PrivateKey, generate_keys
from .._pki.requests import build_request
from .._strimzi import names
from .._strimzi.ca_secrets import CURRENT, KEY, private_key
from .._strimzi.errors import AuthorityUnavailable, LeafRefused
from .._strimzi.leaves import LeafSecret, expected_leaves, leaf_secrets
from .._strimzi.observe import Observation
from .._strimzi.secret_data import entries
from .._strimzi.work import Work
from .._strimzi.writes import (
    Write,
    WriteVerb,
    new_secret,
    secret_patch,
    version,
    write_all,
)
from .._trust.model.snapshot import Component
from .._trust.model.steps.leaves import IssueLeaves
from .acceptance import Acceptance, known_certificates, not_made
from .internal import InternalIssuer
from .issuer import IssuedCertificate, Issuer
from .subjects import LeafSubject, subject_of
from .wanted import wanted_names

_KEYS_AT_A_TIME = 8


def issue_leaves(step: IssueLeaves, observation: Observation, work: Work) -> None:
    """Issue each leaf, check it, and write it with the generation it belongs to.

    Raises AuthorityUnavailable when the CA's key is not at hand, LeafRefused when the issuer returned something else.
    """
    wanted = [leaf for leaf in _every_leaf(observation) if leaf.secret in step.secrets]
    phase = step.phase.value
    if work.dry_run:
        write_all(tuple(_planned(leaf, step, observation) for leaf in wanted), work, phase)
        return
    issuer = _issuer(step, observation, work)
    acceptance = Acceptance(step.issuer, known_certificates(observation.snapshot), work.clock.now())
    writes = tuple(
        _write(leaf, step, key, _obtain(leaf, key, issuer, acceptance, observation, work), observation)
        for leaf, key in zip(wanted, _keys(len(wanted), work), strict=True)
    )
    write_all(writes, work, phase)


def _keys(count: int, work: Work) -> Iterator[PrivateKey]:
    """So few at a time that the Lease does not run out meanwhile: primes for a hundred nodes take a minute or more."""
    for begun in range(0, count, _KEYS_AT_A_TIME):
        yield from generate_keys(work.settings.leaf_key, min(_KEYS_AT_A_TIME, count - begun))
        work.alive()


def _every_leaf(observation: Observation) -> tuple[LeafSecret, ...]:
    present = leaf_secrets(observation.scope, observation.secrets)
    expected = expected_leaves(observation.scope, observation.kafka, observation.snapshot.pods)
    return (*present, *(leaf for leaf in expected if leaf.secret not in observation.secrets))


def _planned(leaf: LeafSecret, step: IssueLeaves, observation: Observation) -> Write:
    verb = WriteVerb.UPDATE if leaf.secret in observation.secrets else WriteVerb.CREATE
    return Write(verb, SECRETS, leaf.secret, f"new leaf {leaf.entry}.crt of {step.issuer[0].subject}")


def _issuer(step: IssueLeaves, observation: Observation, work: Work) -> Issuer:
    """An issuer with the key of this CA. The key of the next CA lies beside that of the CA in use."""
    authority, secret = step.issuer, observation.scope.ca_key_secret
    stored = observation.secret(secret)
    for entry in (KEY, f"{authority[0].fingerprint}.key"):
        key = private_key(stored, entry)
        if key is not None and key.matches(authority[0]):
            return InternalIssuer(authority, key, observation.snapshot.now, work.settings.validity)
    raise AuthorityUnavailable(
        f"Secret {observation.scope.namespace}/{secret} does not hold the key of {authority[0].subject}.",
        "Put the key of this CA there as ca.key.",
    )


def _obtain(
    leaf: LeafSecret, key: PrivateKey, issuer: Issuer, acceptance: Acceptance, observation: Observation, work: Work
) -> IssuedCertificate:
    subject = _subject(leaf, observation)
    try:
        csr = build_request(subject.distinguished_name, subject.names, key)
        issued = issuer.poll(issuer.request(subject, csr, work.settings.validity))
    except CertificateError as error:
        raise not_made(leaf.secret, error) from None
    if issued is None:
        raise LeafRefused(f"The issuer has not issued the leaf for Secret {leaf.secret} yet.", "Run the flow again.")
    acceptance.refuse(issued, subject, key, leaf.secret)
    return issued


def _subject(leaf: LeafSecret, observation: Observation) -> LeafSubject:
    return subject_of(leaf.component, leaf.common_name, wanted_names(leaf, observation))


def _write(
    leaf: LeafSecret, step: IssueLeaves, key: PrivateKey, issued: IssuedCertificate, observation: Observation
) -> Write:
    existing = observation.secret(leaf.secret)
    chain = presented(leaf, issued.leaf, step.issuer, step.link, observation)
    data = {f"{leaf.entry}.crt": chain, f"{leaf.entry}.key": key.reveal()}
    annotations = {names.CLUSTER_CA_CERT_GENERATION: str(step.generation)}
    facts: Mapping[str, Any] = {
        "leaf": f"{issued.leaf.subject} {issued.leaf.sha256[:16]}",
        "generation": step.generation,
    }
    what = _planned(leaf, step, observation).what
    if existing is None:
        # The operator finds its leaves by their labels, and deletes those of nodes that it does not know.
        labels = observation.scope.leaf_labels(leaf.component is Component.KAFKA)
        body = new_secret(labels, leaf.secret, data, annotations)
        return Write(WriteVerb.CREATE, SECRETS, leaf.secret, what, body, before={}, after=facts)
    patch = secret_patch(data, dict(annotations))
    return Write(WriteVerb.UPDATE, SECRETS, leaf.secret, what, patch, version(existing), {}, facts)


def presented(
    leaf: LeafSecret, certificate: Certificate, issuer: Chain, link: Certificate | None, observation: Observation
) -> bytes:
    """The chain that is stored and presented. Nodes present the exact bytes of ca.crt behind the leaf, or the operator
    would issue it anew.

    All others present the leaf alone, unless its CA is trusted through other certificates only: a link certificate and
    the CA in use, or the chain of an intermediate CA.
    """
    current = entries(observation.secrets[observation.scope.ca_certificate_secret])[CURRENT]
    if link is not None:
        return certificate.pem + link.pem + current
    if leaf.component is Component.KAFKA:
        return certificate.pem + current
    return certificate.pem + (encode_certificates(issuer) if len(issuer) > 1 else b"")
