# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""strimzi_ca_info: the whole picture of any cluster, and what a flow would take; it never changes or holds anything."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible import connect
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import parse_certificates

from ...support.certificates import key, make
from ...support.impostor import Impostor
from ...support.memory_cluster import MemoryCluster
from ...support.reloads import ReloadingNodes
from . import stages
from .mistakes import entry
from .uses import USES

NODES = ["demo-kafka-0", "demo-kafka-1", "demo-kafka-2"]


def test_a_cluster_that_was_never_adopted_shows_its_ca_its_leaves_and_who_presents_and_trusts_what() -> None:
    ended = stages.done(stages.generated(), "strimzi_ca_info")
    seen = ended.result
    assert (ended.writes, seen["cluster"]["generated"], seen["journal"]) == ([], True, None)
    (ca,) = seen["cas"]
    assert (ca["subject"], ca["state"], ca["usage"], ca["current"]) == (
        "CN=cluster-ca v0,O=io.strimzi",
        None,
        "ALL",
        True,
    )
    assert ca["not_after"] > ca["not_before"] > "2026"
    assert (len(ca["used_by"]), ca["trusted_by_count"]) == (6, 6)
    label = f"cluster-ca v0 ({ca['sha256'][:12]})"
    assert {(tuple(pod["presents"]), tuple(pod["trusts"])) for pod in seen["pods"]} == {((label,), (label,))}
    assert {leaf["secret"] for leaf in seen["leaves"]} >= {*NODES, "demo-cluster-operator-certs"}
    assert all(leaf["issuer"] == ca["subject"] and leaf["not_after"] for leaf in seen["leaves"])
    assert [violation["gate"] for violation in seen["violations"]] == ["authority_is_user_managed"]


def test_where_nodes_can_be_asked_each_listener_is_shown(reading: Callable[[MemoryCluster], ReloadingNodes]) -> None:
    memory = stages.generated()
    reading(memory)
    seen = stages.done(memory, "strimzi_ca_info").result
    assert seen["evidence"]["source"] == "handshake"
    label = f"cluster-ca v0 ({seen['cas'][0]['sha256'][:12]})"
    assert [(one["pod"], one["port"], one["issuers"], one["trusts"]) for one in seen["listeners"]] == [
        (node, port, [label], [label]) for node in NODES for port in (9090, 9091)
    ]


def test_a_node_that_shows_its_certificate_without_having_the_key_presents_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    memory = stages.managed()
    chain = parse_certificates(entry(memory, NODES[0], f"{NODES[0]}.crt"))

    @contextmanager
    def without_key(pod: str, port: int, *, timeout: float) -> Iterator[Impostor]:
        yield Impostor(chain, chain[1:])

    monkeypatch.setattr(connect, "port_opener_for", lambda *_options: without_key)
    seen = stages.done(memory, "strimzi_ca_info", evidence="handshake").result
    assert {one["pod"] for one in seen["listeners"]} == set(NODES)
    found = ("presents", "issuers", "trusts", "refuses")
    assert [one[what] for one in seen["listeners"] for what in found if one[what]] == []
    assert all("did not prove that it has the key" in one["why"][0] for one in seen["listeners"])


@pytest.mark.parametrize(
    ("goal", "phases", "rolls"),
    [
        ("create", [], 0),
        ("renew", ["prepare", "trust", "use", "retire"], 1),
        ("replace_key", ["prepare", "trust", "use", "retire"], 2),
        ("upgrade", [], 0),
        ("downgrade", ["retire"], 0),
        ("renew_leaves", [], 0),
        ("reconcile", [], 0),
    ],
)
def test_the_plan_of_every_goal(goal: str, phases: list[str], rolls: int) -> None:
    seen = stages.done(stages.managed(), "strimzi_ca_info", goal=goal, fresh_for_hours=0).result
    assert sorted(seen["planned_phases"], key=["prepare", "trust", "use", "retire"].index) == phases
    assert (seen["planned_rolls"], seen["violations"]) == (rolls, [])


def test_a_supplied_ca_is_part_of_the_plan() -> None:
    theirs = make("theirs", key(3), begin=stages.NOW - stages.DAY, end=stages.NOW + 365 * stages.DAY)
    given = {"certificate": theirs.certificate.pem.decode(), "private_key": theirs.key.reveal().decode()}
    seen = stages.done(stages.managed(), "strimzi_ca_info", goal="replace_key", fresh_for_hours=0, **given).result
    assert any("switch the operator to CN=theirs,O=io.strimzi" in step["what"] for step in seen["plan"])


@pytest.mark.parametrize("use", [use for use in USES if use.module == "strimzi_ca"], ids=str)
def test_check_mode_plans_what_the_run_then_does(use: Any) -> None:
    """The first writes of the plan are the first writes of the run."""
    planned, done = use.planned.result, use.done.result
    first = [action["object"] for action in planned["actions"]]
    assert [action["object"] for action in done["actions"]][: len(first)] == first
