# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import copy
import pickle
from datetime import datetime, timedelta, timezone
from ipaddress import ip_address

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.x509.oid import NameOID

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import CertificateError
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import (
    Certificate,
    certificate_from_der,
    encode_certificates,
    mentions_certificates,
    parse_certificates,
    readable_certificates,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.names import address_of
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.requests import alternative_names

from ...tools.support.certificates import NOW, YEAR, key, leaf, make
from ...tools.support.golden import GoldenFiles
from ...tools.support.unusable import USABLE

ROOT = make("cluster-ca v0", key(0), path_length=1)
OTHER = make("cluster-ca v1", key(1))


def test_values_agree_with_the_library() -> None:
    certificate = ROOT.certificate
    parsed = x509.load_der_x509_certificate(certificate.der)
    assert certificate.fingerprint == parsed.fingerprint(hashes.SHA1()).hex()
    assert certificate.sha256 == parsed.fingerprint(hashes.SHA256()).hex()
    assert certificate.subject == certificate.issuer == "CN=cluster-ca v0,O=io.strimzi"
    assert certificate.subject_der == parsed.subject.public_bytes() == certificate.issuer_der
    assert certificate.serial_number == parsed.serial_number
    assert (certificate.not_before, certificate.not_after) == (NOW - YEAR, NOW + YEAR)
    assert certificate.public_key_sha256 == key(0).public_key_sha256
    assert (certificate.is_ca, certificate.path_length, certificate.key_usage_allows_signing) == (True, 1, True)
    assert (certificate.self_issued, certificate.signature_hash) == (True, "sha256")
    assert certificate.authority_key_identifier is None
    assert certificate.pem.endswith(b"-----END CERTIFICATE-----\n")


def test_leaf_values() -> None:
    names = x509.SubjectAlternativeName([x509.DNSName("a.b"), x509.IPAddress(ip_address("::1"))])
    child = leaf(ROOT, extra=[(names, False)])
    assert child.subject_alternative_names == frozenset({"a.b", "::1"})
    assert child.authority_key_identifier == ROOT.certificate.subject_key_identifier
    assert not child.is_ca
    assert child.path_length is None
    assert not child.self_issued
    assert not child.key_usage_allows_signing


@pytest.mark.parametrize(
    ("names", "other_kinds"),
    [
        ((), False),
        ((x509.DNSName("a.b"), x509.IPAddress(ip_address("::1"))), False),
        ((x509.DNSName("a.b"), x509.UniformResourceIdentifier("spiffe://a/b")), True),
    ],
)
def test_names_that_are_neither_of_hosts_nor_addresses(names: tuple[x509.GeneralName, ...], other_kinds: bool) -> None:
    child = leaf(ROOT, extra=[(x509.SubjectAlternativeName(names), False)] if names else [])
    assert child.has_names_of_other_kinds is other_kinds


@pytest.mark.parametrize(
    ("extension", "confined"),
    [
        (x509.NameConstraints([x509.DNSName("svc")], None), True),
        (x509.ExtendedKeyUsage([x509.ExtendedKeyUsageOID.SERVER_AUTH]), True),
        (x509.CertificatePolicies([]), False),
    ],
)
def test_a_ca_may_be_confined_to_names_or_uses(extension: x509.ExtensionType, confined: bool) -> None:
    assert make("x", key(2), extra=[(extension, False)]).certificate.is_confined is confined


@pytest.mark.parametrize(("later", "ended"), [(-1, False), (0, True), (1, True)])
def test_a_certificate_has_ended_from_its_last_second_on(later: int, ended: bool) -> None:
    assert ROOT.certificate.has_ended(ROOT.certificate.not_after + timedelta(seconds=later)) is ended


@pytest.mark.parametrize("other", [bytes(20), b"\xff" * 20], ids=["before", "after"])
def test_a_key_identifier_names_one_key(other: bytes) -> None:
    named = leaf(ROOT, authority_identifier=x509.AuthorityKeyIdentifier(other, None, None))
    assert not named.names_key_of(ROOT.certificate)
    assert leaf(ROOT).names_key_of(ROOT.certificate)


def test_absent_key_usage_does_not_forbid_signing() -> None:
    assert make("x", key(2), signing=None).certificate.key_usage_allows_signing


def test_expired_name_is_that_of_strimzi() -> None:
    end = datetime(2027, 1, 26, 17, 32, tzinfo=timezone.utc)
    assert make("x", key(2), end=end).certificate.expired_name() == "ca-2027-01-26T17-32-00Z.crt"


def test_equal_by_der_and_parsed_once() -> None:
    again = parse_certificates(ROOT.certificate.pem)[0]
    assert parse_certificates(ROOT.certificate.pem)[0] is again
    assert again == ROOT.certificate
    assert Certificate(again.der) == again
    assert hash(Certificate(again.der)) == hash(again)
    assert again != OTHER.certificate
    assert again != again.der


def test_is_immutable_and_copies_are_equal() -> None:
    with pytest.raises(AttributeError):
        ROOT.certificate.der = b""
    assert copy.deepcopy(ROOT.certificate) == ROOT.certificate
    assert pickle.loads(pickle.dumps(ROOT.certificate)) == ROOT.certificate


def test_repr_names_the_subject() -> None:
    assert ROOT.certificate.subject in repr(ROOT.certificate)


def test_round_trip_keeps_order() -> None:
    chain = (OTHER.certificate, ROOT.certificate, OTHER.certificate)
    assert parse_certificates(encode_certificates(chain)) == chain


def test_text_around_and_line_ends_do_not_matter() -> None:
    pem = b"subject=CN\r\n" + ROOT.certificate.pem.replace(b"\n", b"\r\n") + b"\r\n\r\n" + OTHER.certificate.pem
    assert parse_certificates(pem) == (ROOT.certificate, OTHER.certificate)


PEM = ROOT.certificate.pem


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"   \n",
        b"hello",
        b"\xff\xfe",
        ROOT.certificate.der,
        PEM[:-30],
        PEM.replace(b"MII", b"MI*", 1),
        PEM.replace(b"MII", b"MI", 1),
        b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
        PEM + b"-----BEGIN CERTIFICATE-----\n",
        PEM + b"-----BEGIN CERTIFICATE-----\nsecret text\n-----END CERTIFICATE-----\n",
        key(0).reveal(),
    ],
)
def test_garbage_is_refused_without_quoting_it(data: bytes) -> None:
    with pytest.raises(CertificateError) as caught:
        parse_certificates(data)
    assert readable_certificates(data) == ()
    assert caught.value.__cause__ is None
    assert "secret" not in str(caught.value)
    assert "BEGIN" not in str(caught.value)


def test_garbled_der_is_refused() -> None:
    with pytest.raises(CertificateError):
        certificate_from_der(ROOT.certificate.der[:-1])


def test_signed_by_is_about_name_and_key() -> None:
    child = leaf(ROOT)
    same_name_other_key = make("cluster-ca v0", key(1))
    same_key_other_name = make("cluster-ca v9", key(0))
    renewed = make("cluster-ca v0", key(0))
    assert child.signed_by(ROOT.certificate)
    assert child.signed_by(renewed.certificate)
    assert not child.signed_by(same_name_other_key.certificate)
    assert not child.signed_by(same_key_other_name.certificate)
    assert not child.signed_by(child)
    assert ROOT.certificate.signed_by(ROOT.certificate)


@pytest.mark.parametrize(
    ("own", "other", "expected"),
    [
        (b"", b"", True),
        (b"own", b"own", True),
        (b"own", b"", False),
        (b"", b"own", False),
        (None, b"own", True),
        # A CA without an identifier names the usual one in leaves.
        (b"", None, True),
        (b"own", None, False),
    ],
)
def test_a_ca_stands_in_for_its_twin_with_the_same_identifier(
    own: bytes | None, other: bytes | None, expected: bool
) -> None:
    trusted, issuing = (make("x", key(2), subject_identifier=one).certificate for one in (own, other))
    assert trusted.stands_in_for(issuing) is expected
    assert trusted.is_twin_of(issuing)
    assert not trusted.stands_in_for(make("x", key(3), subject_identifier=other).certificate)
    assert not trusted.stands_in_for(make("y", key(2), subject_identifier=other).certificate)


def test_a_signature_of_an_algorithm_that_is_not_known_here_is_none_of_an_issuer() -> None:
    """As of an algorithm that the library here is too old for. Each call reads ca.crt, the call that only looks too."""
    signer = make("root", key(1))
    below = make("issuing", key(2), signer).certificate
    ecdsa_with_sha256, unknown = bytes.fromhex("2a8648ce3d040302"), bytes.fromhex("2a8648ce3d04037f")
    strange = Certificate(below.der.replace(ecdsa_with_sha256, unknown))
    assert (strange.signature_algorithm, strange.signature_hash) == ("1.2.840.10045.4.3.127", None)
    assert not strange.signed_by(signer.certificate)
    assert not strange.bears_signature_of(signer.certificate)


def test_unprocessed_extensions() -> None:
    unknown = x509.UnrecognizedExtension(x509.ObjectIdentifier("1.2.3.4"), b"\x05\x00")
    constraints = x509.NameConstraints(permitted_subtrees=[x509.RFC822Name("example.com")], excluded_subtrees=None)
    assert make("x", key(2), extra=[(unknown, True)]).certificate.unprocessed_extensions == ("1.2.3.4",)
    assert make("x", key(2), extra=[(unknown, False)]).certificate.unprocessed_extensions == ()
    assert make("x", key(2), extra=[(constraints, False)]).certificate.unprocessed_extensions == ("2.5.29.30",)
    assert ROOT.certificate.unprocessed_extensions == ()


def test_padding_in_the_middle_is_not_overlooked(golden: GoldenFiles) -> None:
    pem = ROOT.certificate.pem
    with pytest.raises(CertificateError) as refused:
        parse_certificates(pem[:60] + b"=" + pem[60:])
    golden.compare_said("certificates", refused.value)


def test_extensions_by_their_numbers() -> None:
    """Basic constraints, key usage, and the key's own identifier, which is never critical."""
    assert ROOT.certificate.extensions == {"2.5.29.19", "2.5.29.15", "2.5.29.14"}
    assert ROOT.certificate.critical_extensions == {"2.5.29.19", "2.5.29.15"}


def with_serial_number_of(named: Certificate, number: int) -> Certificate:
    """A leaf of an issuer that its authorityKeyIdentifier names by the name of its own issuer and a serial number."""
    name = x509.load_der_x509_certificate(named.der).issuer
    identifier = x509.AuthorityKeyIdentifier(None, [x509.DirectoryName(name)], number)
    return leaf(make("issuer", key(1)), authority_identifier=identifier)


def test_a_serial_number_names_one_certificate() -> None:
    """Neither one before nor one after it."""
    issuer = make("issuer", key(1)).certificate
    for off, fits in ((-1, False), (0, True), (1, False)):
        named = with_serial_number_of(issuer, issuer.serial_number + off)
        assert named.names_serial_number_of(issuer) is fits
        assert named.names_as_issuer(issuer) is fits


@pytest.mark.parametrize("other", ["a", "z"], ids=["before", "after"])
def test_a_serial_number_is_of_a_certificate_of_one_issuer(other: str) -> None:
    issuer = make("issuer", key(1)).certificate
    named = with_serial_number_of(make(other * 6, key(2)).certificate, issuer.serial_number)
    assert named.names_serial_number_of(issuer)
    assert not named.names_as_issuer(issuer)


def test_of_several_names_of_an_issuer_the_first_counts() -> None:
    issuer = make("issuer", key(1)).certificate
    own, other = (x509.load_der_x509_certificate(make(one, key(1)).certificate.der).issuer for one in ("issuer", "a"))
    for names, fits in (((own, other), True), ((other, own), False)):
        identifier = x509.AuthorityKeyIdentifier(None, [x509.DirectoryName(one) for one in names], issuer.serial_number)
        named = leaf(make("issuer", key(1)), authority_identifier=identifier)
        assert named.names_as_issuer(issuer) is fits


_ADDRESS = ip_address("10.0.0.1")


@pytest.mark.parametrize(
    ("common", "names", "to_openssl", "to_jvm"),
    [
        ("node", (), set(), {"node"}),
        ("a.node", (), {"a.node"}, {"a.node"}),
        ("two words", (), set(), set()),
        (" node", (), set(), set()),
        ("a@b.c", (), set(), set()),
        ("node.", (), set(), set()),
        ("node", ("10.0.0.1",), set(), {"node"}),
        ("a.node", ("other",), set(), set()),
        # Addresses, as far as a JVM takes them for some.
        ("10.0.0.1", ("10.0.0.1",), {"10.0.0.1"}, set()),
        ("10.0.0.1", ("other",), set(), {_ADDRESS}),
        ("10.1", (), {"10.1"}, {_ADDRESS}),
        ("10.0.1", (), {"10.0.1"}, {_ADDRESS}),
        ("7", (), set(), set()),
        ("4294967295", (), set(), set()),
        ("4294967296", (), set(), {"4294967296"}),
        ("256.0.0.1", (), {"256.0.0.1"}, {"256.0.0.1"}),
        ("255.0.0.256", (), {"255.0.0.256"}, {"255.0.0.256"}),
        ("255.255.255.255", (), {"255.255.255.255"}, {ip_address("255.255.255.255")}),
        ("1.2.3.4.5", (), {"1.2.3.4.5"}, {"1.2.3.4.5"}),
        ("0000000000000007", (), set(), {"0000000000000007"}),
        ("fd00::1", (), set(), {ip_address("fd00::1")}),
    ],
)
def test_a_common_name_is_a_name_of_a_host_where_no_other_is(
    common: str, names: tuple[str, ...], to_openssl: set[object], to_jvm: set[object]
) -> None:
    extra = [(alternative_names(names), False)] if names else []
    found = leaf(ROOT, common, extra=extra).names_under_constraints
    assert (found.to_openssl, found.to_jvm) == (to_openssl, to_jvm)
    assert found.alternative == {address_of(one) or one for one in names}
    assert (found.unmatched, found.count) == (frozenset(), 2 + len(names))


@pytest.mark.parametrize(
    ("kinds", "name"),
    [
        ((NameOID.ORGANIZATION_NAME, NameOID.COMMON_NAME, NameOID.TITLE, NameOID.SERIAL_NUMBER), "1"),
        ((NameOID.COMMON_NAME, NameOID.COMMON_NAME, NameOID.ORGANIZATION_NAME), "1"),
        ((NameOID.ORGANIZATION_NAME,), ""),
    ],
)
def test_the_common_name_is_the_most_specific(kinds: tuple[x509.ObjectIdentifier, ...], name: str) -> None:
    subject = x509.Name([x509.NameAttribute(kind, str(number)) for number, kind in enumerate(kinds)])
    builder = x509.CertificateBuilder(subject, subject, key(1).public_key, 1, NOW, NOW + YEAR)
    made = builder.sign(key(1).for_signing(), hashes.SHA256())
    assert certificate_from_der(made.public_bytes(serialization.Encoding.DER)).common_name == name


@pytest.mark.parametrize(
    ("content", "mentions"),
    [(b"text", False), (ROOT.certificate.pem, True), (b"-----BEGIN CERTIFICATE-----", True)],
)
def test_a_text_that_is_meant_to_hold_certificates(content: bytes, mentions: bool) -> None:
    assert mentions_certificates(content) is mentions


def test_the_text_of_a_certificate_is_its_subject_and_the_start_of_its_digest() -> None:
    assert repr(ROOT.certificate) == f"<Certificate {ROOT.certificate.subject} {ROOT.certificate.sha256[:16]}>"
    assert ROOT.certificate.mark == f" ({ROOT.certificate.sha256[:12]})"


@pytest.mark.parametrize("other", ["a", "z"], ids=["before", "after"])
def test_a_ca_passes_for_another_with_its_name_and_its_key(other: str) -> None:
    one = make("issuer", key(1)).certificate
    assert one.passes_for(make("ISSUER", key(1)).certificate)
    assert not one.passes_for(make(other * 6, key(1)).certificate)
    assert not one.passes_for(make("issuer", key(2)).certificate)
    assert not make("issuer", key(2)).certificate.passes_for(one)


def test_a_key_of_another_kind_has_no_size() -> None:
    (edwards,) = (case.authority for case in USABLE if case.name == "ed25519")
    assert edwards.key_type == ("ed25519", 0)
    assert edwards.key_name == "ed25519"


def test_a_key_of_a_kind_that_is_not_made_here_has_a_name_too() -> None:
    (curve,) = (case.authority for case in USABLE if case.name == "secp521r1")
    assert curve.key_name == "ecdsa-p521"
