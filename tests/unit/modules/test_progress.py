# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A roll tells every restart while it happens, into the file that the action plugin reads."""

from __future__ import annotations

import re
from pathlib import Path

from . import stages
from .leaks import keys_of, leaks
from .running import call

LINE = re.compile(
    r"\[kafka/demo\] trust roll (\d)/3: (demo-[a-z]+(?:-[a-z]+)?)(?:-\d|-\w{10}-\w{5}) restarted, Ready after \d+\.\d s"
)


def test_one_line_a_restart(tmp_path: Path) -> None:
    file = tmp_path / "progress"
    world = stages.rotating("strimzi_roll")
    ended = call("strimzi_roll", world, goal="replace_key", progress_file=str(file))
    lines = file.read_text().splitlines()
    found = [match.groups() for match in map(LINE.fullmatch, lines) if match]
    assert len(found) == len(lines) == 6
    # The nodes first, then everything else at once.
    assert [name for _count, name in found[:3]] == ["demo-kafka"] * 3
    assert [count for count, _name in found] == ["1", "2", "3", "1", "2", "3"]
    assert sum(action["verb"] == "restart" for action in ended.result["actions"]) == 6
    assert leaks(file.read_text(), keys_of(world)) == []


def test_check_mode_tells_nothing(tmp_path: Path) -> None:
    file = tmp_path / "progress"
    call("strimzi_roll", stages.rotating("strimzi_roll"), goal="replace_key", progress_file=str(file), check=True)
    assert not file.exists()
