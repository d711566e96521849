# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A schedule whose certificates an outside issuer refuses: the playbook ``reconcile`` as a scheduler sees it."""

from __future__ import annotations

import json
from base64 import b64encode
from datetime import datetime, timedelta, timezone
from pathlib import Path

from ansible_collections.trustops.strimzi.plugins.module_utils._leaves.request import MOST_FAILURES

from ..tools.support.checker import entries
from ..tools.support.memory_cluster import MemoryCluster
from ..unit.modules.test_events import missing_a_leaf
from .fleet import fleet

WORDS = "the policy of this office allows no server certificate"
RECORDS, RECORD = "demo-issuing-kafka", "demo-kafka-0.requested"


def refused(times: int) -> MemoryCluster:
    """A cluster in which the issuer has refused the certificate of a node so many times, the last time a minute ago."""
    memory = missing_a_leaf()
    record = json.loads(entries(memory.api.find("secrets", memory.namespace, RECORDS))[RECORD])
    at = datetime.now(timezone.utc) - timedelta(minutes=1)
    record |= {"open": False, "failed": {"count": times, "at": at.isoformat(), "why": WORDS}}
    changed = {"data": {RECORD: b64encode(json.dumps(record).encode()).decode()}}
    path = f"/api/v1/namespaces/{memory.namespace}/secrets/{RECORDS}"
    assert memory.api.request("PATCH", path, body=changed, content_type="application/merge-patch+json").status == 200
    return memory


def test_a_schedule_fails_with_the_words_of_the_issuer_and_writes_its_report(tmp_path: Path) -> None:
    given = {"strimzi_report_dir": "{{ inventory_dir }}/reports", "strimzi_issue_timeout": 0, "strimzi_spare_leaves": 0}
    with fleet(tmp_path, eu=refused(MOST_FAILURES)) as found:
        done = found.play("reconcile", **given)
        assert (done.code, done.failed) == (2, {"demo.kafka.eu"})
        (message,) = (line for line in done.output.splitlines() if line.startswith("fatal: "))
        assert "Secret kafka/demo-kafka-0" in message
        assert WORDS in message
        reports = tmp_path / "reports"
        (violation,) = json.loads((reports / "report.json").read_text())["violations"]
        assert (violation["gate"], WORDS in violation["message"]) == ("leaves_are_issued", True)
        assert WORDS in (reports / "report.md").read_text()
