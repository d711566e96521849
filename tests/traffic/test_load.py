"""Every node is asked by every other one on both internal ports, and by clients; what never succeeds is named."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from .handshakes import Outcome, Verdict
from .load import Load, targets

NODES = ["a", "b", "c"]
DONE, HUNG = Verdict(Outcome.DONE), Verdict(Outcome.INTERRUPTED, "timed out")


def load(**last: Verdict) -> Load:
    """All targets have succeeded last, but those of a node that is named."""
    looking: Any = SimpleNamespace(nodes=NODES)
    return Load(looking, last={target: last.get(target.node, DONE) for target in targets(NODES)})


def test_targets() -> None:
    between = {(one, other, port) for one in NODES for other in NODES if one != other for port in (9090, 9091)}
    clients = {("client", node, 9094) for node in NODES}
    assert {(one.identity, one.node, one.port) for one in targets(NODES)} == between | clients


def test_all_have_settled() -> None:
    assert load().unsettled() == []


def test_a_node_that_never_answers_is_named_by_all_who_ask_it() -> None:
    asked = ["a to b:9090", "a to b:9091", "c to b:9090", "c to b:9091", "client to b:9094"]
    assert sorted(one.split(": ")[0] for one in load(b=HUNG).unsettled()) == asked


def test_what_was_never_tried_has_not_settled() -> None:
    one = load()
    one.last.clear()
    assert len(one.unsettled()) == len(targets(NODES))
