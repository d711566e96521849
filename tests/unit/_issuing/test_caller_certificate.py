# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A certificate for names of one's own: issued when it has to be, kept as long as it may be, in no Secret of another owner."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import Conflict, StepError
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.caller_certificate import (
    Form,
    OwnCertificate,
    have_certificate,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Chain, parse_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keystores import certificate_in_pkcs12
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import Action, secret_patch
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import (
    Ledger,
    LedgerEntry,
    TrustState,
)

from ...tools.support.certificates import Entity
from ...tools.support.golden import GoldenFiles
from .._strimzi.bench import LIFE, SCOPE, Bench, pem, secret
from .._strimzi.steps import NEXT, record
from . import openssl
from .office import CA, NODES, OLD, office

NAMES = frozenset({"tools.kafka.svc", "192.0.2.7"})
WANTED = OwnCertificate("tools-tls", "tools", NAMES, timedelta(days=30))


def have(bench: Bench, wanted: OwnCertificate = WANTED, **settings: Any) -> tuple[list[Action], Chain, str]:
    work = bench.work(**settings)
    chain, why = have_certificate(wanted, bench.observe(), work)
    return work.actions, chain, why


@pytest.fixture
def bench() -> Bench:
    """With a certificate that was issued before."""
    made = office()
    have(made)
    return made


def test_a_name_that_no_certificate_can_have_is_told(golden: GoldenFiles) -> None:
    bench = office()
    with pytest.raises(StepError) as refused:
        have(bench, replace(WANTED, names=frozenset({"b\u00fccher.example"})))
    golden.compare_said("issuers", refused.value)


def test_a_certificate_is_issued_with_its_key_and_the_trusted_cas(tmp_path: Path, golden: GoldenFiles) -> None:
    bench = office()
    actions, chain, why = have(bench)
    data = bench.data("tools-tls")
    assert set(data) == {"tools.crt", "tools.key", "ca.crt"}
    assert data["tools.crt"] == pem(*chain)
    assert data["ca.crt"] == pem(CA)
    assert [(one.verb, one.object) for one in actions] == [("create", "Secret kafka/tools-tls")]
    golden.compare_said("issuers", why)
    at = int(bench.clock.now().timestamp())
    assert openssl.verify(data["tools.crt"], data["ca.crt"], at, tmp_path, "tools.kafka.svc")
    assert openssl.public_key_of_private(data["tools.key"]) == openssl.public_key_of_certificate(data["tools.crt"])
    assert "Subject: O=io.strimzi, CN=tools\n" in openssl.describe(data["tools.crt"])


def test_the_operator_does_not_take_it_for_its_own(bench: Bench) -> None:
    assert bench.find("secrets", "tools-tls")["metadata"]["labels"] == {}


def test_a_second_time_there_is_nothing_to_do(bench: Bench) -> None:
    before = len(bench.api.writes)
    actions, chain, why = have(bench)
    assert (actions, why, len(bench.api.writes)) == ([], "", before)
    assert pem(*chain) == bench.data("tools-tls")["tools.crt"]


def test_without_names_it_is_a_clients(bench: Bench) -> None:
    have(bench, replace(WANTED, names=frozenset()))
    assert "Subject Alternative Name" not in openssl.extensions(bench.data("tools-tls")["tools.crt"])


@pytest.mark.parametrize("written", ["2001:DB8::7", "2001:db8:0:0:0:0:0:7"])
def test_an_ipv6_address_is_the_same_in_all_its_forms(written: str) -> None:
    bench, wanted = office(), replace(WANTED, names=frozenset({written}))
    assert have(bench, wanted)[2]
    assert have(bench, wanted)[2] == ""


def _spoil(entry: str) -> Callable[[Bench], None]:
    return lambda bench: void(bench.change("secrets", "tools-tls", secret_patch({entry: b"broken"})))


def void(_result: object) -> None:
    """Nothing."""


def _take_over(bench: Bench) -> None:
    """Another CA is in use."""
    for name in (SCOPE.ca_certificate_secret, SCOPE.ca_key_secret):
        bench.remove("secrets", name)
    bench.authority(OLD)


def _come_to_the_end(bench: Bench) -> None:
    bench.clock.seconds = (LIFE - WANTED.renew_before).total_seconds() + 1


@pytest.mark.parametrize(
    ("case", "spoil", "wanted"),
    [
        ("no certificate", _spoil("tools.crt"), WANTED),
        ("no key", _spoil("tools.key"), WANTED),
        ("another name", void, replace(WANTED, names=NAMES | {"more"})),
        ("another CA", _take_over, WANTED),
        ("at its end", _come_to_the_end, WANTED),
    ],
)
def test_a_certificate_is_issued_again_for_a_reason(
    case: str, spoil: Callable[[Bench], None], wanted: OwnCertificate, bench: Bench, golden: GoldenFiles
) -> None:
    spoil(bench)
    bench.change("secrets", "tools-tls", secret_patch({"notes.txt": b"mine"}))
    before = bench.data("tools-tls")
    actions, _chain, said = have(bench, wanted)
    after = bench.data("tools-tls")
    assert [one.verb for one in actions] == ["update"]
    golden.compare_said("issuers", said, case)
    assert after["tools.crt"] != before["tools.crt"]
    assert after["notes.txt"] == b"mine"
    assert have(bench, wanted)[2] == ""


def test_a_short_life_is_used_to_its_half_before_it_is_renewed() -> None:
    """Else it would be issued again by every call."""
    bench, life = office(), timedelta(days=10)
    have(bench, validity=life)
    bench.clock.seconds = 4 * 86400
    assert have(bench, validity=life)[2] == ""
    bench.clock.seconds = 6 * 86400
    assert have(bench, validity=life)[2].startswith("it ends on")


def test_trusted_cas_are_updated_and_the_certificate_stays(bench: Bench) -> None:
    """A CA that some process does not trust yet is not among what is trusted."""
    entries = (
        LedgerEntry((CA.certificate,), TrustState.TRUSTED_IN_USE_ALL),
        LedgerEntry((OLD.certificate,), TrustState.PHASE_OUT),
        LedgerEntry((NEXT.certificate,), TrustState.UNTRUSTED),
    )
    bench.carry_out(record(Ledger(entries)))
    before = bench.data("tools-tls")["tools.crt"]
    actions, _chain, why = have(bench)
    assert ([one.verb for one in actions], why) == (["update"], "")
    trusted = parse_certificates(bench.data("tools-tls")["ca.crt"])
    assert (set(trusted), bench.data("tools-tls")["tools.crt"]) == ({CA.certificate, OLD.certificate}, before)


def test_a_dry_run_makes_nothing_and_says_why(golden: GoldenFiles) -> None:
    bench = office()
    before = len(bench.api.writes)
    (action,), chain, why = have(bench, dry_run=True)
    assert (action.verb, chain) == ("create", ())
    golden.compare_said("issuers", why)
    assert len(bench.api.writes) == before


def test_without_the_key_of_the_ca_in_use_the_message_says_where_it_is_expected(golden: GoldenFiles) -> None:
    bench = office(Entity(CA.certificate, OLD.key))
    for dry_run in (True, False):
        with pytest.raises(StepError) as caught:
            have_certificate(WANTED, bench.observe(), bench.work(dry_run=dry_run))
        golden.compare_said("issuers", caught.value)


IN_ALL_FORMS = replace(WANTED, forms=frozenset(Form))
STORES = {"tools.p12", "tools.truststore.p12", "tools.jks", "tools.truststore.jks"}


def test_further_forms_hold_the_same_pair_under_a_password_that_stays(bench: Bench) -> None:
    before = bench.data("tools-tls")
    assert have(bench, IN_ALL_FORMS)[1:] == (parse_certificates(before["tools.crt"]), "")
    made = bench.data("tools-tls")
    assert made.keys() - before.keys() == {*STORES, "tools.pem", "tools.password"}
    assert {name: made[name] for name in before} == before
    assert made["tools.pem"] == before["tools.key"] + before["tools.crt"]
    leaf = parse_certificates(before["tools.crt"])[0]
    assert certificate_in_pkcs12(made["tools.p12"], made["tools.password"]) == leaf.sha256
    other = replace(IN_ALL_FORMS, common_name="other", forms=frozenset({Form.JKS}))
    have(bench, other)
    assert (have(bench, IN_ALL_FORMS)[0], have(bench, other)[0]) == ([], [])
    _come_to_the_end(bench)
    chain = have(bench, IN_ALL_FORMS)[1]
    renewed = bench.data("tools-tls")
    assert certificate_in_pkcs12(renewed["tools.p12"], made["tools.password"]) == chain[0].sha256 != leaf.sha256
    assert renewed["tools.pem"] == renewed["tools.key"] + pem(*chain)


@pytest.mark.parametrize("spoilt", [*sorted(STORES), "tools.pem", "tools.password", "tools.crt", "ca.crt"])
def test_further_forms_are_made_again_where_one_or_what_it_is_made_of_was_changed(spoilt: str, bench: Bench) -> None:
    have(bench, IN_ALL_FORMS)
    bench.change("secrets", "tools-tls", secret_patch({spoilt: b"other"}))
    assert [one.verb for one in have(bench, IN_ALL_FORMS)[0]] == ["update"]
    found = bench.data("tools-tls")
    assert (found["tools.password"] == b"other") is (spoilt == "tools.password")
    leaf = parse_certificates(found["tools.crt"])[0]
    assert certificate_in_pkcs12(found["tools.p12"], found["tools.password"]) == leaf.sha256
    assert have(bench, IN_ALL_FORMS)[0] == []


def test_a_form_that_is_not_wanted_any_more_goes_and_what_others_called_alike_stays(bench: Bench) -> None:
    bench.change("secrets", "tools-tls", secret_patch({"tools.jks": b"mine"}))
    assert have(bench)[0] == []
    have(bench, IN_ALL_FORMS)
    assert [one.verb for one in have(bench, replace(WANTED, forms=frozenset({Form.COMBINED})))[0]] == ["update"]
    assert set(bench.data("tools-tls")) == {"tools.crt", "tools.key", "ca.crt", "tools.pem", "tools.password"}
    assert [one.verb for one in have(bench)[0]] == ["update"]
    assert "tools.pem" not in bench.data("tools-tls")
    assert have(bench)[0] == []


@pytest.mark.parametrize("record", ["{", "[1]", "[" * 100_000])
def test_a_record_of_further_forms_that_cannot_be_read_is_none(record: str, bench: Bench) -> None:
    bench.change("secrets", "tools-tls", {"metadata": {"annotations": {"trustops.strimzi/forms": record}}})
    assert have(bench)[0] == []


@pytest.mark.parametrize("password", [b"", b"secret\n", "geh\u00e9im".encode()])
def test_a_password_that_opens_no_keystore_is_refused(password: bytes, bench: Bench, golden: GoldenFiles) -> None:
    bench.change("secrets", "tools-tls", secret_patch({"tools.password": password}))
    for dry_run in (True, False):
        with pytest.raises(StepError) as refused:
            have(bench, IN_ALL_FORMS, dry_run=dry_run)
        golden.compare_said("issuers", refused.value)
    assert have(bench)[0] == []


TAKEN = [
    SCOPE.ca_certificate_secret, SCOPE.ca_key_secret, SCOPE.trust_bundle_secret, SCOPE.trusted_certificates_secret,
    SCOPE.client_bundle_secret, NODES[0], "demo-cluster-operator-certs",
]  # fmt: skip


@pytest.mark.parametrize("there", [True, False], ids=["it exists", "it is missing"])
@pytest.mark.parametrize("name", TAKEN)
def test_the_clusters_own_secrets_are_refused(name: str, there: bool, golden: GoldenFiles) -> None:
    """A leaf in ``<c>-cluster-ca-cert`` would be a trusted CA."""
    bench = office()
    bench.remove("secrets", name)
    if there:
        bench.create("secrets", secret(name, {}))
    before = len(bench.api.writes)
    with pytest.raises(StepError) as caught:
        have(bench, replace(WANTED, secret=name))
    assert caught.value.object == f"Secret kafka/{name}"
    golden.compare_said("issuers", f"{caught.value.cause}\n{caught.value.remedy}")
    assert len(bench.api.writes) == before


def test_the_certificate_does_not_take_the_place_of_the_trusted_cas(golden: GoldenFiles) -> None:
    with pytest.raises(StepError) as caught:
        have(office(), replace(WANTED, common_name="ca"))
    golden.compare_said("issuers", caught.value)


@pytest.mark.parametrize(
    "name",
    [
        "demo-kafka", "cluster-operator", "demo-entity-topic-operator", "demo-entity-user-operator", "demo-cruise-control",
        "demo-kafka-exporter",
    ],
)  # fmt: skip
def test_the_subjects_of_the_operators_own_certificates_are_refused(name: str, golden: GoldenFiles) -> None:
    """Any client that presents them is a superuser of Kafka."""
    bench = office()
    before = len(bench.api.writes)
    with pytest.raises(StepError) as caught:
        have(bench, replace(WANTED, common_name=name))
    golden.compare_said("issuers", caught.value, name)
    assert len(bench.api.writes) == before


def test_a_concurrent_write_is_not_overwritten(bench: Bench) -> None:
    work = bench.work()
    observation, get = bench.observe(), work.client.get_or_none

    def get_and_lose(*arguments: Any) -> Any:
        found = get(*arguments)
        bench.change("secrets", "tools-tls", secret_patch({"notes.txt": b"mine"}))
        return found

    work.client.get_or_none = get_and_lose  # type: ignore[method-assign]
    with pytest.raises(Conflict):
        have_certificate(replace(WANTED, names=frozenset()), observation, work)
