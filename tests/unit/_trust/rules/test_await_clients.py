# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clients outside the cluster are waited for, where all that a gate lacks is on its way to them by itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import Follows, OutsideClient
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.base import Steps
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.trust import AwaitOutside
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.switch import await_outside

from ....support.certificates import Entity
from .. import linked, unlinked
from ..builders import NEW, OLD, changed
from .asking import situation, turns

CONNECT = "KafkaConnect kafka/connect"


def client(*trusts: Entity, follows: Follows = Follows.TRUSTED, **fields: Any) -> OutsideClient:
    made = OutsideClient(CONNECT, tuple(one.certificate for one in trusts), follows=follows)
    return replace(made, **fields)


def waited(then: OutsideClient, phase: Phase) -> Steps:
    return (AwaitOutside(clients=(CONNECT,), settled=(then,), phase=phase),)


BOTH = client(OLD, NEW)


@pytest.mark.parametrize(
    ("before", "now", "expected"),
    [
        pytest.param(unlinked.TRUSTED, client(OLD), waited(BOTH, Phase.TRUST), id="it is given the next CA"),
        pytest.param(
            unlinked.TRUSTED, client(OLD, NEW, doubt="started earlier."), waited(BOTH, Phase.TRUST), id="it has to read it"
        ),
        pytest.param(linked.TRUSTED, client(OLD), (), id="the link serves it, and processes are not ready either"),
        pytest.param(linked.ALONE, client(OLD), waited(BOTH, Phase.RETIRE), id="it needs the CA itself for the switch"),
        pytest.param(
            linked.USED, client(OLD), waited(BOTH, Phase.RETIRE), id="it needs the CA itself for the switch, and the old one is known"
        ),
        pytest.param(unlinked.TRUSTED, client(NEW), (), id="it lacks a CA that nobody takes away"),
        pytest.param(
            unlinked.PHASED_OUT, client(NEW, doubt="started earlier."), waited(client(NEW, OLD), Phase.RETIRE),
            id="it may need the CA that is to leave",
        ),
        pytest.param(unlinked.TRUSTED, BOTH, (), id="nothing is in the way"),
        pytest.param(unlinked.TRUSTED, client(OLD, follows=Follows.ISSUING), (), id="it would not be given it"),
        pytest.param(unlinked.TRUSTED, client(OLD, follows=Follows.NOTHING), (), id="nobody gives it anything"),
        pytest.param(unlinked.PROJECTED, client(OLD), (), id="the next CA is not where it comes from"),
        pytest.param(unlinked.OUT_OF_BUNDLE, client(NEW, doubt="started earlier."), (), id="the CA has left"),
    ],
)  # fmt: skip
def test_who_is_waited_for(before: Snapshot, now: OutsideClient, expected: Steps) -> None:
    assert await_outside(situation(changed(before, outside=(now,)))) == expected


def test_without_clients_nobody_is_waited_for() -> None:
    assert turns(await_outside) == {}
    assert await_outside(situation(unlinked.TRUSTED)) == ()
