# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificate signing requests: made, read, signed, and known by what they ask for."""

from __future__ import annotations

import shutil
import subprocess
from datetime import timedelta
from inspect import signature
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import CertificateError, RequestError
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.building import DistinguishedName, issue_root
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import KeyAlgorithm, KeySpec, generate_key
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.requests import (
    CertificateToCome,
    build_request,
    parse_request,
    request_digest,
    request_of,
    sign_leaf,
)

from ...tools.support.certificates import NOW, YEAR, key, make, rsa_key
from ...tools.support.golden import GoldenFiles

SUBJECT = DistinguishedName("my-cluster-kafka")
SERVICE = "my-cluster-kafka-brokers"
NAMES = frozenset({SERVICE, f"{SERVICE}.ns.svc", "10.0.0.1", "fd00::1", "*.example.com"})
ROOT = make("cluster-ca v0", key(0), path_length=0)
OPENSSL = shutil.which("openssl")


def signed(names: frozenset[str] = frozenset(), validity: timedelta = YEAR) -> Certificate:
    return sign_leaf(key(5).public_key, SUBJECT, names, ROOT.certificate, ROOT.key, not_before=NOW, validity=validity)


def extensions(certificate: Certificate) -> dict[str, bool]:
    parsed = x509.load_der_x509_certificate(certificate.der).extensions
    return {one.oid._name: one.critical for one in parsed}


def test_server_leaf_has_names_and_identifiers_only() -> None:
    leaf = signed(NAMES)
    assert extensions(leaf) == {
        "subjectAltName": False,
        "subjectKeyIdentifier": False,
        "authorityKeyIdentifier": False,
    }
    assert leaf.subject_alternative_names == NAMES
    names = x509.load_der_x509_certificate(leaf.der).extensions.get_extension_for_class(x509.SubjectAlternativeName)
    assert set(map(str, names.value.get_values_for_type(x509.IPAddress))) == {"10.0.0.1", "fd00::1"}


def test_client_leaf_says_that_it_is_no_ca() -> None:
    leaf = signed()
    assert extensions(leaf) == {
        "basicConstraints": True,
        "keyUsage": True,
        "subjectKeyIdentifier": False,
        "authorityKeyIdentifier": False,
    }
    usage = x509.load_der_x509_certificate(leaf.der).extensions.get_extension_for_class(x509.KeyUsage).value
    assert usage.digital_signature
    assert usage.key_encipherment
    assert not usage.key_cert_sign
    assert not any((usage.data_encipherment, usage.key_agreement, usage.content_commitment, usage.crl_sign))
    assert not leaf.is_ca


def test_subject_issuer_key_and_dates() -> None:
    leaf = signed(NAMES)
    assert leaf.subject_der == SUBJECT.der
    assert leaf.issuer_der == ROOT.certificate.subject_der
    assert leaf.signed_by(ROOT.certificate)
    assert leaf.is_for(key(5))
    assert (leaf.not_before, leaf.not_after) == (NOW, NOW + YEAR)


@pytest.mark.parametrize(
    "spec",
    [
        KeySpec(KeyAlgorithm.RSA, 2048),
        KeySpec(KeyAlgorithm.ECDSA, 256),
        KeySpec(KeyAlgorithm.ECDSA, 384),
    ],
    ids=str,
)
def test_signature_algorithm_follows_the_key_of_the_issuer(spec: KeySpec) -> None:
    ca_key = generate_key(spec)
    root = issue_root(DistinguishedName("cluster-ca v0"), ca_key, not_before=NOW, validity=YEAR)
    leaf = sign_leaf(key(5).public_key, SUBJECT, (), root, ca_key, not_before=NOW, validity=YEAR)
    algorithm = x509.load_der_x509_certificate(leaf.der).signature_algorithm_oid._name
    expected = {2048: "sha512WithRSAEncryption", 256: "ecdsa-with-SHA256", 384: "ecdsa-with-SHA384"}
    assert algorithm == expected[spec.size]
    assert leaf.signed_by(root)


def test_authority_identifier_is_the_one_that_the_issuer_has() -> None:
    """A CA of another tool may compute it in its own way; OpenSSL looks the issuer up by it."""
    for identifier in (b"own", None):
        root = make("Corp", key(0), subject_identifier=identifier)
        leaf = sign_leaf(key(5).public_key, SUBJECT, (), root.certificate, root.key, not_before=NOW, validity=YEAR)
        assert leaf.names_as_issuer(root.certificate)
        assert leaf.authority_key_identifier == (identifier or ROOT.certificate.subject_key_identifier)


def test_the_dates_are_named() -> None:
    """So that no caller takes one date for the other."""
    positional: tuple[Any, ...] = (key(5).public_key, SUBJECT, (), ROOT.certificate, ROOT.key, NOW, YEAR)
    with pytest.raises(TypeError, match="positional"):
        signature(sign_leaf).bind(*positional)


def test_refuses_the_key_of_another_ca_and_empty_validity() -> None:
    with pytest.raises(CertificateError, match="does not belong"):
        sign_leaf(key(5).public_key, SUBJECT, (), ROOT.certificate, key(1), not_before=NOW, validity=YEAR)
    with pytest.raises(CertificateError, match="before it begins"):
        signed(validity=timedelta(0))


@pytest.mark.parametrize("name", ["b\u00fccher.example", "caf\u00e9"])
def test_names_outside_ascii_are_refused(name: str, golden: GoldenFiles) -> None:
    with pytest.raises(CertificateError) as refused:
        signed(frozenset({name}))
    golden.compare_said("certificates", refused.value, name)


@pytest.mark.skipif(OPENSSL is None, reason="needs the openssl binary")
def test_openssl_sees_what_it_made_for_strimzi(tmp_path: Path) -> None:
    rsa = rsa_key(2048)
    root = issue_root(DistinguishedName("cluster-ca v0"), rsa, not_before=NOW, validity=YEAR, path_length=0)
    for names in (NAMES, frozenset()):
        leaf = sign_leaf(rsa.public_key, SUBJECT, names, root, rsa, not_before=NOW, validity=YEAR)
        (tmp_path / "ca.crt").write_bytes(root.pem)
        (tmp_path / "leaf.crt").write_bytes(leaf.pem)
        at = str(int(NOW.timestamp()) + 60)
        verified = run("verify", "-x509_strict", "-attime", at, "-CAfile", "ca.crt", "leaf.crt", directory=tmp_path)
        assert verified.strip() == "leaf.crt: OK"
        text = run("x509", "-in", "leaf.crt", "-noout", "-text", directory=tmp_path)
        assert "Signature Algorithm: sha512WithRSAEncryption" in text
        assert "Subject: O = io.strimzi, CN = my-cluster-kafka" in text.replace("=", " = ").replace("  =  ", " = ")
        assert ("IP Address:10.0.0.1" in text and "DNS:*.example.com" in text) == bool(names)
        assert ("Digital Signature, Key Encipherment" in text) != bool(names)


def run(*arguments: str, directory: Path) -> str:
    done = subprocess.run([str(OPENSSL), *arguments], cwd=directory, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_request_round_trip_and_leaf_from_it() -> None:
    request = parse_request(build_request(SUBJECT, NAMES, key(5)))
    assert request.subject.public_bytes() == SUBJECT.der
    assert request.subject_alternative_names == NAMES
    assert request.public_key_sha256 == key(5).public_key_sha256
    with pytest.raises(AttributeError):
        request.subject_alternative_names = frozenset()  # type: ignore[misc]
    names = x509.load_pem_x509_csr(build_request(SUBJECT, NAMES, key(5))).extensions[0]
    assert (names.oid.dotted_string, names.critical) == ("2.5.29.17", False)
    leaf = sign_leaf(
        request.public_key,
        request.subject,
        request.subject_alternative_names,
        ROOT.certificate,
        ROOT.key,
        not_before=NOW,
        validity=YEAR,
    )
    assert leaf.is_for(key(5))
    assert leaf.subject_der == SUBJECT.der
    assert leaf.subject_alternative_names == NAMES


def test_a_request_for_a_ca_has_what_confines_the_ca() -> None:
    names = x509.NameConstraints([x509.DNSName("svc")], None)
    ca = make("ca", key(1), extra=[(names, True)])
    confined = x509.load_pem_x509_csr(request_of(ca.certificate, key(1)))
    assert confined.extensions.get_extension_for_class(x509.NameConstraints).value == names
    assert confined.extensions.get_extension_for_class(x509.NameConstraints).critical
    assert confined.subject.rfc4514_string() == ca.certificate.subject
    with pytest.raises(CertificateError):
        request_of(ca.certificate, key(2))


def test_a_ca_of_a_plan_is_marked_if_it_renews_another() -> None:
    made = make("ca", key(1)).certificate
    to_come = [CertificateToCome(made.der, renews=renews) for renews in (True, False)]
    assert [one.mark for one in to_come] == [" (renewed)", ""]
    assert [one.is_real for one in (made, *to_come)] == [True, False, False]


def test_request_without_names_holds_no_private_key() -> None:
    pem = build_request(DistinguishedName("me", None), (), key(5))
    assert parse_request(pem).subject_alternative_names == frozenset()
    assert b"PRIVATE" not in pem


def forged() -> bytes:
    der = bytearray(x509.load_pem_x509_csr(build_request(SUBJECT, NAMES, key(5))).public_bytes(Encoding.DER))
    position = der.index(b"my-cluster-kafka")
    der[position : position + 2] = b"no"
    return x509.load_der_x509_csr(bytes(der)).public_bytes(Encoding.PEM)


@pytest.mark.parametrize("pem", [b"", b"secret", ROOT.certificate.pem, forged()])
def test_requests_that_are_refused(pem: bytes) -> None:
    with pytest.raises(RequestError) as caught:
        parse_request(pem)
    assert caught.value.__cause__ is None
    assert "secret" not in str(caught.value)


# A request that is made again is known by what it asks for.

NODE_SUBJECT, NODE_NAMES = DistinguishedName("demo-kafka"), frozenset({"demo-kafka-0.example", "192.0.2.4"})


def test_signed_again_it_is_the_same_request() -> None:
    """ECDSA signs differently each time."""
    first, again = (build_request(NODE_SUBJECT, NODE_NAMES, key(1)) for _time in range(2))
    assert first != again
    assert request_digest(first) == request_digest(again)


@pytest.mark.parametrize(
    "other",
    [
        build_request(NODE_SUBJECT, NODE_NAMES, key(2)),
        build_request(NODE_SUBJECT, NODE_NAMES | {"more.example"}, key(1)),
        build_request(DistinguishedName("other"), NODE_NAMES, key(1)),
    ],
    ids=["key", "names", "subject"],
)
def test_a_different_request_has_a_different_digest(other: bytes) -> None:
    assert request_digest(other) != request_digest(build_request(NODE_SUBJECT, NODE_NAMES, key(1)))


@pytest.mark.parametrize(
    "content", [b"", b"x", b"-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----\n"]
)
def test_a_text_that_is_no_request_has_no_digest(content: bytes) -> None:
    with pytest.raises(RequestError):
        request_digest(content)
