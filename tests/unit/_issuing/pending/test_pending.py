# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The state of requests for leaves: their records, the issuer's answers, whether an answer may be used, and leaves with other names than an operator wants."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta

import pytest
from cryptography import x509

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.pending import pending as module
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.issuer_settings import CertManagerIssuer

from ....tools.support.certificates import NOW, YEAR, Entity, key, make
from ....tools.support.golden import GoldenFiles
from ....tools.support.signed_by_hand import Signature
from ..._strimzi.bench import SCOPE, Bench, pem
from ..elsewhere import (
    EXTERNAL,
    KEYS,
    NODE,
    OTHER_NODE,
    REQUESTS,
    Noting,
    answer,
    ask,
    collect,
    elsewhere,
    put,
    requested,
    see,
    seen,
    signed,
)
from ..office import CA, OLD

DAY = timedelta(days=1)
WAITING = (
    "The requests lie in Secrets kafka/demo-issuing-<component>: export them with strimzi_csr, have them signed, and import "
    "the answers."
)


#: Of the same name, with another key.
IMPOSTOR = make(CA.certificate.subject.partition(",")[0].removeprefix("CN="), key(70), path_length=0)


def asked(*secrets: str) -> Bench:
    bench = elsewhere()
    ask(bench, *(secrets or (NODE,)))
    return bench


def test_a_cluster_without_requests_has_none_in_its_snapshot() -> None:
    bench = elsewhere()
    assert see(bench).snapshot == bench.observe().snapshot


def test_a_request_without_an_answer_waits() -> None:
    found = seen(asked())
    assert (found.secret, found.issuer, found.authority) == (NODE, EXTERNAL, CA.certificate.fingerprint)
    assert (found.asked_at, found.outdated, found.waiting) == (NOW, "", WAITING)
    assert (found.is_open, found.is_recorded, found.answer, found.failure) == (True, True, None, None)


def test_a_good_answer_can_be_recorded() -> None:
    bench = asked(NODE, OTHER_NODE)
    leaf = signed(bench)
    answer(bench, leaf, CA)
    found = seen(bench)
    assert (found.answer, found.outdated, found.failure) == ((leaf, CA.certificate), "", None)
    assert (found.is_open, found.is_recorded) == (False, False)
    assert seen(bench, OTHER_NODE).waiting == WAITING


def test_the_root_may_be_left_out() -> None:
    bench = asked()
    leaf = signed(bench)
    answer(bench, leaf)
    assert seen(bench).answer == (leaf,)


def of_another_key(bench: Bench) -> tuple[Certificate, ...]:
    return (signed(bench, own_key=key(71)),)


def names_of(*names: str) -> list[tuple[x509.ExtensionType, bool]]:
    usages = x509.ExtendedKeyUsage([x509.ExtendedKeyUsageOID.SERVER_AUTH, x509.ExtendedKeyUsageOID.CLIENT_AUTH])
    return [(x509.SubjectAlternativeName(list(map(x509.DNSName, names))), False), (usages, False)]


WRONG: list[tuple[str, Callable[[Bench], tuple[Certificate, ...]]]] = [
    ("another key", of_another_key),
    ("another name", lambda bench: (signed(bench, extra=names_of("demo.example")),)),
    ("another subject", lambda bench: (signed(bench, common_name="admin"),)),
    ("of another CA", lambda bench: (signed(bench, by=OLD),)),
    ("of another CA, with its chain", lambda bench: (signed(bench, by=OLD), OLD.certificate)),
    ("expired", lambda bench: (signed(bench, begin=NOW - 9 * DAY, end=NOW - DAY),)),
    ("not valid yet", lambda bench: (signed(bench, begin=NOW + DAY),)),
]


@pytest.mark.parametrize(("case", "made"), WRONG)
def test_a_wrong_answer_is_refused_for_this_reason_alone(
    case: str, made: Callable[[Bench], tuple[Certificate, ...]], golden: GoldenFiles
) -> None:
    bench = asked()
    answer(bench, *made(bench))
    found = seen(bench)
    assert found.failure is not None
    golden.compare_said("issuers", found.failure.reason, case)
    assert (found.failure.count, found.failure.at) == (1, NOW)
    assert (found.answer, found.is_open, found.is_recorded) == (None, False, False)


def test_a_ca_of_the_same_name_is_another() -> None:
    bench = asked()
    answer(bench, signed(bench, by=IMPOSTOR), IMPOSTOR)
    found = seen(bench)
    assert found.failure is not None
    assert found.answer is None


def test_garbage_is_refused_with_a_remedy(golden: GoldenFiles) -> None:
    bench = asked()
    answer(bench, content=b"<html>")
    found = seen(bench)
    assert found.failure is not None
    golden.compare_said("issuers", found.failure.reason)


@pytest.mark.parametrize("seconds", [1, 299, 300])
def test_clocks_that_differ_are_waited_for(seconds: int, golden: GoldenFiles) -> None:
    bench = asked()
    answer(bench, signed(bench, begin=NOW + timedelta(seconds=seconds)), CA)
    found = seen(bench)
    golden.compare_said("issuers", found.waiting, f"by {seconds} s")
    assert (found.is_open, found.answer, found.failure) == (True, None, None)
    bench.clock.seconds += seconds
    assert seen(bench).answer is not None


@pytest.mark.parametrize("seconds", [0, 301])
def test_an_early_certificate_is_not_waited_for_longer_than_clocks_differ(seconds: int) -> None:
    bench = asked()
    answer(bench, signed(bench, begin=NOW + timedelta(seconds=seconds)), CA)
    found = seen(bench)
    assert (found.waiting, found.is_open) == ("", False)
    assert (found.failure is None) is (seconds == 0)


#: An issuer that always gives the same serial number.
SAME_SERIAL = Signature(CA, NOW - timedelta(hours=1), serial=7)


def given_the_same_serial(bench: Bench, name: str) -> bytes:
    return SAME_SERIAL.sign(requested(bench, name)["request"].encode())


@pytest.mark.parametrize(("first", "second"), [(NODE, OTHER_NODE), (OTHER_NODE, NODE)])
def test_the_serial_number_of_a_leaf_in_use_is_not_given_again(first: str, second: str) -> None:
    bench = asked(NODE, OTHER_NODE)
    put(bench, first, f"{first}.crt", given_the_same_serial(bench, first))
    answer(bench, content=given_the_same_serial(bench, second), name=second)
    found = seen(bench, second)
    assert (found.answer, found.failure is not None) == (None, True)


@pytest.mark.parametrize(("first", "second"), [(NODE, OTHER_NODE), (OTHER_NODE, NODE)])
def test_a_serial_number_belongs_to_the_answer_that_was_recorded_first(
    first: str, second: str, golden: GoldenFiles
) -> None:
    bench = asked(NODE, OTHER_NODE)
    answer(bench, content=given_the_same_serial(bench, first), name=first)
    collect(bench, first)
    answer(bench, content=given_the_same_serial(bench, second), name=second)
    found, other = seen(bench, second), seen(bench, first)
    assert found.failure is not None
    golden.compare_said("issuers", found.failure.reason)
    assert (found.answer, other.outdated, other.answer is not None) == (None, "", True)


def test_failures_are_counted() -> None:
    bench = asked()
    answer(bench, content=b"<html>")
    collect(bench, NODE)
    first = seen(bench).failure
    bench.clock.seconds += 7200
    ask(bench, NODE)
    open_again = seen(bench)
    assert (open_again.is_open, open_again.failure) == (True, first)
    answer(bench, content=b"<html>")
    found = seen(bench).failure
    assert first is not None
    assert found is not None
    assert (first.count, found.count) == (1, 2)
    assert found.at - first.at == timedelta(hours=2)


# Requests that are not wanted any more.


def more_names(bench: Bench) -> None:
    alternative = {"bootstrap": {"alternativeNames": ["kafka.example"]}}
    listener = {"name": "plain", "port": 9092, "type": "internal", "tls": False, "configuration": alternative}
    bench.change("kafkas", "demo", {"spec": {"kafka": {"listeners": [listener]}}})
    bench.remove("secrets", NODE)


def not_needed(bench: Bench) -> None:
    bench.remove("secrets", NODE)
    bench.remove("pods", NODE)


def key_lost(bench: Bench) -> None:
    bench.remove("secrets", KEYS)


def key_replaced(bench: Bench) -> None:
    put(bench, KEYS, f"{NODE}.key", key(71).reveal())


def record_lost(bench: Bench) -> None:
    bench.remove("secrets", REQUESTS)


def record_broken(bench: Bench) -> None:
    put(bench, REQUESTS, f"{NODE}.requested", b"{")


OUTDATED = [
    pytest.param(more_names, "other names are needed by now", id="names"),
    pytest.param(not_needed, "nothing of this cluster needs it", id="not needed"),
    pytest.param(key_lost, "the key that was made for it is gone", id="key"),
    pytest.param(key_replaced, "the key that was made for it is gone", id="another key"),
    pytest.param(record_lost, "no request asks for it", id="record"),
    pytest.param(record_broken, "its record cannot be read", id="unreadable"),
]


@pytest.mark.parametrize(("event", "why"), OUTDATED)
def test_an_outdated_request_has_no_answer(event: Callable[[Bench], None], why: str) -> None:
    """Its answer is not even looked at."""
    bench = asked()
    event(bench)
    assert seen(bench).outdated == why
    bench = asked()
    answer(bench)
    event(bench)
    found = seen(bench)
    assert (found.outdated, found.answer, found.failure) == (why, None, None)


def expired(bench: Bench) -> None:
    bench.clock.seconds += 400 * 86400


def edited(bench: Bench) -> None:
    put(bench, REQUESTS, f"{NODE}.pending", pem(Entity(OLD.certificate, OLD.key)))


@pytest.mark.parametrize(
    ("case", "event"),
    [
        ("not needed", not_needed),
        ("key", key_lost),
        ("another key", key_replaced),
        ("names", more_names),
        ("expired", expired),
        ("edited", edited),
    ],
)
def test_a_collected_certificate_is_checked_by_each_look(
    case: str, event: Callable[[Bench], None], golden: GoldenFiles
) -> None:
    bench = asked()
    answer(bench)
    collect(bench, NODE)
    assert (seen(bench).outdated, seen(bench).is_recorded) == ("", True)
    event(bench)
    golden.compare_said("issuers", seen(bench).outdated, case)


def test_a_collected_certificate_needs_no_issuer() -> None:
    bench = asked()
    leaf = signed(bench)
    answer(bench, leaf, CA)
    collect(bench, NODE)
    found = seen(bench)
    assert (found.answer, found.is_open, found.issuer) == ((leaf, CA.certificate), False, "")
    assert found.authority == CA.certificate.fingerprint
    assert found.asked_at == leaf.not_before


# The issuer that is asked.


@pytest.fixture
def noting(monkeypatch: pytest.MonkeyPatch) -> Noting:
    issuer = Noting()
    monkeypatch.setattr(module, "issuer_of", lambda work, stored=(): issuer)
    return issuer


def test_only_requests_that_are_open_are_asked_about(noting: Noting, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = asked(NODE, OTHER_NODE, "demo-kafka-exporter-certs")
    polled: list[list[bytes]] = []
    poll = noting.poll
    monkeypatch.setattr(noting, "poll", lambda tokens: (polled.append([one.value for one in tokens]), poll(tokens))[1])
    record = requested(bench)
    put(bench, REQUESTS, f"{NODE}.requested", json.dumps({**record, "open": False}).encode())
    record = requested(bench, OTHER_NODE)
    put(bench, REQUESTS, f"{OTHER_NODE}.requested", json.dumps({**record, "issuer": "another"}).encode())
    found = see(bench).snapshot.leaves.requests
    exporter = requested(bench, "demo-kafka-exporter-certs", "demo-issuing-kafka-exporter")
    assert polled == [[exporter["request"].encode()]]
    assert {name: bool(one.waiting) for name, one in found.items()} == {
        NODE: False, OTHER_NODE: False, "demo-kafka-exporter-certs": True,
    }  # fmt: skip


def test_a_certificate_put_back_does_not_answer_a_request_to_another_issuer() -> None:
    bench = asked()
    answer(bench)
    found = see(bench, issuer=CertManagerIssuer("corporate")).snapshot.leaves.requests[NODE]
    assert (found.issuer, found.answer, found.waiting) == (EXTERNAL, None, "")


def test_a_request_to_a_renewal_of_the_ca_records_the_renewal() -> None:
    """The CA in use has the same name and key, and would do as well."""
    renewed = make("cluster-ca v1", key(1), path_length=0, end=NOW + 2 * YEAR)
    bench = elsewhere()
    name = renewed.certificate.fingerprint
    put(bench, SCOPE.ca_key_secret, f"{name}.crt", pem(renewed))
    put(bench, SCOPE.ca_key_secret, f"{name}.key", bench.data(SCOPE.ca_key_secret)["ca.key"])
    ask(bench, NODE, ca=renewed)
    answer(bench, signed(bench, by=renewed), renewed)
    assert (seen(bench).authority, bool(seen(bench).answer)) == (name, True)
    collect(bench, NODE)
    assert (seen(bench).authority, seen(bench).outdated) == (name, "")
