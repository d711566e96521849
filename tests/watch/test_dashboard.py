# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The dashboard: every expression is one that Prometheus takes, of metrics that there are, and every panel is of the chosen data source and clusters."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.filter.metrics import METRICS, metrics

from ..tools.cluster.bed import ROOT
from ..unit.filter.test_metrics import ca, journal, user
from .names import metrics_in
from .promtool import check_rules, try_empty
from .test_rules import NOW, leaves, look, of_two_machines, when

DASHBOARD: dict[str, Any] = json.loads((ROOT / "docs" / "watch" / "grafana-dashboard.json").read_text())
PANELS = {panel["title"]: panel for panel in DASHBOARD["panels"]}
VARIABLES = {variable["name"]: variable for variable in DASHBOARD["templating"]["list"]}
SOURCE = {"type": "prometheus", "uid": "${datasource}"}
CHOSEN = 'kafka_namespace=~"$kafka_namespace", kafka_cluster=~"$kafka_cluster"'


def expressions() -> Iterator[str]:
    return (target["expr"] for panel in PANELS.values() for target in panel["targets"])


def test_prometheus_takes_every_expression(tmp_path: Path) -> None:
    shown = dict.fromkeys(expression.replace("$kafka_", "") for expression in expressions())
    rules = [{"record": f"panel:{number}", "expr": expression} for number, expression in enumerate(shown)]
    check_rules({"groups": [{"name": "dashboard", "rules": rules}]}, tmp_path)


def test_panels_show_metrics_that_there_are_of_the_chosen_clusters() -> None:
    for expression in expressions():
        assert metrics_in(expression) <= set(METRICS)
        assert expression.count(CHOSEN) == expression.count("strimzi_ca_")
    for name in ("kafka_namespace", "kafka_cluster"):
        assert metrics_in(VARIABLES[name]["definition"]) <= set(METRICS)
        assert VARIABLES[name]["datasource"] == SOURCE


@pytest.mark.parametrize("panel", PANELS.values(), ids=PANELS)
def test_a_panel_is_of_the_chosen_data_source_and_says_what_it_shows(panel: dict[str, Any]) -> None:
    assert [one["datasource"] for one in (panel, *panel["targets"])] == [SOURCE] * (1 + len(panel["targets"]))
    assert panel["description"].endswith(".")


def test_panels_have_places_of_their_own() -> None:
    taken = [
        (place["x"] + right, place["y"] + down)
        for place in (panel["gridPos"] for panel in PANELS.values())
        for right in range(place["w"])
        for down in range(place["h"])
    ]
    assert len(taken) == len(set(taken))
    assert max(right for right, _down in taken) < 24
    assert len({panel["id"] for panel in PANELS.values()}) == len(DASHBOARD["panels"])


def shown_of(expression: str, namespace: str) -> str:
    """The expression as Grafana sends it for the clusters of this namespace."""
    return expression.replace("$kafka_namespace", namespace).replace("$kafka_cluster", ".*")


def test_of_two_machines_that_wrote_the_metrics_panels_show_what_the_last_saw(tmp_path: Path) -> None:
    """The cluster of the namespace kafka has a file of each machine, that of the namespace alone the later file alone."""
    old = look(
        when(days=300),
        leaves=[{"secret": "demo-kafka-9", "component": "kafka", "not_after": when(days=-1)}],
        cas=[ca(sha256="9b", not_after=when(days=300))], journal=journal(), phase="trust",
        violations=[{"gate": "trust"}] * 3, expiring=[{"sha256": sha256, "remedy": "Run it."} for sha256 in ("6c1f", "9b")],
    )  # fmt: skip
    new = look(
        when(days=100), leaves=leaves(when(days=13)), journal=journal(), phase="use", violations=[{"gate": "removal"}],
        expiring=[{"sha256": "6c1f", "remedy": "Run it."}],
    )  # fmt: skip
    users = {"users": [user("orders", when(days=50))]}
    alone = metrics({"cluster": new, "clients": look()}, users)
    alone = re.sub('kafka_namespace="[a-z]+"', 'instance="new",kafka_namespace="alone"', alone)
    gone = {"users": [user("gone", when(days=-1))]}
    text = "\n".join((of_two_machines(old, new, gone, users), alone))
    tried = []
    for expression in expressions():
        both, one = shown_of(expression, "kafka"), shown_of(expression, "alone")
        same = f"({both}) == ignoring (kafka_namespace) ({one})"
        beyond = [f"({shown}) unless ignoring (kafka_namespace) ({same})" for shown in (both, one)]
        tried += [f"absent({one})", *beyond]
    try_empty(tried, text, NOW, tmp_path)


def test_the_form_is_that_of_one_version_of_grafana() -> None:
    assert (DASHBOARD["schemaVersion"], VARIABLES["datasource"]["query"]) == (39, "prometheus")
