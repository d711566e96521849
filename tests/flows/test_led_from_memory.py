# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The next CA is introduced by a link certificate, and cannot certify the old one: nodes go on leading to it from memory after the switch, until clients
that load ``ca.crt`` alone have had the time to read it.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.outcome import inspect, plan
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase

from ..tools.support.authorities import Authority, root
from ..tools.support.connect import Connect
from ..tools.support.flows import FlowResult
from ..tools.support.golden import GoldenFiles
from ..tools.support.late_readers import LATE, LateReaders
from ..tools.support.watched_cluster import WatchedCluster, assert_only
from .test_kept_elsewhere import ASKED, elsewhere, office
from .test_outside_clients import ALL, NAME, ONE, held, watch

pytestmark = pytest.mark.usefixtures("nodes")
CORPORATE = elsewhere(root("Corporate Root"))


def in_use(cluster: WatchedCluster, authority: Authority = CORPORATE) -> None:
    """Certificates of this CA are in use behind its link certificate, and the operator is still on the CA before."""
    cluster.create()
    cluster.run(Goal.REPLACE_KEY, authority, external_issuer=ASKED)
    office(cluster, authority).work()
    cluster.run(Goal.REPLACE_KEY, authority, last_phase=Phase.USE, external_issuer=ASKED)
    office(cluster, authority).work()


def waits(result: FlowResult) -> list[tuple[str, float]]:
    """Phase and seconds of each wait for clients."""
    return [(one.phase, one.seconds or 0.0) for one in result.actions if one.what == "clients read the new CA"]


@pytest.mark.parametrize(
    ("grace", "served"), [({}, True), ({"client_grace": timedelta(0)}, False)], ids=["as usual", "no time is wanted"]
)
def test_clients_of_ca_crt_are_served_as_late_as_a_mounted_secret_is(
    cluster: WatchedCluster, grace: dict[str, Any], served: bool
) -> None:
    """Without that time it is as before: the test can tell."""
    in_use(cluster)
    cluster.memory.seconds += LATE
    readers = LateReaders(cluster)
    result = cluster.finish(Goal.REPLACE_KEY, CORPORATE, external_issuer=ASKED, **grace)
    assert bool(readers.refused) is not served, readers.refused
    assert [seconds >= LATE - 1 for _phase, seconds in waits(result)] == ([True] if served else [])
    assert cluster.paid == cluster.cost(Goal.REPLACE_KEY)
    assert_only(cluster, CORPORATE.fingerprint)


def test_the_plan_says_who_is_refused_from_when_on(cluster: WatchedCluster, golden: GoldenFiles) -> None:
    in_use(cluster)
    work, intent = cluster.work(CORPORATE), cluster.intent(Goal.REPLACE_KEY, CORPORATE, external_issuer=ASKED)
    planned = plan(work, inspect(work, intent), intent)
    golden.compare_said("flows", "\n".join(planned.choices))
    said = [step.what for step in planned.steps]
    (switched,) = [number for number, what in enumerate(said) if what.startswith("switch the operator")]
    later = [what for what in said[switched:] if what.startswith(("give clients", "have the listeners"))]
    assert [what.split()[0] for what in later] == ["give", "have"]


def test_a_connect_with_ca_crt_alone_holds_the_switch(cluster: WatchedCluster) -> None:
    """It may get the next CA later than nodes read again."""
    in_use(cluster)
    connect = watch(cluster, Connect(cluster.memory, ONE))
    before = cluster.current
    assert held(cluster.run(Goal.REPLACE_KEY, CORPORATE, external_issuer=ASKED)) >= {(Condition.TRUST, NAME)}
    assert cluster.current == before
    connect.select(ALL)
    cluster.finish(Goal.REPLACE_KEY, CORPORATE, external_issuer=ASKED)
