# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The clock by which certificates are dated, beside the API server's."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.building import BACKDATED
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.evidence.stored import unmatched_waivers
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import CLOCK, Waiver
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import ClockReading
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.cluster import (
    LARGEST,
    NOTABLE,
    clocks_agree,
    describe_clock_doubt,
)

from ....tools.support.golden import GoldenFiles
from ..builders import NOW, cluster
from .refusals import REPLACE_KEY, refusal

SECOND = timedelta(seconds=1)
REMEDY = "Have a time service (NTP) set the clock of that machine, or run this where the clock is right, then run the flow again."
CASES = [
    refusal(
        clocks_agree, f"the clock of bastion: is {told} the API server's, and certificates are dated by it. {REMEDY}",
        name=told, clock=ClockReading("bastion", ahead),
    )
    for ahead, told in [(LARGEST + SECOND, "151 s ahead of"), (-LARGEST - SECOND, "151 s behind")]
]  # fmt: skip


@example(NOTABLE // SECOND)
@example(-LARGEST // SECOND)
@given(st.integers(-2 * BACKDATED // SECOND, 2 * BACKDATED // SECOND))
def test_nothing_is_written_beyond_what_nodes_bear_as_well(seconds: int) -> None:
    """A node may be behind the API server by as much as this machine is ahead, and still finds what begins now."""
    ahead = timedelta(seconds=seconds)
    seen = cluster(clock=ClockReading("bastion", ahead))
    held, warned = bool(tuple(clocks_agree(seen, REPLACE_KEY))), bool(describe_clock_doubt(seen))
    assert held == (2 * abs(ahead) > BACKDATED)
    assert warned == (abs(ahead) > NOTABLE and not held)


def test_the_warning_names_the_machine(golden: GoldenFiles) -> None:
    (told,) = describe_clock_doubt(cluster(clock=ClockReading("bastion", timedelta(seconds=-90))))
    assert " bastion is 90 s " in told
    golden.compare_said("stops_in_rules", told)


def waiver(client: str) -> Waiver:
    return Waiver(client, NOW + timedelta(days=1), "Ann: chrony sets it")


UNKNOWN = ClockReading("bastion", None)


@pytest.mark.parametrize("waived", ["KafkaConnect kafka/connect", None])
def test_where_the_server_tells_no_time_nothing_is_written(waived: str | None, golden: GoldenFiles) -> None:
    seen = cluster(clock=UNKNOWN, waivers=(waiver(waived),) if waived else ())
    (held,) = clocks_agree(seen, REPLACE_KEY)
    golden.compare_said("stops_in_rules", held)
    assert describe_clock_doubt(seen) == ()


def test_a_waiver_lets_a_run_go_on_whose_server_tells_no_time(golden: GoldenFiles) -> None:
    seen = cluster(clock=UNKNOWN, waivers=(waiver(CLOCK),))
    assert tuple(clocks_agree(seen, REPLACE_KEY)) == ()
    (told,) = describe_clock_doubt(seen)
    golden.compare_said("stops_in_rules", told)
    assert unmatched_waivers(seen) == ()


def test_a_waiver_is_not_for_a_clock_that_is_known_to_be_wrong() -> None:
    seen = cluster(clock=ClockReading("bastion", 2 * LARGEST), waivers=(waiver(CLOCK),))
    assert len(tuple(clocks_agree(seen, REPLACE_KEY))) == 1
    assert unmatched_waivers(seen) == (waiver(CLOCK),)
