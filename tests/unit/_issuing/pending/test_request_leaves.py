# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Asking an issuer: keys first, nothing asked twice, answers recorded, and nothing left behind."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from cryptography import x509

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import (
    Conflict,
    IssuerUnavailable,
    KubeError,
    LeaseTaken,
    StepError,
    Unavailable,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.issuer import LeafOrder, Refused, Token
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.pending import request_leaves as module
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.pending.request_leaves import await_issuer
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import LEASES, Attempt
from ansible_collections.trustops.strimzi.plugins.module_utils._leaves.request import Failure, RotationPolicy
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import PrivateKey, load_stored_key
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import Action, Display
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.leaves import AwaitIssuer

from ....tools.support.certificates import NOW, leaf, make
from ....tools.support.golden import GoldenFiles
from ....tools.support.killing import Killed, KillingTransport
from ..._strimzi.bench import Bench, pem, recorded
from ..._trust.builders import changed
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
    forget,
    put,
    requested,
    see,
    seen,
    signed,
)
from ..office import BY_SECRET, CA, NODE_NAMES

EXPORTER = "demo-kafka-exporter-certs"
Writes = list[tuple[str, str]]


#: Of some other key.
LEAF = leaf(CA)
#: A listener with a name that no certificate can have.
LISTENER = {
    "name": "outside", "port": 9095, "type": "nodeport", "tls": True,
    "configuration": {"bootstrap": {"alternativeNames": ["kafka.bücher.example"]}},
}  # fmt: skip


def writes(bench: Bench, begun: int = 0) -> list[str]:
    return [change.name for change in bench.api.writes[begun:]]


def next_key_of(bench: Bench, name: str = NODE) -> PrivateKey:
    return load_stored_key(bench.data(KEYS)[f"{name}.key"])


def own_key(bench: Bench, name: str = NODE) -> str:
    return next_key_of(bench, name).public_key_sha256


def edit_record(bench: Bench, name: str, **fields: Any) -> None:
    put(bench, REQUESTS, f"{name}.requested", json.dumps({**requested(bench, name), **fields}).encode())


def told(actions: list[Action]) -> Writes:
    return [(one.verb, one.object) for one in actions]


@pytest.fixture
def noting(monkeypatch: pytest.MonkeyPatch) -> Noting:
    """Stands in for the issuer wherever it is asked."""
    issuer = Noting()
    monkeypatch.setattr(module, "issuer_of", lambda work, stored=(): issuer)
    return issuer


# Asking.


def test_keys_are_stored_before_an_issuer_is_asked(noting: Noting) -> None:
    """A certificate whose key is lost is worthless."""
    bench = elsewhere()
    begun = len(bench.api.writes)
    bench.api.listeners.append(lambda change: noting.forgotten.append(f"{change.name}, {len(noting.orders)} asked"))
    ask(bench, NODE, OTHER_NODE)
    assert writes(bench, begun) == [KEYS, REQUESTS]
    assert noting.forgotten == [f"{KEYS}, 0 asked", f"{REQUESTS}, 2 asked"]


def test_an_order_has_subject_names_and_validity_of_the_leaf(noting: Noting) -> None:
    bench = elsewhere()
    ask(bench, NODE, validity=timedelta(days=30))
    (order,) = noting.orders
    csr = x509.load_pem_x509_csr(order.csr)
    names = csr.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert csr.is_signature_valid
    assert {str(getattr(name, "value", name)) for name in names} == NODE_NAMES == order.subject.names
    assert csr.subject.rfc4514_string() == "CN=demo-kafka,O=io.strimzi"
    assert (order.name.rpartition("-")[0], order.validity) == (NODE, timedelta(days=30))


def test_a_record_names_issuer_ca_key_and_time() -> None:
    bench = elsewhere()
    bench.clock.seconds = 60
    ask(bench, NODE)
    record = requested(bench)
    assert (record["issuer"], record["authority"]) == (EXTERNAL, CA.certificate.fingerprint)
    assert (record["publicKey"], record["open"], record["failed"]) == (own_key(bench), True, None)
    assert record["askedAt"] == (NOW + timedelta(seconds=60)).isoformat()
    assert record["request"].startswith("-----BEGIN CERTIFICATE REQUEST-----")


def test_the_requests_of_every_component_lie_apart() -> None:
    bench = elsewhere()
    actions = ask(bench, *BY_SECRET)
    assert set(see(bench).snapshot.leaves.requests) == set(BY_SECRET)
    assert all(not one.outdated for one in see(bench).snapshot.leaves.requests.values())
    components = {leaf.component.value for leaf in BY_SECRET.values()}
    assert {one.object for one in actions} == {
        f"Secret kafka/demo-issuing-{component}{end}" for component in components for end in ("", "-keys")
    }


def test_a_secret_without_a_leaf_of_the_cluster_is_not_requested(noting: Noting) -> None:
    bench = elsewhere()
    assert ask(bench, "demo-cluster-ca", "other") == []
    assert noting.orders == []


def test_a_kill_costs_no_more_than_a_few_requests(noting: Noting, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_AT_A_TIME", 1)
    bench = elsewhere()
    begun = len(bench.api.writes)
    work = bench.work()
    assert len(ask(bench, NODE, OTHER_NODE)) == 4
    assert writes(bench, begun) == [KEYS, REQUESTS, KEYS, REQUESTS]
    assert sorted(bench.data(REQUESTS)) == [f"{NODE}.requested", f"{OTHER_NODE}.requested"]
    assert work.actions == []


def test_requests_made_before_the_issuer_failed_are_recorded(noting: Noting) -> None:
    """Vault would sign it once more."""
    bench, right = elsewhere(), noting.request

    def request(order: LeafOrder) -> Token | Refused:
        if len(noting.orders) == 1:
            raise IssuerUnavailable("It", "is sealed", "Unseal it.")
        return right(order)

    noting.request = request  # type: ignore[method-assign]
    with pytest.raises(IssuerUnavailable):
        ask(bench, NODE, OTHER_NODE)
    assert sorted(bench.data(REQUESTS)) == [f"{NODE}.requested"]
    assert requested(bench)["publicKey"] == own_key(bench)
    noting.request = right  # type: ignore[method-assign]
    ask(bench, OTHER_NODE)
    assert [one.name.rpartition("-")[0] for one in noting.orders] == [NODE, OTHER_NODE]


def test_no_issuer_is_asked_where_one_name_cannot_be_written(noting: Noting, golden: GoldenFiles) -> None:
    """Vault would sign the others in each run, for nothing: their records come after the last of them."""
    bench = elsewhere()
    put(bench, OTHER_NODE, f"{OTHER_NODE}.crt", None)
    kafka = {"spec": {"kafka": {"listeners": [LISTENER]}}}
    bench.change("kafkas", "demo", kafka)
    with pytest.raises(StepError) as caught:
        ask(bench, NODE, OTHER_NODE)
    golden.compare_said("issuers", caught.value)
    assert noting.orders == []


def test_another_issuer_gets_a_request_of_its_own(noting: Noting) -> None:
    """cert-manager refuses a second object of the same name, and the first is the other issuer's."""
    bench = elsewhere()
    ask(bench, NODE)
    noting.reference = "cert-manager ClusterIssuer corporate"
    ask(bench, NODE)
    first, second = (order.name for order in noting.orders)
    assert first != second
    assert noting.forgotten == [first]


def test_an_issuer_that_cannot_be_asked_at_all_leaves_a_key_and_no_record(noting: Noting) -> None:
    bench = elsewhere()

    def request(order: LeafOrder) -> Token:
        raise IssuerUnavailable("It", "is sealed", "Unseal it.")

    noting.request = request  # type: ignore[method-assign]
    begun = len(bench.api.writes)
    with pytest.raises(IssuerUnavailable):
        ask(bench, NODE)
    assert writes(bench, begun) == [KEYS]
    assert see(bench).snapshot.leaves.requests.keys() == {NODE}


@pytest.mark.parametrize("refused_before", [False, True])
def test_a_run_that_goes_on_asks_once_more_for_the_same(noting: Noting, refused_before: bool) -> None:
    """Killed when the issuer had the request, and before that was recorded. A refused request before it is given up, and this one is not."""
    bench = elsewhere()
    if refused_before:
        noting.refuses = True
        ask(bench, NODE)
        noting.refuses = False
    with pytest.raises(Killed):
        ask(bench, NODE, transport=KillingTransport(bench.api, 2))
    ask(bench, NODE)
    *before, first, second = (order.name for order in noting.orders)
    assert first == second
    assert first not in before
    assert first not in noting.forgotten
    assert (requested(bench)["publicKey"], seen(bench).outdated) == (own_key(bench), "")


def test_asked_again_the_key_and_the_failures_stay(noting: Noting) -> None:
    """No certificate in use has this key: only what is asked for differs, or the issuer."""
    bench = elsewhere()
    ask(bench, NODE)
    first = own_key(bench)
    record = requested(bench)
    assert record["failed"] is None
    noting.refuses = True
    ask(bench, NODE)
    assert own_key(bench) == first
    assert noting.forgotten == [noting.orders[0].name]
    noting.refuses = False
    ask(bench, NODE)
    assert requested(bench)["failed"]["count"] == 1
    assert own_key(bench) == first


def test_a_key_that_a_certificate_in_use_has_is_not_asked_for_again(noting: Noting) -> None:
    """A run was killed after the leaf was used, and before its request was removed."""
    bench = elsewhere()
    ask(bench, NODE)
    first = own_key(bench)
    put(bench, NODE, f"{NODE}.crt", pem(make("demo-kafka", next_key_of(bench), CA, ca=False)))
    ask(bench, NODE)
    assert own_key(bench) != first


def test_where_keys_are_not_made_again_the_present_one_is_kept(noting: Noting) -> None:
    bench = elsewhere()
    present = load_stored_key(bench.data(NODE)[f"{NODE}.key"])
    ask(bench, NODE, rotation=RotationPolicy.NEVER)
    assert own_key(bench) == requested(bench)["publicKey"] == present.public_key_sha256


def test_where_keys_are_not_made_again_one_that_is_missing_is_made_once(noting: Noting) -> None:
    bench = elsewhere()
    bench.remove("secrets", NODE)
    ask(bench, NODE, rotation=RotationPolicy.NEVER)
    first = own_key(bench)
    ask(bench, NODE, rotation=RotationPolicy.NEVER)
    assert own_key(bench) == first


@pytest.mark.parametrize(("case", "content"), [("none", None), ("no key", b"<html>")])
def test_where_keys_are_not_made_again_an_unusable_one_is_refused(
    noting: Noting, case: str, content: bytes | None, golden: GoldenFiles
) -> None:
    bench = elsewhere()
    put(bench, NODE, f"{NODE}.key", content)
    with pytest.raises(StepError) as refused:
        ask(bench, NODE, rotation=RotationPolicy.NEVER)
    golden.compare_said("issuers", refused.value, case)
    assert (noting.orders, bench.api.find("secrets", "kafka", KEYS)) == ([], None)


def test_a_refusal_at_once_is_recorded_with_the_reason(noting: Noting) -> None:
    bench = elsewhere()
    noting.refuses = True
    ask(bench, NODE)
    record = requested(bench)
    assert (record["open"], record["request"]) == (False, "")
    assert record["failed"] == {"count": 1, "at": NOW.isoformat(), "why": "No such names here. Ask for others."}
    ask(bench, NODE)
    assert requested(bench)["failed"]["count"] == 2


def test_requests_in_a_row_record_when_the_first_went_out(noting: Noting) -> None:
    bench = elsewhere()
    for _request in range(2):
        ask(bench, NODE)
        assert requested(bench)["askedAt"] == NOW.isoformat()
        edit_record(bench, NODE, askedAt=(NOW - timedelta(days=3)).isoformat())
    assert requested(bench)["since"] == (NOW - timedelta(days=3)).isoformat()
    assert seen(bench).first_asked_at == NOW - timedelta(days=3)
    ask(bench, NODE)
    assert requested(bench)["since"] == (NOW - timedelta(days=3)).isoformat()


@pytest.mark.parametrize("change", ["issuer", "authority", "names"])
def test_a_request_for_something_else_begins_a_row_of_its_own(noting: Noting, change: str) -> None:
    """The failures say nothing about it: they neither delay it nor fail the run."""
    bench = elsewhere()
    noting.refuses = True
    ask(bench, NODE)
    ask(bench, NODE)
    assert requested(bench)["failed"]["count"] == 2
    edit_record(bench, NODE, **{change: "another"})
    noting.refuses = False
    ask(bench, NODE)
    assert (requested(bench)["failed"], requested(bench)["since"]) == (None, None)


def test_after_an_accepted_certificate_the_next_request_begins_a_row_of_its_own() -> None:
    bench = elsewhere()
    ask(bench, NODE)
    record = {**requested(bench), "since": (NOW - timedelta(days=3)).isoformat()}
    answer(bench)
    collect(bench, NODE)
    # As beside the certificate of an issuer that keeps something for the request.
    put(bench, REQUESTS, f"{NODE}.requested", json.dumps(record).encode())
    ask(bench, NODE)
    assert (requested(bench)["failed"], requested(bench)["since"]) == (None, None)


def test_a_request_to_the_issuer_before_is_forgotten(noting: Noting) -> None:
    """Of two issuers of cert-manager: else the object stays for good."""
    bench = elsewhere()
    ask(bench, NODE)
    noting.reference = "another"
    ask(bench, NODE)
    assert noting.forgotten == [noting.orders[0].name]


def test_requests_that_were_changed_meanwhile_are_left_as_they_are() -> None:
    bench = elsewhere()
    ask(bench, NODE)
    before = see(bench)
    theirs = bench.change("secrets", KEYS, {"metadata": {"labels": {"a": "b"}}})
    step = module.AskForLeaves(secrets=(NODE,), issuer=(CA.certificate,), external_issuer=EXTERNAL, phase=Phase.PREPARE)
    with pytest.raises(Conflict):
        module.ask_for_leaves(step, before, bench.work())
    assert bench.find("secrets", KEYS) == theirs


def test_a_name_that_no_request_can_have_is_told_by_the_secret(golden: GoldenFiles) -> None:
    bench = elsewhere()
    alternative = {"bootstrap": {"alternativeNames": ["b\u00fccher.example"]}}
    listener = {"name": "plain", "port": 9092, "type": "internal", "tls": False, "configuration": alternative}
    bench.change("kafkas", "demo", {"spec": {"kafka": {"listeners": [listener]}}})
    bench.remove("secrets", NODE)
    with pytest.raises(StepError) as caught:
        ask(bench, NODE)
    golden.compare_said("issuers", caught.value)
    assert bench.api.find("secrets", "kafka", REQUESTS) is None


def test_the_lease_is_renewed_with_each_request(noting: Noting) -> None:
    bench, alive = elsewhere(), []
    work = bench.work()
    work.renew_lease = lambda: alive.append(len(noting.orders))
    step = module.AskForLeaves(
        secrets=(NODE, OTHER_NODE), issuer=(CA.certificate,), external_issuer=EXTERNAL, phase=Phase.PREPARE
    )
    module.ask_for_leaves(step, see(bench), work)
    assert {1, 2} <= set(alive)


ATTEMPT = Attempt("patch", LEASES, "kafka", "demo-trust")
HELD = LeaseTaken(ATTEMPT, "Another run", "is working on it.", "Let it finish.")


@pytest.mark.parametrize(
    ("error", "lasts", "recorded"),
    [
        (Unavailable(ATTEMPT, "is overloaded", "Wait.", is_transient=True), False, [f"{NODE}.requested"]),
        (HELD, True, []),
    ],
    ids=["the API server is away for a moment", "another run has it"],
)
def test_requests_made_before_the_lease_could_not_be_renewed_are_recorded_while_no_other_run_has_it(
    error: KubeError, lasts: bool, recorded: list[str], noting: Noting
) -> None:
    """Vault would sign them once more."""
    bench, failed = elsewhere(), list[int]()
    work = bench.work()
    step = module.AskForLeaves(
        secrets=(NODE, OTHER_NODE), issuer=(CA.certificate,), external_issuer=EXTERNAL, phase=Phase.PREPARE
    )

    def renew() -> None:
        if len(noting.orders) == 1 and (lasts or not failed):
            failed.append(1)
            raise error

    work.renew_lease = renew
    with pytest.raises(type(error)):
        module.ask_for_leaves(step, see(bench), work)
    stored = bench.api.find("secrets", "kafka", REQUESTS)
    assert ([] if stored is None else sorted(bench.data(REQUESTS))) == recorded


def test_in_a_dry_run_no_issuer_is_asked(noting: Noting, golden: GoldenFiles) -> None:
    bench = elsewhere()
    ask(bench, EXPORTER)
    begun = len(bench.api.writes)
    actions = ask(bench, NODE, OTHER_NODE, EXPORTER, dry_run=True)
    assert told(actions) == [
        ("create", "Secret kafka/demo-issuing-kafka"), ("update", "Secret kafka/demo-issuing-kafka-exporter"),
    ]  # fmt: skip
    golden.compare_said("issuers", actions[0].what)
    assert (len(noting.orders), len(bench.api.writes)) == (1, begun)


def test_no_action_shows_a_key() -> None:
    bench = elsewhere()
    shown = repr(ask(bench, NODE))
    key = bench.data(KEYS)[f"{NODE}.key"]
    assert b"PRIVATE KEY" in key
    assert "PRIVATE" not in shown
    # As a write has it.
    assert base64.b64encode(key).decode() not in shown


# Recording.


def test_an_answer_is_recorded_and_then_it_is_at_hand() -> None:
    bench = elsewhere()
    ask(bench, NODE, OTHER_NODE)
    made = signed(bench)
    answer(bench, made, CA)
    begun = len(bench.api.writes)
    collect(bench, NODE)
    assert writes(bench, begun) == [REQUESTS]
    assert sorted(bench.data(REQUESTS)) == [f"{NODE}.pending", f"{OTHER_NODE}.requested"]
    found = seen(bench)
    assert (found.answer, found.is_recorded, found.outdated) == ((made, CA.certificate), True, "")


def test_a_refusal_is_recorded_and_what_was_put_back_is_gone() -> None:
    bench = elsewhere()
    ask(bench, NODE)
    before = requested(bench)
    answer(bench, content=b"<html>")
    bench.clock.seconds += 60
    failure = seen(bench).failure
    collect(bench, NODE)
    assert failure is not None
    assert requested(bench) == {
        **before, "open": False,
        "failed": {"count": 1, "at": (NOW + timedelta(seconds=60)).isoformat(), "why": failure.reason},
    }  # fmt: skip
    assert set(bench.data(REQUESTS)) == {f"{NODE}.requested"}
    found = seen(bench)
    assert (found.failure, found.is_open, found.is_recorded) == (failure, False, True)


@pytest.mark.parametrize("remembers", [True, False])
def test_a_request_at_the_issuer_is_found_until_it_is_forgotten(noting: Noting, remembers: bool) -> None:
    """Also by a run that goes on after one that was killed with the answer recorded."""
    noting.remembers = remembers
    bench = elsewhere()
    ask(bench, NODE, OTHER_NODE)
    request = requested(bench)["request"]
    observation = see(bench)
    answered = {
        NODE: replace(observation.snapshot.leaves.requests[NODE], answer=(LEAF, CA.certificate)),
        OTHER_NODE: replace(
            observation.snapshot.leaves.requests[OTHER_NODE], failure=Failure(1, NOW, "It is refused.")
        ),
    }
    snapshot = changed(observation.snapshot, requests=answered)
    step = module.CollectLeaves(secrets=(NODE, OTHER_NODE), external_issuer=EXTERNAL, phase=Phase.PREPARE)
    module.collect_leaves(step, replace(observation, snapshot=snapshot), bench.work())
    assert noting.forgotten == []
    assert (f"{NODE}.requested" in bench.data(REQUESTS)) is remembers
    assert see(bench).snapshot.leaves.requests[NODE].issuer == (EXTERNAL if remembers else "")
    forget(bench, NODE)
    assert noting.forgotten == ([request] if remembers else [])
    assert set(bench.data(REQUESTS)) == {f"{OTHER_NODE}.requested"}


@pytest.mark.parametrize("moment", [2, 3], ids=["before the keys are removed", "before the record is removed"])
def test_the_run_after_a_killed_run_forgets_the_request_at_the_issuer(noting: Noting, moment: int) -> None:
    """Killed when the answer was recorded, and again in the middle of forgetting it."""
    bench = elsewhere()
    ask(bench, NODE)
    observation = see(bench)
    answered = {NODE: replace(observation.snapshot.leaves.requests[NODE], answer=(LEAF, CA.certificate))}
    seen_ = replace(observation, snapshot=changed(observation.snapshot, requests=answered))
    transport = KillingTransport(bench.api, 1, after=True)
    with pytest.raises(Killed):
        module.collect_leaves(
            module.CollectLeaves(secrets=(NODE,), external_issuer=EXTERNAL, phase=Phase.PREPARE),
            seen_,
            bench.work(transport=transport),
        )
    assert noting.forgotten == []
    with pytest.raises(Killed):
        forget(bench, NODE, transport=KillingTransport(bench.api, moment - 1))
    forget(bench, NODE)
    assert set(noting.forgotten) == {noting.orders[0].name}
    assert bench.api.find("secrets", "kafka", REQUESTS) is None


# Waiting.


def wait(bench: Bench, seconds: float, *secrets: str, **settings: Any) -> list[Action]:
    step = AwaitIssuer(
        secrets=secrets or (NODE,), issuer=(CA.certificate,), external_issuer=EXTERNAL, deadline=NOW + timedelta(seconds=seconds),
        phase=Phase.PREPARE,
    )  # fmt: skip
    return recorded(await_issuer, step, see(bench), bench.work(**settings))


def test_the_wait_is_no_longer_than_the_caller_wants(golden: GoldenFiles) -> None:
    bench = elsewhere()
    ask(bench, NODE)
    (action,) = wait(bench, 100)
    assert bench.clock.now() == NOW + timedelta(seconds=100)
    assert (action.verb, action.object, action.seconds) == ("wait", EXTERNAL, 100)
    golden.compare_said("issuers", action.what)


def test_the_wait_looks_less_and_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = elsewhere()
    ask(bench, NODE)
    slept: list[float] = []
    sleep = bench.clock.sleep
    monkeypatch.setattr(bench.clock, "sleep", lambda seconds: (slept.append(seconds), sleep(seconds))[1])
    wait(bench, 60)
    assert slept == [1, 2, 4, 8, 15, 15, 15]


def test_the_wait_ends_when_every_answer_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = elsewhere()
    ask(bench, NODE, OTHER_NODE)
    sleep = bench.clock.sleep

    def answer_one_by_one(seconds: float) -> None:
        sleep(seconds)
        for name in (NODE, OTHER_NODE)[: int(bench.clock.seconds) // 3]:
            answer(bench, name=name)

    monkeypatch.setattr(bench.clock, "sleep", answer_one_by_one)
    (action,) = wait(bench, 1000, NODE, OTHER_NODE)
    assert action.seconds == 7
    assert wait(bench, 1000, NODE)[0].seconds == 0


def test_a_leaf_that_was_not_asked_for_is_not_waited_for() -> None:
    bench = elsewhere()
    assert wait(bench, 1000)[0].seconds == 0


def test_a_dry_run_does_not_wait() -> None:
    bench = elsewhere()
    ask(bench, NODE)
    (action,) = wait(bench, 1000, dry_run=True)
    assert (bench.clock.now(), action.seconds) == (NOW, None)


# Forgetting.


def test_requests_go_with_their_keys(noting: Noting) -> None:
    bench = elsewhere()
    ask(bench, NODE, OTHER_NODE)
    request = requested(bench)["request"]
    begun = len(bench.api.writes)
    forget(bench, NODE)
    assert writes(bench, begun) == [KEYS, REQUESTS]
    assert (set(bench.data(KEYS)), set(bench.data(REQUESTS))) == ({f"{OTHER_NODE}.key"}, {f"{OTHER_NODE}.requested"})
    assert noting.forgotten == [request]
    forget(bench, OTHER_NODE)
    assert see(bench).snapshot.leaves.requests == {}
    assert {bench.api.find("secrets", "kafka", name) is None for name in (KEYS, REQUESTS)} == {True}


def test_the_issuer_forgets_all_in_one_call(noting: Noting) -> None:
    """It may have to look through everything that it keeps."""
    bench = elsewhere()
    ask(bench, NODE, OTHER_NODE)
    ask(bench, NODE, OTHER_NODE)
    assert (noting.calls, len(noting.forgotten)) == (1, 2)
    forget(bench, NODE, OTHER_NODE)
    assert (noting.calls, len(noting.forgotten)) == (2, 4)


def test_a_request_with_one_secret_missing_is_forgotten() -> None:
    """No Secret is made for it."""
    for lost, left in ((KEYS, REQUESTS), (REQUESTS, KEYS)):
        bench = elsewhere()
        ask(bench, NODE)
        bench.remove("secrets", lost)
        begun = len(bench.api.writes)
        forget(bench, NODE)
        assert writes(bench, begun) == [left]
        assert see(bench).snapshot.leaves.requests == {}


def test_forgetting_a_missing_request_writes_nothing() -> None:
    bench = elsewhere()
    begun = len(bench.api.writes)
    assert forget(bench, NODE) == []
    assert len(bench.api.writes) == begun


def test_a_kill_in_between_leaves_something_that_is_found_again() -> None:
    for at in (1, 2):
        for after in (False, True):
            bench = elsewhere()
            ask(bench, NODE)
            transport = KillingTransport(bench.api, at, after)
            with pytest.raises(Killed):
                forget(bench, NODE, transport=transport)
            assert bool(see(bench).snapshot.leaves.requests) is not (at == 2 and after)
            forget(bench, *see(bench).snapshot.leaves.requests)
            assert {bench.api.find("secrets", "kafka", name) is None for name in (KEYS, REQUESTS)} == {True}


def test_a_dry_run_says_so_and_forgets_nothing(noting: Noting) -> None:
    bench = elsewhere()
    ask(bench, NODE)
    begun = len(bench.api.writes)
    actions = forget(bench, NODE, dry_run=True)
    assert told(actions) == [("delete", f"Secret kafka/{KEYS}"), ("delete", f"Secret kafka/{REQUESTS}")]
    assert (noting.forgotten, len(bench.api.writes)) == ([], begun)


def test_people_who_watch_are_told_in_time_what_it_waits_for(
    monkeypatch: pytest.MonkeyPatch, golden: GoldenFiles
) -> None:
    """Once, and not of an issuer that answers by itself."""
    bench = elsewhere()
    told: list[str] = []
    ask(bench, NODE, OTHER_NODE)
    work = replace(bench.work(), display=Display(report=told.append))
    monkeypatch.setattr(bench, "work", lambda **_settings: work)
    wait(bench, 30, NODE, OTHER_NODE)
    assert told == []
    wait(bench, 600, NODE, OTHER_NODE)
    (sentence,) = told
    golden.compare_said("issuers", sentence)
