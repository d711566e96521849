# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports of a flow that was done, of one that was held and of one with hostile names, written once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ..filter.runs import NEW, OLD, ca, facts, held, label, listener, listeners, look, nodes, pod, rotation, seen
from .pages import write_pages

#: What would break out of text, of an attribute, of a table cell or of a template.
HOSTILE = """<script>alert(1)</script>"'><b>|`{{ 6 * 7 }}{% raw %}"""


def hostile() -> dict[str, Any]:
    """Every text that comes from outside is hostile."""
    pods = nodes("b", trusts=[label(OLD), label(NEW, HOSTILE)])
    pods[0]["component"] = pods[0]["name"] = HOSTILE
    violation = dict.fromkeys(("gate", "subject", "message", "remedy"), HOSTILE)
    cas = [ca(), ca(NEW, HOSTILE, subject=f"CN={HOSTILE}")]
    failed = held(cas=cas, pods=pods, violations=[violation], msg=HOSTILE, pending=[HOSTILE])
    log = rotation()["log"][:2]
    for action in (one for step in log for one in step["actions"]):
        action.update(what=HOSTILE, object=f"Secret kafka/{HOSTILE}")
    cluster = {"name": HOSTILE, "namespace": HOSTILE}
    step = {"phase": HOSTILE, "module": HOSTILE, "what": HOSTILE, "restarts": [HOSTILE]}
    failed["cluster"] = cluster
    waiver = {"until": HOSTILE, "reason": HOSTILE}
    failed["outside"] = [{"client": HOSTILE, "trusts": [HOSTILE], "doubt": HOSTILE, "waiver": waiver}]
    answer = listener(HOSTILE, pods[1]["uid"], trusts=[HOSTILE], refuses=[HOSTILE], why=[HOSTILE])
    failed |= look([answer], why=HOSTILE)
    noted = rotation(done=False, next=HOSTILE, log=log, first={**rotation()["first"], "cluster": cluster})
    return {"run": noted, "failed": failed, "planned": {"plan": [step]}}


def asked(count: int = 100) -> dict[str, Any]:
    """Every channel is of another kind: observed, silent, not asked, left over, stored, outside."""
    running = nodes("d", range(count), presents=[label(NEW)], trusts=[label(NEW)])
    silent = listener("demo-kafka-7", "7-d", 9091, issuers=[], presents=[], trusts=[], refuses=[], why=["no answer"])
    answers = [one for one in listeners(running[1:]) if (one["pod"], one["port"]) != ("demo-kafka-7", 9091)]
    shown = listener("demo-kafka-1", "1-d", 9094, verifies=False, trusts=[], refuses=[])
    others = [pod("demo-entity-operator-x", "x", component="entity-operator", presents=[label(NEW)])]
    client = {
        "client": "KafkaConnect kafka/connect",
        "trusts": [label(OLD)],
        "doubt": "it did not restart",
        "waiver": None,
    }
    gone = {**ca(), "pods": [], "lingering": ["demo-kafka-2", "demo-kafka-3"]}
    last = seen([ca(NEW)], [*running, *others], removed=[gone], outside=[client])
    return rotation(first=seen([ca()], nodes("a", range(count))), last=last, look=look([*answers, silent, shown]))


def reports() -> Mapping[str, Mapping[str, Any]]:
    many = rotation(first=seen([ca()], nodes("a", range(100))), last=seen([ca(NEW)], nodes("d", range(100))))
    return {
        "done": {"run": rotation()},
        "many": {"run": many},
        "asked": {"run": asked()},
        "held": {"run": rotation(done=False, log=[]), "failed": held()},
        "failed": {"run": {"goal": "renew", "log": [], "next": ""}, "failed": {"failed": True, "msg": "no answer"}},
        "idle": {"run": rotation(log=[], first=rotation()["last"])},
        "hostile": hostile(),
    }


NAMES = tuple(reports())


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for each of NAMES."""
    folder = tmp_path_factory.mktemp("reports")
    for name, options in reports().items():
        write_pages(folder / name, facts(options["run"], **{key: options[key] for key in options if key != "run"}))
    return folder
