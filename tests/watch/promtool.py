# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prometheus' own tool: whether it takes rules, and which alerts they raise."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from prometheus_client.parser import text_string_to_metric_families

from ..tools.cluster.binaries import find_promtool


def promtool(*arguments: object, given: str = "") -> str:
    """The output of a call that succeeds. given: its input."""
    command = [str(find_promtool()), *map(str, arguments)]
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def check_rules(groups: Mapping[str, Any], folder: Path) -> None:
    """groups: a file of rules. A rule that stands twice is refused too."""
    (folder / "rules.yml").write_text(yaml.safe_dump(dict(groups)))
    promtool("check", "rules", "--lint=all", "--lint-fatal", folder / "rules.yml")


def try_rules(
    groups: Mapping[str, Any], text: str, hours: int, expected: Mapping[str, list[Any]], folder: Path
) -> None:
    """The alerts that the rules raise at this hour from 1970 on, while the metrics of the text are scraped: as expected, and no other.

    expected: by name, the labels and annotations of alerts.
    """
    (folder / "rules.yml").write_text(yaml.safe_dump(dict(groups)))
    names = [rule["alert"] for group in groups["groups"] for rule in group["rules"] if "alert" in rule]
    tried = {
        "rule_files": ["rules.yml"],
        "evaluation_interval": "10m",
        "tests": [{
            "interval": "1m",
            "input_series": list(_series(text, hours)),
            "alert_rule_test": [
                {"eval_time": f"{hours}h", "alertname": name, "exp_alerts": expected.get(name, [])} for name in names
            ],
        }],
    }  # fmt: skip
    (folder / "test.yml").write_text(yaml.safe_dump(tried))
    promtool("test", "rules", folder / "test.yml")


def _series(text: str, hours: int) -> Iterator[dict[str, str]]:
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            labels = ",".join(f'{name}="{value}"' for name, value in sample.labels.items())
            yield {"series": f"{sample.name}{{{labels}}}", "values": f"{int(sample.value)}+0x{hours * 60}"}
