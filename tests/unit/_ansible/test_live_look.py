# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Looks of one call: when stored evidence takes the place of nodes that cannot be asked, and when not."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.options import Evidence, LiveLook
from ansible_collections.trustops.strimzi.plugins.module_utils._errors import KubeError, Unavailable
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import PODS, Attempt
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.listeners import ObservedListener

from .._handshake.listeners import authority

ANSWERS = (ObservedListener("demo-kafka-0", "uid-0", 9091, (authority("cluster-ca v0", 1).certificate,)),)
BARRED = (ObservedListener("demo-kafka-0", "uid-0", 9091, failure="port 9091: forbidden", barred=True),)
SILENT = (ObservedListener("demo-kafka-0", "uid-0", 9091, failure="port 9091: no answer"),)
NO_WAY = Unavailable(Attempt("create", PODS, "kafka", "demo-kafka-0"), "no route", "Run again.")


class Nodes:
    """looks: what each look meets, in order."""

    def __init__(self, evidence: Evidence, *looks: Any) -> None:
        self._looks = list(looks)
        self.eyes = LiveLook(evidence)

    def _ask(self) -> Any:
        met = self._looks.pop(0)
        if isinstance(met, Exception):
            raise met
        return met

    def look(self) -> Any:
        return self.eyes.take(self._ask)


def test_with_stored_evidence_the_call_asks_no_node() -> None:
    nodes = Nodes(Evidence.ANNOTATIONS)
    assert nodes.look() is None
    assert (nodes.eyes.source, nodes.eyes.reason) == (Evidence.ANNOTATIONS, "evidence=annotations")


@pytest.mark.parametrize(
    ("met", "why"),
    [
        (BARRED, f"{BARRED[0].pod}: {BARRED[0].failure}"),
        (NO_WAY, f"{NO_WAY} {NO_WAY.remedy}"),
        ((), "no node has a listener that answers which CAs it trusts"),
    ],
)
def test_automatic_evidence_falls_back_on_annotations_where_no_node_can_be_asked(met: Any, why: str) -> None:
    nodes = Nodes(Evidence.AUTO, met)
    assert (nodes.look(), nodes.look()) == (None, None)
    assert (nodes.eyes.source, nodes.eyes.reason) == (Evidence.ANNOTATIONS, why)


def test_evidence_auto_keeps_to_handshakes_after_an_answer() -> None:
    nodes = Nodes(Evidence.AUTO, ANSWERS, SILENT, NO_WAY)
    assert (nodes.look(), nodes.look()) == (ANSWERS, SILENT)
    assert (nodes.eyes.source, nodes.eyes.reason) == (Evidence.HANDSHAKE, "")
    with pytest.raises(KubeError):
        nodes.look()


@pytest.mark.parametrize("met", [SILENT, (*BARRED, *SILENT)])
def test_evidence_auto_does_not_take_silence_for_stored_evidence(met: Any) -> None:
    """The node may restart just now; and when it runs, it may turn out that none can be asked."""
    nodes = Nodes(Evidence.AUTO, met, BARRED)
    assert nodes.look() == met
    assert (nodes.eyes.source, nodes.eyes.reason) == (Evidence.HANDSHAKE, "")
    assert (nodes.look(), nodes.eyes.source) == (None, Evidence.ANNOTATIONS)


@pytest.mark.parametrize("met", [SILENT, ()])
def test_with_handshake_evidence_silence_is_reported_as_it_is(met: Any) -> None:
    nodes = Nodes(Evidence.HANDSHAKE, met)
    assert nodes.look() == met
    assert nodes.eyes.source is Evidence.HANDSHAKE


def test_with_handshake_evidence_a_missing_way_to_nodes_is_an_error() -> None:
    nodes = Nodes(Evidence.HANDSHAKE, NO_WAY)
    with pytest.raises(Unavailable):
        nodes.look()


def test_a_failure_that_may_pass_is_no_reason_to_ask_no_node_for_the_rest_of_the_call() -> None:
    passing = Unavailable(NO_WAY.attempt, "etcdserver: leader changed", "Run again.", is_transient=True)
    nodes = Nodes(Evidence.AUTO, passing, ANSWERS)
    with pytest.raises(Unavailable):
        nodes.look()
    assert (nodes.look(), nodes.eyes.source) == (ANSWERS, Evidence.HANDSHAKE)
