# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Writes about CAs: the next CA, made from the keys at hand or taken from the caller; preparing it; switching the
operator to it; tidying up; the ledger's CAs in the CA certificate Secret; and the bundle of trusted CAs for clients.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ..._errors import CertificateError, StepError
from ..._kube.resources import SECRETS
from ..._pki.building import BACKDATED, DistinguishedName, issue_root, renew_root
from ..._pki.certificates import Certificate, Chain, encode_certificates, parse_chain
from ..._pki.keys import PrivateKey, generate_key, placeholder
from ..._pki.keystores import jks_truststore, pkcs12_truststore
from ..._trust.model.authority_order import AuthorityOrder
from ..._trust.model.goals import Goal
from ..._trust.model.ledger import NO_FLOW_OPTIONS, FlowOptions
from ..._trust.model.names import counted
from ..._trust.model.snapshot import LinkCertificates
from ..._trust.model.steps.authority import (
    PrepareAgain,
    PrepareAuthority,
    PutBack,
    RaiseKeyGeneration,
    RestoreKey,
    Switch,
    TidyKeys,
)
from ..._trust.model.steps.trust import Project, Publish, Withdraw
from .. import names
from ..cluster.ca_secrets import (
    CURRENT,
    JKS,
    KEY,
    LINK_SUFFIX,
    PASSWORD,
    PEM,
    PKCS12,
    encode_links,
    private_key,
    truststore_entries,
)
from ..cluster.observe import Observation
from ..ledger.entries import record_marks
from ..names import ClusterNames
from ..secret_data import entries
from .work import Work, Write, WriteVerb, new_secret, public_fact, secret_patch, version


def project(step: Project, observation: Observation) -> tuple[Write, ...]:
    """Put each CA under an entry of its own: a bundle of unrelated CAs in one key is rejected (docs/operator.md,
    "User-managed CA").
    """
    added = {f"{chain[0].fingerprint}.crt": encode_certificates(chain) for chain in step.chains}
    subjects = ", ".join(chain[0].subject for chain in step.chains)
    return _edit_certificates(observation, dict(added), f"trust {subjects}")


def withdraw(step: Withdraw, observation: Observation) -> tuple[Write, ...]:
    leaving = {
        key: None for key, chain in observation.snapshot.ca.other_entries.items() if chain[0] == step.certificate
    }
    if not leaving:
        return ()
    return _edit_certificates(observation, dict(leaving), f"stop trusting {step.certificate.subject}")


def write_bundle(observation: Observation) -> tuple[Write, ...]:
    """Write the first certificate of every entry, as the operator does (docs/operator.md, "Trust bundle")."""
    ca, name = observation.snapshot.ca, observation.scope.trust_bundle_secret
    anchors = [chain[0] for chain in (ca.current, *ca.other_entries.values()) if chain]
    facts = {"trusted": sorted(map(public_fact, anchors))}
    patch = secret_patch({observation.scope.bundle_entry: encode_certificates(anchors)})
    what = f"trust {counted(len(anchors), 'CA')}"
    return (Write(WriteVerb.UPDATE, SECRETS, name, what, patch, version(observation.secrets[name]), {}, facts),)


def _edit_certificates(observation: Observation, changed: dict[str, bytes | None], what: str) -> tuple[Write, ...]:
    name = observation.scope.ca_certificate_secret
    existing = observation.secrets[name]
    return (certificate_write(existing, name, changed, {}, what),)


def certificate_write(
    existing: Mapping[str, Any],
    name: str,
    changed: dict[str, bytes | None],
    annotations: Mapping[str, str | None],
    what: str,
) -> Write:
    """An update of the CA certificate Secret. A PKCS#12 truststore beside its PEM entries follows them."""
    present = entries(existing)
    merged = {key: value for key, value in {**present, **changed}.items() if value is not None}
    patch = secret_patch({**changed, **truststore_entries(present, merged)}, annotations)
    before, after = _entry_facts(present), _entry_facts(merged)
    return Write(WriteVerb.UPDATE, SECRETS, name, what, patch, version(existing), before, after)


def _entry_facts(data: Mapping[str, bytes]) -> dict[str, list[str]]:
    return {"entries": sorted(key for key in data if key.endswith(".crt"))}


def prepare(step: PrepareAuthority, made: NextAuthority | None, observation: Observation) -> tuple[Write, ...]:
    """Certificate, key and link certificates of the next CA in one write: a crash leaves all or nothing. For a
    prediction nothing is made, and ``made`` is None.
    """
    name = observation.scope.ca_key_secret
    existing = observation.secret(name)
    what = _describe_preparation(step, observation.scope)
    if made is None:
        return (Write(WriteVerb.UPDATE if existing else WriteVerb.CREATE, SECRETS, name, what),)
    chain, fingerprint = made.chain, made.chain[0].fingerprint
    key = placeholder(chain[0].public_key_sha256).encode("ascii") if made.key is None else made.key.reveal()
    data = {f"{fingerprint}.crt": encode_certificates(chain), f"{fingerprint}.key": key}
    if made.links is not None:
        data[f"{fingerprint}{LINK_SUFFIX}"] = encode_links(made.links)
    facts = {"prepared": public_fact(chain[0])}
    # The journal records the options when the CA is enrolled. If a call is killed before that, they stand here.
    options = FlowOptions(observation.snapshot.outside_clients.named_places, step.stop, step.precedes_replacement)
    marks = record_marks(options, step.beginning, existing)
    if existing is None:
        annotations = {mark: text for mark, text in marks.items() if text is not None}
        body = new_secret(observation.scope.labels, name, data, {names.CA_KEY_GENERATION: "0", **annotations})
        return (Write(WriteVerb.CREATE, SECRETS, name, what, body, before={}, after=facts),)
    patch = secret_patch(data, marks)
    return (Write(WriteVerb.UPDATE, SECRETS, name, what, patch, version(existing), before={}, after=facts),)


def prepare_again(step: PrepareAgain, observation: Observation) -> tuple[Write, ...]:
    """The write of the certificate beside the kept key. After a renewal this is the key in use."""
    name, fingerprint = observation.scope.ca_key_secret, step.chain[0].fingerprint
    existing = observation.secrets[name]
    kept = entries(existing)
    data = {f"{fingerprint}.crt": encode_certificates(step.chain)}
    if f"{fingerprint}.key" not in kept:
        data[f"{fingerprint}.key"] = kept[KEY]
    what = f"{step.chain[0].subject} is to be used again"
    return (Write(WriteVerb.UPDATE, SECRETS, name, what, secret_patch(data), version(existing)),)


def _describe_preparation(step: PrepareAuthority, scope: ClusterNames) -> str:
    if step.supplied:
        return f"prepare the supplied CA {step.supplied[0].subject}"
    if step.goal is Goal.RENEW:
        return f"prepare a renewed certificate for {step.replaces[0].subject}, same key"
    return f"prepare the CA {scope.ca_common_name} v{step.generation} with a new key"


_END = b"-----END CERTIFICATE-----"


def switch(step: Switch, observation: Observation) -> tuple[Write, ...]:
    """The writes of the switch: key first, then certificate, generation and the replaced CA's place in one write.

    Between the two writes key and certificate do not match. Even if the operator is not paused, it issues nothing then,
    and changes nothing (docs/operator.md, "Tried by hand", 6).
    """
    return (*_switch_key(step, observation), _switch_certificate(step, observation))


def _switch_key(step: Switch, observation: Observation) -> tuple[Write, ...]:
    ca, name = observation.snapshot.ca, observation.scope.ca_key_secret
    existing, chain = observation.secrets[name], step.authority.chain
    if ca.key == chain[0].public_key_sha256:
        return ()
    data = entries(existing)
    changed: dict[str, bytes | None] = {KEY: _kept_key(step.authority.chain[0], observation)}
    if ca.current and ca.key == ca.current[0].public_key_sha256:
        # The old key is kept until its CA leaves the ledger, for the way back.
        changed[f"{ca.current[0].fingerprint}.key"] = data[KEY]
    what = f"{chain[0].subject} becomes the signing key"
    patch = secret_patch(changed, {names.CA_KEY_GENERATION: str(step.key_generation)})
    return (Write(WriteVerb.UPDATE, SECRETS, name, what, patch, version(existing)),)


def _kept_key(authority: Certificate, observation: Observation) -> bytes:
    """The entry with the key of an unused CA. Raises StepError."""
    name, entry = observation.scope.ca_key_secret, f"{authority.fingerprint}.key"
    kept = entries(observation.secrets[name]).get(entry)
    if kept is None:
        raise StepError(
            f"Secret {observation.scope.namespace}/{name}",
            f"has no entry {entry}, the key of {authority.subject}",
            "Find the program or person that removed it, and put it back from a backup; or give the flow up with the "
            "abort playbook.",
        )
    return kept


def _switch_certificate(step: Switch, observation: Observation) -> Write:
    ca, name, chain = observation.snapshot.ca, observation.scope.ca_certificate_secret, step.authority.chain
    annotations = {observation.scope.certificate_generation: str(step.generation)}
    existing = observation.secret(name)
    what = f"{chain[0].subject} becomes the operator's CA, generation {step.generation}"
    facts = {"issuing": public_fact(chain[0]), "generation": step.generation}
    if existing is None:
        first = {names.CA_CERT_GENERATION: str(step.generation), **annotations}
        body = new_secret(observation.scope.labels, name, {CURRENT: encode_certificates(chain)}, first)
        return Write(WriteVerb.CREATE, SECRETS, name, what, body, before={}, after=facts)
    gone = {chain[0], step.leaving}
    changed: dict[str, bytes | None] = {key: None for key, other in ca.other_entries.items() if other[0] in gone}
    changed[CURRENT] = encode_certificates(chain)
    if ca.current and ca.current[0] != step.leaving:
        changed[_retired_key(ca.current, ca.other_entries)] = encode_certificates(ca.current)
    return certificate_write(existing, name, changed, dict(annotations), what)


def _retired_key(chain: Chain, others: Mapping[str, Chain]) -> str:
    """``ca-<notAfter>.crt``, as the operator names it, unless a CA that ends in the same second has that name."""
    key = chain[0].expired_name()
    taken = others.get(key)
    return key if taken is None or taken[0] == chain[0] else f"{chain[0].fingerprint}.crt"


def restore_key(step: RestoreKey, observation: Observation) -> tuple[Write, ...]:
    """Make ``ca.key`` the key of ``ca.crt`` again; the prepared CA keeps its own key beside it."""
    name = observation.scope.ca_key_secret
    existing = observation.secrets[name]
    kept = {KEY: _kept_key(step.certificate, observation)}
    patch = secret_patch(kept, {names.CA_KEY_GENERATION: str(step.key_generation)})
    what = f"{step.certificate.subject} is the signing key again"
    return (Write(WriteVerb.UPDATE, SECRETS, name, what, patch, version(existing)),)


def put_back(step: PutBack, observation: Observation) -> tuple[Write, ...]:
    """The writes that put the other CA back. First the CA in ``ca.crt`` becomes a prepared CA, with its key. Then the
    other CA takes its place again. ``ca.key`` stays as it is, because the other CA's key may be lost. The operator
    needs it for a new leaf only, and every stored leaf is of this generation (docs/operator.md, "Tried by hand", 5 and
    6).
    """
    scope, there = observation.scope, observation.snapshot.ca.current
    keys, certificates = observation.secrets[scope.ca_key_secret], observation.secrets[scope.ca_certificate_secret]
    entry, text = f"{there[0].fingerprint}.crt", encode_certificates(there)
    kept: dict[str, bytes | None] = {entry: text, f"{there[0].fingerprint}.key": entries(keys)[KEY]}
    options = FlowOptions(observation.snapshot.outside_clients.named_places, step.stop)
    marks = record_marks(options, step.beginning, keys)
    patch = secret_patch(kept, {names.CA_KEY_GENERATION: str(step.key_generation), **marks})
    what = f"keep {there[0].subject} as the next CA"
    again = {key: None for key, chain in observation.snapshot.ca.other_entries.items() if chain[0] == step.chain[0]}
    changed: dict[str, bytes | None] = {**again, CURRENT: _bytes_behind_leaves(step.chain, observation), entry: text}
    generation = {scope.certificate_generation: str(step.generation)}
    back = f"{step.chain[0].subject} is the operator's CA again, generation {step.generation}"
    return (
        Write(WriteVerb.UPDATE, SECRETS, scope.ca_key_secret, what, patch, version(keys)),
        certificate_write(certificates, scope.ca_certificate_secret, changed, dict(generation), back),
    )


def _bytes_behind_leaves(chain: Chain, observation: Observation) -> bytes:
    """The earlier bytes of ``ca.crt`` with this chain, as they stand behind the leaves of nodes: with any other bytes
    the operator would issue the leaves again (docs/operator.md, "Re-issue", (e)).
    """
    for leaf in observation.snapshot.leaves.stored:
        behind = entries(observation.secrets[leaf.secret]).get(leaf.key, b"")
        # Between the leaf and the chain there may be link certificates.
        while _END in behind:
            _before, _end, behind = behind.partition(_END)
            with suppress(CertificateError):
                if parse_chain(behind.lstrip()) == chain:
                    return behind.removeprefix(b"\n")
    return encode_certificates(chain)


def raise_key_generation(step: RaiseKeyGeneration, observation: Observation) -> tuple[Write, ...]:
    """Raise the key generation in the key Secret. The pods get it in the same pause by stamps, because they trust this
    key already.
    """
    name = observation.scope.ca_key_secret
    patch = secret_patch({}, {names.CA_KEY_GENERATION: str(step.generation)})
    what = f"key generation {step.generation}, as the CA's name says"
    return (Write(WriteVerb.UPDATE, SECRETS, name, what, patch, version(observation.secrets[name])),)


def tidy_keys(step: TidyKeys, observation: Observation) -> tuple[Write, ...]:
    name = observation.scope.ca_key_secret
    existing = observation.secrets[name]
    keys = [f"{fp}.crt" for fp in step.prepared] + [f"{fp}{LINK_SUFFIX}" for fp in step.links]
    keys += [f"{fp}.key" for fp in step.prepared | step.kept_keys]
    gone: dict[str, bytes | None] = {key: None for key in keys if key in entries(existing)}
    if not gone:
        return ()
    marks = record_marks(NO_FLOW_OPTIONS, None, existing) if step.prepared else {}
    what = "remove keys that are no longer needed"
    return (Write(WriteVerb.UPDATE, SECRETS, name, what, secret_patch(gone, marks), version(existing)),)


def publish(step: Publish, observation: Observation, now: datetime) -> tuple[Write, ...]:
    """The bundle in all forms in one write: no client reads two states of it."""
    name = observation.scope.client_bundle_secret
    existing = observation.secret(name)
    certificates = _each_once(step)
    password = entries(existing).get(PASSWORD) or secrets.token_urlsafe(24).encode("ascii")
    aliases = {certificate.fingerprint: certificate for certificate in certificates}
    data = {
        PEM: encode_certificates(certificates),
        PKCS12: pkcs12_truststore(aliases, password),
        JKS: jks_truststore(aliases, password, now),
        PASSWORD: password,
    }
    what = f"publish {len(certificates)} trusted certificates to clients"
    facts = {"published": [public_fact(certificate) for certificate in certificates]}
    if existing is None:
        body = new_secret(observation.scope.labels, name, data, {})
        return (Write(WriteVerb.CREATE, SECRETS, name, what, body, before={}, after=facts),)
    return (Write(WriteVerb.UPDATE, SECRETS, name, what, secret_patch(dict(data)), version(existing), {}, facts),)


def _each_once(step: Publish) -> tuple[Certificate, ...]:
    certificates = {certificate.fingerprint: certificate for chain in step.chains for certificate in chain}
    return tuple(certificates.values())


@dataclass(frozen=True, repr=False)
class NextAuthority:
    """A CA that does not issue yet."""

    #: The CA, with the CAs above it.
    chain: Chain
    #: Its private key; None if the key is kept elsewhere.
    key: PrivateKey | None
    #: The certificates by which this CA and the replaced CA certify each other; None if there are none.
    links: LinkCertificates | None = None


def next_authority(order: AuthorityOrder, observation: Observation, work: Work) -> NextAuthority:
    """Make the next CA, without its link certificates. Raises StepError if the cluster does not keep a needed key."""
    chain, key = _make_authority(order, observation, work)
    return NextAuthority(chain, key)


def _make_authority(order: AuthorityOrder, observation: Observation, work: Work) -> tuple[Chain, PrivateKey | None]:
    # The time of the decision: the later steps of a forecast do not find the CA in the future.
    new_ca, begin = work.wishes.new_ca, observation.snapshot.now - BACKDATED
    validity = work.validity(observation) + BACKDATED
    if order.supplied:
        # A renewal has the key of the CA in use. It may be here although the caller does not give it.
        return order.supplied, work.supplied_key or _stored_key(order.supplied, observation)
    if order.goal is not Goal.RENEW:
        key = generate_key(new_ca.made_key)
        # If an issuer certifies it, the issuer writes its name again.
        subject = DistinguishedName(
            f"{observation.scope.ca_common_name} v{order.generation}",
            outlives_rewriting=order.links is not None and bool(order.links.issuer),
        )
        root = issue_root(subject, key, not_before=begin, validity=validity, path_length=new_ca.made_path_length)
        return (root,), key
    current, key = order.replaces[0], signing_key(order.replaces, observation)
    if not current.is_root:
        raise StepError(
            current.subject,
            f"is an intermediate CA; only its issuer {current.issuer} can renew it",
            "Have it renewed there and supply certificate and private_key.",
        )
    # A certificate begins with a whole second.
    validity = max(validity, (order.at_least_until or begin) - begin.replace(microsecond=0))
    return (renew_root(current, key, not_before=begin, validity=validity, path_length=order.path_length),), key


def _stored_key(chain: Chain, observation: Observation) -> PrivateKey | None:
    key = private_key(observation.secret(observation.scope.ca_key_secret), KEY)
    return key if key is not None and chain[0].is_for(key) else None


def signing_key(chain: Chain, observation: Observation) -> PrivateKey:
    """The key of a CA in use. Raises StepError."""
    key = _stored_key(chain, observation)
    if key is None:
        raise StepError(
            f"The key of {chain[0].subject}",
            f"is not in Secret {observation.scope.namespace}/{observation.scope.ca_key_secret}",
            "Put it there as ca.key, or supply the next certificate, with its key, or without if the key is kept "
            "elsewhere.",
        )
    return key
