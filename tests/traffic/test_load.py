"""Every node is asked by every other one and the operator on both internal ports, and by clients; silence is named."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from .handshakes import Outcome, Verdict
from .load import Load, targets
from .scenario import LAYOUTS, Layout

NODES = ("a", "b", "c")
COMBINED = Layout("dual-role", lambda *_names, **_options: [], NODES, NODES)
DONE, HUNG = Verdict(Outcome.DONE), Verdict(Outcome.INTERRUPTED, "timed out")


def load(pods: dict[str, float] | None = None, **last: Verdict) -> Load:
    """All targets have succeeded last, but those of a node that is named."""
    looking: Any = SimpleNamespace(layout=COMBINED, pods=pods or {})
    return Load(looking, last={target: last.get(target.node, DONE) for target in targets(COMBINED)})


def test_targets() -> None:
    between = {(one, other, port) for one in NODES for other in NODES if one != other for port in (9090, 9091)}
    operator = {("cluster-operator", node, port) for node in NODES for port in (9090, 9091)}
    clients = {("client", node, 9094) for node in NODES}
    assert {(one.identity, one.node, one.port) for one in targets(COMBINED)} == between | operator | clients


def test_a_node_is_asked_on_the_ports_of_its_roles_only() -> None:
    (apart,) = [layout for layout in LAYOUTS if layout.name == "separate"]
    asked = {(one.node, one.port) for one in targets(apart)}
    assert asked == {
        *((f"demo-controller-{number}", 9090) for number in (3, 4, 5)),
        *((f"demo-broker-{number}", port) for number in (0, 1, 2) for port in (9091, 9094)),
    }
    assert {one.identity for one in targets(apart)} == {*apart.nodes, "cluster-operator", "client"}


def test_all_have_settled() -> None:
    assert load().unsettled() == []


def test_a_node_that_never_answers_is_named_by_all_who_ask_it() -> None:
    asked = ["a to b:9090", "a to b:9091", "c to b:9090", "c to b:9091", "client to b:9094"]
    asked += ["cluster-operator to b:9090", "cluster-operator to b:9091"]
    assert sorted(one.split(": ")[0] for one in load(b=HUNG).unsettled()) == asked


def test_what_was_never_tried_has_not_settled() -> None:
    one = load()
    one.last.clear()
    assert len(one.unsettled()) == len(targets(COMBINED))


def test_a_restart_counts_where_its_pod_was_first_seen() -> None:
    found = load(pods={"before": 1.0, "first": 2.0, "second": 2.9, "after": 3.0})
    assert (found.restarts(2.0, 3.0), found.restarts(3.0, float("inf"))) == (2, 1)
