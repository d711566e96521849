# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Waivers: an end in sight, a reason; and never for a part of the cluster."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from _pytest.mark.structures import ParameterSet

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import (
    LONGEST_WAIVER,
    OutsideClient,
    Waiver,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.goals import waivers_are_valid
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.order import check

from ....tools.support.certificates import DAY, HOUR, NOW
from ..authorities import OLD, chain_of
from ..builders import cluster
from ..nodes import PODS
from ..rules.asking import REPLACE_KEY
from .refusals import refusal

NAME = "KafkaConnect kafka/connect"
DECIDE_ANEW = "Bring the client to trust the new CA and take the waiver out, or decide again until when it is valid."
NOT_OF_THE_CLUSTER = (
    "names a part of the cluster; only clients outside of it can be waived. "
    "Take it out; a restart brings the missing CAs to a process of the cluster."
)
TOO_FAR = NOW + LONGEST_WAIVER + HOUR


def given(until: datetime = NOW + DAY, client: str = NAME, reason: str = "moves in week 51") -> dict[str, Any]:
    return {"outside_clients": (OutsideClient(NAME, chain_of(OLD)),), "waivers": (Waiver(client, until, reason),)}


def waived(text: str, name: str, client: str = NAME, **fields: Any) -> ParameterSet:
    told = f"the waiver for {client}: {text}"
    return refusal(waivers_are_valid, told, name=name, **given(client=client, **fields))


CASES = [
    waived(f"ended on {NOW:%Y-%m-%d %H:%M} UTC. {DECIDE_ANEW}", "ends now", until=NOW),
    waived(f"ended on {NOW - DAY:%Y-%m-%d %H:%M} UTC. {DECIDE_ANEW}", "ended yesterday", until=NOW - DAY),
    waived(
        f"ends on {TOO_FAR:%Y-%m-%d %H:%M} UTC, more than 30 days from now. "
        f"Give a time until {NOW + LONGEST_WAIVER:%Y-%m-%d %H:%M} UTC at most.",
        "too far", until=TOO_FAR,
    ),
    waived("has no reason. Give the name of the person who decided it, and why, for the audit.", "without a reason", reason=" "),
    *(
        waived(NOT_OF_THE_CLUSTER, client, client)
        for client in (f"pod {PODS[0]}", f"Pod kafka/{PODS[0]}", PODS[0], "the Cluster Operator")
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param(given(), id="a day"),
        pytest.param(given(NOW + LONGEST_WAIVER), id="the longest"),
        pytest.param(
            given(client="KafkaBridge kafka/bridge"), id="for a client that is not seen: it is told elsewhere"
        ),
        *(
            pytest.param(given(client=f"{kind} kafka/{PODS[0]}"), id=f"a {kind} with a node's name")
            for kind in ("KafkaConnect", "Secret")
        ),
        pytest.param(given(client="the gateway"), id="for another with an article"),
        pytest.param(given(client="zookeeper"), id="for a name without a kind"),
    ],
)
def test_a_waiver(fields: dict[str, Any]) -> None:
    assert check(cluster(**fields), REPLACE_KEY) == ()
