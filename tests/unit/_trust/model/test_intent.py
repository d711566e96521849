# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a flow is to stop, and which leaves are meant."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Selection

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
