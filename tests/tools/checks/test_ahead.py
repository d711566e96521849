# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The bed that is prepared beside the environment of a command."""

from __future__ import annotations

import pytest

from ...kafka import needs
from ..cluster.cache import MissingTool
from . import ahead


@pytest.mark.parametrize(
    ("which", "reason", "prepared"),
    [
        (ahead.REAL, "", ["real"]),
        (ahead.ANY, "", ["real"]),
        (ahead.ANY, "a node needs root", ["simulated"]),
        (ahead.REAL, "a node needs root", []),
        (ahead.NONE, "", []),
    ],
)
def test_the_bed_that_the_command_can_use(
    which: str, reason: str, prepared: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    monkeypatch.setattr(needs, "reason_to_skip", lambda: reason)
    monkeypatch.setattr(ahead, "real_parts", lambda: made.append("real"))
    monkeypatch.setattr(ahead, "simulated_parts", lambda: made.append("simulated"))
    ahead.prepare_bed(which)
    assert made == prepared


def test_a_bed_that_cannot_be_made_is_left_to_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise MissingTool("no mvn")

    monkeypatch.setattr(needs, "reason_to_skip", lambda: "")
    monkeypatch.setattr(ahead, "real_parts", missing)
    ahead.prepare_bed(ahead.REAL)
