# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``link_until`` counts where a CA with another key is about to be made, and has to be ahead then."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.links import link_until_is_ahead

from .. import linked
from ..builders import HOUR, NOW, cluster
from .refusals import REPLACE_KEY, Refusal, assert_refused, refusal

SETTLED = cluster()
CASES = [
    refusal(
        link_until_is_ahead,
        f"link_until: {NOW - HOUR:%Y-%m-%d %H:%M:%S} UTC is over, so nodes would not lead clients on that know only the CA which is to be replaced. "
        "Give a later time, or none: nodes lead them on until that CA ends.",
        name="over", intent=replace(REPLACE_KEY, link_until=NOW - HOUR),
    ),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_time_that_is_over_is_refused(case: Refusal) -> None:
    assert_refused(case)


@pytest.mark.parametrize(
    ("snapshot", "goal", "until"),
    [
        pytest.param(SETTLED, Goal.REPLACE_KEY, NOW + HOUR, id="ahead"),
        pytest.param(SETTLED, Goal.REPLACE_KEY, None, id="nothing is said"),
        pytest.param(SETTLED, Goal.RENEW, NOW - HOUR, id="the key stays"),
        pytest.param(linked.PREPARED, Goal.REPLACE_KEY, NOW - HOUR, id="it is made already"),
        pytest.param(replace(SETTLED, sends_chains=False), Goal.REPLACE_KEY, NOW - HOUR, id="leaves are sent alone"),
    ],
)
def test_elsewhere_it_does_not_count(snapshot: Snapshot, goal: Goal, until: datetime | None) -> None:
    assert list(link_until_is_ahead(snapshot, Intent(goal, link_until=until))) == []
