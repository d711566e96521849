# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prometheus' own tool: whether it takes rules, which alerts they raise, and whether an expression has samples."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator, Mapping
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
    alerts = [{"eval_time": f"{hours}h", "alertname": name, "exp_alerts": expected.get(name, [])} for name in names]
    _test(text, hours, folder, {"alert_rule_test": alerts}, rule_files=["rules.yml"])


def try_empty(expressions: Iterable[str], text: str, hours: int, folder: Path) -> None:
    """Each of the expressions has no sample at this hour from 1970 on, while the metrics of the text are scraped."""
    tried = [{"eval_time": f"{hours}h", "expr": expression, "exp_samples": []} for expression in expressions]
    _test(text, hours, folder, {"promql_expr_test": tried})


def _test(text: str, hours: int, folder: Path, tried: Mapping[str, Any], **options: Any) -> None:
    scraped = {"interval": "1m", "input_series": list(_series(text, hours)), **tried}
    whole = {**options, "evaluation_interval": "10m", "tests": [scraped]}
    (folder / "test.yml").write_text(yaml.safe_dump(whole))
    promtool("test", "rules", folder / "test.yml")


def _series(text: str, hours: int) -> Iterator[dict[str, str]]:
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            labels = ",".join(f'{name}="{value}"' for name, value in sample.labels.items())
            yield {"series": f"{sample.name}{{{labels}}}", "values": f"{int(sample.value)}+0x{hours * 60}"}
