# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The record of the next certificate of an end entity."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.name import _ASN1Type

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import CertificateError
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.building import (
    BACKDATED,
    DistinguishedName,
    authority_generation,
    common_name_problem,
    cross_certify,
    issue_root,
    make_double,
    renew_root,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate

from ...tools.support.certificates import NOW, YEAR, Entity, key, leaf, make, rsa_key
from ...tools.support.constrained import ANOTHER_POLICY, POLICY, names, policies
from ...tools.support.pages import page_says
from .._issuing.openssl import verify

SUBJECT = DistinguishedName("cluster-ca v0")


def extensions(certificate: Certificate) -> dict[str, bool]:
    parsed = x509.load_der_x509_certificate(certificate.der).extensions
    return {one.oid._name: one.critical for one in parsed}


def test_root_has_the_form_of_strimzi() -> None:
    root = issue_root(SUBJECT, rsa_key(2048), not_before=NOW.replace(microsecond=7), validity=YEAR)
    assert extensions(root) == {"basicConstraints": True, "keyUsage": True, "subjectKeyIdentifier": False}
    assert root.signed_by(root)
    assert root.is_ca
    assert root.path_length == 1
    assert (root.not_before, root.not_after) == (NOW, NOW + YEAR)
    parsed = x509.load_der_x509_certificate(root.der)
    assert parsed.signature_algorithm_oid._name == "sha512WithRSAEncryption"
    usage = parsed.extensions.get_extension_for_class(x509.KeyUsage).value
    assert usage.key_cert_sign
    assert usage.crl_sign
    assert not usage.digital_signature
    assert not any((usage.key_encipherment, usage.data_encipherment, usage.key_agreement, usage.content_commitment))
    assert [one.oid._name for one in parsed.subject] == ["organizationName", "commonName"]


def test_certificates_are_dated_back_as_the_documentation_promises() -> None:
    assert page_says("docs/calls.md", f"begins **{BACKDATED // timedelta(minutes=1)} minutes ago**")


def test_name_without_organization() -> None:
    assert DistinguishedName("me", None).as_name().rfc4514_string() == "CN=me"
    assert SUBJECT.der == issue_root(SUBJECT, key(0), not_before=NOW, validity=YEAR).subject_der


@pytest.mark.parametrize("path_length", [None, 0, 1, 3])
def test_renewal_keeps_subject_bytes_key_and_path_length(path_length: int | None) -> None:
    old = issue_root(SUBJECT, key(0), not_before=NOW, validity=YEAR, path_length=path_length)
    new = renew_root(old, key(0), not_before=NOW + YEAR / 2, validity=2 * YEAR, path_length=old.path_length)
    assert (new.subject_der, new.public_key_sha256, new.path_length) == (
        old.subject_der,
        old.public_key_sha256,
        path_length,
    )
    assert new.serial_number != old.serial_number
    assert new.not_after == NOW + YEAR / 2 + 2 * YEAR
    assert new.signed_by(old)
    assert old.signed_by(new)


@pytest.mark.parametrize("identifier", [b"", b"its own", None], ids=["usual", "its own", "none"])
def test_renewal_keeps_the_key_identifier(identifier: bytes | None) -> None:
    old = make("Corp", key(0), subject_identifier=identifier).certificate
    new = renew_root(old, key(0), not_before=NOW, validity=YEAR, path_length=old.path_length)
    assert new.subject_key_identifier == old.subject_key_identifier
    assert old.stands_in_for(new)
    assert new.stands_in_for(old)


def test_renewal_keeps_what_restricts_the_ca() -> None:
    """Clients that trust it would trust it for every name, and for every use, after the first renewal by a schedule."""
    uses = x509.ExtendedKeyUsage([x509.ExtendedKeyUsageOID.SERVER_AUTH])
    old = make("Corp", key(0), extra=[names(["svc"]), (uses, False)]).certificate
    new = renew_root(old, key(0), not_before=NOW, validity=YEAR, path_length=1)
    assert (new.name_constraints, new.extended_key_usages) == (old.name_constraints, old.extended_key_usages)
    assert new.name_constraints is not None
    assert (new.path_length, new.extensions, new.critical_extensions) == (1, old.extensions, old.critical_extensions)


def test_renewal_keeps_a_foreign_string_type() -> None:
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Corp", _ASN1Type.PrintableString)])
    builder = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key(0).public_key)
        .serial_number(1).not_valid_before(NOW).not_valid_after(NOW + YEAR)
    )  # fmt: skip
    signed = builder.sign(key(0).for_signing(), key(0).signature_hash)
    old = Certificate(signed.public_bytes(Encoding.DER))
    assert (
        renew_root(old, key(0), not_before=NOW, validity=YEAR, path_length=old.path_length).subject_der
        == old.subject_der
    )


def test_another_key_is_no_renewal() -> None:
    old = issue_root(SUBJECT, key(0), not_before=NOW, validity=YEAR)
    with pytest.raises(CertificateError, match="cluster-ca v0"):
        renew_root(old, key(1), not_before=NOW, validity=YEAR, path_length=old.path_length)
    with pytest.raises(CertificateError, match="cluster-ca v0"):
        cross_certify(make("b", key(1)).certificate, old, key(1), not_before=NOW, validity=YEAR)


@pytest.mark.parametrize("identifier", [b"", b"its own", None], ids=["usual", "its own", "none"])
@pytest.mark.parametrize("path_length", [None, 0, 2])
def test_leaves_of_a_double_look_like_those_of_the_ca_and_are_not(
    identifier: bytes | None, path_length: int | None
) -> None:
    """In forecasts it stands in for a CA whose key is not at hand; an intermediate CA too."""
    old = make("theirs", key(1), make("root", key(2)), path_length=path_length, subject_identifier=identifier)
    double = make_double(old.certificate, key(3))
    theirs, its = leaf(old), leaf(Entity(double, key(3)))
    assert (its.issuer_der, its.authority_key_identifier) == (theirs.issuer_der, double.identifier_in_leaves)
    assert (double.not_before, double.not_after) == (old.certificate.not_before, old.certificate.not_after)
    assert (double.path_length, double.identifier_in_leaves) == (path_length, old.certificate.identifier_in_leaves)
    assert its.signed_by(double)
    assert not its.signed_by(old.certificate)
    assert not double.is_twin_of(old.certificate)


@pytest.mark.parametrize(
    ("common_name", "problem"),
    [
        ("", "it is empty"),
        ("a", ""),
        ("a" * 64, ""),
        ("a" * 65, "it has 65 bytes, and the common name of a certificate can have at most 64"),
        ("\u00e4" * 32, ""),
        ("\u00e4" * 33, "it has 66 bytes, and the common name of a certificate can have at most 64"),
    ],
)
def test_common_names_that_no_certificate_holds(common_name: str, problem: str) -> None:
    assert common_name_problem(common_name) == problem


def test_a_name_is_a_value() -> None:
    with pytest.raises(FrozenInstanceError):
        setattr(SUBJECT, "common_name", "another")  # noqa: B010


@pytest.mark.parametrize("made", [issue_root, renew_root, cross_certify])
def test_the_dates_are_named(made: Any) -> None:
    """So that no caller takes one date for the other."""
    old = issue_root(SUBJECT, key(0), not_before=NOW, validity=YEAR)
    about = {issue_root: (SUBJECT, key(0)), renew_root: (old, key(0)), cross_certify: (old, old, key(0))}[made]
    with pytest.raises(TypeError, match="positional"):
        made(*about, NOW, YEAR)


def test_dates_are_whole_seconds_and_one_is_enough() -> None:
    """A part of a second at either end is left out."""
    one = timedelta(seconds=1)
    shortest = issue_root(SUBJECT, key(0), not_before=NOW, validity=one)
    assert (shortest.not_before, shortest.not_after) == (NOW, NOW + one)
    begin, validity = NOW.replace(microsecond=999_999), YEAR + timedelta(microseconds=999_999)
    assert issue_root(SUBJECT, key(0), not_before=begin, validity=validity).not_after == NOW + YEAR
    with pytest.raises(CertificateError, match="before it begins"):
        issue_root(SUBJECT, key(0), not_before=NOW, validity=one - timedelta(microseconds=1))


@pytest.mark.parametrize("validity", [timedelta(0), timedelta(days=-1)])
def test_validity_has_to_be_positive(validity: timedelta) -> None:
    with pytest.raises(CertificateError, match="before it begins"):
        issue_root(SUBJECT, key(0), not_before=NOW, validity=validity)


def test_a_link_certificate_keeps_what_confines_the_ca() -> None:
    """Clients that trust the CA above it would trust a confined CA for every name, and for every use."""
    uses = x509.ExtendedKeyUsage([x509.ExtendedKeyUsageOID.SERVER_AUTH])
    old, new = (
        make("old", key(0)),
        make("Corp", key(1), extra=[names(["svc"], critical=False), (uses, False)]),
    )
    link = cross_certify(new.certificate, old.certificate, old.key, not_before=NOW, validity=YEAR)
    assert (link.name_constraints, link.extended_key_usages) == (
        new.certificate.name_constraints,
        new.certificate.extended_key_usages,
    )
    assert link.name_constraints is not None
    assert extensions(link)["nameConstraints"] is False


@pytest.mark.parametrize("critical", [True, False])
def test_a_link_certificate_has_the_policies_of_its_ca(critical: bool, tmp_path: Path) -> None:
    """A verifier that requires a policy finds none below a CA that has none (RFC 5280 section 6.1.3 (e)). A JVM refuses critical policies with qualifiers."""
    qualified = x509.CertificatePolicies([x509.PolicyInformation(x509.ObjectIdentifier(POLICY), ["https://example"])])
    old, new = make("old", key(0)), make("Corp", key(1), extra=[(qualified, critical)])
    link = cross_certify(new.certificate, old.certificate, old.key, not_before=NOW, validity=YEAR)
    assert (link.policies, link.has_policy_qualifiers) == ({POLICY}, False)
    assert extensions(link)["certificatePolicies"] is critical
    for policy in (POLICY, ANOTHER_POLICY):
        accepted = verify(
            leaf(new, extra=[policies(policy)]).pem, old.certificate.pem, int(NOW.timestamp()), tmp_path,
            untrusted=link.pem, policy=POLICY,
        )  # fmt: skip
        assert accepted is (policy == POLICY)


def test_link_certificate() -> None:
    old = issue_root(SUBJECT, key(0), not_before=NOW, validity=YEAR)
    new = issue_root(DistinguishedName("cluster-ca v1"), key(1), not_before=NOW, validity=YEAR)
    link = cross_certify(new, old, key(0), not_before=NOW, validity=YEAR / 2)
    assert (link.subject_der, link.public_key_sha256) == (new.subject_der, new.public_key_sha256)
    assert extensions(link) == {
        "basicConstraints": True,
        "keyUsage": True,
        "subjectKeyIdentifier": False,
        "authorityKeyIdentifier": False,
    }
    assert link.signed_by(old)
    assert not link.signed_by(new)
    assert not link.self_issued
    assert (new.is_root, link.is_root) == (True, False)
    assert link.subject_key_identifier == new.subject_key_identifier
    assert link.authority_key_identifier == old.subject_key_identifier
    assert link.is_ca
    assert link.path_length == 0
    assert link.key_usage_allows_signing


def test_link_certificate_between_two_of_one_name_is_no_root() -> None:
    old, new = (issue_root(SUBJECT, key(number), not_before=NOW, validity=YEAR) for number in (0, 1))
    link = cross_certify(new, old, key(0), not_before=NOW, validity=YEAR / 2)
    assert (link.self_issued, link.is_root, old.is_root, new.is_root) == (True, False, True, True)


@pytest.mark.parametrize(
    ("name", "generation"),
    [
        ("cluster-ca v0", 0),
        ("clients-ca v12", 12),
        ("cluster-ca", None),
        ("cluster-ca v", None),
        ("cluster-ca v1x", None),
        ("cluster-ca v999999999", 999999999),
        ("cluster-ca v1000000000", None),
        ("my cluster-ca v1", None),
        ("Corp v2", None),
    ],
)
def test_generation_of_a_name(name: str, generation: int | None) -> None:
    certificate = make(name, key(0)).certificate
    assert authority_generation(certificate) == generation
