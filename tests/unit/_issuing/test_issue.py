# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Issuing leaves into Secrets: exactly the ones that are due, as another program sees them, also behind a link certificate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.engine import carry_out
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
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import secret_patch
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.authority_order import LinkPlan
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import DEPLOYED, Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    LinkCertificates,
    PreparedAuthority,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.authority import (
    PrepareAuthority,
    TidyKeys,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.leaves import (
    IssueLeaves,
    RechainLeaves,
)

from ...tools.support.certificates import Entity, key, make
from ...tools.support.golden import GoldenFiles
from .._strimzi.bench import SCOPE, Bench, pem, pod, recorded, secret
from .._strimzi.steps import switch_to
from . import openssl
from .elsewhere import KEYS, NODE, OTHER_NODE, REQUESTS, answer, ask, collect, elsewhere, see, signed
from .office import BY_SECRET, CA, NODE_NAMES, NODES, OLD, issue, names_of, office, order, presented

EXPORTER = "demo-kafka-exporter-certs"


def changed(bench: Bench, *secrets: str, **options: Any) -> list[str]:
    before = len(bench.api.writes)
    issue(bench, *secrets, **options)
    return [change.name for change in bench.api.writes[before:]]


@pytest.mark.parametrize("wanted", [(), (NODES[1],), (EXPORTER, NODES[0]), tuple(BY_SECRET)])
def test_exactly_the_secrets_asked_for(wanted: tuple[str, ...]) -> None:
    assert sorted(changed(office(), *wanted)) == sorted(wanted)


def test_a_secret_without_a_leaf_of_the_cluster_is_not_written() -> None:
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


def test_the_key_of_another_ca_signs_nothing(golden: GoldenFiles) -> None:
    bench = office(Entity(CA.certificate, OLD.key))
    with pytest.raises(StepError) as caught:
        issue(bench, NODES[0])
    golden.compare_said("issuers", caught.value)


class Careless(InternalIssuer):
    """Issues well until it is asked for the Secret of the second node."""

    calls = 0

    def sign(self, csr: bytes) -> IssuedCertificate:
        Careless.calls += 1
        return super().sign(csr) if Careless.calls == 1 else IssuedCertificate(OLD.certificate, ())


def test_a_refused_leaf_names_secret_and_reason_and_none_is_written(
    monkeypatch: pytest.MonkeyPatch, golden: GoldenFiles
) -> None:
    bench = office()
    monkeypatch.setattr(module, "InternalIssuer", Careless)
    monkeypatch.setattr(Careless, "calls", 0)
    before = len(bench.api.writes)
    with pytest.raises(StepError) as caught:
        issue(bench, *NODES)
    golden.compare_said("issuers", caught.value)
    assert len(bench.api.writes) == before


def without(*secrets: str) -> Bench:
    """Every component runs, and these Secrets are gone."""
    bench = office()
    for component in (deployed.value for deployed in DEPLOYED):
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
    work.renew_lease = lambda: told.append(0)
    issue_leaves(order(*BY_SECRET), bench.observe(), work)
    batches = [*[2] * (len(BY_SECRET) // 2), *[1] * (len(BY_SECRET) % 2)]
    assert told == [*(one for count in batches for one in (count, 0)), *[0] * len(BY_SECRET)]


def test_a_name_that_no_certificate_can_have_is_told_by_the_secret(golden: GoldenFiles) -> None:
    bench = office()
    alternative = {"bootstrap": {"alternativeNames": ["b\u00fccher.example"]}}
    listener = {"name": "plain", "port": 9092, "type": "internal", "tls": False, "configuration": alternative}
    bench.change("kafkas", "demo", {"spec": {"kafka": {"listeners": [listener]}}})
    bench.remove("secrets", NODES[0])
    before = len(bench.api.writes)
    with pytest.raises(StepError) as caught:
        issue(bench, EXPORTER, NODES[0])
    golden.compare_said("issuers", caught.value)
    assert len(bench.api.writes) == before


# Leaves that an outside issuer has issued.


def at_hand(*secrets: str) -> Bench:
    """Answers were checked and recorded."""
    bench = elsewhere()
    ask(bench, *secrets)
    for name in secrets:
        answer(bench, signed(bench, name), CA, name=name)
    collect(bench, *secrets)
    return bench


def test_a_returned_certificate_is_written_with_its_stored_key() -> None:
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
    ("became", "event"),
    [("without its key", lambda bench: bench.remove("secrets", KEYS)), ("expired", expired)],
)
def test_a_returned_certificate_that_became_unusable_is_not_written(
    became: str, event: Callable[[Bench], None], golden: GoldenFiles
) -> None:
    bench = at_hand(NODE, OTHER_NODE)
    event(bench)
    before = len(bench.api.writes)
    with pytest.raises(StepError) as caught:
        issue_leaves(order(NODE), see(bench), bench.work())
    golden.compare_said("issuers", caught.value, became)
    assert len(bench.api.writes) == before


def test_an_open_request_is_not_written(golden: GoldenFiles) -> None:
    bench = elsewhere()
    ask(bench, NODE)
    with pytest.raises(StepError) as caught:
        issue_leaves(order(NODE), see(bench), bench.work())
    golden.compare_said("issuers", caught.value)
    assert REQUESTS in see(bench).secrets


# Leaves of the next CA while the operator stays on the old one, and what becomes of them at the switch.

PREPARE = PrepareAuthority(goal=Goal.REPLACE_KEY, replaces=(OLD.certificate,), generation=1, links=LinkPlan())
ROOT = make("root", key(20))
BELOW = make("below", key(21), ROOT)


def prepared(bench: Bench) -> PreparedAuthority:
    (made,) = bench.observe().snapshot.ca.prepared
    return made


@pytest.fixture
def bench() -> Bench:
    """OLD issues, and the next CA is prepared with its link certificate."""
    made = office(OLD)
    made.carry_out(PREPARE)
    return made


def linked(bench: Bench, *secrets: str) -> IssueLeaves:
    made = prepared(bench)
    return IssueLeaves(secrets=secrets, issuer=made.chain, generation=0, link=made.links.new_with_old, phase=Phase.USE)


@pytest.mark.parametrize("secret", sorted(BY_SECRET))
def test_every_secret_has_the_link_and_the_ca_in_use_behind_the_leaf(secret: str, bench: Bench) -> None:
    """Ending with the bytes of ca.crt and with its generation, so that the operator keeps it (docs/operator.md, "Re-issue")."""
    bench.carry_out(linked(bench, secret))
    made, (leaf, link, last) = prepared(bench), presented(bench, secret)
    assert leaf.signed_by(made.chain[0])
    assert (link, last) == (made.links.new_with_old, OLD.certificate)
    assert bench.data(secret)[f"{BY_SECRET[secret].entry}.crt"].endswith(
        bench.data(SCOPE.ca_certificate_secret)["ca.crt"]
    )
    assert bench.annotation("secrets", secret, "cluster-ca-cert-generation") == "0"


@pytest.mark.parametrize("trusted", [OLD, None], ids=["only the old CA", "only the new CA"])
def test_another_program_finds_its_way_to_either_ca(trusted: Entity | None, bench: Bench, tmp_path: Path) -> None:
    bench.carry_out(linked(bench, NODES[0]))
    anchor = trusted.certificate if trusted else prepared(bench).chain[0]
    leaf, *above = (one.pem for one in presented(bench, NODES[0]))
    at = int(bench.clock.now().timestamp())
    assert openssl.verify(leaf, anchor.pem, at, tmp_path, "lb.example", untrusted=b"".join(above))
    assert not openssl.verify(leaf, CA.certificate.pem, at, tmp_path, untrusted=b"".join(above))


@pytest.mark.parametrize("secret", sorted(BY_SECRET))
def test_issued_without_a_link_nothing_is_behind_the_leaf_but_its_own_ca_on_nodes(secret: str, bench: Bench) -> None:
    """This is the form of the operator's own leaf of the next CA, which it presents alone. Kafka would not start with a CA behind it that has not issued it."""
    bench.carry_out(replace(linked(bench, secret), link=None))
    leaf, *above = presented(bench, secret)
    following = prepared(bench).chain[0]
    assert leaf.signed_by(following)
    assert above == ([following] if secret in NODES else [])


@pytest.mark.parametrize("secret", sorted(BY_SECRET))
def test_the_chain_of_an_intermediate_ca_is_sent_by_all(secret: str) -> None:
    """A verifier that knows the root alone would find no way otherwise."""
    bench = office(BELOW)
    chain = (BELOW.certificate, ROOT.certificate)
    bench.change("secrets", SCOPE.ca_certificate_secret, secret_patch({"ca.crt": pem(BELOW, ROOT)}))
    bench.carry_out(IssueLeaves(secrets=(secret,), issuer=chain, generation=0, phase=Phase.USE))
    assert presented(bench, secret)[1:] == chain


@pytest.mark.parametrize("secret", sorted(BY_SECRET))
def test_switched_leaves_stay_and_nodes_present_them_before_the_new_ca(secret: str, bench: Bench) -> None:
    """Clients that know only the old CA go on by the first of the two link certificates; components keep what they have."""
    bench.carry_out(linked(bench, secret))
    made, before, key_before = prepared(bench), presented(bench, secret), _key(bench, secret)
    bench.carry_out(switch_to(made, leaving=OLD))
    (change,) = bench.carry_out(RechainLeaves(secrets=(secret,), generation=1, phase=Phase.RETIRE))
    assert change.name == secret
    assert made.links is not None
    new_with_old, old_with_new = made.links.new_with_old, made.links.old_with_new
    assert presented(bench, secret) == (
        (before[0], new_with_old, old_with_new, *made.chain) if secret in NODES else before
    )
    end = bench.data(SCOPE.ca_certificate_secret)["ca.crt"]
    assert bench.data(secret)[f"{BY_SECRET[secret].entry}.crt"].endswith(end) is (secret in NODES)
    assert _key(bench, secret) == key_before
    assert bench.annotation("secrets", secret, "cluster-ca-cert-generation") == "1"


@pytest.mark.parametrize("secret", sorted(BY_SECRET))
def test_leaves_that_are_issued_later_are_presented_alike(secret: str, bench: Bench) -> None:
    """Nothing of the flow is left but the key Secret. Nodes send the link certificates, all others the leaf alone."""
    made = prepared(bench)
    bench.carry_out(switch_to(made, leaving=OLD))
    gone = frozenset({made.fingerprint, OLD.certificate.fingerprint})
    bench.carry_out(TidyKeys(prepared=frozenset({made.fingerprint}), kept_keys=gone, phase=Phase.USE))
    bench.carry_out(IssueLeaves(secrets=(secret,), issuer=made.chain, generation=1, phase=Phase.USE))
    leaf, *above = presented(bench, secret)
    links = made.links or LinkCertificates(leaf)
    assert leaf.signed_by(made.chain[0])
    assert above == ([links.new_with_old, links.old_with_new, *made.chain] if secret in NODES else [])


def _key(bench: Bench, secret: str) -> bytes:
    return bench.data(secret)[f"{BY_SECRET[secret].entry}.key"]


def test_rechaining_touches_what_is_named_and_nothing_in_a_dry_run(bench: Bench) -> None:
    step = RechainLeaves(secrets=(NODES[1],), generation=1, phase=Phase.RETIRE)
    before = len(bench.api.writes)
    (action,) = recorded(carry_out, step, bench.observe(), bench.work(dry_run=True))
    assert (action.verb, action.object) == ("update", f"Secret kafka/{NODES[1]}")
    assert len(bench.api.writes) == before
    assert [change.name for change in bench.carry_out(step)] == [NODES[1]]


# Every leaf that is issued, as another program sees it: key, profile, names and path (docs/operator.md, "Certificates", "Leaves").

RSA = KeySpec(KeyAlgorithm.RSA, 2048)


@pytest.fixture(scope="module")
def issued() -> Bench:
    bench = office()
    issue(bench, *BY_SECRET)
    return bench


def entry(bench: Bench, secret: str, suffix: str) -> bytes:
    return bench.data(secret)[f"{BY_SECRET[secret].entry}.{suffix}"]


each_secret = pytest.mark.parametrize("secret", BY_SECRET)


@each_secret
def test_key_is_pkcs8_and_belongs_to_the_leaf(issued: Bench, secret: str) -> None:
    private = entry(issued, secret, "key")
    assert private.startswith(b"-----BEGIN PRIVATE KEY-----\n")
    of_leaf = openssl.public_key_of_certificate(entry(issued, secret, "crt"))
    assert openssl.public_key_of_private(private) == of_leaf


@each_secret
def test_subject_and_issuer(issued: Bench, secret: str) -> None:
    text = openssl.describe(entry(issued, secret, "crt"))
    assert f"Subject: O=io.strimzi, CN={BY_SECRET[secret].common_name}\n" in text
    assert "Issuer: O=io.strimzi, CN=cluster-ca v1\n" in text


@each_secret
def test_profile(issued: Bench, secret: str) -> None:
    """Servers have names and nothing else; clients say that they are no CA and what their key is for."""
    found = openssl.extensions(entry(issued, secret, "crt"))
    identifiers = {"Subject Key Identifier", "Authority Key Identifier"}
    if names_of(secret):
        assert set(found) == identifiers | {"Subject Alternative Name"}
    else:
        assert set(found) == identifiers | {"Basic Constraints", "Key Usage"}
        assert found["Basic Constraints"] == "critical CA:FALSE"
        assert found["Key Usage"] == "critical Digital Signature, Key Encipherment"


def test_names_of_a_node_are_exactly_the_wanted_ones(issued: Bench) -> None:
    shown = openssl.extensions(entry(issued, NODES[0], "crt"))["Subject Alternative Name"]
    assert sorted(shown.split(", ")) == sorted(
        ["DNS:demo-kafka-bootstrap", "DNS:lb.example", "IP Address:192.0.2.4", "IP Address:2001:DB8:0:0:0:0:0:4"]
    )


@each_secret
def test_path(issued: Bench, secret: str, tmp_path: Path) -> None:
    leaf, at = entry(issued, secret, "crt"), int(issued.clock.now().timestamp())
    assert openssl.verify(leaf, pem(CA), at, tmp_path)
    assert not openssl.verify(leaf, pem(OLD), at, tmp_path)


@pytest.mark.parametrize("host", sorted(NODE_NAMES))
def test_a_client_finds_the_host_it_connected_to(issued: Bench, host: str, tmp_path: Path) -> None:
    leaf, at = entry(issued, NODES[0], "crt"), int(issued.clock.now().timestamp())
    assert openssl.verify(leaf, pem(CA), at, tmp_path, host)
    assert not openssl.verify(leaf, pem(CA), at, tmp_path, "other.example")


@each_secret
def test_only_nodes_present_the_bytes_of_the_ca_as_well(issued: Bench, secret: str) -> None:
    """Leaf PEM followed by exactly ca.crt, else the operator issues again (docs/operator.md, "Re-issue")."""
    content = entry(issued, secret, "crt")
    is_node = BY_SECRET[secret].component is Component.KAFKA
    assert content.endswith(pem(CA)) is is_node
    assert content.count(b"BEGIN CERTIFICATE") == (2 if is_node else 1)


def test_every_leaf_has_a_key_and_a_serial_number_of_its_own(issued: Bench) -> None:
    keys = {entry(issued, secret, "key") for secret in BY_SECRET}
    serials = {openssl.describe(entry(issued, secret, "crt")).split("Serial Number")[1][:80] for secret in BY_SECRET}
    assert len(keys) == len(serials) == len(BY_SECRET)


def test_rsa_leaf() -> None:
    """The Kafka Agent needs an RSA key (docs/operator.md, "Leaves"); an EC CA signs the leaf with its own algorithm."""
    bench = office()
    issue(bench, NODES[0], leaf_key=RSA)
    text = openssl.describe(entry(bench, NODES[0], "crt"))
    assert "Public-Key: (2048 bit)" in text
    assert entry(bench, NODES[0], "key").startswith(b"-----BEGIN PRIVATE KEY-----\n")
