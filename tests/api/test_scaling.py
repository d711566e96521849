# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node pool is made smaller where the operator has the key of the CA. Growing with an issuer is in ``test_cert_manager``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .running import Runner

#: The role runs in every run in ``test_permissions``; pools are scaled in memory, also where an outside issuer has the key of the CA.
pytestmark = pytest.mark.long


def test_scaling_is_predicted_then_done_and_each_time_reported(runner: Runner, tmp_path: Path) -> None:
    asked = {"strimzi_node_pool": "kafka", "strimzi_replicas": 2, "strimzi_report_dir": str(tmp_path)}
    since = runner.audit_lines()
    for arguments, result in ((["--check"], "planned"), ([], "done"), ([], "nothing_to_do")):
        told = runner.flow("scale", *arguments, **asked).check().output
        report = json.loads((tmp_path / "report.json").read_text())
        assert (report["goal"], report["result"]) == ("scale", result)
        writes = [write for write in runner.writes_in_audit_log(since) if not write.endswith("leases/demo-trust")]
        assert writes == ([] if result == "planned" else ["patch kafkanodepools/kafka"])
        assert result == "nothing_to_do" or "removes demo-kafka-2 and" in told
        assert (tmp_path / "report.md").read_text().startswith("# Scaling")
