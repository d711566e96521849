# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each flow, killed before and after every write it makes, then run again: same end, and never a failed handshake."""

from __future__ import annotations

from typing import Any

import pytest

from ..tools.support.killing import ForkingTransport, KillingTransport
from .conftest import Points
from .stories import EAGER, SHORT, STORIES, Story


def _marks(story: Story) -> tuple[pytest.MarkDecorator, ...]:
    return () if story in SHORT else (pytest.mark.long,)


def undisturbed(story: Story, patch: pytest.MonkeyPatch) -> tuple[int, dict[str, Any]]:
    """How many writes it takes, and how it ends."""
    telling = story.begin(patch)
    transport = KillingTransport(telling.cluster.memory.api)
    telling.cluster.permitted = transport
    telling.complete()
    assert transport.unconditional == []
    assert telling.cluster.paid == telling.cost
    writes = transport.writes
    telling.complete()
    assert transport.writes == writes, "a second run wrote something (I9)"
    return writes, telling.end_state()


def assert_killed_at(
    story: Story, numbers: list[int], after: bool, wanted: dict[str, Any], patch: pytest.MonkeyPatch
) -> None:
    """Kill at each of these writes, let the cluster go on for a while, run again: the same end."""
    telling = story.begin(patch)
    transport = ForkingTransport(telling.cluster.memory.api, numbers, after)
    telling.cluster.permitted = transport

    def go_on() -> None:
        assert telling.go_on() == wanted

    assert transport.kill_copies(telling.complete, go_on) == numbers


@pytest.mark.parametrize("moment", ["after", pytest.param("before", marks=pytest.mark.long)])
@pytest.mark.parametrize("story", [pytest.param(one, id=str(one), marks=_marks(one)) for one in [*STORIES, *EAGER]])
def test_killed_anywhere_and_run_again(
    story: Story, moment: str, points: Points, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before a write is after the one before it, but for what the cluster does meanwhile."""
    writes, wanted = undisturbed(story, monkeypatch)
    assert_killed_at(story, points.to(writes), moment == "after", wanted, monkeypatch)
    print(f"\n{story}: killed {moment} {len(points.to(writes))} of {writes} writes, all ended the same")
