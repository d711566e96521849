# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Issuing leaves into the Secrets where the operator will find and keep them (operator-facts, user-managed CA, 5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.acceptance import refusals
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.internal import InternalIssuer
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.issuer import IssuedCertificate, Issuer
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.subjects import LeafSubject, subject_of
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.wanted import wanted_names
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import SECRETS
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import PrivateKey, generate_keys
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.requests import build_request
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi import names
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.actions import Action
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.ca_secrets import CURRENT, KEY, private_key
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.errors import AuthorityUnavailable, LeafRefused
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.leaves import LeafSecret, leaf_secrets
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.observe import Observation
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.secret_data import entries
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.work import Work
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.writes import (
    Write,
    WriteVerb,
    secret_patch,
    version,
    write_all,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import IssueLeaves


def carry_out_issue(step: IssueLeaves, observation: Observation, work: Work) -> list[Action]:
    """Issue each leaf from the current CA, check it, and write it with the generation it belongs to.

    Raises AuthorityUnavailable when the CA's key is not at hand, LeafRefused when the issuer returned something else.
    """
    wanted = [leaf for leaf in leaf_secrets(observation.scope, observation.secrets) if leaf.secret in step.secrets]
    phase = step.phase.value
    if work.dry_run:
        return [_planned(leaf, step).action(work.scope.namespace, phase) for leaf in wanted]
    issuer = _issuer(observation, work)
    keys = generate_keys(work.settings.leaf_key, len(wanted))
    writes = tuple(
        _write(leaf, step, key, _obtain(leaf, key, issuer, observation, work), observation)
        for leaf, key in zip(wanted, keys, strict=True)
    )
    return write_all(writes, work, phase)


def _planned(leaf: LeafSecret, step: IssueLeaves) -> Write:
    return Write(WriteVerb.UPDATE, SECRETS, leaf.secret, f"new leaf {leaf.entry}.crt, generation {step.generation}")


def _issuer(observation: Observation, work: Work) -> Issuer:
    authority = observation.snapshot.ca.current
    secret = observation.scope.ca_key_secret
    key = private_key(observation.secret(secret), KEY)
    if key is None or not key.matches(authority[0]):
        raise AuthorityUnavailable(
            f"Secret {observation.scope.namespace}/{secret} does not hold the key of {authority[0].subject}.",
            "Put the key of the issuing CA there as ca.key.",
        )
    return InternalIssuer(authority, key, observation.snapshot.now, work.settings.validity)


def _obtain(
    leaf: LeafSecret, key: PrivateKey, issuer: Issuer, observation: Observation, work: Work
) -> IssuedCertificate:
    subject = _subject(leaf, observation)
    csr = build_request(subject.distinguished_name, subject.names, key)
    issued = issuer.poll(issuer.request(subject, csr, work.settings.validity))
    if issued is None:
        raise LeafRefused(f"The issuer has not issued the leaf for Secret {leaf.secret} yet.", "Run the flow again.")
    problems = list(refusals(issued, subject, key, observation.snapshot.ca.current[0], work.clock.now()))
    if problems:
        raise LeafRefused(
            f"The leaf issued for Secret {leaf.secret} is refused: {'; '.join(problems)}.",
            "Correct the issuer; nothing was written to this Secret.",
        )
    return issued


def _subject(leaf: LeafSecret, observation: Observation) -> LeafSubject:
    return subject_of(leaf.component, leaf.common_name, wanted_names(leaf, observation))


def _write(
    leaf: LeafSecret, step: IssueLeaves, key: PrivateKey, issued: IssuedCertificate, observation: Observation
) -> Write:
    existing = observation.secrets[leaf.secret]
    data = {f"{leaf.entry}.crt": presented(leaf, issued.leaf, observation), f"{leaf.entry}.key": key.reveal()}
    patch = secret_patch(data, {names.CLUSTER_CA_CERT_GENERATION: str(step.generation)})
    facts: Mapping[str, Any] = {
        "leaf": f"{issued.leaf.subject} {issued.leaf.sha256[:16]}",
        "generation": step.generation,
    }
    plan = _planned(leaf, step)
    return Write(plan.verb, plan.resource, plan.name, plan.what, patch, version(existing), {}, facts)


def presented(leaf: LeafSecret, certificate: Certificate, observation: Observation) -> bytes:
    """Nodes present the leaf followed by the exact bytes of ca.crt; everything else the leaf alone (strimzi.md 1.4),
    unless its CA is only trusted through what stands above it: then a verifier may need that."""
    if leaf.component is not Component.KAFKA and len(observation.snapshot.ca.current) == 1:
        return certificate.pem
    return certificate.pem + entries(observation.secrets[observation.scope.ca_certificate_secret])[CURRENT]
