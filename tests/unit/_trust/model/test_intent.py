# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a flow is to stop, which leaves are meant, and what an intent takes over from the wishes of a caller."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import KeyAlgorithm, KeySpec, KeyType
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import (
    NO_WISHES,
    ONE_BY_ONE,
    BatchLimit,
    Extent,
    Intent,
    NewCa,
    Pace,
    Selection,
    Spread,
    Wishes,
)

from ....tools.support.intents import an_intent


@pytest.mark.parametrize(
    ("until", "allowed"),
    [
        (None, [Phase.PREPARE, Phase.TRUST, Phase.USE, Phase.RETIRE]),
        (Phase.PREPARE, [Phase.PREPARE]),
        (Phase.TRUST, [Phase.PREPARE, Phase.TRUST]),
        (Phase.USE, [Phase.PREPARE, Phase.TRUST, Phase.USE]),
        (Phase.RETIRE, [Phase.PREPARE, Phase.TRUST, Phase.USE, Phase.RETIRE]),
    ],
)
def test_a_flow_goes_to_the_end_of_the_phase_that_it_stops_after(until: Phase | None, allowed: list[Phase]) -> None:
    intent = an_intent(Goal.REPLACE_KEY, last_phase=until)
    assert [phase for phase in Phase if intent.allows(phase)] == allowed


def test_a_look_at_the_whole_flow_stops_after_no_phase() -> None:
    intent = an_intent(Goal.REPLACE_KEY, last_phase=Phase.TRUST, stop_after=Phase.USE, continue_stopped=True)
    assert intent.to_the_end() == an_intent(Goal.REPLACE_KEY, continue_stopped=True)


@pytest.mark.parametrize(
    ("said", "until", "last"),
    [
        (Extent(), Phase.RETIRE, Phase.RETIRE),
        (Extent(), Phase.USE, Phase.USE),
        (Extent(stop_after=Phase.TRUST), Phase.USE, Phase.TRUST),
        (Extent(last_phase=Phase.PREPARE, stop_after=Phase.TRUST), Phase.USE, Phase.PREPARE),
        (Extent(last_phase=Phase.USE), Phase.PREPARE, Phase.PREPARE),
    ],
)
def test_a_call_goes_no_further_than_its_module_and_its_caller_let_it(said: Extent, until: Phase, last: Phase) -> None:
    assert said.up_to(until) == Extent(last, said.stop_after)


@pytest.mark.parametrize(
    ("limit", "count", "most"),
    [
        (ONE_BY_ONE, 40, 1), (BatchLimit(nodes=3), 40, 3), (BatchLimit(nodes=3), 2, 2), (BatchLimit(percent=25), 40, 10),
        (BatchLimit(percent=25), 43, 10), (BatchLimit(percent=10), 9, 1), (BatchLimit(nodes=4, percent=50), 40, 4),
        (BatchLimit(nodes=40, percent=50), 40, 20), (BatchLimit(one_rack=True), 40, 40), (BatchLimit(percent=99), 300, 297),
    ],
)  # fmt: skip
def test_a_limit_of_batches_is_a_number_or_a_share_of_the_nodes_of_a_role(
    limit: BatchLimit, count: int, most: int
) -> None:
    assert limit.most(count) == most


@pytest.mark.parametrize(
    ("text", "limit"),
    [("1", ONE_BY_ONE), ("010", BatchLimit(nodes=10)), ("25%", BatchLimit(percent=25)), ("1%", BatchLimit(percent=1)),
     ("100%", BatchLimit(percent=100)), ("101", BatchLimit(nodes=101)), ("100", BatchLimit(nodes=100)), ("rack", BatchLimit(one_rack=True))],
)  # fmt: skip
def test_a_limit_of_batches_has_a_text(text: str, limit: BatchLimit) -> None:
    assert BatchLimit.read(text) == limit == BatchLimit.read(limit.text)


@pytest.mark.parametrize("text", ["", "0", "0%", "101%", "-1", "ten", "racks", "1000000"])
def test_another_text_is_no_limit_of_batches(text: str) -> None:
    assert BatchLimit.read(text) is None


@pytest.mark.parametrize(
    ("limit", "allowed", "refused"),
    [
        ("1", ["1"], ["2", "10%", "rack"]), ("3", ["1", "2", "3"], ["4", "10%", "rack"]),
        ("25%", ["1", "24%", "25%"], ["2", "26%", "rack"]), ("rack", ["1", "rack"], ["2", "10%"]),
    ],
)  # fmt: skip
def test_a_limit_allows_each_limit_of_as_few_nodes(limit: str, allowed: list[str], refused: list[str]) -> None:
    """Every limit allows one node at a time. How a number, a share and a rack compare depends on the cluster."""
    others = {text: read(limit).allows(read(text)) for text in (*allowed, *refused)}
    assert others == {**dict.fromkeys(allowed, True), **dict.fromkeys(refused, False)}


def read(text: str) -> BatchLimit:
    limit = BatchLimit.read(text)
    assert limit is not None
    return limit


def test_the_form_of_a_ca_with_a_new_key() -> None:
    usual, asked = NewCa(), NewCa(key_type=KeyType.ECDSA_P384, path_length=0)
    assert (usual.made_key, usual.made_path_length) == (KeySpec(KeyAlgorithm.RSA, 4096), 1)
    assert (asked.made_key, asked.made_path_length) == (KeySpec(KeyAlgorithm.ECDSA, 384), 0)


def test_an_intent_has_all_wishes_of_the_caller() -> None:
    wishes = NO_WISHES.changed(spread=Spread.RELOAD, adopts="ab", backs_up=False)
    assert wishes == Wishes(
        pace=Pace(spread=Spread.RELOAD),
        parameters=replace(NO_WISHES.parameters, adopts="ab"),
        records=replace(NO_WISHES.records, backs_up=False),
    )
    intent = wishes.towards(Goal.UPGRADE)
    assert (intent.goal, intent.obstacles) == (Goal.UPGRADE, Intent(Goal.RENEW).obstacles)
    assert {part.name: getattr(intent, part.name) for part in fields(Wishes)} == vars(wishes)
    with pytest.raises(KeyError):
        NO_WISHES.changed(of_no_part=True)


NODES, ONE = frozenset({Component.KAFKA}), frozenset({"demo-nodes-0"})


@pytest.mark.parametrize(
    ("selection", "meant"),
    [
        (Selection(), ["demo-nodes-0", "demo-nodes-1", "exporter"]),
        (Selection(NODES), ["demo-nodes-0", "demo-nodes-1"]),
        (Selection(secrets=ONE), ["demo-nodes-0"]),
        (Selection(NODES, ONE), ["demo-nodes-0"]),
        (Selection(frozenset({Component.KAFKA_EXPORTER}), ONE), []),
    ],
    ids=["all", "of a component", "by name", "both", "nothing is both"],
)
def test_a_selection_has_the_leaves_of_its_components_and_secrets(selection: Selection, meant: list[str]) -> None:
    leaves = {"demo-nodes-0": Component.KAFKA, "demo-nodes-1": Component.KAFKA, "exporter": Component.KAFKA_EXPORTER}
    assert [name for name, component in leaves.items() if selection.has(name, component)] == meant
