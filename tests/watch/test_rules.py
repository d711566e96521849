# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The alerting rules beside the metrics that the filter writes: each alert fires when its page says so, and in a healthy cluster none does."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.trustops.strimzi.plugins.filter.metrics import METRICS, metrics

from ..tools.cluster.bed import ROOT
from ..unit.filter.test_metrics import UID, ca, journal, seen, user
from .names import metrics_in
from .promtool import check_rules, promtool, try_rules

RESOURCE = yaml.safe_load((ROOT / "docs" / "watch" / "prometheus-rule.yml").read_text())
GROUPS: Mapping[str, Any] = RESOURCE["spec"]
RULES = {rule["alert"]: rule for group in GROUPS["groups"] for rule in group["rules"] if "alert" in rule}
DOCUMENTATION = yaml.safe_load((ROOT / "galaxy.yml").read_text())["repository"] + "/blob/main/docs/"
#: The hour at which Prometheus looks at the alerts, after 1970 began, and that of the look.
NOW, LOOKED = 8, 7
PLACE = {"kafka_namespace": "kafka", "kafka_cluster": "demo", "kafka_uid": UID}


def when(**passed: float) -> str:
    """A time that long after Prometheus looks at the alerts."""
    now = datetime(1970, 1, 1, NOW, tzinfo=timezone.utc)
    return f"{now + timedelta(**passed):%Y-%m-%dT%H:%M:%SZ}"


def look(ends: str = when(days=200), **changed: Any) -> dict[str, Any]:
    """The result for a CA that ends then, without anything to see to."""
    far = when(days=200)
    leaf = {"secret": "demo-kafka-0", "component": "kafka", "not_after": far}
    healthy = {"began_at": when(hours=LOOKED - NOW), "cas": [ca(not_after=ends)], "first_to_end": {"ca": {"not_after": ends}}, "leaves": [leaf]}  # fmt: skip
    return seen(**{**healthy, **changed})


def leaves(not_after: str) -> list[dict[str, Any]]:
    return [{"secret": "demo-kafka-0", "component": "kafka", "not_after": not_after}]


HEALTHY = {
    "long to go": look(),
    "the CA is renewed in its time": look(when(days=22)),
    "the certificate is renewed in its time": look(leaves=leaves(when(days=15))),
    "a flow since this morning": look(journal=journal(started_at=when(hours=-23))),
    "a flow that awaits an approval": look(journal=journal(started_at=when(days=-29), stop={"after": "trust"})),
    "a flow that awaits restarts": look(journal=journal(started_at=when(days=-29), retire="when_restarted")),
    "a flow that has finished": look(journal=journal(started_at=when(days=-90), finished_at=when(days=-89))),
    "never adopted": look(violations=[{"gate": "authority_is_user_managed"}]),
    "an old CA that is about to leave": look(cas=[ca(), ca(sha256="9b", current=False, not_after=when(days=-1))]),
    "renewed by a schedule": look(expiring=[{"sha256": "6c1f", "remedy": ""}]),
    "an old look": look(began_at=when(hours=-5)),
}


@pytest.mark.parametrize("facts", HEALTHY.values(), ids=HEALTHY)
def test_no_alert_fires(facts: dict[str, Any], tmp_path: Path) -> None:
    users = {"users": [user("orders", when(days=15))]}
    try_rules(GROUPS, metrics({"cluster": facts, "clients": look()}, users), NOW, {}, tmp_path)


def test_an_alert_that_no_test_expects_is_noticed(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="StrimziCaEnded"):
        try_rules(GROUPS, metrics({"cluster": look(when(hours=-1))}), NOW, {}, tmp_path)


#: By the alert, the facts of the cluster CA, further labels, and the sentences.
FIRES: list[tuple[str, dict[str, Any], dict[str, str], str, str]] = [
    ("StrimziCaEndsSoon", look(when(days=20)), {}, "The cluster CA of Kafka cluster kafka/demo ends soon.",
     "The CA in use, or a CA above it, ends in 20d 0h 0m 0s and was not renewed in its time."),
    ("StrimziCaEnded", look(when(hours=-1)), {}, "The cluster CA of Kafka cluster kafka/demo has ended.",
     "The CA in use, or a CA above it, ended 1h 0m 0s ago. Programs that check the dates of a CA refuse its certificates."),
    ("StrimziCertificateEndsSoon", look(leaves=leaves(when(days=13))), {"component": "kafka", "secret": "demo-kafka-0"},
     "A certificate of Kafka cluster kafka/demo ends soon.",
     "The certificate of kafka in Secret demo-kafka-0 ends in 13d 0h 0m 0s."),
    ("StrimziCertificateEnded", look(leaves=leaves(when(days=-1))), {"component": "kafka", "secret": "demo-kafka-0"},
     "A certificate of Kafka cluster kafka/demo has ended.",
     "The certificate of kafka in Secret demo-kafka-0 ended 1d 0h 0m 0s ago. Peers refuse new connections with it."),
    ("StrimziCaNotRenewed", look(expiring=[{"sha256": "6c1f", "remedy": "Run it."}]), {},
     "Nothing renews certificates of Kafka cluster kafka/demo.",
     "Of the cluster CA and its certificates, 1 in their time for renewal are renewed by no program and no schedule."),
    ("StrimziCaFlowStalled", look(journal=journal(started_at=when(hours=-25))), {"goal": "replace_key", "awaits": "nothing"},
     "A flow on the cluster CA of Kafka cluster kafka/demo has not finished.",
     "The flow replace_key was begun 1d 1h 0m 0s ago. The playbook reconcile goes on with it."),
    ("StrimziCaFlowStalled", look(journal=journal(started_at=when(days=-31), retire="when_restarted")),
     {"goal": "replace_key", "awaits": "restarts"}, "A flow on the cluster CA of Kafka cluster kafka/demo has not finished.",
     "The flow replace_key was begun 31d 0h 0m 0s ago. It awaits restarts."),
    ("StrimziCaHeld", look(violations=[{"gate": "trust"}, {"gate": "trust"}]), {"condition": "trust"},
     "Flows on the cluster CA of Kafka cluster kafka/demo are held.",
     "The condition trust is not met. The playbook status names the object, the cause and the remedy."),
    ("StrimziCaLookStale", look(began_at=when(hours=-7)), {}, "Metrics of the cluster CA of Kafka cluster kafka/demo are old.",
     "The last look that succeeded was 7h 0m 0s ago. What the other alerts say is that old."),
]  # fmt: skip


def fired(name: str, summary: str, description: str, **labels: str) -> dict[str, Any]:
    """The alert as Prometheus raises it."""
    return {
        "exp_labels": {"severity": RULES[name]["labels"]["severity"], **labels},
        "exp_annotations": {"summary": summary, "description": description, "runbook_url": f"{DOCUMENTATION}troubleshooting.md#{name.lower()}"},
    }  # fmt: skip


#: The results of a look that another machine took long ago; its file stayed.
OLD = {
    "what ended": look(when(days=-1), leaves=leaves(when(days=-1))),
    "a Secret that is gone": look(
        leaves=[{"secret": "demo-kafka-9", "component": "kafka", "not_after": when(days=-1)}]
    ),
    "a flow": look(journal=journal(started_at=when(days=-21))),
    "a condition": look(violations=[{"gate": "trust"}]),
    "no schedule": look(expiring=[{"sha256": "6c1f", "remedy": "Run it."}]),
}


def of_two_machines(
    old: dict[str, Any], new: dict[str, Any], users: Mapping[str, Any], users_now: Mapping[str, Any] | None = None
) -> str:
    """The metrics of a cluster at which one machine looked long ago, and the other an hour ago. users, users_now: as each of them saw the users."""
    texts = {
        "old": metrics({"cluster": {**old, "began_at": when(days=-20)}, "clients": look(began_at=when(days=-20))}, users),
        "new": metrics({"cluster": new, "clients": look()}, users_now),
    }  # fmt: skip
    return "\n".join(text.replace("{", f'{{instance="{name}",') for name, text in texts.items())


@pytest.mark.parametrize("old", OLD.values(), ids=OLD)
def test_of_two_machines_that_wrote_the_metrics_the_last_to_look_counts(old: dict[str, Any], tmp_path: Path) -> None:
    users = {"users": [user("gone", when(days=-1))]}
    try_rules(GROUPS, of_two_machines(old, look(), users), NOW, {}, tmp_path)


HELD = next((one[3], one[4]) for one in FIRES if one[0] == "StrimziCaHeld")


@pytest.mark.parametrize("contexts", [("eu", "us"), ("", "")])
def test_a_cluster_of_the_same_name_in_another_kubernetes_cluster_hides_nothing(
    contexts: tuple[str, str], tmp_path: Path
) -> None:
    """Where contexts lead to them, and where each machine reaches its own API server without one."""
    other = look(cluster={"name": "demo", "namespace": "kafka", "uid": "another"})
    held = {"cluster": look(began_at=when(hours=-4), violations=[{"gate": "trust"}]), "clients": look()}
    text = "\n".join((metrics(held, {}, contexts[0]), metrics({"cluster": other, "clients": other}, {}, contexts[1])))
    context = {"kube_context": contexts[0]} if contexts[0] else {}
    told = fired("StrimziCaHeld", *HELD, **PLACE, ca="cluster", condition="trust", **context)
    try_rules(GROUPS, text, NOW, {"StrimziCaHeld": [told]}, tmp_path)


def test_of_two_machines_with_names_of_their_own_for_a_context_the_last_to_look_counts(tmp_path: Path) -> None:
    old = look(began_at=when(days=-20), violations=[{"gate": "trust"}])
    text = "\n".join(
        (metrics({"cluster": old, "clients": old}, {}, "admin@eu"), metrics({"cluster": look(), "clients": look()}))
    )
    try_rules(GROUPS, text, NOW, {}, tmp_path)


def test_a_ca_that_ends_before_its_predecessor_is_not_hidden_by_the_file_of_another_machine(tmp_path: Path) -> None:
    """As after an abort, or where a CA of one's own takes the place of the operator's."""
    told = fired(
        "StrimziCaEnded", *next((one[3], one[4]) for one in FIRES if one[0] == "StrimziCaEnded"), **PLACE, ca="cluster"
    )
    text = of_two_machines(look(when(days=200)), look(when(hours=-1)), {})
    try_rules(GROUPS, text, NOW, {"StrimziCaEnded": [told]}, tmp_path)


@pytest.mark.parametrize(("name", "facts", "labels", "summary", "description"), FIRES)
def test_an_alert_fires_alone(
    name: str, facts: dict[str, Any], labels: dict[str, str], summary: str, description: str, tmp_path: Path
) -> None:
    expected = {name: [fired(name, summary, description, **PLACE, ca="cluster", **labels)]}
    try_rules(GROUPS, metrics({"cluster": facts, "clients": look()}), NOW, expected, tmp_path)


@pytest.mark.parametrize(
    ("name", "days", "verb", "ending"),
    [
        ("StrimziCertificateEndsSoon", 13, "ends soon", "ends in 13d 0h 0m 0s."),
        ("StrimziCertificateEnded", -1, "has ended", "ended 1d 0h 0m 0s ago. Peers refuse new connections with it."),
    ],
)
def test_the_certificate_of_a_user(name: str, days: int, verb: str, ending: str, tmp_path: Path) -> None:
    summary = f"A certificate of Kafka cluster kafka/demo {verb}."
    named = {**PLACE, "ca": "clients", "user": "KafkaUser kafka/orders"}
    told = fired(name, summary, f"The certificate of KafkaUser kafka/orders {ending}", **named)
    users = {"users": [user("orders", when(days=days))]}
    try_rules(GROUPS, metrics({"cluster": look(), "clients": look()}, users), NOW, {name: [told]}, tmp_path)


def test_where_there_are_no_metrics_at_all_an_alert_says_so(tmp_path: Path) -> None:
    told = fired(
        "StrimziCaLookAbsent",
        "Prometheus has no metrics of the CA of any Kafka cluster.",
        "The playbook status has written no file, or nothing hands its file to Prometheus. No other alert about CAs can fire.",
    )
    try_rules(GROUPS, "", NOW, {"StrimziCaLookAbsent": [told]}, tmp_path)


def test_every_alert_is_tried_and_prometheus_takes_the_rules(tmp_path: Path) -> None:
    assert {*(name for name, *_rest in FIRES), "StrimziCaLookAbsent"} == set(RULES)
    check_rules(GROUPS, tmp_path)
    assert (RESOURCE["apiVersion"], RESOURCE["kind"]) == ("monitoring.coreos.com/v1", "PrometheusRule")


@pytest.mark.parametrize("name", RULES)
def test_an_alert_leads_to_a_section_and_uses_metrics_that_there_are(name: str) -> None:
    assert f"\n### {name}\n" in (ROOT / "docs" / "troubleshooting.md").read_text()
    assert f"[{name}](troubleshooting.md#{name.lower()})" in (ROOT / "docs" / "watch.md").read_text()
    assert metrics_in(RULES[name]["expr"]) <= set(METRICS)


def test_prometheus_finds_no_fault_with_the_metrics() -> None:
    begun = look(journal=journal(), phase="trust", upkeep={"due_from": when(days=163)}, violations=[{"gate": "trust"}])
    text = metrics({"cluster": begun, "clients": look()}, {"users": [user("orders")]})
    assert set(METRICS) == set(re.findall(r"^# TYPE (\w+) gauge$", text, re.MULTILINE))
    assert promtool("check", "metrics", given=text) == ""


@pytest.mark.parametrize("metric", METRICS)
def test_the_page_has_every_metric(metric: str) -> None:
    assert f"| `{metric}" in (ROOT / "docs" / "watch.md").read_text()
