# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Issuing into Secrets: exactly those asked for, each in one conditional write, and nothing when anything is wrong."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import AlreadyExists, Conflict, StepError
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing import issue as module
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.issue import issue_leaves
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.issuer import IssuedCertificate
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.links import InternalIssuer
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.pending import requests
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.building import BACKDATED
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import parse_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import (
    KeyAlgorithm,
    KeySpec,
    PrivateKey,
    generate_keys,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Component

from ...support.certificates import NOW, Entity, key, make
from .._strimzi.bench import SCOPE, Bench, pem, pod, recorded, secret
from .elsewhere import KEYS, NODE, OTHER_NODE, REQUESTS, answer, ask, collect, elsewhere, see, signed
from .office import BY_SECRET, CA, NODES, OLD, issue, office, order, presented

EXPORTER = "demo-kafka-exporter-certs"


def changed(bench: Bench, *secrets: str, **options: Any) -> list[str]:
    before = len(bench.api.writes)
    issue(bench, *secrets, **options)
    return [change.name for change in bench.api.writes[before:]]


@pytest.mark.parametrize("wanted", [(), (NODES[1],), (EXPORTER, NODES[0]), tuple(BY_SECRET)])
def test_exactly_the_secrets_asked_for(wanted: tuple[str, ...]) -> None:
    assert sorted(changed(office(), *wanted)) == sorted(wanted)


def test_what_is_no_leaf_of_this_cluster_is_not_written() -> None:
    assert changed(office(), "demo-cluster-ca", "other", SCOPE.ca_certificate_secret) == []


def test_leaf_key_and_generation_arrive_in_one_write_and_other_entries_stay() -> None:
    bench = office()
    assert changed(bench, NODES[0], generation=9) == [NODES[0]]
    data = bench.data(NODES[0])
    assert parse_certificates(data[f"{NODES[0]}.crt"])[0].signed_by(CA.certificate)
    assert data["custom-9094.crt"] == b"theirs"
    assert bench.annotation("secrets", NODES[0], "cluster-ca-cert-generation") == "9"
    assert bench.find("secrets", NODES[0])["metadata"]["labels"]["strimzi.io/name"] == "demo-kafka"


def test_the_bytes_of_the_ca_are_taken_over_as_they_are() -> None:
    """A comment or newline in them counts for the operator (docs/operator.md, "Re-issue")."""
    bench = office()
    bench.remove("secrets", SCOPE.ca_certificate_secret)
    bench.remove("secrets", SCOPE.ca_key_secret)
    bench.authority(CA)
    untidy = b"# our CA\n" + pem(CA) + b"\n"
    encoded = module.secret_patch({"ca.crt": untidy})
    bench.change("secrets", SCOPE.ca_certificate_secret, encoded)
    issue(bench, NODES[0])
    assert bench.data(NODES[0])[f"{NODES[0]}.crt"].endswith(pem(CA)[-30:] + b"\n")
    assert untidy in bench.data(NODES[0])[f"{NODES[0]}.crt"]


def test_a_leaf_never_outlives_its_ca() -> None:
    soon = make("cluster-ca v1", key(1), end=NOW + timedelta(days=10))
    bench = office(soon)
    issue(bench, EXPORTER)
    (leaf,) = parse_certificates(bench.data(EXPORTER)["kafka-exporter.crt"])
    assert leaf.not_after == soon.certificate.not_after


def test_validity_is_the_one_asked_for_from_now_on() -> None:
    bench = office()
    bench.clock.seconds = 600
    issue(bench, EXPORTER, validity=timedelta(days=7))
    (leaf,) = parse_certificates(bench.data(EXPORTER)["kafka-exporter.crt"])
    assert (leaf.not_before, leaf.not_after) == (bench.clock.now() - BACKDATED, bench.clock.now() + timedelta(days=7))


@pytest.mark.parametrize("content", [None, "", "cGxhY2Vob2xkZXI="])
def test_without_the_cas_key_the_message_says_where_it_is_expected(content: str | None) -> None:
    bench = office()
    bench.change("secrets", SCOPE.ca_key_secret, {"data": {"ca.key": content}})
    with pytest.raises(StepError, match=r"kafka/demo-cluster-ca .*CN=cluster-ca v1") as caught:
        issue(bench, NODES[0])
    assert "ca.key" in caught.value.remedy


def test_the_key_of_another_ca_signs_nothing() -> None:
    bench = office(Entity(CA.certificate, OLD.key))
    with pytest.raises(StepError, match="does not hold the key of"):
        issue(bench, NODES[0])


class Careless(InternalIssuer):
    """Issues well until it is asked for the Secret of the second node."""

    calls = 0

    def sign(self, csr: bytes) -> IssuedCertificate:
        Careless.calls += 1
        return super().sign(csr) if Careless.calls == 1 else IssuedCertificate(OLD.certificate, ())


def test_a_refused_leaf_names_secret_and_reason_and_none_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = office()
    monkeypatch.setattr(module, "InternalIssuer", Careless)
    monkeypatch.setattr(Careless, "calls", 0)
    before = len(bench.api.writes)
    with pytest.raises(StepError, match=r"demo-kafka-1 is refused: .*public key.*; .*") as caught:
        issue(bench, *NODES)
    assert "issuer" in caught.value.remedy
    assert len(bench.api.writes) == before


def without(*secrets: str) -> Bench:
    """Every component runs, and these Secrets are gone."""
    bench = office()
    for component in ("entity-operator", "cruise-control", "kafka-exporter"):
        bench.create("pods", pod(f"demo-{component}-x", component))
    for name in secrets:
        bench.remove("secrets", name)
    return bench


@pytest.mark.parametrize("secret", BY_SECRET)
def test_a_leaf_whose_secret_is_gone_is_issued_as_the_operator_would(secret: str) -> None:
    """It is found by its labels, and a node's goes with its node (docs/operator.md, "Leaves")."""
    bench = without(secret)
    assert changed(bench, secret) == [secret]
    made = bench.find("secrets", secret)
    is_node = BY_SECRET[secret].component is Component.KAFKA
    assert (made["type"], made["metadata"]["labels"]) == ("Opaque", SCOPE.node_leaf_labels if is_node else SCOPE.labels)
    assert bench.annotation("secrets", secret, "cluster-ca-cert-generation") == "4"
    assert set(made["data"]) == {f"{BY_SECRET[secret].entry}.crt", f"{BY_SECRET[secret].entry}.key"}
    assert presented(bench, secret)[0].signed_by(CA.certificate)
    assert not bench.observe().snapshot.leaves.missing


def test_a_secret_that_came_back_meanwhile_is_not_overwritten() -> None:
    bench = without(EXPORTER)
    observation = bench.observe()
    theirs = bench.create("secrets", secret(EXPORTER, {}))
    with pytest.raises(AlreadyExists):
        issue_leaves(order(EXPORTER), observation, bench.work())
    assert bench.find("secrets", EXPORTER) == theirs


def test_a_secret_that_the_operator_wrote_meanwhile_is_not_overwritten() -> None:
    bench = office()
    observation = bench.observe()
    theirs = bench.change("secrets", NODES[0], {"metadata": {"annotations": {"a": "b"}}})
    with pytest.raises(Conflict):
        issue_leaves(order(NODES[0]), observation, bench.work())
    assert bench.find("secrets", NODES[0]) == theirs


def test_dry_run_makes_no_key_and_names_the_secrets() -> None:
    bench = office()
    bench.change("secrets", SCOPE.ca_key_secret, {"data": {"ca.key": None}})
    bench.remove("secrets", EXPORTER)
    bench.create("pods", pod("demo-kafka-exporter-x", "kafka-exporter"))
    before = len(bench.api.writes)
    actions = recorded(issue_leaves, order(NODES[0], EXPORTER), bench.observe(), bench.work(dry_run=True))
    assert [(one.verb, one.object) for one in actions] == [
        ("update", f"Secret kafka/{NODES[0]}"), ("create", f"Secret kafka/{EXPORTER}"),
    ]  # fmt: skip
    assert len(bench.api.writes) == before


def test_actions_show_subject_and_fingerprint_but_no_key() -> None:
    bench = office()
    (action,) = issue(bench, NODES[0])
    leaf = parse_certificates(bench.data(NODES[0])[f"{NODES[0]}.crt"])[0]
    assert leaf.sha256[:16] in str(action.after)
    assert "PRIVATE" not in repr(action)


def test_lease_is_renewed_while_keys_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Making the keys of a hundred nodes takes longer than a Lease lasts."""
    bench, told = office(), []

    def make_keys(spec: KeySpec, count: int) -> list[PrivateKey]:
        told.append(count)
        return generate_keys(KeySpec(KeyAlgorithm.ECDSA, 256), count)

    monkeypatch.setattr(requests, "generate_keys", make_keys)
    monkeypatch.setattr(requests, "_AT_A_TIME", 2)
    work = bench.work()
    work.alive = lambda: told.append(0)
    issue_leaves(order(*BY_SECRET), bench.observe(), work)
    batches = [*[2] * (len(BY_SECRET) // 2), *[1] * (len(BY_SECRET) % 2)]
    assert told == [*(one for count in batches for one in (count, 0)), *[0] * len(BY_SECRET)]


def test_a_name_that_no_certificate_can_have_is_told_by_the_secret() -> None:
    bench = office()
    alternative = {"bootstrap": {"alternativeNames": ["b\u00fccher.example"]}}
    listener = {"name": "plain", "port": 9092, "type": "internal", "tls": False, "configuration": alternative}
    bench.change("kafkas", "demo", {"spec": {"kafka": {"listeners": [listener]}}})
    bench.remove("secrets", NODES[0])
    before = len(bench.api.writes)
    with pytest.raises(StepError, match=f"Secret {NODES[0]}: 'b\u00fccher.example' is neither a DNS name"):
        issue(bench, EXPORTER, NODES[0])
    assert len(bench.api.writes) == before


# Leaves that somebody else has issued.


def at_hand(*secrets: str) -> Bench:
    """Answers were checked and recorded."""
    bench = elsewhere()
    ask(bench, *secrets)
    for name in secrets:
        answer(bench, signed(bench, name), CA, name=name)
    collect(bench, *secrets)
    return bench


def test_what_is_at_hand_is_written_with_the_key_that_was_made_for_it() -> None:
    bench = at_hand(NODE, OTHER_NODE)
    kept, request = bench.data(KEYS), see(bench).snapshot.leaves.requests[NODE]
    before = len(bench.api.writes)
    issue_leaves(order(NODE, OTHER_NODE, generation=9), see(bench), bench.work())
    assert [change.name for change in bench.api.writes[before:]] == [NODE, OTHER_NODE]
    stored = bench.data(NODE)
    assert stored[f"{NODE}.key"] == kept[f"{NODE}.key"]
    assert presented(bench, NODE) == request.answer
    assert stored[f"{NODE}.crt"].endswith(pem(CA))
    assert bench.annotation("secrets", NODE, "cluster-ca-cert-generation") == "9"


def expired(bench: Bench) -> None:
    bench.clock.seconds += 400 * 86400


@pytest.mark.parametrize(
    ("event", "why"),
    [
        pytest.param(lambda bench: bench.remove("secrets", KEYS), "the key that was made for it is gone", id="key"),
        pytest.param(expired, "CN=demo-kafka,O=io.strimzi expired on 2026-12-01 00:00:00 UTC", id="expired"),
    ],
)
def test_what_must_not_be_used_any_more_is_not_written(event: Callable[[Bench], None], why: str) -> None:
    bench = at_hand(NODE, OTHER_NODE)
    event(bench)
    before = len(bench.api.writes)
    with pytest.raises(StepError, match=f"no certificate at hand for Secret {NODE}: {why}") as caught:
        issue_leaves(order(NODE), see(bench), bench.work())
    assert caught.value.remedy == "Run the flow again: it asks for one."
    assert len(bench.api.writes) == before


def test_what_is_still_open_is_not_written() -> None:
    bench = elsewhere()
    ask(bench, NODE)
    with pytest.raises(StepError, match=f"Secret {NODE}: it has not been issued"):
        issue_leaves(order(NODE), see(bench), bench.work())
    assert REQUESTS in see(bench).secrets
