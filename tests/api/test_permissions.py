"""The shipped Role is enough for every flow, and what is missing from a smaller one is named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from ..cluster.bed import ROOT
from .running import Runner


def shipped_rules() -> list[dict[str, Any]]:
    return yaml.safe_load((ROOT / "docs" / "rbac.yml").read_text())["rules"]


def test_all_flows_run_with_the_shipped_role(runner: Runner, tmp_path: Path) -> None:
    limited = runner.as_service_account(shipped_rules(), tmp_path)
    for way in ("cooperate", "takeover"):
        pods = runner.scene.node_uids("demo")
        limited.flow("renew", strimzi_way=way, strimzi_fresh_for_hours="0").check()
        assert runner.restarts_since(pods) == 3
    limited.flow("rotate_cluster_ca").check()
    limited.flow("downgrade").check()
    limited.flow("upgrade").check()
    limited.flow("status").check()


@pytest.mark.parametrize(
    ("resource", "verb", "named"),
    [
        ("secrets", "list", "secrets"),
        ("kafkas", "get", "kafkas"),
        ("leases", "patch", "leases"),
    ],
)
def test_a_missing_permission_is_named_and_nothing_is_changed(
    runner: Runner, tmp_path: Path, resource: str, verb: str, named: str
) -> None:
    rules = [dict(rule) for rule in shipped_rules()]
    for rule in rules:
        if resource in rule["resources"]:
            rule["verbs"] = [kept for kept in rule["verbs"] if kept != verb]
    limited = runner.as_service_account(rules, tmp_path)
    since = runner.audit_lines()
    finished = limited.flow("renew", strimzi_fresh_for_hours="0")
    assert finished.code != 0
    assert f"verbs: [{verb}]" in finished.output
    assert named in finished.output
    secrets = [write for write in runner.writes_in_audit_log(since) if "secrets/" in write]
    assert secrets == []
