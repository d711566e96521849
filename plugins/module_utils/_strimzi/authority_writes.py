# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The writes of the authority face: preparing and promoting CAs."""

from __future__ import annotations

from dataclasses import dataclass

from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import SECRETS
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.authorities import (
    DistinguishedName,
    cross_certify,
    issue_root,
    renew_root,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import encode_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import PrivateKey, generate_key
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi import names
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.ca_secrets import (
    BRIDGE_SUFFIX,
    CURRENT,
    KEY,
    private_key,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.errors import AuthorityUnavailable
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.observe import Observation
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.secret_data import entries
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.trust_writes import certificate_write
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.work import Work
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.writes import (
    Write,
    WriteVerb,
    new_secret,
    secret_patch,
    version,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Chain
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import (
    PrepareAuthority,
    Promote,
    RestoreKey,
)


def prepare(step: PrepareAuthority, observation: Observation, work: Work) -> tuple[Write, ...]:
    """Certificate and key of the next CA in one write, so that a crash leaves both or neither."""
    name = observation.scope.ca_key_secret
    existing = observation.secret(name)
    what = _describe(step, work)
    if work.dry_run:
        # No key is generated for a prediction.
        return (Write(WriteVerb.UPDATE if existing else WriteVerb.CREATE, SECRETS, name, what),)
    made = next_authority(step, observation, work)
    chain, fingerprint = made.chain, made.chain[0].fingerprint
    data = {f"{fingerprint}.crt": encode_certificates(chain), f"{fingerprint}.key": made.key.reveal()}
    if made.bridge:
        data[f"{fingerprint}{BRIDGE_SUFFIX}"] = encode_certificates(made.bridge)
    facts = {"prepared": f"{chain[0].subject} {chain[0].sha256[:16]}"}
    if existing is None:
        body = new_secret(observation.scope.labels, name, data, {names.CA_KEY_GENERATION: "0"})
        return (Write(WriteVerb.CREATE, SECRETS, name, what, body, before={}, after=facts),)
    patch = secret_patch(data)
    return (Write(WriteVerb.UPDATE, SECRETS, name, what, patch, version(existing), before={}, after=facts),)


def _describe(step: PrepareAuthority, work: Work) -> str:
    if work.settings.supplied is not None:
        return f"prepare the supplied CA {work.settings.supplied.chain[0].subject}"
    if step.goal is Goal.RENEW:
        return f"prepare a renewed certificate for {step.replaces[0].subject}, same key"
    return f"prepare the CA cluster-ca v{step.generation} with a new key"


@dataclass(frozen=True, repr=False)
class NextAuthority:
    """A CA that does not issue yet. bridge: its key certified by the CA that it replaces; empty when it is not."""

    chain: Chain
    key: PrivateKey
    bridge: Chain = ()


def next_authority(step: PrepareAuthority, observation: Observation, work: Work) -> NextAuthority:
    """Raises AuthorityUnavailable when a key that it takes is not at hand."""
    chain, key = _authority(step, observation, work)
    if not step.bridged:
        return NextAuthority(chain, key)
    issuer, signing = step.replaces[0], _signing_key(step.replaces, observation)
    # From the issuer's first day: a verifier whose clock is behind ours is not to find it in the future.
    begin = issuer.not_before
    validity = min(issuer.not_after, chain[0].not_after) - begin
    bridge = cross_certify(chain[0], issuer, signing, not_before=begin, validity=validity)
    return NextAuthority(chain, key, (bridge, *step.replaces))


def _authority(step: PrepareAuthority, observation: Observation, work: Work) -> tuple[Chain, PrivateKey]:
    # The time of the decision: what a forecast goes on with is not to find it in the future.
    settings, now = work.settings, observation.snapshot.now
    if settings.supplied is not None:
        return settings.supplied.chain, settings.supplied.key
    if step.goal is not Goal.RENEW:
        key = generate_key(settings.ca_key)
        subject = DistinguishedName(f"cluster-ca v{step.generation}")
        root = issue_root(subject, key, not_before=now, validity=settings.validity, path_length=settings.path_length)
        return (root,), key
    current, held = step.replaces[0], _signing_key(step.replaces, observation)
    if current.subject_der != current.issuer_der:
        raise AuthorityUnavailable(
            f"{current.subject} is an intermediate CA; only its issuer {current.issuer} can renew it.",
            "Have it renewed there and supply certificate and private_key.",
        )
    return (renew_root(current, held, not_before=now, validity=settings.validity),), held


def _signing_key(chain: Chain, observation: Observation) -> PrivateKey:
    held = private_key(observation.secret(observation.scope.ca_key_secret), KEY)
    if held is None or not held.matches(chain[0]):
        raise AuthorityUnavailable(
            f"The key of {chain[0].subject} is not in Secret "
            f"{observation.scope.namespace}/{observation.scope.ca_key_secret}.",
            "Put it there as ca.key, or supply the next certificate and key.",
        )
    return held


def promote(step: Promote, observation: Observation) -> tuple[Write, ...]:
    """Key first, then certificate, generation and the old CA's new place in one write.

    Between the two the operator can issue nothing (key and certificate do not match) and touches nothing
    (operator-facts, user-managed CA, 6); the second write alone is what it acts on.
    """
    prepared = next(a for a in observation.snapshot.ca.prepared if a.fingerprint == step.fingerprint)
    chain = prepared.bridge if step.bridged else prepared.chain
    return (
        *_promote_key(prepared.fingerprint, prepared.chain, observation),
        _promote_certificate(step, chain, observation),
    )


def _promote_key(fingerprint: str, chain: Chain, observation: Observation) -> tuple[Write, ...]:
    ca, name = observation.snapshot.ca, observation.scope.ca_key_secret
    existing = observation.secrets[name]
    if ca.key == chain[0].public_key_sha256:
        return ()
    data = entries(existing)
    changed: dict[str, bytes | None] = {KEY: data[f"{fingerprint}.key"]}
    if ca.current and ca.key == ca.current[0].public_key_sha256:
        # Kept until its CA leaves the trust: the way back, and what certifies a bridge.
        changed[f"{ca.current[0].fingerprint}.key"] = data[KEY]
    what = f"{chain[0].subject} becomes the signing key"
    return (Write(WriteVerb.UPDATE, SECRETS, name, what, secret_patch(changed), version(existing)),)


def _promote_certificate(step: Promote, chain: Chain, observation: Observation) -> Write:
    ca, name = observation.snapshot.ca, observation.scope.ca_certificate_secret
    annotations = {names.CA_CERT_GENERATION: str(step.generation)}
    existing = observation.secret(name)
    what = f"{chain[0].subject} becomes the issuing CA, generation {step.generation}"
    facts = {"issuing": f"{chain[0].subject} {chain[0].sha256[:16]}", "generation": step.generation}
    if existing is None:
        body = new_secret(observation.scope.labels, name, {CURRENT: encode_certificates(chain)}, annotations)
        return Write(WriteVerb.CREATE, SECRETS, name, what, body, before={}, after=facts)
    changed: dict[str, bytes | None] = {CURRENT: encode_certificates(chain)}
    for key, other in ca.others.items():
        if other[0].fingerprint == chain[0].fingerprint:
            changed[key] = None
    if ca.current:
        changed[_retired_key(ca.current, ca.others)] = encode_certificates(ca.current)
    return certificate_write(existing, name, changed, dict(annotations), what)


def _retired_key(chain: Chain, others: object) -> str:
    """``ca-<notAfter>.crt`` (strimzi.md 1.1), unless another CA that ends at the same second has it."""
    key = chain[0].expired_name()
    taken = others.get(key) if isinstance(others, dict) else None
    return key if taken is None or taken[0].fingerprint == chain[0].fingerprint else f"{chain[0].fingerprint}.crt"


def restore_key(step: RestoreKey, observation: Observation) -> tuple[Write, ...]:
    """``ca.key`` is again that of ``ca.crt``; the prepared CA keeps its own beside it."""
    name = observation.scope.ca_key_secret
    existing = observation.secrets[name]
    patch = secret_patch({KEY: entries(existing)[f"{step.fingerprint}.key"]})
    what = f"{observation.snapshot.ca.current[0].subject} is the signing key again"
    return (Write(WriteVerb.UPDATE, SECRETS, name, what, patch, version(existing)),)
