# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Leaves are issued all at once or not at all, and only where they can be signed here or are at hand."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.leaves import IssueLeaves
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.leaves import issue

from .. import unlinked
from ..builders import NEW, PODS, chain_of
from ..requested import a_request, answered, at_hand, elsewhere, with_requests
from .asking import situation

HERE = unlinked.READ_BACK
ELSEWHERE = elsewhere(HERE)


@pytest.mark.parametrize(
    ("snapshot", "secrets", "issued"),
    [
        pytest.param(HERE, PODS, True, id="signed here"),
        pytest.param(HERE, (), False, id="none"),
        pytest.param(ELSEWHERE, PODS, False, id="nobody was asked"),
        pytest.param(with_requests(ELSEWHERE, a_request()), PODS, False, id="asked for"),
        pytest.param(with_requests(ELSEWHERE, answered()), PODS, False, id="one of them at hand"),
        pytest.param(with_requests(ELSEWHERE, answered()), PODS[:1], True, id="the one that is at hand"),
        pytest.param(at_hand(ELSEWHERE), PODS, True, id="all at hand"),
    ],
)
def test_all_or_none(snapshot: Snapshot, secrets: tuple[str, ...], issued: bool) -> None:
    steps = issue(situation(snapshot), secrets, chain_of(NEW), Phase.USE)
    assert [(type(step), step.secrets) for step in steps if isinstance(step, IssueLeaves)] == (
        [(IssueLeaves, secrets)] if issued else []
    )
