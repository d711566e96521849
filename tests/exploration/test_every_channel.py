# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every state that a flow can reach on nodes whose Raft client, or whole process, reads again with the listeners, and
what becomes of a flow that counts on more than the nodes do (docs/operator.md, "Where the reload ends").
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model import channels
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.channels import REACHES, Channel, Reach
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent

from .findings import Record, counter_example, to_an_end
from .looking import LookingRunner
from .people import raft_clients_read_again
from .starts import LINKED, PATIENT, RENEW, UNLINKED
from .state import Follows

long = pytest.mark.long
_NAMES = {LINKED: "linked", UNLINKED: "unlinked", PATIENT: "patient", RENEW: "renew"}
NONE, RAFT, ALL = Follows.NONE, Follows.RAFT_CLIENT, Follows.ALL
WHOLE = frozenset(Channel)


def _name(value: Any) -> str:
    if isinstance(value, Intent):
        return _NAMES[value]
    return "-".join(one.name for one in value) if isinstance(value, tuple) else str(value)


@pytest.fixture
def everything_is_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls count on a reload of the whole process from these versions on."""
    believed = (Reach((4, 5), WHOLE, is_seen=True), Reach((9, 0), WHOLE, is_seen=True))
    monkeypatch.setattr(channels, "REACHES", (REACHES[0], *believed))


@pytest.mark.parametrize(
    ("intent", "follows"),
    [
        (UNLINKED, (RAFT, RAFT)),
        pytest.param(UNLINKED, (NONE, RAFT), marks=long),
        *(
            pytest.param(intent, follows, marks=long)
            for intent in (LINKED, PATIENT, RENEW)
            for follows in ((RAFT, RAFT), (NONE, RAFT))
        ),
    ],
    ids=_name,
)
def test_nodes_whose_raft_clients_read_again_with_their_listeners(
    intent: Intent, follows: Sequence[Follows], record_property: Record
) -> None:
    found = to_an_end(record_property, LookingRunner(intent), 2, follows=follows)
    assert found.is_reached("writes reload")


@pytest.mark.parametrize(
    "intent", [UNLINKED, *(pytest.param(one, marks=long) for one in (LINKED, PATIENT, RENEW))], ids=_name
)
def test_raft_clients_that_read_again_at_any_moment(intent: Intent, record_property: Record) -> None:
    """Flows are safe whatever a version of Kafka makes of a reload: no call can see more of it than the listeners
    show.
    """
    to_an_end(record_property, LookingRunner(intent), 2, raft_clients_read_again)


@pytest.mark.usefixtures("everything_is_reached")
@pytest.mark.parametrize("intent", [LINKED, UNLINKED, PATIENT, RENEW], ids=_name)
def test_nodes_that_a_reload_reaches_as_a_whole(intent: Intent, record_property: Record) -> None:
    found = to_an_end(record_property, LookingRunner(intent), 1, follows=(ALL,))
    assert found.is_reached("writes reload")
    ends = [model for model, number in found.states.items() if number in found.ends]
    # Nothing is remembered of processes in which every channel has read again.
    assert {(books.removed, books.former) for model in ends if (books := model.books)} == {((), ())}


@pytest.mark.usefixtures("everything_is_reached")
@pytest.mark.parametrize("follows", [NONE, RAFT], ids=lambda one: one.name)
@pytest.mark.parametrize("intent", [LINKED, UNLINKED], ids=_name)
def test_a_flow_that_counts_on_more_than_a_node_does(
    intent: Intent, follows: Follows, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the agent alone keeps what it was started with: it refuses the operator, which is the only party that
    connects to it.
    """
    monkeypatch.setattr("tests.exploration.translation.VERSIONS", dict.fromkeys(Follows, "9.0.0"))
    broken = counter_example(LookingRunner(intent), 1, components=(Component.CLUSTER_OPERATOR,), follows=(follows,))
    assert (broken.rule, broken.parties) == ("I1", ("pod 0", "the operator"))
