# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The questions that several rules ask of the same situation."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot

from .. import linked, unlinked
from ..authorities import INTERMEDIATE, NEW, OLD, ROOT, chain_of
from ..builders import changed, cluster, secrets
from ..nodes import a_leaf
from ..served import served
from .asking import situation


@pytest.mark.parametrize(
    ("snapshot", "phase"),
    [
        pytest.param(cluster(), Phase.USE, id="no flow"),
        pytest.param(linked.ALONE, Phase.USE, id="the next CA is not in use as ca.crt"),
        pytest.param(unlinked.SHARED, Phase.USE, id="the replaced CA is used"),
        pytest.param(unlinked.PHASED_OUT, Phase.RETIRE, id="no pod uses it"),
        pytest.param(linked.STRUCK, Phase.RETIRE, id="it has left"),
        pytest.param(unlinked.FINISHED, Phase.USE, id="finished"),
    ],
)
def test_a_step_without_a_phase_of_its_own_has_the_phase_of_the_flow(snapshot: Snapshot, phase: Phase) -> None:
    assert situation(snapshot).phase is phase


def test_of_a_chain_the_first_is_the_operators_ca() -> None:
    assert situation(cluster(ca=secrets(chain_of(INTERMEDIATE, ROOT)))).current == INTERMEDIATE.certificate


@pytest.mark.parametrize(
    ("snapshot", "known"),
    [
        pytest.param(linked.ENROLLED, True, id="prepared and enrolled"),
        pytest.param(linked.PREPARED, False, id="not enrolled yet"),
        pytest.param(linked.LEARNED, False, id="in use as ca.crt"),
        pytest.param(linked.SETTLED, False, id="none is prepared"),
    ],
)
def test_the_next_ca(snapshot: Snapshot, known: bool) -> None:
    found = situation(snapshot).successor
    assert (found is not None) is known
    if found is not None:
        assert (found.prepared, found.entry.chain) == (snapshot.ca.prepared[0], chain_of(NEW))
        assert found.introduction.link == linked.LINK


def test_the_ca_that_has_issued_a_leaf() -> None:
    at = situation(linked.SHARED)
    assert at.is_of(linked.SHARED.leaves.stored[0], NEW.certificate)
    assert not at.is_of(linked.SHARED.leaves.stored[0], OLD.certificate)
    assert at.issuer_of(a_leaf(chain=None)) is None


@pytest.mark.parametrize(
    ("snapshot", "serves"),
    [
        pytest.param(served("switched"), True, id="the key of the CA in use is elsewhere"),
        pytest.param(served("trusted"), False, id="that of the next one is"),
        pytest.param(served("switched").with_ca(keys_elsewhere=frozenset()), False, id="the keys are here"),
        pytest.param(changed(served("switched"), user_leaves={}), False, id="there are no users"),
        pytest.param(served("switched").with_ca(current=()), False, id="there is no CA"),
    ],
)
def test_whether_a_flow_serves_users(snapshot: Snapshot, serves: bool) -> None:
    assert situation(snapshot).issues_to_users is serves
