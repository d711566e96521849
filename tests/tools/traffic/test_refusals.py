# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Refusals count from the moment of the question, for each client that does not come by a port-forward."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from .refusals import Refusals


class Nodes:
    """Two brokers: their UIDs, and whom they have refused since they started."""

    name = "demo"

    def __init__(self) -> None:
        self.uids = {"a": "a1", "b": "b1"}
        self.said = {"a": ["192.0.2.1", "127.0.0.1"], "b": []}
        self.cluster = SimpleNamespace(node_uids=lambda _name: self.uids)

    def refusals(self, broker: str) -> list[str]:
        return self.said[broker]


def counted(nodes: Any) -> Refusals:
    return Refusals(nodes, ("a", "b"))


def test_earlier_and_deliberate_refusals_do_not_count() -> None:
    nodes = Nodes()
    found = counted(nodes)
    assert found.count() == 0
    nodes.said["b"] += ["127.0.0.1", "192.0.2.1"]
    nodes.said["a"].append("192.0.2.2")
    assert found.count() == 2


def test_of_a_broker_that_has_restarted_all_counts() -> None:
    nodes = Nodes()
    found = counted(nodes)
    nodes.uids["a"], nodes.said["a"] = "a2", ["192.0.2.1"]
    assert found.count() == 1
