# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Shape of what the double issues: the operator's openssl.conf (docs/operator.md, "Certificates", "Leaves",
"Pod annotations").
"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import rsa

from ..support.certificates import key, make
from . import certs
from .authorities import UserCa, make_ca
from .conftest import Clock
from .operated_cluster import certificates, common_name, issued_by

# As they are before the fixtures put small keys in their place.
MAKERS = {certs.new_ca_key: 4096, certs.new_leaf_key: 2048}

BEGIN = datetime(2026, 1, 1, tzinfo=timezone.utc)
ROOT = make_ca("root", BEGIN)


def issue(names: set[str], days: int = 365) -> x509.Certificate:
    issued = certs.leaf(certs.name("x"), names, ROOT.private_key, ROOT.pem, ROOT.private_key, days)
    assert issued is not None
    return certificates(issued)[0]


@pytest.mark.parametrize(("maker", "bits"), MAKERS.items(), ids=["ca", "leaf"])
def test_keys_are_rsa_in_pkcs8(maker: object, bits: int) -> None:
    """docs/operator.md, "Certificates", "Leaves": the agent and the operator read RSA in PKCS#8 only."""
    key = maker()  # type: ignore[operator]
    assert isinstance(key, rsa.RSAPrivateKey)
    assert key.key_size == bits
    assert certs.key_pem(key).startswith(b"-----BEGIN PRIVATE KEY-----")


def test_ca_certificate() -> None:
    """docs/operator.md, "Certificates": pathlen:0, keyCertSign and cRLSign critical, SKI, no AKI, sha512."""
    (found,) = certificates(certs.root(certs.name("cluster-ca v0"), ROOT.private_key, 365))
    assert common_name(found) == "O=io.strimzi,CN=cluster-ca v0"
    assert found.issuer == found.subject
    assert isinstance(found.signature_hash_algorithm, hashes.SHA512)
    by_oid = {e.oid: e for e in found.extensions}
    assert set(by_oid) == {
        x509.OID_BASIC_CONSTRAINTS,
        x509.OID_KEY_USAGE,
        x509.OID_SUBJECT_KEY_IDENTIFIER,
    }
    constraints = by_oid[x509.OID_BASIC_CONSTRAINTS]
    assert (constraints.critical, constraints.value) == (True, x509.BasicConstraints(True, 0))
    usage = by_oid[x509.OID_KEY_USAGE].value
    assert by_oid[x509.OID_KEY_USAGE].critical
    assert (usage.key_cert_sign, usage.crl_sign, usage.digital_signature) == (True, True, False)


def test_leaf_with_names_has_no_usages() -> None:
    """docs/operator.md, "Certificates": only SAN, SKI and AKI."""
    assert {e.oid for e in issue({"a", "10.0.0.1"}).extensions} == {
        x509.OID_SUBJECT_ALTERNATIVE_NAME,
        x509.OID_SUBJECT_KEY_IDENTIFIER,
        x509.OID_AUTHORITY_KEY_IDENTIFIER,
    }


def test_leaf_without_names_is_a_client() -> None:
    """docs/operator.md, "Certificates": basicConstraints and keyUsage, both critical; no EKU."""
    found = issue(set())
    assert {e.oid for e in found.extensions} == {
        x509.OID_BASIC_CONSTRAINTS,
        x509.OID_KEY_USAGE,
        x509.OID_SUBJECT_KEY_IDENTIFIER,
        x509.OID_AUTHORITY_KEY_IDENTIFIER,
    }
    usage = found.extensions.get_extension_for_class(x509.KeyUsage)
    assert usage.critical
    assert (usage.value.digital_signature, usage.value.key_encipherment, usage.value.key_cert_sign) == (
        True,
        True,
        False,
    )
    assert found.extensions.get_extension_for_class(x509.BasicConstraints).value == x509.BasicConstraints(False, None)


@pytest.mark.parametrize("identifier", [b"its own", None], ids=["its own", "none"])
def test_leaf_names_the_identifier_that_the_ca_has(identifier: bytes | None) -> None:
    """docs/operator.md, "Certificates": else its issuer and serial number, as openssl ca does."""
    ca = make("a", key(0), subject_identifier=identifier)
    private = ca.key.for_signing()
    (found,) = certificates(certs.leaf(certs.name("x"), {"a"}, private, ca.certificate.pem, private, 1) or b"")
    named = found.extensions.get_extension_for_class(x509.AuthorityKeyIdentifier).value
    serial = None if identifier else ca.certificate.serial_number
    assert (named.key_identifier, named.authority_cert_serial_number) == (identifier, serial)


def test_ip_literals_become_ip_names() -> None:
    """docs/operator.md, "Node names"."""
    found = issue({"broker.example", "10.0.0.1"}).extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert found.get_values_for_type(x509.DNSName) == ["broker.example"]
    assert [str(a) for a in found.get_values_for_type(x509.IPAddress)] == ["10.0.0.1"]
    assert certs.names_of(issue({"broker.example", "10.0.0.1"})) == {"broker.example", "10.0.0.1"}


@pytest.mark.parametrize("days", [1, 90])
def test_validity_starts_now(days: int, clock: Clock) -> None:
    """docs/operator.md, "Certificates": notBefore = now, validityDays for the CA and for every leaf."""
    for found in (issue(set(), days), certificates(certs.root(certs.name("x"), ROOT.private_key, days))[0]):
        assert found.not_valid_before_utc == clock.moment
        assert found.not_valid_after_utc == clock.moment + timedelta(days=days)


def test_the_first_certificate_of_a_chain_signs() -> None:
    """docs/operator.md, "User-managed CA"."""
    lower = make_ca("lower", BEGIN, ROOT)
    issued = certs.leaf(certs.name("x"), {"a"}, ROOT.private_key, lower.pem + ROOT.pem, lower.private_key, 1)
    assert issued is not None
    assert issued_by(issued, lower.pem)


@pytest.mark.parametrize("key", [b"placeholder", make_ca("other", BEGIN).key], ids=["placeholder", "other key"])
def test_nothing_is_signed_with_a_key_that_does_not_match(key: bytes) -> None:
    """docs/operator.md, "Certificates", "User-managed CA": openssl refuses the mismatch."""
    assert certs.leaf(certs.name("x"), {"a"}, ROOT.private_key, ROOT.pem, certs.load_key(key), 1) is None


def test_thumbprint_is_of_the_first_certificate() -> None:
    """docs/operator.md, "Pod annotations": SHA-1 over the DER, lower-case hex, all 40 characters."""
    other = make_ca("other", BEGIN)
    expected = ROOT.certificate.fingerprint(hashes.SHA1()).hex()
    assert certs.thumbprint(ROOT.pem + other.pem) == expected
    assert len(expected) == 40


def test_old_certificates_are_named_by_their_expiry() -> None:
    """docs/operator.md, "CA Secrets": the notAfter of the retired certificate in UTC, not the day of the rotation."""
    retired = make_ca("old", datetime(2026, 1, 26, 17, 32, tzinfo=timezone.utc), days=365)
    assert certs.old_name(retired.pem) == "ca-2027-01-26T17-32-00Z.crt"


INTERMEDIATE = make_ca("intermediate", BEGIN, ROOT)
NO_CA = make_ca("no ca", BEGIN, ROOT, ca=False)
NO_CONSTRAINTS = make_ca("no constraints", BEGIN, ca=None)
EXPIRED = make_ca("expired", BEGIN, ROOT, days=30)
EXPIRED_ROOT = make_ca("expired root", BEGIN, days=30)
FUTURE = make_ca("future", datetime(2027, 1, 1, tzinfo=timezone.utc), ROOT)
IMPOSTOR = make_ca("root", BEGIN)


@pytest.mark.parametrize(
    ("chain", "valid"),
    [
        ([ROOT], True),
        ([EXPIRED_ROOT], True),
        ([NO_CONSTRAINTS], True),
        ([INTERMEDIATE, ROOT], True),
        ([make_ca("under expired", BEGIN, EXPIRED_ROOT), EXPIRED_ROOT], True),
        ([ROOT, INTERMEDIATE], False),
        ([ROOT, make_ca("unrelated", BEGIN)], False),
        ([INTERMEDIATE, IMPOSTOR], False),
        ([EXPIRED, ROOT], False),
        ([FUTURE, ROOT], False),
        ([make_ca("under no ca", BEGIN, NO_CA), NO_CA, ROOT], False),
        ([make_ca("under nothing", BEGIN, NO_CONSTRAINTS), NO_CONSTRAINTS], False),
        ([], False),
    ],
    ids=lambda value: (
        "+".join(ca.certificate.subject.rfc4514_string() for ca in value) if isinstance(value, list) else ""
    ),
)
def test_one_certificate_is_accepted_unchecked_several_are_one_chain(chain: list[UserCa], valid: bool) -> None:
    """docs/operator.md, "User-managed CA": in order, path-validated (dates, basicConstraints) with the last as anchor."""
    assert certs.valid_chain(b"".join(ca.pem for ca in chain)) is valid
