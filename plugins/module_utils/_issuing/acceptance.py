# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The checks of a certificate from an issuer. No other code sees it before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from itertools import chain
from typing import TypeAlias

from .._errors import CertificateError, StepError
from .._pki.certificates import Certificate, Chain
from .._pki.keys import PrivateKey
from .._pki.paths import constraint_problem, date_problem, validate_path
from .._pki.usability import KeyPolicy, leaf_defects
from .._pki.verifiers import named_verifiers
from .._strimzi.cluster.subjects import LeafSubject
from .._trust.model.names import named
from .._trust.model.snapshot import Snapshot
from .issuer import IssuedCertificate

#: The issuer's name, its key as the certificate names it (authorityKeyIdentifier), and the serial number.
_Number: TypeAlias = tuple[bytes, bytes | None, int]


def refuse_unmakeable(secret: str, why: CertificateError) -> StepError:
    """The error about an impossible certificate, for the Secret that would have stored it."""
    return StepError(
        f"No certificate can be made for Secret {secret}:",
        str(why),
        "Correct the name or the date that this is about; nothing was written to this Secret.",
    )


@dataclass(frozen=True)
class Acceptance:
    """The conditions under which an issued certificate is accepted."""

    #: The CA to issue the certificate, and the CAs above it: a client may trust these alone.
    issuer: Chain
    #: Earlier certificates, the oldest first, because a serial number belongs to the first.
    known: tuple[Certificate, ...]
    #: The time of its use.
    at: datetime
    #: The caller's rules for it; None if there are none.
    policy: KeyPolicy | None = None

    @cached_property
    def _earlier_certificates(self) -> Mapping[_Number, Certificate]:
        """The first of each issuer and serial number; one look-up serves every leaf of a call."""
        by_number: dict[_Number, Certificate] = {}
        for certificate in self.known:
            by_number.setdefault(_number_of(certificate), certificate)
        return by_number

    @cached_property
    def _namesake(self) -> Certificate | None:
        """A CA with the name of the issuer and another key."""
        own = self.issuer[0]
        same = (
            certificate
            for certificate in self.known
            if certificate.is_ca and certificate.folded_subject == own.folded_subject
        )
        return next(
            (certificate for certificate in same if certificate.public_key_sha256 != own.public_key_sha256), None
        )

    def refuse(self, issued: IssuedCertificate, subject: LeafSubject, key: PrivateKey, secret: str) -> None:
        """Raises StepError if this certificate must not be used. It would be stored in this Secret."""
        problems = list(self.refusals(issued, subject, key))
        if problems:
            raise StepError(
                f"The certificate issued for Secret {secret}",
                f"is refused: {'; '.join(problems)}",
                "Correct the issuer; nothing was written to this Secret.",
            )

    def refusals(self, issued: IssuedCertificate, subject: LeafSubject, key: PrivateKey) -> Iterator[str]:
        """The reasons why this certificate must not be used; none if it may be."""
        leaf = issued.leaf
        if not leaf.is_for(key):
            yield "it does not carry the requested public key"
        # As text: if an issuer writes a name again, it takes other string types. No verifier compares string types (RFC
        # 5280 section 7.1).
        if leaf.subject != subject.distinguished_name.text:
            yield f"its subject is {leaf.subject}"
        # The operator compares names of other kinds too (docs/operator.md, "Re-issue" (c)).
        if leaf.subject_alternative_names != subject.names or leaf.has_names_of_other_kinds:
            yield "its alternative names are not the requested names"
        if leaf.is_ca:
            yield "it is a CA certificate"
        for defect in leaf_defects(leaf, subject.purposes):
            refusing = named_verifiers(defect.verifiers)
            yield f"it {defect.cause}, and {refusing} refuse it; give a certificate {defect.wanted}"
        # As openssl writes it by issuer:always.
        if leaf.authority_serial_number is not None:
            yield (
                "it names the serial number of its issuer's certificate (authority key identifier), which neither a "
                "renewal of that CA nor its link certificate has, so JVMs or OpenSSL would refuse it then; have it "
                "name the key identifier alone (authorityKeyIdentifier = keyid)"
            )
        if self.policy is not None:
            yield from (f"it has {breach}, by the rules of {self.policy.name}" for breach in self.policy.breaches(leaf))
        # A CA gives no serial number twice (RFC 5280 section 4.1.2.2).
        other = self._earlier_certificates.get(_number_of(leaf), leaf)
        if other != leaf:
            yield f"its issuer has given its serial number to {other.subject} before"
        if timedelta(0) < leaf.not_after - self.at <= subject.outlasts:
            yield (
                f"it ends on {leaf.not_after:%Y-%m-%d}, and from {subject.outlasts.days} days before that on "
                "(renewalDays) the operator would try to issue another certificate; have it signed for longer, or give "
                "a lower renewalDays"
            )
        result = validate_path((leaf, *issued.chain), self.issuer[:1], at=self.at)
        if problem := result.reason or self._why_outside_dates(issued) or constraint_problem(leaf, self.issuer):
            yield f"{problem}{self._describe_signer(issued)}"
        elif not leaf.signed_by(self.issuer[0]):
            # Nodes present the chain of the CA behind a leaf, and nothing in between (``issue.presented``).
            yield f"it is signed by {leaf.issuer}, a CA below {self.issuer[0].subject} that the certificate chain lacks"
        elif self._namesake is not None and leaf.authority_key_identifier != self.issuer[0].subject_key_identifier:
            yield (
                f"it does not name the key of its issuer {named(self.issuer[0])} (authority key identifier), and "
                f"{named(self._namesake)} has the same name: OpenSSL (librdkafka) could not tell which of the two has "
                "signed it"
            )

    def _why_outside_dates(self, issued: IssuedCertificate) -> str:
        """Why the issuing CA is not valid at the time of use, as a sentence without a full stop; empty if it is. A JVM
        does not look at the dates of this CA, but other verifiers do. If the chain in the answer has a valid renewal of
        the CA, the dates of the renewal count.
        """
        own = self.issuer[0]
        renewed = (above for above in issued.chain if above.is_twin_of(own) and not date_problem(above, self.at))
        if any(validate_path((issued.leaf,), (above,), at=self.at).valid for above in renewed):
            return ""
        return date_problem(own, self.at)

    def _describe_signer(self, issued: IssuedCertificate) -> str:
        """The other CA behind the signature, as far as the answer tells it: the issuer may have changed. The text only
        names that CA: no program trusts the CA because of it.
        """
        leaf, wanted = issued.leaf, self.issuer[0]
        same_name = leaf.issuer_der == wanted.subject_der
        if leaf.signed_by(wanted) or (same_name and leaf.bears_signature_of(wanted)):
            return ""
        signer = next((certificate for certificate in issued.chain if leaf.signed_by(certificate)), None)
        which = f"{leaf.issuer}, SHA-256 {signer.sha256}" if signer else leaf.issuer
        meant = f"{wanted.subject}, SHA-256 {wanted.sha256}" if same_name else wanted.subject
        return (
            f" (it is signed by {which}, and was to be by {meant}; where that is meant, put that CA into the source "
            "that ca_source names, or replace the CA in use by it as certificate)"
        )


def _number_of(certificate: Certificate) -> _Number:
    return certificate.issuer_der, certificate.authority_key_identifier, certificate.serial_number


@dataclass(frozen=True)
class Acceptances:
    """Keeps one Acceptance per CA. Each reads all known certificates once and then judges all leaves."""

    #: Earlier certificates, the oldest first.
    known: tuple[Certificate, ...]
    #: The time of the leaves' use.
    at: datetime
    #: The caller's rules for each leaf; None if there are none.
    policy: KeyPolicy | None = None

    def of(self, issuer: Chain) -> Acceptance:
        return self._by_authority.setdefault(issuer, Acceptance(issuer, self.known, self.at, self.policy))

    @cached_property
    def _by_authority(self) -> dict[Chain, Acceptance]:
        return {}


def known_certificates(snapshot: Snapshot) -> tuple[Certificate, ...]:
    """The stored CAs and leaves of a cluster."""
    prepared = (authority.chain for authority in snapshot.ca.prepared)
    leaves = (leaf.chain or () for leaf in snapshot.every_leaf)
    return tuple(chain.from_iterable((snapshot.ca.current, *snapshot.ca.other_entries.values(), *prepared, *leaves)))
