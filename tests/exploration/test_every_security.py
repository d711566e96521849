# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every state that a flow can reach where processes do not verify each other as clients, or speak no TLS among each
other at all.
"""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.security import ClusterSecurity

from .cluster_ca import Invariant
from .findings import Record, counter_example, to_an_end
from .people import lifts_the_pause, takes_the_permission_away
from .secured import ONE_WAY, PLAIN, SecuredRunner, broken_one_way, broken_plain
from .starts import LINKED, PATIENT, RENEW, UNLINKED

long = pytest.mark.long
SECURITIES: dict[str, tuple[ClusterSecurity, Invariant]] = {
    "one-way": (ONE_WAY, broken_one_way),
    "plain": (PLAIN, broken_plain),
}
EACH = pytest.mark.parametrize("security", SECURITIES)
_NAMES = {LINKED: "linked", UNLINKED: "unlinked", PATIENT: "patient", RENEW: "renew"}


def _name(value: Any) -> str:
    return _NAMES[value] if isinstance(value, Intent) else str(getattr(value, "__name__", value))


def runner(intent: Intent, security: str) -> SecuredRunner:
    return SecuredRunner(intent, security=SECURITIES[security][0])


@EACH
@pytest.mark.parametrize(
    ("intent", "nodes"),
    [
        (LINKED, 1),
        (PATIENT, 1),
        pytest.param(UNLINKED, 1),
        pytest.param(RENEW, 1, marks=long),
        *(pytest.param(intent, 2, marks=long) for intent in (LINKED, UNLINKED, PATIENT, RENEW)),
    ],
    ids=_name,
)
def test_nodes_alone(intent: Intent, nodes: int, security: str, record_property: Record) -> None:
    found = to_an_end(record_property, runner(intent, security), nodes, invariant=SECURITIES[security][1])
    assert found.is_reached("writes reload") is (security == "plain" or intent in (PATIENT, RENEW))


@pytest.mark.parametrize(
    ("intent", "security"),
    [
        (UNLINKED, "one-way"),
        *(pytest.param(intent, "plain", marks=long) for intent in (UNLINKED, LINKED, PATIENT)),
        *(pytest.param(intent, "one-way", marks=long) for intent in (LINKED, PATIENT)),
    ],
    ids=_name,
)
def test_a_node_and_a_component(intent: Intent, security: str, record_property: Record) -> None:
    components, invariant = (Component.ENTITY_OPERATOR,), SECURITIES[security][1]
    to_an_end(record_property, runner(intent, security), 1, components=components, invariant=invariant)


@long
@EACH
@pytest.mark.parametrize("people", [lifts_the_pause, takes_the_permission_away], ids=_name)
@pytest.mark.parametrize("intent", [LINKED, PATIENT], ids=_name)
def test_a_node_and_what_happens_meanwhile(intent: Intent, people: Any, security: str, record_property: Record) -> None:
    to_an_end(record_property, runner(intent, security), 1, people, invariant=SECURITIES[security][1])


def test_processes_that_verify_servers_must_not_be_taken_for_processes_without_tls() -> None:
    """A certificate of the next CA is put to use before they know that CA."""
    wrong = runner(UNLINKED, "plain")
    assert counter_example(wrong, 2, invariant=broken_one_way).rule == "I1"
