"""The load names targets that never succeeded, and counts all handshakes where they belong."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from .handshakes import Outcome, Verdict
from .load import Load
from .targets import of_cluster_ca
from .test_targets import COMBINED, READERS

DONE, HUNG = Verdict(Outcome.DONE), Verdict(Outcome.INTERRUPTED, "timed out")


def load(pods: dict[str, float] | None = None, **last: Verdict) -> Load:
    """All targets have succeeded last, but those of a node that is named."""
    looking: Any = SimpleNamespace(targets=of_cluster_ca(COMBINED), pods=pods or {})
    return Load(looking, 40.0, last={target: last.get(target.node, DONE) for target in of_cluster_ca(COMBINED)})


def test_all_have_settled() -> None:
    assert load().unsettled() == []


def test_a_node_that_never_answers_is_named_by_all_who_ask_it() -> None:
    one, hung, other = COMBINED.nodes
    nodes = dict.fromkeys((one, other, "cluster-operator"), (9090, 9091))
    components = ("cruise-control", "entity-topic-operator", "entity-user-operator", "kafka-exporter")
    asking = {**nodes, **dict.fromkeys(components, (9091,)), **dict.fromkeys(("client", *READERS), (9094,))}
    loaded = load(**{hung: HUNG})
    asked = {f"{identity} to {hung}:{port}" for identity, ports in asking.items() for port in ports}
    found = [target.split(": ")[0] for target in loaded.unsettled()]
    assert sorted(found) == sorted(asked)
    others = {target for target in asked if target.split(" to ")[0] not in READERS}
    assert {target.split(": ")[0] for target in loaded.unsettled(READERS)} == others


def test_a_client_that_never_tried_has_not_settled() -> None:
    loaded = load()
    loaded.last.clear()
    assert len(loaded.unsettled()) == len(of_cluster_ca(COMBINED))


def test_a_restart_counts_where_its_pod_was_first_seen() -> None:
    found = load(pods={"before": 1.0, "first": 2.0, "second": 2.9, "after": 3.0})
    assert (found.restarts(2.0, 3.0), found.restarts(3.0, float("inf"))) == (2, 1)


def test_handshakes_that_succeed_are_counted_by_client() -> None:
    loaded = load()
    loaded.results = [
        (1.0, "a", Outcome.DONE), (2.0, "a", Outcome.DONE), (2.5, "b", Outcome.FAILED), (2.9, "c", Outcome.DONE),
        (2.9, "a", Outcome.INTERRUPTED), (3.0, "a", Outcome.DONE),
    ]  # fmt: skip
    assert loaded.done_by_party(2.0, 3.0) == {"a": 1, "c": 1}
    assert loaded.counts(2.0, 3.0) == {Outcome.DONE: 2, Outcome.FAILED: 1, Outcome.INTERRUPTED: 1}


def test_a_foreseen_failure_is_no_failure_of_another_client() -> None:
    loaded = load()
    loaded.failures = [(1.0, "a", "too early"), (2.0, "a", "a to b"), (2.5, "b", "b to c"), (3.0, "a", "too late")]
    assert loaded.failed(2.0, 3.0) == ["a to b", "b to c"]
    assert loaded.failed(2.0, 3.0, but={"a"}) == ["b to c"]
