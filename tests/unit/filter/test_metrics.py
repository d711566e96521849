# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The metrics as Prometheus' own parser reads them: from the results that modules really return, and from any text in a label."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any

import pytest
from ansible.errors import AnsibleFilterError
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from ansible_collections.trustops.strimzi.plugins.filter.metrics import (
    AUTHORITY_STATES,
    LEAF_STATES,
    METRICS,
    MOST_USERS,
    metrics,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._leaves.request import LeafState
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import TrustState
from ansible_collections.trustops.strimzi.plugins.plugin_utils._report.words import PHASES

from ..modules import stages
from ..modules.leaks import keys_of, leaks
from ..modules.running import call
from ..modules.test_user import cluster as cluster_with_users

#: A sample: its metric and its labels without those of the place.
Sample = tuple[str, frozenset[tuple[str, str]]]
PLACE = {"kafka_namespace": "kafka", "kafka_cluster": "demo"}
UID = "5e1c7a90"
BEGAN = "2026-06-01T12:00:00Z"
ENDS = "2026-07-01T12:00:00Z"


def parsed(text: str) -> dict[Sample, float]:
    """The samples that the official parser reads, each of which stands once and has a HELP and a TYPE line before it."""
    found: dict[Sample, float] = {}
    uids: set[str] = set()
    for family in text_string_to_metric_families(text):
        assert (family.documentation, family.type) == (METRICS[family.name], "gauge")
        for one in family.samples:
            labels = dict(one.labels)
            assert {name: labels.pop(name) for name in PLACE} == PLACE
            uids.add(labels.pop("kafka_uid"))
            sample = (one.name, frozenset(labels.items()))
            assert sample not in found
            found[sample] = one.value
    assert len(uids) == 1
    return found


def sample(metric: str, ca: str = "cluster", **labels: str) -> Sample:
    return f"strimzi_ca_{metric}", frozenset({"ca": ca, **labels}.items())


def seconds(text: str) -> float:
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc).timestamp()


def ca(**changed: Any) -> dict[str, Any]:
    return {"subject": "CN=cluster-ca v0", "sha256": "6c1f", "not_after": ENDS, "current": True, "state": "TRUSTED_IN_USE_ALL", **changed}  # fmt: skip


def seen(**changed: Any) -> dict[str, Any]:
    """The part of a result that metrics are made of."""
    facts: dict[str, Any] = {
        "cluster": {"name": "demo", "namespace": "kafka", "uid": UID}, "began_at": BEGAN, "cas": [ca()], "leaves": [], "leaf_states": [], "expiring": [],
        "first_to_end": {"ca": {"not_after": ENDS}}, "upkeep": None, "journal": None, "phase": None, "violations": [],
    }  # fmt: skip
    return {**facts, **changed}


def journal(**changed: Any) -> dict[str, Any]:
    begun = {"goal": "replace_key", "is_abort": False, "started_at": BEGAN, "finished_at": None, "retire": "now"}
    return {**begun, "stop": None, **changed}


def user(name: str, not_after: str | None = ENDS) -> dict[str, Any]:
    return {"name": name, "namespace": "kafka", "certificate": {"not_after": not_after}, "presenters": []}


def test_a_cluster_as_the_modules_see_it() -> None:
    memory = stages.managed()
    looks = {name: call("strimzi_ca_info", memory, ca=name).result for name in ("cluster", "clients")}
    text = metrics(looks, call("strimzi_user_info", memory).result)
    assert leaks(text, keys_of(memory)) == []
    found = parsed(text)
    assert {name for name, _labels in found} <= set(METRICS)
    for name, look in looks.items():
        (authority,) = look["cas"]
        named = {"subject": authority["subject"], "sha256": authority["sha256"]}
        state = authority["state"] or "NOT_ADOPTED"
        assert found[sample("last_look_timestamp_seconds", name)] == seconds(look["began_at"])
        assert found[sample("expiration_timestamp_seconds", name, **named)] == seconds(authority["not_after"])
        assert found[sample("chain_expiration_timestamp_seconds", name)] == seconds(authority["not_after"])
        assert found[sample("issuing", name, **named)] == found[sample("state", name, **named, state=state)] == 1
        assert found[sample("flow_in_flight", name)] == 0
    leaves = {leaf["secret"]: leaf for leaf in looks["cluster"]["leaves"]}
    assert {"demo-kafka-0", "demo-kafka-1", "demo-kafka-2", "demo-cluster-operator-certs"} < set(leaves)
    for secret, leaf in leaves.items():
        told = sample("certificate_expiration_timestamp_seconds", component=leaf["component"], secret=secret)
        assert found[told] == seconds(leaf["not_after"])
    assert found[sample("certificates", state="IN_USE")] == len(leaves)
    assert found[sample("user_certificates", "clients")] == 0


def test_a_cluster_that_was_never_adopted_is_held_by_nothing() -> None:
    found = parsed(metrics({"cluster": call("strimzi_ca_info", stages.generated()).result}))
    assert [value for (name, labels), value in found.items() if ("state", "NOT_ADOPTED") in labels] == [1]
    assert not [name for name, _labels in found if name == "strimzi_ca_violations"]


def test_certificates_of_users_as_the_modules_see_them() -> None:
    memory, _authority = cluster_with_users()
    users = call("strimzi_user_info", memory).result
    found = parsed(metrics({"clients": call("strimzi_ca_info", memory, ca="clients").result}, users))
    metric = "user_certificate_expiration_timestamp_seconds"
    ends = {one["name"]: one["certificate"]["not_after"] for one in users["users"] if one["certificate"]}
    for name in ("orders", "payments"):
        assert found[sample(metric, "clients", user=f"KafkaUser kafka/{name}")] == seconds(ends[name])


def test_a_flow_in_flight_as_the_modules_see_it() -> None:
    memory = stages.prepared()
    look = call("strimzi_ca_info", memory).result
    found = parsed(metrics({"cluster": look}))
    begun = sample("flow_start_timestamp_seconds", goal="replace_key", awaits="nothing")
    assert (found[sample("flow_in_flight")], found[begun]) == (1, seconds(look["journal"]["started_at"]))
    phases = {phase.value: found[sample("flow_phase", phase=phase.value)] for phase in Phase}
    assert phases == {phase.value: phase.value == look["phase"] for phase in Phase}
    states = {dict(labels)["sha256"] for (name, labels), value in found.items() if name == "strimzi_ca_state" and value}
    assert states == {authority["sha256"] for authority in look["cas"]}
    assert len(states) == 2


@pytest.mark.parametrize(
    ("begun", "goal", "awaits"),
    [
        (journal(), "replace_key", "nothing"),
        (journal(is_abort=True), "abort", "nothing"),
        (journal(retire="when_restarted"), "replace_key", "restarts"),
        (journal(retire="2026-12-24T18:00:00Z"), "replace_key", "restarts"),
        (journal(stop={"after": "trust", "asked_at": BEGAN}), "replace_key", "approval"),
    ],
)
def test_a_flow_may_be_in_flight_for_long_for_a_reason(begun: dict[str, Any], goal: str, awaits: str) -> None:
    found = parsed(metrics({"cluster": seen(journal=begun, phase="trust")}))
    assert found[sample("flow_start_timestamp_seconds", goal=goal, awaits=awaits)] == seconds(BEGAN)


def test_a_flow_that_has_finished_is_not_in_flight() -> None:
    found = parsed(metrics({"cluster": seen(journal=journal(finished_at=BEGAN))}))
    assert found[sample("flow_in_flight")] == 0
    assert not [name for name, _labels in found if name.startswith("strimzi_ca_flow_s")]


def test_violations_are_counted_by_condition() -> None:
    held = [{"gate": gate} for gate in ("trust", "authority_is_user_managed", "trust")]
    found = parsed(metrics({"cluster": seen(violations=held)}))
    assert found[sample("violations", condition="trust")] == 2
    assert found[sample("violations", condition="authority_is_user_managed")] == 1


def test_times_that_come_from_the_upkeep_of_a_ca_and_from_a_ca_above_it() -> None:
    above, due = "2026-06-20T00:00:00Z", "2026-06-10T00:00:00Z"
    found = parsed(metrics({"cluster": seen(upkeep={"due_from": due}, first_to_end={"ca": {"not_after": above}})}))
    assert found[sample("renewal_timestamp_seconds")] == seconds(due)
    assert found[sample("chain_expiration_timestamp_seconds")] == seconds(above)


def test_only_what_nothing_renews_counts_as_without_renewal() -> None:
    expiring = [{"sha256": sha256, "remedy": remedy} for sha256, remedy in (("a", ""), ("b", "Run it."), ("c", "Run it."))]  # fmt: skip
    assert parsed(metrics({"cluster": seen(expiring=expiring)}))[sample("certificates_without_renewal")] == 2


def test_however_many_users_there_are_the_first_to_end_have_a_sample() -> None:
    ends = {f"u{day}": f"2026-07-{day:02}T00:00:00Z" for day in range(1, 31)}
    late = {f"late{number}": "2027-01-01T00:00:00Z" for number in range(MOST_USERS)}
    users = {"users": [user(name, end) for name, end in {**late, **ends}.items()] + [user("scram", None)]}
    found = parsed(metrics({"clients": seen()}, users))
    shown = [dict(labels)["user"] for name, labels in found if name.endswith("user_certificate_expiration_timestamp_seconds")]  # fmt: skip
    assert (len(shown), found[sample("user_certificates", "clients")]) == (MOST_USERS, MOST_USERS + 30)
    assert {f"KafkaUser kafka/{name}" for name in ends} < set(shown)
    leaf = {"secret": "orders", "component": "user", "not_after": ENDS}
    found = parsed(metrics({"clients": seen(leaves=[leaf])}))
    assert not [name for name, _labels in found if name.endswith("certificate_expiration_timestamp_seconds")]


def test_of_two_objects_with_the_same_labels_the_first_to_end_counts() -> None:
    leaves = [{"secret": "a", "component": "kafka", "not_after": f"2026-07-0{day}T00:00:00Z"} for day in (2, 1, 3)]
    told = sample("certificate_expiration_timestamp_seconds", secret="a", component="kafka")
    assert parsed(metrics({"cluster": seen(leaves=leaves)}))[told] == seconds("2026-07-01T00:00:00Z")


def test_the_order_of_the_facts_does_not_show() -> None:
    leaves = [{"secret": name, "component": "kafka", "not_after": ENDS} for name in "abc"]
    cas = [ca(), ca(sha256="9b2c", current=False)]
    texts = {metrics({"cluster": seen(leaves=leaves[::step], cas=cas[::step])}) for step in (1, -1)}
    assert len(texts) == 1
    assert texts.pop().endswith("\n")


def test_every_sample_of_a_cluster_that_a_context_leads_to_names_the_context() -> None:
    """Clusters of one name in two Kubernetes clusters would be the same samples, which no collector takes."""
    facts = {"clients": seen(journal=journal(), violations=[{"gate": "trust"}])}
    users = {"users": [user("orders")]}
    without = metrics(facts, users)
    assert "kube_context" not in without
    named = metrics(facts, users, 'arn:"us"')
    assert named.replace('kube_context="arn:\\"us\\"",', "") == without
    samples = [line for line in named.splitlines() if not line.startswith("#")]
    assert [line for line in samples if "kube_context=" not in line] == []


def test_every_sample_names_the_uid_of_the_kafka_resource() -> None:
    """Prometheus drops a label that is empty, and a throttle by a label that is absent suppresses no alert."""
    for uid, shown in ((UID, UID), (None, "none")):
        place = {"name": "demo", "namespace": "kafka", "uid": uid}
        text = metrics({"clients": seen(cluster=place, journal=journal())}, {"users": [user("orders")]})
        samples = [line for line in text.splitlines() if not line.startswith("#")]
        assert [line for line in samples if f'kafka_uid="{shown}"' not in line] == []


def test_the_uid_is_that_of_the_resource() -> None:
    memory = stages.managed()
    kafka = memory.api.find("kafkas", "kafka", "demo")
    assert kafka is not None
    assert call("strimzi_ca_info", memory).result["cluster"]["uid"] == kafka["metadata"]["uid"]


texts = st.text(st.characters(exclude_categories=["Cs"]))


@given(subject=texts, secret=texts)
def test_any_text_comes_back_from_a_label(subject: str, secret: str) -> None:
    leaves = [{"secret": secret, "component": "kafka", "not_after": ENDS}]
    found = parsed(metrics({"cluster": seen(cas=[ca(subject=subject)], leaves=leaves)}))
    assert found[sample("expiration_timestamp_seconds", subject=subject, sha256="6c1f")] == seconds(ENDS)
    assert found[sample("certificate_expiration_timestamp_seconds", component="kafka", secret=secret)] == seconds(ENDS)


def test_half_a_character_does_not_spoil_the_file() -> None:
    assert 'subject="?"' in metrics({"cluster": seen(cas=[ca(subject="\ud800")])}).encode().decode()


def test_names_follow_the_conventions() -> None:
    for name, about in METRICS.items():
        assert name.startswith("strimzi_ca_")
        assert name.endswith("_seconds") == ("timestamp" in name)
        assert about.endswith(".")
        assert "\\" not in about
        assert "\n" not in about


def test_every_state_and_phase_has_a_sample() -> None:
    assert set(LEAF_STATES) == {state.value for state in LeafState}
    assert set(AUTHORITY_STATES) == {state.value for state in TrustState}
    assert list(PHASES) == [phase.value for phase in Phase]


@pytest.mark.parametrize(
    ("looks", "said"),
    [
        ({}, "Give cluster, clients or both"),
        ({"kafka": seen()}, "Give cluster, clients or both"),
        ([seen()], "Give cluster, clients or both"),
        ({"cluster": {"failed": True, **seen()}}, "cluster: this is no result"),
        ({"cluster": {"skipped": True}}, "cluster: this is no result"),
        ({"cluster": seen(), "clients": "none"}, "clients: this is no result"),
    ],
)
def test_no_file_is_made_of_a_look_that_failed(looks: Any, said: str) -> None:
    with pytest.raises(AnsibleFilterError, match=said):
        metrics(looks)


@pytest.mark.parametrize("users", [None, {}, {"skipped": True, "changed": False}])
def test_users_that_were_not_looked_at_are_left_out(users: Mapping[str, Any] | None) -> None:
    assert "strimzi_ca_user" not in metrics({"clients": seen()}, users)
