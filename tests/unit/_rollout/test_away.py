# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A restart says how many Kafka nodes were away at once: the proof that no two were down together."""

from __future__ import annotations

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import Action

from .stand import CONTROL, NODES, Stand


def away(actions: list[Action]) -> dict[str, int | None]:
    return {one.object.split("/")[1]: one.away for one in actions if one.verb == "restart"}


def test_one_after_the_other() -> None:
    stand = Stand()
    for number, name in enumerate(NODES):
        stand.recreate_at(1 + number, name)
    assert away(stand.roll(NODES)) == dict.fromkeys(NODES, 1)


def test_two_together() -> None:
    stand = Stand()
    for name in NODES[:2]:
        stand.at(1, lambda name=name: stand.remove("pods", name))
    stand.at(2, lambda: stand.recreate(NODES[0]))
    stand.at(3, lambda: stand.recreate(NODES[1]))
    stand.recreate_at(4, NODES[2])
    assert away(stand.roll(NODES)) == {NODES[0]: 2, NODES[1]: 2, NODES[2]: 1}


def test_a_node_is_away_until_it_is_ready_again() -> None:
    stand = Stand()
    stand.at(1, lambda: stand.recreate(NODES[0], ready=False))
    stand.recreate_at(2, NODES[1])
    ready = {"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}}
    stand.at(3, lambda: stand.change("pods", NODES[0], ready, "status"))
    assert away(stand.roll(NODES[:2])) == {NODES[0]: 2, NODES[1]: 2}


def test_nothing_is_said_of_what_is_no_node() -> None:
    stand = Stand()
    stand.deployments()
    assert away(stand.roll((CONTROL,))) == {CONTROL: None}
