# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names as the laxest verifier compares them, and addresses beside them."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.name import _ASN1Type as StringType
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.building import DistinguishedName
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.names import (
    address_of,
    fold_name,
    hosts_and_addresses,
    names_of,
    rewritten,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.paths import check_authority_chain, validate_path
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.usability import chain_defects
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.verifiers import Verifier

from ...tools.support.certificates import NOW, YEAR, key, leaf, make
from ...tools.support.golden import GoldenFiles
from ...tools.support.sha_1 import sha_1_below
from ...tools.support.spellings import LIKE, OTHER, SAME, Spelling, certified, spelt
from ...tools.support.unusable import UNUSABLE, USABLE, Case

OUT_OF_ORDER = "the chain is out of order: "


@pytest.mark.parametrize("case", [SAME, *LIKE], ids=lambda case: case.name)
def test_names_that_could_be_confused(case: Spelling) -> None:
    assert fold_name(case.own) == fold_name(case.other)


@pytest.mark.parametrize(
    ("name", "outlives"),
    [
        pytest.param(DistinguishedName("cluster-ca v1").as_name(), False, id="as the Cluster Operator writes it"),
        pytest.param(DistinguishedName("cluster-ca v1", outlives_rewriting=True).as_name(), True, id="PrintableString"),
        pytest.param(DistinguishedName("Müller", outlives_rewriting=True).as_name(), True, id="what needs UTF8String"),
        pytest.param(DistinguishedName("a*b", outlives_rewriting=True).as_name(), True, id="not in PrintableString"),
        pytest.param(
            x509.Name([x509.RelativeDistinguishedName([
                x509.NameAttribute(x509.NameOID.COMMON_NAME, "a", StringType.PrintableString),
                x509.NameAttribute(x509.NameOID.ORGANIZATION_NAME, "b", StringType.PrintableString),
            ])]), False, id="two values in one part",
        ),
        pytest.param(
            x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "a", StringType.IA5String)]), False, id="IA5String",
        ),
    ],
)  # fmt: skip
def test_names_that_stay_the_same_when_another_program_writes_them_again(name: x509.Name, outlives: bool) -> None:
    """Go decodes names and encodes them as tests/tools/support/fake_vault and real servers do."""
    again = rewritten(name)
    assert (again.public_bytes() == name.public_bytes()) is outlives
    assert rewritten(again).public_bytes() == again.public_bytes()
    own = key(5)
    made = x509.CertificateBuilder(name, name, own.public_key, 7, NOW, NOW + YEAR).sign(
        own.for_signing(), hashes.SHA256()
    )
    assert Certificate(made.public_bytes(Encoding.DER)).outlives_rewriting is outlives


@pytest.mark.parametrize("case", OTHER, ids=lambda case: case.name)
def test_names_that_no_verifier_confuses(case: Spelling) -> None:
    assert fold_name(case.own) != fold_name(case.other)


def test_a_value_that_is_no_text() -> None:
    bits = x509.NameAttribute(x509.NameOID.X500_UNIQUE_IDENTIFIER, b"\x00\x01", x509.name._ASN1Type.BitString)
    assert fold_name(x509.Name([bits])) == ((("2.5.4.45", "0001"),),)


@pytest.mark.parametrize("case", LIKE, ids=lambda case: case.name)
def test_a_chain_with_another_spelling_is_in_order_and_told_for_what_it_is(case: Spelling) -> None:
    chain = (case.below, case.authority)
    assert check_authority_chain(chain) == []
    ((certificate, defect),) = chain_defects(chain)
    assert (certificate, defect.verifiers) == (case.below, {Verifier.GO})
    assert "in another spelling" in defect.cause
    assert not (defect.verifiers & case.accepted_by)


@pytest.mark.parametrize("case", OTHER, ids=lambda case: case.name)
def test_a_chain_with_another_name_is_out_of_order(case: Spelling) -> None:
    (problem,) = check_authority_chain((case.below, case.authority))
    assert problem.startswith(OUT_OF_ORDER)
    assert list(chain_defects((case.below, case.authority))) == []


def test_a_chain_with_another_spelling_of_another_key_is_out_of_order() -> None:
    chain = (
        certified(spelt("below"), key(2), spelt("ROOT"), key(5)),
        certified(spelt("Root"), key(1), spelt("Root"), key(1)),
    )
    (problem,) = check_authority_chain(chain)
    assert problem.startswith(OUT_OF_ORDER)


def with_sha_1(folder: Path) -> Iterator[tuple[Certificate, Certificate]]:
    """Signed by an RSA key, and by an EC key."""
    yield from ((case.authority, case.root) for case in UNUSABLE if case.name == "sha1_below")
    root = make("root", key(1))
    yield sha_1_below(root, key(2), folder).certificate, root.certificate


@pytest.mark.parametrize("which", [0, 1], ids=["rsa", "ecdsa"])
def test_a_chain_signed_with_sha_1_is_in_order_and_told_for_what_it_is(
    which: int, tmp_path: Path, golden: GoldenFiles
) -> None:
    chain = authority, root = list(with_sha_1(tmp_path))[which]
    assert check_authority_chain(chain) == []
    golden.compare_said("certificates", "\n".join(defect.cause for _certificate, defect in chain_defects(chain)))
    assert authority.bears_signature_of(root)
    assert not authority.signed_by(root)
    (problem,) = check_authority_chain((authority, make("root", key(5)).certificate))
    assert problem.startswith(OUT_OF_ORDER)


@pytest.mark.parametrize("case", [*UNUSABLE, *USABLE], ids=lambda case: case.name)
def test_the_signature_of_a_leaf_names_its_ca_whatever_the_algorithm(case: Case) -> None:
    assert case.leaf.bears_signature_of(case.authority)
    assert not case.leaf.bears_signature_of(make("other", key(5)).certificate)


def test_openssl_might_take_the_other_ca_of_a_similar_name() -> None:
    """Without identifiers it takes the first whose name it thinks fits."""
    right, other = (make(name, key(number), subject_identifier=None) for name, number in (("S", 7), ("s", 8)))
    presented = (leaf(right, authority_identifier=None),)
    anchors = (other.certificate, right.certificate)
    results = {one: validate_path(presented, anchors, at=NOW, verifier=one).valid for one in Verifier}
    assert results == {Verifier.JVM: True, Verifier.GO: True, Verifier.OPENSSL: False}


def test_a_jvm_cuts_off_at_a_twin_of_a_similar_name() -> None:
    root = make("root", key(4))
    sent = make("A", key(5), root)
    similar = make("a", key(5), subject_identifier=b"another", end=NOW + YEAR - timedelta(days=1))
    presented = (leaf(sent), sent.certificate)
    assert sent.certificate.passes_for(similar.certificate)
    assert not sent.certificate.is_twin_of(similar.certificate)
    results = {
        one: validate_path(presented, (root.certificate, similar.certificate), at=NOW, verifier=one).valid
        for one in Verifier
    }
    assert results[Verifier.GO]
    assert not results[Verifier.JVM]


# Names and addresses are told apart as the library does, only sooner.


@given(st.one_of(st.ip_addresses().map(str), st.text("0123456789abcdefx.:%/- ٣²", max_size=20), st.text(max_size=8)))
def test_addresses_are_read_as_the_library_reads_them(name: str) -> None:
    try:
        wanted = ipaddress.ip_address(name)
    except ValueError:
        wanted = None
    assert address_of(name) == wanted


@pytest.mark.parametrize("name", ["2001:db8::a", "::ffff:1.2.3.4", "fe80::1%eth0", "::"])
def test_addresses_that_do_not_end_in_a_digit(name: str) -> None:
    assert address_of(name) == ipaddress.ip_address(name)


def test_each_part_of_a_subject_and_each_alternative_name_is_compared() -> None:
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "a")])
    assert [names_of(subject, [x509.DNSName("a")] * count).count for count in range(4)] == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("uri", "is_matched"),
    [("https://a.b/..", True), ("https://a..b/", False), ("https://10.0.0.1/", False), ("https://a.b/10", True)],
)
def test_of_a_uri_the_name_of_its_host_is_compared(uri: str, is_matched: bool) -> None:
    unmatched = names_of(x509.Name([]), [x509.UniformResourceIdentifier(uri)]).unmatched
    assert unmatched == (frozenset() if is_matched else {uri})


def test_a_network_is_no_name_of_a_certificate() -> None:
    network = x509.IPAddress(ipaddress.ip_network("10.0.0.0/8"))
    found = names_of(x509.Name([]), [network, x509.IPAddress(ipaddress.ip_address("10.0.0.1"))])
    assert found.alternative == {ipaddress.ip_address("10.0.0.1")}
    assert found.unmatched == {"10.0.0.0/8"}


def test_hosts_and_addresses_are_told_apart() -> None:
    assert hosts_and_addresses({"b.svc", "10.0.0.2", "a.svc", "::1"}) == (["a.svc", "b.svc"], ["10.0.0.2", "::1"])


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("10.1", "10.0.0.1"),
        ("010.0.0.1", "10.0.0.1"),
        ("010.000.000.001", "10.0.0.1"),
        ("010.000.000.0001", None),
        ("1.16777215", "1.255.255.255"),
        ("1.16777216", None),
        ("1.16777217", None),
        ("255.1", "255.0.0.1"),
        ("256.1", None),
        ("1.2.3.4.0", None),
    ],
)
def test_a_common_name_that_a_jvm_takes_for_an_address(text: str, address: str | None) -> None:
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, text)])
    assert names_of(subject, []).to_jvm == {text if address is None else ipaddress.ip_address(address)}
