# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""strimzi_ca: what it says and does about the CA that is there, and how one leaves."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import parse_certificates

from ...tools.support.certificates import key, make
from ...tools.support.checker import entries
from ...tools.support.golden import GoldenFiles
from ...tools.support.memory_api import Response
from ...tools.support.memory_cluster import MemoryCluster
from . import stages
from .fast_clock import FastClock
from .running import call
from .stages import DAY, FAST, NOW
from .uses import OTHER_CA, trusting

HAS = "CN=cluster-ca v0,O=io.strimzi has"
THEIRS = make("theirs", key(3), begin=NOW - DAY, end=NOW + 90 * DAY)
SUPPLIED = {"certificate": THEIRS.certificate.pem.decode(), "private_key": THEIRS.key.reveal().decode()}


def current_of(memory: MemoryCluster) -> dict[str, Any]:
    (current,) = [ca for ca in call("strimzi_ca_info", memory).result["cas"] if ca["current"]]
    return dict(current)


def days(ca: dict[str, Any]) -> int:
    begin, end = (datetime.fromisoformat(ca[name].replace("Z", "+00:00")) for name in ("not_before", "not_after"))
    return (end - begin).days


@pytest.mark.parametrize(
    ("options", "drift"),
    [
        ({}, []),
        ({"key_type": "ecdsa-p256", "validity_days": 365, "path_length": 1}, []),
        ({"key_type": "rsa-8192"}, [f"key_type: the call wants rsa-8192, and {HAS} ecdsa-p256; state=replaced makes a new key."]),
        (
            {"key_type": "ecdsa-p384", "validity_days": 30},
            [
                f"key_type: the call wants ecdsa-p384, and {HAS} ecdsa-p256; state=replaced makes a new key.",
                f"validity_days: the call wants 30, and {HAS} 365; state=renewed gives it new dates.",
            ],
        ),
        ({"path_length": 0}, [f"path_length: the call wants 0, and {HAS} 1; state=renewed gives it that."]),
    ],
)  # fmt: skip
def test_how_the_ca_in_use_differs_from_what_is_asked_for_is_told(options: dict[str, Any], drift: list[str]) -> None:
    for check in (True, False):
        ended = stages.done(stages.managed(), "strimzi_ca", check=check, **options)
        assert (ended.result["drift"], ended.result["changed"], ended.writes) == (drift, False, [])


def test_a_first_ca_without_options() -> None:
    memory = MemoryCluster()
    (made,) = stages.done(memory, "strimzi_ca", before_kafka=True).result["cas"]
    stored = parse_certificates(entries(memory.api.find("secrets", "kafka", "demo-cluster-ca-cert"))["ca.crt"])[0]
    assert (stored.sha256, days(made)) == (made["sha256"], 365)
    assert (stored.key_type, stored.path_length) == (("rsa", 4096), 1)


def test_a_first_ca_with_a_key_that_breaks_the_policy_is_not_made() -> None:
    """The key that the task asks for counts, and not the key that a task without an option gets."""
    options = {"key_type": "rsa-2048", "key_policy": {"name": "house rules", "rsa_bits": 3000}}
    ended = call("strimzi_ca", MemoryCluster(), before_kafka=True, **options)
    assert (ended.failed, ended.writes) == (True, [])
    assert [violation["gate"] for violation in ended.result["violations"]] == ["authority_meets_policy"]


def test_a_first_ca_of_the_caller_of_another_form_than_the_task_asks_for_is_refused() -> None:
    ended = call("strimzi_ca", MemoryCluster(), before_kafka=True, **SUPPLIED, key_type="rsa-4096")
    assert (ended.failed, ended.writes) == (True, [])
    assert [violation["gate"] for violation in ended.result["violations"]] == ["authority_is_as_asked"]


def test_a_call_that_asks_for_another_ca_reports_drift(golden: GoldenFiles) -> None:
    memory = stages.managed()
    ended = stages.done(memory, "strimzi_ca", **SUPPLIED)
    assert (ended.result["changed"], ended.writes) == (False, [])
    (drift,) = ended.result["drift"]
    golden.compare_said("calls", drift)


def test_a_ca_is_renewed_when_it_comes_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = stages.managed()
    old = current_of(memory)
    kept = stages.done(memory, "strimzi_ca", renew_before_days=60, validity_days=100)
    assert (kept.result["changed"], len(kept.result["drift"])) == (False, 1)
    monkeypatch.setattr(FastClock, "passed", FastClock.passed + timedelta(days=310))
    planned = stages.done(memory, "strimzi_ca", renew_before_days=60, validity_days=100, check=True)
    assert (planned.result["changed"], planned.writes, len(planned.result["drift"])) == (True, [], 1)
    ended = stages.done(memory, "strimzi_ca", renew_before_days=60, validity_days=100)
    assert (ended.result["changed"], ended.result["drift"]) == (True, [])
    new = current_of(memory)
    assert (new["subject"], days(new), new["sha256"] == old["sha256"]) == (old["subject"], 100, False)
    again = stages.done(memory, "strimzi_ca", renew_before_days=60, validity_days=100)
    assert (again.result["changed"], again.result["drift"]) == (False, [])


@pytest.mark.parametrize("passed", [310, 400], ids=["ends soon", "ended"])
def test_a_ca_is_renewed_only_on_request(passed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = stages.managed()
    old = current_of(memory)
    monkeypatch.setattr(FastClock, "passed", FastClock.passed + timedelta(days=passed))
    ended = call("strimzi_ca", memory)
    assert (ended.result["changed"], current_of(memory)["sha256"]) == (False, old["sha256"])


def test_a_call_that_has_renewed_the_ca_tells_it_although_the_api_server_fails_then(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    memory, gone = stages.managed(), list[str]()
    monkeypatch.setattr(FastClock, "passed", FastClock.passed + timedelta(days=310))

    def fail_after_the_end(method: str, path: str) -> Response | None:
        ledger = memory.api.find("secrets", "kafka", stages.LEDGER) or {}
        is_at_its_end = "finishedAt" in ledger["metadata"]["annotations"]["trustops.strimzi/journal"]
        if method == "POST" and path.endswith("/events") and is_at_its_end:
            gone.append(path)
        return (
            Response(503, {"reason": "ServiceUnavailable"}) if gone and method == "GET" and "/kafkas" in path else None
        )

    ended = call("strimzi_ca", memory, answer=fail_after_the_end, renew_before_days=60, validity_days=100)
    assert (ended.failed, ended.result["changed"], ended.result.get("drift"), bool(gone)) == (False, True, [], True)


@pytest.mark.parametrize("options", [{}, {"keep_ca": True}], ids=["to the operator", "to its user"])
@pytest.mark.parametrize("published", [True, False])
def test_a_hand_back_tells_of_the_bundle_that_is_kept_up_no_more(options: dict[str, Any], published: bool) -> None:
    memory = stages.managed()
    stages.done(memory, "strimzi_trusted_certs", client_bundle=published)
    for check in (True, False):
        ended = stages.done(memory, "strimzi_ca", state="handed_back", check=check, **options)
        assert any("Secret kafka/demo-cluster-ca-bundle" in told for told in ended.warnings) is published
    assert (memory.api.find("secrets", "kafka", "demo-cluster-ca-bundle") is not None) is published


def test_a_ca_that_lives_shorter_than_renew_before_days_is_not_renewed_without_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    memory = stages.managed()
    monkeypatch.setattr(FastClock, "passed", FastClock.passed + timedelta(days=181))
    for days_later, changed in ((0, False), (2, True), (2, False), (40, False), (10, True)):
        monkeypatch.setattr(FastClock, "passed", FastClock.passed + timedelta(days=days_later))
        ended = stages.done(memory, "strimzi_ca", renew_before_days=400, validity_days=100, fresh_for_hours=0)
        assert (days_later, ended.result["changed"]) == (days_later, changed)


@pytest.mark.parametrize("state", ["renewed", "replaced"])
def test_a_flow_that_has_just_ended_is_the_answer_to_the_same_request(state: str) -> None:
    memory = stages.managed()
    stages.done(memory, "strimzi_ca", state=state, **FAST)
    ended = stages.done(memory, "strimzi_ca", state=state, **FAST)
    assert (ended.result["changed"], ended.result["done"], ended.writes) == (False, True, [])


@pytest.mark.parametrize("option", [{"key_type": "ecdsa-p384"}, {"path_length": 3}, {"validity_days": 400}])
def test_the_same_request_for_another_form_is_refused(option: dict[str, Any], golden: GoldenFiles) -> None:
    """Nothing would come of the option. Under way, validity_days counts for certificates that are still to come."""
    memory, (name,) = stages.prepared(), option
    for under_way in (True, False):
        ended = call("strimzi_ca", memory, state="replaced", **{**FAST, **option}, check=under_way)
        assert ended.failed is not (under_way and name == "validity_days")
        if ended.failed:
            golden.compare_said("calls", ended.result["msg"], f"{name}, {'under way' if under_way else 'ended'}")
        assert ended.writes == []
        stages.done(memory, "strimzi_ca", state="replaced", **FAST)


def test_a_replacement_asked_for_again_goes_on_with_the_same_ca() -> None:
    memory = stages.prepared()
    successor = call("strimzi_ca_info", memory).result["journal"]["successor"]
    ended = stages.done(memory, "strimzi_ca", **stages.PREPARED)
    assert (ended.result["changed"], ended.result["journal"]["successor"]) == (False, successor)
    stages.done(memory, "strimzi_ca", state="replaced", **FAST)
    assert current_of(memory)["fingerprint"] == successor


@pytest.mark.parametrize("named", ["sha256", "fingerprint"])
def test_the_ca_that_is_to_be_replaced_can_be_named(named: str) -> None:
    memory = stages.managed()
    name = current_of(memory)[named]
    for changed in (True, False):
        ended = stages.done(memory, "strimzi_ca", state="replaced", replaces=name, **FAST)
        assert ended.result["changed"] is changed
    assert current_of(memory)["subject"] == "CN=cluster-ca v1,O=io.strimzi"


def test_a_key_is_linked_where_the_old_one_is_at_hand(golden: GoldenFiles) -> None:
    memory = stages.managed()
    planned = stages.done(memory, "strimzi_ca_info", goal="replace_key", fresh_for_hours=0)
    golden.compare_said("calls", "\n".join(planned.result["choices"]))
    stages.done(memory, "strimzi_ca", **stages.PREPARED)
    successor = call("strimzi_ca_info", memory).result["journal"]["successor"]
    assert f"{successor}.link.crt" in entries(memory.api.find("secrets", "kafka", "demo-cluster-ca"))


def test_the_way_back_ends_when_the_caller_says() -> None:
    memory, until = stages.managed(), NOW + 30 * DAY
    stages.done(memory, "strimzi_ca", **stages.PREPARED, link_until=until.isoformat())
    stored = entries(memory.api.find("secrets", "kafka", "demo-cluster-ca"))
    (links,) = (parse_certificates(content) for name, content in stored.items() if name.endswith(".link.crt"))
    _forth, back = links
    assert back.not_after == until


def test_an_intermediate_ca_is_not_linked_and_the_plan_says_why(golden: GoldenFiles) -> None:
    memory = stages.unlinked()
    assert not any("link" in entry for entry in entries(memory.api.find("secrets", "kafka", "demo-cluster-ca")))
    # The plan has a sentence about the time for clients until that time is over.
    choices = [one for one in call("strimzi_ca_info", memory).result["choices"] if "get time to read" not in one]
    golden.compare_said("calls", "\n".join(choices))


@pytest.mark.parametrize("named", [OTHER_CA.sha256, OTHER_CA.fingerprint, OTHER_CA.sha256.upper()])
def test_a_ca_that_no_pod_uses_leaves(named: str) -> None:
    memory = trusting()
    ended = stages.done(memory, "strimzi_ca", state="absent", fingerprint=named)
    assert [ca["sha256"] for ca in ended.result["cas"]] == [current_of(memory)["sha256"]]
    (still_known,) = ended.result["removed"]
    assert (still_known["sha256"], len(still_known["pods"])) == (OTHER_CA.sha256, 6)


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize("which", ["replaces", "successor"])
def test_neither_the_one_in_use_nor_the_next_one_leaves(which: str, check: bool, golden: GoldenFiles) -> None:
    memory = stages.prepared()
    seen = call("strimzi_ca_info", memory).result
    (ca,) = [ca for ca in seen["cas"] if ca["fingerprint"] == seen["journal"][which]]
    ended = call("strimzi_ca", memory, check=check, state="absent", fingerprint=ca["sha256"])
    golden.compare_said("calls", ended.result["msg"], which)
    assert (ended.failed, ended.writes) == (True, [])


def test_a_cluster_in_a_flow_is_not_handed_back() -> None:
    ended = call("strimzi_ca", stages.prepared(), state="handed_back")
    assert (ended.failed, ended.writes) == (True, [])
    assert {violation["gate"] for violation in ended.result["violations"]} == {"ready_to_hand_back"}


@pytest.mark.parametrize("check", [True, False])
def test_the_ca_is_kept_and_the_records_go(check: bool) -> None:
    memory = stages.managed()
    before = stages.done(memory, "strimzi_ca_info").result["cas"][0]["sha256"]
    ended = call("strimzi_ca", memory, check=check, state="handed_back", keep_ca=True)
    assert (ended.failed, ended.result["changed"]) == (False, True)
    seen = stages.done(memory, "strimzi_ca_info").result
    assert (seen["cluster"]["generated"], seen["cas"][0]["sha256"]) == (False, before)
    assert (seen["ledger"] is not None) is check
    assert (memory.api.find("leases", "kafka", "demo-trust") is not None) is check
    if not check:
        again = stages.done(memory, "strimzi_ca", state="handed_back", keep_ca=True)
        assert (again.result["changed"], again.writes) == (False, [])


@pytest.mark.parametrize("other", [{"key_type": "rsa-4096"}, {"path_length": 7}])
def test_a_supplied_ca_of_another_form_than_the_call_wants_is_refused(other: dict[str, Any]) -> None:
    memory = stages.managed()
    ended = call("strimzi_ca", memory, state="replaced", fresh_for_hours=0, **SUPPLIED, **other)
    assert (ended.failed, ended.writes) == (True, [])
    assert next(iter(other)) in ended.result["msg"]


def test_a_recovery_changes_nothing_in_a_healthy_cluster() -> None:
    ended = stages.done(stages.managed(), "strimzi_ca", state="recovered")
    assert (ended.result["done"], ended.result["changed"], ended.writes) == (True, False, [])
