# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A user takes a label from a running node, or from a Secret. The flow holds, says so, and goes on when it is put back.

The checker looks after every write: no process refuses a node that has lost a label, and that node refuses no process.
"""

from __future__ import annotations

from contextlib import suppress

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import RollStuck
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster import observe, pods
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase

from ..tools.support.breaches import InvariantBroken
from ..tools.support.flows import FlowResult
from ..tools.support.memory_api import Change
from ..tools.support.watched_cluster import CERTIFICATES, KEYS, LEDGER, WatchedCluster
from .cases import REPLACEMENTS, Case, mostly_long

LABELS = {"strimzi.io/name": "demo-kafka", "strimzi.io/cluster": "demo", "strimzi.io/kind": "Kafka"}
NODE = "demo-kafka-1"
EVERY = 7
UNLABELLED = Condition.PODS_ARE_LABELLED, f"Pod kafka/{NODE}"
some_label = pytest.mark.parametrize(
    "label",
    [pytest.param(one, marks=() if one == "strimzi.io/cluster" else pytest.mark.long) for one in LABELS],
)


def label_node(cluster: WatchedCluster, label: str, value: str | None) -> None:
    cluster.change("pods", NODE, {"metadata": {"labels": {label: value}}})


def assert_held(result: FlowResult, label: str) -> None:
    assert not result.outcome.decision.done
    assert [where for where in result.refusals if where[0] is Condition.PODS_ARE_LABELLED] == [UNLABELLED]
    assert f"{label}={LABELS[label]}" in result.refusals[UNLABELLED].message


@some_label
@pytest.mark.parametrize("phase", list(Phase)[:-1], ids=lambda phase: f"after {phase.value}")
@pytest.mark.parametrize("case", mostly_long([*REPLACEMENTS, Case(Goal.RENEW)]))
@pytest.mark.each_once
def test_after_each_phase(cluster: WatchedCluster, case: Case, phase: Phase, label: str) -> None:
    flow = case.begin(cluster)
    flow.run(last_phase=phase)
    label_node(cluster, label, None)
    assert_held(flow.run(), label)
    assert cluster.writes == 0
    label_node(cluster, label, LABELS[label])
    flow.finish()


@pytest.mark.parametrize("phase", [Phase.PREPARE, Phase.USE], ids=lambda phase: f"after {phase.value}")
@pytest.mark.parametrize("secret", [CERTIFICATES, KEYS, LEDGER, NODE, "demo-cluster-operator-certs"])
@pytest.mark.parametrize("case", [REPLACEMENTS[0]], ids=str)
@pytest.mark.each_once
def test_a_secret_without_labels(cluster: WatchedCluster, case: Case, secret: str, phase: Phase) -> None:
    """It would be taken for missing, and be made again."""
    flow = case.begin(cluster)
    flow.run(last_phase=phase)
    labels = {name: value for name, value in LABELS.items() if name != "strimzi.io/name"}
    cluster.change("secrets", secret, {"metadata": {"labels": dict.fromkeys(labels)}})
    found = flow.run().outcome.decision
    assert (found.done, cluster.writes) == (False, 0)
    assert [(one.condition, one.subject) for one in found.violations] == [
        (Condition.SECRETS_ARE_LABELLED, f"Secret kafka/{secret}")
    ]
    cluster.change("secrets", secret, {"metadata": {"labels": labels}})
    flow.finish()


@some_label
@pytest.mark.parametrize("first", range(EVERY))
@pytest.mark.parametrize("case", [REPLACEMENTS[0], REPLACEMENTS[-1], Case(Goal.RENEW)], ids=str)
@pytest.mark.each_once
def test_after_any_write(cluster: WatchedCluster, case: Case, first: int, label: str) -> None:
    """Of which some are in the middle of the switch: the operator is not let on half-way, nor left paused without a word."""
    flow, writes = case.begin(cluster), [0]

    def lose(change: Change) -> None:
        if change.plural in ("secrets", "kafkas") and not cluster.memory.operator.is_reconciling:
            writes[0] += 1
            if writes[0] % EVERY == first:
                writes[0] += 1
                label_node(cluster, label, None)

    cluster.memory.api.listeners.append(lose)
    with suppress(RollStuck):
        # A roll that waits for this node takes it for gone, and waits in vain.
        assert_held(flow.run(), label)
    assert cluster.paused is bool(cluster.pause_left)
    cluster.memory.api.listeners.remove(lose)
    assert_held(flow.run(), label)
    label_node(cluster, label, LABELS[label])
    flow.finish()


@pytest.mark.parametrize("label", ["strimzi.io/cluster", "strimzi.io/kind"])
def test_a_run_that_looks_only_for_labels_breaks_connections(
    cluster: WatchedCluster, monkeypatch: pytest.MonkeyPatch, label: str
) -> None:
    """The negative control: the run does not know which nodes there are, nor takes their absence for that of an operator."""
    monkeypatch.setattr(pods, "known_nodes", lambda *arguments: frozenset())
    monkeypatch.setattr(observe, "note_absent_operator", lambda status, *arguments: status)
    flow = REPLACEMENTS[-1].begin(cluster)
    label_node(cluster, label, None)
    with pytest.raises(InvariantBroken) as broken:
        flow.run()
    assert broken.value.breach.rule in {"I1", "I2", "I3"}
