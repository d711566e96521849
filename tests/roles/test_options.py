# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables that are refused by the module that they come to, as its option, before a cluster is asked for anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from .playing import play_locally


@pytest.mark.parametrize("role", ["replace_key", "reconcile"])
def test_a_latest_date_without_the_wish_to_wait_for_it(role: str, tmp_path: Path) -> None:
    play = {
        "hosts": "localhost",
        "gather_facts": False,
        "vars": {"strimzi_cluster": "demo", "strimzi_namespace": "kafka", "strimzi_retire_by": "2099-01-01"},
        "roles": [f"trustops.strimzi.{role}"],
    }
    done = play_locally(play, tmp_path)
    assert done.returncode == 2, done.stdout
    assert (
        "retire_by: it counts with retire=when_restarted only, and retire is not given. "
        "Give retire=when_restarted with it, or leave retire_by out."
    ) in " ".join(done.stdout.split())
