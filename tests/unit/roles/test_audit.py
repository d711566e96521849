# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The file of an audit trail with one entry: ansible-core before 2.19, with which unit tests run too, takes such a text for a dictionary."""

from __future__ import annotations

from pathlib import Path

from ...roles.test_audit import ENTRIES, append, trail


def test_a_trail_with_one_entry_is_written_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "audit").mkdir()
    done = append(tmp_path, ENTRIES[:1], [])
    assert done.returncode == 0, done.stdout
    assert trail(tmp_path) == f"{ENTRIES[0]}\n"
