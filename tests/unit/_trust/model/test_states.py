# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Usage leads a CA along the edges of docs/design.md, "States", and along no other."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import (
    TRUSTED_STATES,
    TrustState,
    Usage,
    after_usage,
)

from ..builders import ALL, ANY, PHASE_OUT, UNUSED
from ..edges import BY_USAGE, EDGES


@pytest.mark.parametrize(("before", "usage", "after"), BY_USAGE)
def test_usage_leads_where_the_table_says(before: TrustState, usage: Usage, after: TrustState) -> None:
    assert after_usage(before, usage) is after


def test_the_table_is_complete() -> None:
    told = {(before, usage) for before, usage, _after in BY_USAGE}
    assert told == {*product(TrustState, set(Usage) - {Usage.UNKNOWN})}


@pytest.mark.parametrize("state", TrustState)
@pytest.mark.parametrize("usage", [Usage.NO_PODS, Usage.UNKNOWN])
def test_without_pods_or_without_evidence_the_state_is_kept(state: TrustState, usage: Usage) -> None:
    assert after_usage(state, usage) is state


@given(st.sampled_from(TrustState), st.lists(st.sampled_from(Usage)))
def test_any_history_of_usages_moves_along_edges(state: TrustState, usages: list[Usage]) -> None:
    for usage in usages:
        before, state = state, after_usage(state, usage)
        assert state is before or (before, state) in EDGES


def test_all_but_untrusted_are_trusted() -> None:
    assert {UNUSED, ANY, ALL, PHASE_OUT} == TRUSTED_STATES
