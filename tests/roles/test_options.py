# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables that are refused by the module that they come to, as its option, before a cluster is asked for anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..tools.support.golden import GoldenFiles
from .playing import messages_of, play_locally


@pytest.mark.parametrize("role", ["replace_key", pytest.param("reconcile", marks=pytest.mark.long)])
def test_a_word_that_says_no_time_to_retire_the_ca(role: str, tmp_path: Path, golden: GoldenFiles) -> None:
    play = {
        "hosts": "localhost",
        "gather_facts": False,
        "vars": {"strimzi_cluster": "demo", "strimzi_namespace": "kafka", "strimzi_retire": "later"},
        "roles": [f"trustops.strimzi.{role}"],
    }
    done = play_locally(play, tmp_path)
    assert done.returncode == 2, done.stdout
    golden.compare_said("roles", "\n".join(messages_of(done.stdout)))
