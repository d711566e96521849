# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The likeness of states: a state that comes again is recognised although pods have restarted and leaves were issued anew, and no other is."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import Roll, RollReason
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.plan import likeness_of, state_of

from ....support.certificates import NOW, YEAR, key, make
from ..builders import changed
from .test_forecast import SETTLED


def restarted(snapshot: Snapshot) -> Snapshot:
    """Every pod has another UID, and another hash of its leaf."""
    return changed(
        snapshot,
        pods=tuple(replace(pod, uid=f"{pod.uid}-again", leaf_hash=f"{pod.leaf_hash}0") for pod in snapshot.nodes.pods),
    )


def roll(snapshot: Snapshot) -> Roll:
    return Roll(reason=RollReason.TRUST, uids=snapshot.uids, authority=None, phase=Phase.TRUST)


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(replace(SETTLED, now=SETTLED.now + timedelta(hours=1)), id="an hour later"),
        pytest.param(restarted(SETTLED), id="pods have restarted"),
    ],
)
def test_the_same_state(other: Snapshot) -> None:
    assert state_of(other, ()) == state_of(SETTLED, ())


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(changed(SETTLED, pods=SETTLED.nodes.pods[1:]), id="a pod less"),
        pytest.param(replace(SETTLED, bundle=frozenset()), id="another trust bundle"),
        pytest.param(
            SETTLED.with_ca(certificate_generation=SETTLED.ca.certificate_generation + 1), id="another generation"
        ),
        pytest.param(replace(SETTLED, reconciliation=replace(SETTLED.reconciliation, paused=True)), id="paused"),
        pytest.param(
            changed(SETTLED, leaves=tuple(replace(leaf, chain=None) for leaf in SETTLED.leaves.stored)), id="no leaf"
        ),
        pytest.param(
            changed(SETTLED, pods=tuple(replace(pod, presents_stored=False) for pod in SETTLED.nodes.pods)),
            id="another leaf presented",
        ),
    ],
)
def test_another_state(other: Snapshot) -> None:
    assert state_of(other, ()) != state_of(SETTLED, ())


def test_other_steps_make_another_state() -> None:
    assert state_of(SETTLED, (roll(SETTLED),)) != state_of(SETTLED, ())


def test_the_same_step_on_pods_that_have_restarted() -> None:
    again = restarted(SETTLED)
    assert likeness_of((roll(again),), again) == likeness_of((roll(SETTLED),), SETTLED)
    assert likeness_of((replace(roll(SETTLED), uids=frozenset()),), SETTLED) != likeness_of((roll(SETTLED),), SETTLED)


def test_a_leaf_is_unlike_one_that_ends_on_another_day() -> None:
    """Else a node's new leaf would be taken for the one that was due."""

    def holding(end: datetime) -> Snapshot:
        leaf = make("node", key(99), ca=False, end=end).certificate
        return changed(SETTLED, leaves=(replace(SETTLED.leaves.stored[0], chain=(leaf,)),))

    due, again, renewed = (state_of(holding(end), ()) for end in (NOW, NOW, NOW + YEAR))
    assert due == again
    assert due != renewed
