# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""A certificate for names of the caller's own, in a Secret of the caller's own, from the CA in use.

The Secret contains it as PEM, and in further forms for programs in Java and for programs with a single file.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from typing import Any

from .._errors import StepError
from .._kube.resources import SECRETS, read_json
from .._leaves.trigger import ExistingLeaf, Question, Specification, due
from .._pki.building import DistinguishedName
from .._pki.certificates import Chain, encode_certificates, parse_certificates, readable_certificates
from .._pki.keys import PrivateKey, generate_key
from .._pki.keystores import jks_keystore, jks_truststore, pkcs12_keystore, pkcs12_truststore
from .._pki.usability import Purpose
from .._strimzi.apply.work import Work, Write, WriteVerb, new_secret, secret_patch, version, write_all
from .._strimzi.cluster.ca_secrets import KEY, private_key
from .._strimzi.cluster.leaves import holders_of_subjects
from .._strimzi.cluster.observe import Observation
from .._strimzi.cluster.subjects import LeafSubject, canonical
from .._strimzi.names import CLUSTER_LABEL, FORMS
from .._strimzi.secret_data import annotation, entries
from .._trust.model.ledger import TRUSTED_STATES
from .._trust.model.snapshot import IssuedBy
from .._trust.preconditions.cluster import wrong_clock
from .acceptance import Acceptance, known_certificates
from .issue import sign_here
from .issuer import IssuedCertificate
from .links import InternalIssuer


class Form(str, Enum):
    """A form in which programs read the certificate with its key, beside the PEM entries of each."""

    PKCS12 = "pkcs12"
    JKS = "jks"
    COMBINED = "combined"


#: The ends of the entries of these forms, after the common name: one Secret may contain several certificates.
_SUFFIXES = {
    Form.PKCS12: (".p12", ".truststore.p12"), Form.JKS: (".jks", ".truststore.jks"), Form.COMBINED: (".pem",),
}  # fmt: skip


@dataclass(frozen=True)
class OwnCertificate:
    """A certificate that a module keeps for its caller, outside the leaves of the cluster."""

    #: Name of the Secret with the certificate, in the namespace of the cluster.
    secret: str
    #: The common name of its subject. Its entries in the Secret begin with it too.
    common_name: str
    #: Its subject alternative names.
    names: frozenset[str]
    #: How long before its end it is renewed, at most half of its life.
    renew_before: timedelta
    #: The forms in which it is stored beside PEM.
    forms: frozenset[Form] = frozenset()

    @property
    def pem_entries(self) -> tuple[str, str, str]:
        """The names of the entries with the certificate and its chain, with its key, and with the trusted CAs."""
        return f"{self.common_name}.crt", f"{self.common_name}.key", "ca.crt"

    @property
    def password_entry(self) -> str:
        return f"{self.common_name}.password"

    def entries_of(self, forms: frozenset[Form]) -> tuple[str, ...]:
        """The names of the entries of these forms, without the entry of the password."""
        return tuple(sorted(f"{self.common_name}{suffix}" for form in forms for suffix in _SUFFIXES[form]))


def password_of(wanted: OwnCertificate, present: Mapping[str, bytes], observation: Observation) -> bytes:
    """The password of the keystores: the present password, or a new password; empty if none is needed."""
    if not wanted.forms & {Form.PKCS12, Form.JKS}:
        return b""
    password = present.get(wanted.password_entry)
    if password is None:
        return secrets.token_urlsafe(24).encode("ascii")
    if not (password and password.isascii() and password.decode("ascii").isprintable()):
        raise StepError(
            f"Secret {observation.scope.namespace}/{wanted.secret}:",
            f"entry {wanted.password_entry}, the password of its keystores, is empty or "
            "contains other characters than printable characters of ASCII, such as the end of a line",
            "Put another password there, or remove the entry; a new password is made then.",
        )
    return password


def encode_forms(
    wanted: OwnCertificate, chain: Chain, key: PrivateKey, trusted: bytes, password: bytes, now: datetime
) -> dict[str, bytes]:
    name = wanted.common_name
    aliases = {certificate.fingerprint: certificate for certificate in parse_certificates(trusted)}
    data = {wanted.password_entry: password} if password else {}
    if Form.PKCS12 in wanted.forms:
        data |= {
            f"{name}.p12": pkcs12_keystore(name, key, chain, password),
            f"{name}.truststore.p12": pkcs12_truststore(aliases, password),
        }
    if Form.JKS in wanted.forms:
        data |= {
            f"{name}.jks": jks_keystore(name, key, chain, password, now),
            f"{name}.truststore.jks": jks_truststore(aliases, password, now),
        }
    if Form.COMBINED in wanted.forms:
        data[f"{name}.pem"] = key.reveal() + encode_certificates(chain)
    return data


def records_of(stored: Any) -> dict[str, str]:
    """The records of further forms, by common names; none if they cannot be read."""
    records = read_json(annotation(stored, FORMS) or "{}")
    return {str(name): str(record) for name, record in records.items()} if isinstance(records, dict) else {}


def record_of(wanted: OwnCertificate, present: Mapping[str, bytes]) -> str:
    """A digest of the entries in further forms and of everything they are made of; empty if none is wanted. Opening
    keystores takes long. If a keystore was spoilt or the certificate beside it was changed, the digest differs.
    """
    if not wanted.forms:
        return ""
    digest = hashlib.sha256()
    for name in (*wanted.pem_entries, wanted.password_entry, *wanted.entries_of(wanted.forms)):
        content = present.get(name, b"")
        digest.update(f"{name}/{len(content)}/".encode() + content)
    return digest.hexdigest()


def have_certificate(wanted: OwnCertificate, observation: Observation, work: Work) -> tuple[Chain, str]:
    """The certificate with its chain (empty if a dry run would write), and why it was issued; empty if it was not.

    Raises StepError, KubeError.
    """
    if (wrong := wrong_clock(observation.snapshot)) is not None:
        raise wrong.as_error()
    _require_own_issuer(wanted, observation)
    _require_own_subject(wanted, observation)
    stored = work.client.get_or_none(SECRETS, work.scope.namespace, wanted.secret)
    _require_own(wanted, stored, observation)
    present, (certificate, own_key, authorities) = entries(stored), wanted.pem_entries
    password = password_of(wanted, present, observation)
    chain = readable_certificates(present.get(certificate, b""))
    key, trusted = private_key(stored, own_key), _trusted(observation)
    why = _why_issued(wanted, chain, key, observation)
    records = records_of(stored)
    made_before = records.pop(wanted.common_name, "")
    if not why and present.get(authorities) == trusted and made_before == record_of(wanted, present):
        return chain, ""
    issuer = _issuer(observation, work) if why else None
    if work.dry_run:
        write_all((_write(wanted, stored, {}, None, work),), work, "")
        return (), why
    data: dict[str, bytes | None] = {authorities: trusted}
    if issuer is not None:
        issued, key = _issue(wanted, issuer, observation, work)
        chain = (issued.leaf, *issued.chain)
        data |= {certificate: encode_certificates(chain), own_key: key.reveal()}
    if key is not None:
        data |= encode_forms(wanted, chain, key, trusted, password, work.clock.now())
    if made_before:
        data |= dict.fromkeys(set(wanted.entries_of(frozenset(Form) - wanted.forms)) & present.keys())
    stays = {name: content for name, content in {**present, **data}.items() if content is not None}
    records |= {wanted.common_name: record_of(wanted, stays)} if wanted.forms else {}
    write_all((_write(wanted, stored, data, json.dumps(records, sort_keys=True) if records else None, work),), work, "")
    return chain, why


def _require_own_issuer(wanted: OwnCertificate, observation: Observation) -> None:
    if observation.snapshot.issued_by is not IssuedBy.THIS_COLLECTION:
        raise StepError(
            "The User Operator",
            f"issues certificates of the {observation.snapshot.names.ca}, and a rotation of it would not know which "
            f"program uses the certificate in Secret {observation.scope.namespace}/{wanted.secret}",
            f"Make a KafkaUser {wanted.common_name} with the authentication tls.",
        )


def _require_own(wanted: OwnCertificate, stored: Any, observation: Observation) -> None:
    """Refuse Secrets that the cluster's processes or the operator read."""
    scope, labels = observation.scope, ((stored or {}).get("metadata") or {}).get("labels") or {}
    taken = {
        scope.ca_certificate_secret, scope.ca_key_secret, scope.trust_bundle_secret, scope.client_bundle_secret,
        *scope.ledger_secrets, *observation.snapshot.leaves.missing,
    }  # fmt: skip
    if wanted.secret in taken or CLUSTER_LABEL in labels:
        raise StepError(
            f"Secret {scope.namespace}/{wanted.secret}", "belongs to a Strimzi cluster", "Give a Secret of your own."
        )
    if wanted.common_name == "ca":
        raise StepError("common_name:", "the entry ca.crt contains the trusted CAs", "Give another common name.")


def _require_own_subject(wanted: OwnCertificate, observation: Observation) -> None:
    """Refuse the subject of a superuser: brokers know their superusers by the subject alone, whichever CA has issued
    the certificate (docs/operator.md, "Leaves").
    """
    cluster = observation.scope.cluster
    holder = holders_of_subjects(cluster).get(wanted.common_name)
    if holder is not None:
        raise StepError(
            f"common_name {wanted.common_name}",
            f"is that of the certificate of Strimzi's own {holder.value}: the "
            "holder of another certificate with it may do everything in Kafka cluster "
            f"{observation.scope.namespace}/{cluster}",
            "Give another common name.",
        )


def _trusted(observation: Observation) -> bytes:
    ledger = observation.snapshot.ledger_or_empty
    chains = [entry.chain for entry in ledger.entries if entry.state in TRUSTED_STATES] or [
        observation.snapshot.ca.current
    ]
    return b"".join(encode_certificates(chain) for chain in chains)


def _why_issued(wanted: OwnCertificate, chain: Chain, key: PrivateKey | None, observation: Observation) -> str:
    """The reason as a sentence without a full stop; empty if the certificate may stay."""
    if not chain:
        return "it is not there yet"
    current, subject = observation.snapshot.ca.current, _subject(wanted)
    if key is None:
        return "its key is not there"
    if chain[0].subject != subject.distinguished_name.text:
        return f"its subject is {chain[0].subject}"
    if not current:
        return "it is not of the CA in use"
    existing = ExistingLeaf(chain, key=key.public_key_sha256, above=current)
    specification = Specification(current, names=subject.names, purposes=subject.purposes)
    reason = due(Question(existing, specification, observation.snapshot.now, wanted.renew_before))
    return reason.explanation if reason else ""


def _subject(wanted: OwnCertificate) -> LeafSubject:
    """The subject of the certificate. With names it may serve; a server may be a client as well."""
    ends = frozenset(Purpose) if wanted.names else frozenset({Purpose.CLIENT})
    return LeafSubject(DistinguishedName(wanted.common_name), frozenset(map(canonical, wanted.names)), ends)


def _issuer(observation: Observation, work: Work) -> InternalIssuer:
    authority, secret = observation.snapshot.ca.current, observation.scope.ca_key_secret
    signing = private_key(observation.secret(secret), KEY)
    if not authority or signing is None or not authority[0].is_for(signing):
        raise StepError(
            f"Secret {work.scope.namespace}/{secret}",
            "does not contain the key of the CA in use",
            "Put it there as ca.key, or have the certificate issued where the key is.",
        )
    return InternalIssuer(authority, signing, observation.snapshot.now, work.validity(observation))


def _issue(
    wanted: OwnCertificate, issuer: InternalIssuer, observation: Observation, work: Work
) -> tuple[IssuedCertificate, PrivateKey]:
    subject, key = _subject(wanted), generate_key(work.wishes.issuing.leaf_key)
    acceptance = Acceptance(observation.snapshot.ca.current, known_certificates(observation.snapshot), work.clock.now())
    return sign_here(subject, key, issuer, acceptance, wanted.secret), key


def _write(
    wanted: OwnCertificate, stored: object, data: Mapping[str, bytes | None], record: str | None, work: Work
) -> Write:
    """The write of the Secret, with the record of the further forms of each certificate; the record is None if there
    are none.
    """
    what = f"certificate {wanted.common_name}.crt"
    if not isinstance(stored, dict):
        content = {name: value for name, value in data.items() if value is not None}
        body = new_secret({}, wanted.secret, content, {FORMS: record} if record else {})
        return Write(WriteVerb.CREATE, SECRETS, wanted.secret, what, body)
    patch = secret_patch(data, {FORMS: record})
    return Write(WriteVerb.UPDATE, SECRETS, wanted.secret, what, patch, version(stored))
