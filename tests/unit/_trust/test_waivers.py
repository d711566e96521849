# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Waivers: exact names, an end in sight, a reason; and never for a part of the cluster."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.outside import OutsideClient
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.waivers import (
    LONGEST,
    Waiver,
    unmatched,
    waiver_of,
    waivers_hold,
)

from .builders import DAY, HOUR, NOW, OLD, PODS, chain_of, cluster
from .refusals import Refusal, assert_only_resumed, assert_refused, refusal

NAME = "KafkaConnect kafka/connect"
CONNECT = OutsideClient(NAME, chain_of(OLD))


def a_waiver(until: datetime = NOW + DAY, client: str = NAME, reason: str = "moves in week 51") -> Waiver:
    return Waiver(client, until, reason)


def waived(waiver: Waiver, text: str, name: str) -> Any:
    told = f"the waiver for {waiver.client}: {text}"
    return refusal(waivers_hold, "waiver", told, name=name, outside=(CONNECT,), waivers=(waiver,))


NOT_OF_THE_CLUSTER = (
    "names a part of the cluster; only clients outside of it can be waived. "
    "Take it out; what a process of the cluster lacks is brought to it by a restart."
)
DECIDE_ANEW = "Bring the client to trust the new CA and take the waiver out, or decide anew until when it holds."
LATEST = f"{NOW + LONGEST:%Y-%m-%d %H:%M} UTC"
CASES = [
    waived(a_waiver(NOW), f"ended on {NOW:%Y-%m-%d %H:%M} UTC. {DECIDE_ANEW}", "ends now"),
    waived(a_waiver(NOW - DAY), f"ended on {NOW - DAY:%Y-%m-%d %H:%M} UTC. {DECIDE_ANEW}", "ended yesterday"),
    waived(
        a_waiver(NOW + LONGEST + HOUR),
        f"ends on {NOW + LONGEST + HOUR:%Y-%m-%d %H:%M} UTC, more than 30 days from now. "
        f"Give a time until {LATEST} at most.",
        "too far",
    ),
    waived(
        a_waiver(reason=" "), "has no reason. Say who decided it and why, for whoever audits it.", "without a reason"
    ),
    *(
        waived(a_waiver(client=client), NOT_OF_THE_CLUSTER, client)
        for client in (f"pod {PODS[0]}", f"Pod kafka/{PODS[0]}", PODS[0], "the Cluster Operator")
    ),
]


@pytest.mark.parametrize("case", CASES)
def test_what_is_no_waiver_holds_the_flow_and_names_it(case: Refusal) -> None:
    assert_refused(case)
    assert_only_resumed(case)


@pytest.mark.parametrize(
    ("until", "holds"),
    [
        (NOW, False), (NOW - HOUR, False), (NOW + HOUR, True), (NOW + LONGEST, True), (NOW + LONGEST + HOUR, False),
    ],
)  # fmt: skip
def test_a_waiver_holds_for_its_time_and_its_client(until: datetime, holds: bool) -> None:
    waiver = a_waiver(until)
    snapshot = cluster(outside=(CONNECT,), waivers=(waiver,))
    assert waiver_of(NAME, snapshot) == (waiver if holds else None)
    assert waiver_of("KafkaConnect kafka/connect-2", snapshot) is None


def test_a_waiver_for_nobody_is_told_and_holds_nothing() -> None:
    stray = a_waiver(client="KafkaBridge kafka/bridge")
    snapshot = cluster(outside=(CONNECT,), waivers=(a_waiver(), stray))
    assert unmatched(snapshot) == (stray,)
    assert tuple(waivers_hold(snapshot, None)) == ()  # type: ignore[arg-type]
    assert unmatched(cluster(waivers=(stray,), pods=())) == ()
