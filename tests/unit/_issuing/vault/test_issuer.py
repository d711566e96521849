# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificates from Vault: the requests, the outcome of each answer, and tokens with chains of every shape."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from cryptography import x509

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import (
    AnswerUnusable,
    CertificateError,
    IssuerUnavailable,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.acceptance import Acceptance
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.https.at_once import decode_token
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.issuer import (
    IssuedCertificate,
    LeafOrder,
    Refused,
    Token,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.vault.issuer import (
    VaultPki,
    token_of,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.requests import build_request

from ....tools.support.certificates import Entity, key, leaf, make, rsa_key
from ....tools.support.fake_vault.server import Fault
from ....tools.support.golden import GoldenFiles
from ....tools.support.issuer_contract import CLIENT, NODE, WEEK, asked, is_told, issued, said_by, wish
from ....tools.support.vault_mount import ROLE, Bench, QuickClock, SetUp, documented


def refused(bench: Bench, order: LeafOrder | None = None) -> Refused:
    answer = bench[1].issuer().request(order or wish().order)
    assert isinstance(answer, Refused)
    is_told(answer)
    return answer


def acceptance(ready: SetUp) -> Acceptance:
    return Acceptance(ready.authority, (), QuickClock().now())


def test_the_request_says_what_the_csr_says_and_never_a_key(bench: Bench) -> None:
    vault, ready = bench
    order = wish(NODE).order
    asked(ready.issuer(), order)
    (seen,) = vault.seen
    assert seen.path == f"pki/kafka/issuer/{ready.issuer_ref}/sign/{ROLE}"
    assert seen.body == {
        "csr": order.csr.decode(), "common_name": "demo-kafka", "exclude_cn_from_sans": True, "format": "pem",
        "alt_names": "demo-kafka-0.demo-kafka-brokers,demo-kafka-bootstrap.kafka.svc",
        "ip_sans": "192.0.2.4,2001:db8::4", "ttl": f"{7 * 86400}s",
    }  # fmt: skip


def test_the_same_request_is_signed_once(bench: Bench) -> None:
    vault, ready = bench
    issuer, order = ready.issuer(), wish().order
    assert asked(issuer, order) == asked(issuer, order)
    assert vault.signed() == 1
    asked(ready.issuer(), order)
    assert vault.signed() == 2


def test_to_read_what_was_signed_asks_nothing(bench: Bench) -> None:
    vault, ready = bench
    tokens = [asked(ready.issuer(), wish(number=number).order) for number in range(2)]
    before = len(vault.seen)
    later = ready.issuer()
    issued(later, *tokens)
    later.forget(tokens)
    assert len(vault.seen) == before


def test_a_token_is_public(bench: Bench) -> None:
    token = asked(bench[1].issuer(), wish().order)
    assert b"PRIVATE" not in token.value
    assert token.value.count(b"BEGIN CERTIFICATE") == 3


@pytest.mark.parametrize("subject", [NODE, CLIENT], ids=["node", "client"])
def test_roles_that_do_not_read_names_from_the_csr_get_them_beside_it(bench: Bench, subject: Any) -> None:
    vault, ready = bench
    vault.mounts["pki/kafka"].set_role(
        ROLE, {**documented("pki/roles/kafka"), "use_csr_sans": "false", "use_csr_common_name": "false"}
    )
    wanted = wish(subject)
    (found,) = issued(ready.issuer(), asked(ready.issuer(), wanted.order))
    assert found.leaf.subject_alternative_names == subject.names
    assert found.leaf.subject == subject.distinguished_name.as_name().rfc4514_string()


def test_the_documented_role_takes_the_largest_and_the_smallest_keys(bench: Bench) -> None:
    for size in (4096, 2048):
        own = rsa_key(size)
        csr = build_request(NODE.distinguished_name, NODE.names, own)
        answer = bench[1].issuer().request(LeafOrder("demo-rsa", NODE, csr, WEEK))
        assert isinstance(answer, Token)


@pytest.mark.parametrize(
    ("case", "change"),
    [
        ("common name", {"allowed_domains": "other-*"}),
        ("alternative name", {"cn_validations": "disabled", "allowed_domains": "x"}),
        ("address", {"allow_ip_sans": "false"}),
        ("type of key", {"key_type": "rsa"}),
        ("size of key", {"key_type": "ec", "key_bits": 384}),
    ],
)
def test_a_role_that_does_not_fit_refuses_in_its_own_words(
    case: str, bench: Bench, change: dict[str, Any], golden: GoldenFiles
) -> None:
    vault, _ready = bench
    vault.mounts["pki/kafka"].set_role(ROLE, {**documented("pki/roles/kafka"), **change})
    golden.compare_said("issuers", said_by(refused(bench)), case)
    assert vault.signed() == 1


def test_a_leaf_that_would_outlive_its_ca_is_refused(bench: Bench, golden: GoldenFiles) -> None:
    order = wish().order
    late = LeafOrder(order.name, order.subject, order.csr, timedelta(days=300))
    golden.compare_said("issuers", said_by(refused(bench, late)))


def test_a_life_that_the_role_cuts_is_given_and_not_refused(bench: Bench) -> None:
    vault, ready = bench
    vault.mounts["pki/kafka"].set_role(ROLE, {**documented("pki/roles/kafka"), "max_ttl": "1h"})
    (found,) = issued(ready.issuer(), asked(ready.issuer(), wish().order))
    assert found.leaf.not_after - QuickClock().now() < timedelta(hours=1)


@pytest.mark.parametrize("words", ["wrong\x1b[2Jname", "a" * 5000, "two\nlines\tof text", ""])
def test_an_error_of_vault_is_shown_on_one_short_line(bench: Bench, words: str) -> None:
    bench[0].faults = [Fault(400, (words,))]
    answer = refused(bench)
    assert "\x1b" not in answer.reason


def drop(*names: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda data: {key: value for key, value in data.items() if key not in names}


def put(**values: Any) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda data: {**data, **values}


@pytest.mark.parametrize(
    ("case", "distort"),
    [
        ("no certificate", drop("certificate")),
        ("no issuing_ca", drop("issuing_ca")),
        ("no content", put(certificate="-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----")),
        ("a number", put(certificate=7)),
        ("nothing", put(certificate="")),
        ("half a character", put(certificate="\ud800")),
        ("no ca_chain", put(ca_chain=[None])),
        ("no PEM in ca_chain", put(ca_chain="no PEM")),
        ("no data", lambda data: []),
        (
            "another issuer",
            lambda data: {
                **data,
                "certificate": data["ca_chain"][1],
                "issuing_ca": data["certificate"],
                "ca_chain": [],
            },
        ),
    ],
)
def test_an_answer_that_lacks_what_the_api_promises_is_refused(
    case: str, bench: Bench, distort: Any, golden: GoldenFiles
) -> None:
    bench[0].distort = distort
    golden.compare_said("issuers", said_by(refused(bench)), f"of a leaf, {case}")


@pytest.mark.parametrize(
    "distort",
    [
        lambda data: {**data, "ca_chain": data["ca_chain"][::-1]},
        lambda data: {**data, "ca_chain": "\n".join(data["ca_chain"])},
        lambda data: {**data, "ca_chain": [*data["ca_chain"], *data["ca_chain"]]},
        lambda data: {**data, "certificate": "\n".join([data["certificate"], *data["ca_chain"]])},
    ],
    ids=["reversed", "one text", "twice", "bundle"],
)
def test_the_chain_is_put_in_order(bench: Bench, distort: Any) -> None:
    vault, ready = bench
    vault.distort = distort
    (found,) = issued(ready.issuer(), asked(ready.issuer(), wish().order))
    assert found.chain == ready.authority


@pytest.mark.parametrize(
    "distort", [drop("ca_chain"), lambda data: {**data, "ca_chain": data["ca_chain"][:1]}], ids=["none", "no root"]
)
def test_a_chain_may_leave_the_root_out(bench: Bench, distort: Any) -> None:
    vault, ready = bench
    vault.distort = distort
    (found,) = issued(ready.issuer(), asked(ready.issuer(), wish().order))
    assert found.chain == ready.authority[:1]


def test_an_answer_for_another_key_is_not_accepted(bench: Bench, golden: GoldenFiles) -> None:
    _vault, ready = bench
    wanted, other = wish(), wish(number=1)
    (found,) = issued(ready.issuer(), asked(ready.issuer(), other.order))
    said = list(acceptance(ready).refusals(found, NODE, wanted.key))
    golden.compare_said("issuers", "\n".join(said))


def test_another_issuer_behind_the_name_default_is_not_accepted(bench: Bench) -> None:
    """The administrator has moved the name; a pinned issuer would not have been affected."""
    _vault, ready = bench
    wanted = wish()
    (found,) = issued(ready.issuer(), asked(ready.issuer(issuer_ref="default"), wanted.order))
    assert found.chain == ready.authority[1:]
    assert [one for one in acceptance(ready).refusals(found, NODE, wanted.key) if "subject" not in one]


def test_the_name_of_the_leaf_reads_as_it_was_asked_for(bench: Bench) -> None:
    """Vault writes it again, as PrintableString where the request has UTF8String."""
    _vault, ready = bench
    wanted = wish()
    (found,) = issued(ready.issuer(), asked(ready.issuer(), wanted.order))
    assert found.leaf.subject == "CN=demo-kafka,O=io.strimzi"
    assert x509.load_der_x509_certificate(found.leaf.der).subject == x509.load_pem_x509_csr(wanted.order.csr).subject
    assert list(acceptance(ready).refusals(found, NODE, wanted.key)) == []


@pytest.mark.parametrize("change", [{"organization": ""}, {"organization": "other"}, {"ou": "kafka"}])
def test_a_role_that_gives_another_name_is_noticed(bench: Bench, change: dict[str, Any]) -> None:
    vault, ready = bench
    vault.mounts["pki/kafka"].set_role(ROLE, {**documented("pki/roles/kafka"), **change})
    wanted = wish()
    (found,) = issued(ready.issuer(), asked(ready.issuer(), wanted.order))
    said = list(acceptance(ready).refusals(found, NODE, wanted.key))
    assert f"its subject is {found.leaf.subject}" in said
    assert found.leaf.subject != "CN=demo-kafka,O=io.strimzi"


def test_a_token_that_holds_something_else_is_no_certificate(bench: Bench) -> None:
    own = key(1).reveal()
    (answer,) = bench[1].issuer().poll((Token(own),))
    is_told(answer)
    assert isinstance(answer, Refused)
    assert not any(line in answer.reason for line in own.decode().splitlines())


@pytest.mark.parametrize("namespace", ["", "team/kafka/"])
def test_the_reference_of_an_issuer_has_all_that_tells_it_apart(bench: Bench, namespace: str) -> None:
    issuer = bench[1].issuer(
        url="https://vault.example:8200/", mount="/pki/", issuer_ref="kafka-2026", namespace=namespace
    )
    inside = " in namespace team/kafka" if namespace else ""
    assert issuer.reference == f"Vault issuer kafka-2026 of https://vault.example:8200, mount pki{inside}, role kafka"


def test_a_password_in_its_url_is_no_part_of_its_name(bench: Bench) -> None:
    assert "s3cr3t" not in bench[1].issuer(url="https://me:s3cr3t@vault.example").reference


def test_the_repr_of_the_issuer_shows_no_token(bench: Bench) -> None:
    settings = bench[1].settings()
    issuer = VaultPki(settings, QuickClock(), str)
    asked(issuer, wish().order)
    for shown in (repr(settings), repr(settings.login), repr(issuer), repr(issuer._session), str(vars(issuer))):
        assert bench[0].root not in shown


def test_an_issuer_gives_a_sign_of_life_before_each_request(bench: Bench) -> None:
    vault, ready = bench
    vault.faults = [Fault(503, times=2)]
    lived: list[int] = []
    asked(VaultPki(ready.settings(), QuickClock(), str, lambda: lived.append(vault.signed())), wish().order)
    assert lived == [0, 1, 2]


def test_a_server_is_not_asked_before_there_is_a_request_to_sign(bench: Bench) -> None:
    """Settings that make no connection are told of only then, and a certificate that was signed can be read."""
    token = asked(bench[1].issuer(), wish().order)
    wrong = bench[1].issuer(url="ftp://vault")
    assert isinstance(wrong.poll((token,))[0], IssuedCertificate)
    with pytest.raises(IssuerUnavailable):
        wrong.request(wish().order)


# From answers to tokens, with chains of every shape.

ROOT = make("root", key(1))
CA = make("issuer", key(2), ROOT)
OLD = make("old root", key(3))


#: The same CA below another root, and for the same key.
CROSS = make("issuer", key(2), OLD)
LEAF = leaf(CA)


def chain_of(issuing: Certificate, *above: Certificate) -> tuple[Certificate, ...]:
    data = {
        "certificate": LEAF.pem.decode(),
        "issuing_ca": issuing.pem.decode(),
        "ca_chain": [one.pem.decode() for one in above],
    }
    found = decode_token(token_of({"data": data}))
    assert found.leaf == LEAF
    return found.chain


def test_of_two_ways_up_the_one_of_the_issuing_ca_is_taken() -> None:
    ca, cross, root, old = CA.certificate, CROSS.certificate, ROOT.certificate, OLD.certificate
    assert chain_of(ca, ca, cross, old, root) == (ca, root)
    assert chain_of(cross, ca, cross, old, root) == (cross, old)


def test_above_a_root_is_nothing() -> None:
    """Another root may have certified it."""
    ca, root, crossed, old = CA.certificate, ROOT.certificate, make("root", key(1), OLD).certificate, OLD.certificate
    assert chain_of(ca, ca, root, crossed, old) == (ca, root)


def test_a_chain_leaves_out_certificates_that_sign_nothing() -> None:
    assert chain_of(CA.certificate, OLD.certificate) == (CA.certificate,)


def test_a_chain_that_no_verifier_accepts_is_no_answer() -> None:
    above: list[Entity] = [ROOT]
    for number in range(9):
        above.append(make(f"ca {number}", key(10 + number), above[-1]))
    below = leaf(above[-1])
    names = [one.certificate.pem.decode() for one in reversed(above)]
    with pytest.raises(AnswerUnusable, match="it has 11 certificates"):
        token_of({"data": {"certificate": below.pem.decode(), "issuing_ca": names[0], "ca_chain": names}})
    found = token_of({"data": {"certificate": below.pem.decode(), "issuing_ca": names[0], "ca_chain": names[:9]}})
    assert len(decode_token(found).chain) == 9


@pytest.mark.parametrize("body", [{}, {"data": None}, {"data": []}])
def test_an_answer_without_data_is_none(body: dict[str, object], golden: GoldenFiles) -> None:
    with pytest.raises(AnswerUnusable) as raised:
        token_of(body)
    golden.compare_said("issuers", raised.value)


def test_a_record_of_something_else_is_none() -> None:
    with pytest.raises(CertificateError):
        decode_token(Token(b"{}"))
