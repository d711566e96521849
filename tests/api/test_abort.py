# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A rotation that was begun is undone on a real API server: planned, done, and found to be done."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ..tools.support.ledgers import SINGLE
from .resources import read_secret
from .running import Runner

#: The role runs in every run in ``test_permissions``; aborts are killed and explored in memory.
pytestmark = pytest.mark.long

CERTIFICATES = "demo-cluster-ca-cert"


def test_an_abort_is_planned_done_and_found_to_be_done(runner: Runner, tmp_path: Path) -> None:
    old = read_secret(runner, CERTIFICATES)["ca.crt"]
    runner.flow("replace_key", strimzi_until_phase="trust").check()
    assert len([key for key in read_secret(runner, SINGLE) if key.endswith(".state")]) == 2
    for arguments, result in ((["--check", "--diff"], "planned"), ([], "done"), ([], "nothing_to_do")):
        runner.flow("abort", *arguments, strimzi_report_dir=str(tmp_path)).check()
        report = json.loads((tmp_path / "report.json").read_text())
        assert (report["goal"], report["result"]) == ("abort", result)
    assert [key for key in read_secret(runner, CERTIFICATES) if key.endswith(".crt")] == ["ca.crt"]
    assert read_secret(runner, CERTIFICATES)["ca.crt"] == old
    assert len([key for key in read_secret(runner, SINGLE) if key.endswith(".state")]) == 1
