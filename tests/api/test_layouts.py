# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ledger in other Secrets on a real API server: put there, used by a flow, and deleted when the CA is handed back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ..tools.support.ledgers import KEYED, SINGLE, STATES
from .resources import read_secret
from .running import Runner

SECRETS = (SINGLE, STATES, KEYED)


def kept_in(runner: Runner) -> list[str]:
    return [name for name in SECRETS if read_secret(runner, name)]


@pytest.mark.long
def test_a_ledger_is_converted_used_and_handed_back(runner: Runner, tmp_path: Path) -> None:
    before = runner.cluster.node_uids("demo")
    for arguments, layout, result in (
        (["--check", "--diff"], "split", "planned"), ([], "split", "done"), ([], "split", "nothing_to_do"), ([], "keyed", "done"),
    ):  # fmt: skip
        runner.flow(
            "convert-ledger", *arguments, strimzi_ledger_layout=layout, strimzi_report_dir=str(tmp_path)
        ).check()
        report = json.loads((tmp_path / "report.json").read_text())
        assert (report["goal"], report["result"]) == ("convert_ledger", result)
        assert kept_in(runner) == {"planned": [SINGLE]}.get(
            result, {"split": [SINGLE, STATES], "keyed": [KEYED]}[layout]
        )
    assert runner.restarts_since(before) == 0
    runner.flow("renew").check()
    assert kept_in(runner) == [KEYED]
    runner.flow("downgrade").check()
    assert kept_in(runner) == []
