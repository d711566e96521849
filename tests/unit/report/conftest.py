# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports of a flow that was done, of one that was held and of one with hostile names, written once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ..filter.runs import (
    BEGUN,
    NEW,
    OLD,
    PLANNED,
    before,
    ca,
    facts,
    held,
    idle,
    label,
    listener,
    listeners,
    look,
    nodes,
    planned_step,
    pod,
    preparation,
    roll,
    rotation,
    seen,
    with_digests,
)
from .pages import write_pages

#: A name that would break out of text, of an attribute, of a table cell or of a template.
HOSTILE = """<script>alert(1)</script>"'><b>|`{{ 6 * 7 }}{% raw %}"""
#: A name that would command a terminal that shows the page, or turn the text around.
COMMANDS = "\x1b[2J\x9b31m\u202e"


def hostile() -> list[dict[str, Any]]:
    """Every text that comes from outside is hostile."""
    pods = nodes("b", trusts=[label(OLD), label(NEW, HOSTILE)])
    pods[0]["component"] = pods[0]["name"] = HOSTILE
    violation = dict.fromkeys(("gate", "subject", "message", "remedy", "command"), HOSTILE)
    cas = [ca(), ca(NEW, HOSTILE, subject=f"CN={HOSTILE}")]
    failed = held(cas=cas, pods=pods, violations=[violation], msg=HOSTILE, pending=[HOSTILE])
    done = [preparation(), roll("trust", "b")]
    for action in (one for call in done for one in call["actions"]):
        action.update(what=HOSTILE, object=f"Secret kafka/{HOSTILE}", name=HOSTILE)
    cluster = {"name": HOSTILE, "namespace": HOSTILE}
    failed |= {"cluster": cluster, "waiting": [HOSTILE]}
    waiver = {"until": HOSTILE, "reason": HOSTILE}
    failed["presenters"] = {"count": 1, "others": [
        with_digests(
            {"name": HOSTILE, "presents": [HOSTILE], "evidence": HOSTILE, "awaits_certificate": True, "waiver": waiver}
        ),
    ]}  # fmt: skip
    failed["outside"] = [with_digests({"client": HOSTILE, "trusts": [HOSTILE], "doubt": HOSTILE, "waiver": waiver})]
    failed["waivers"] = [{"client": HOSTILE, **waiver}]
    certificate = {**dict.fromkeys(("subject", "issuer", "ca", "sha256", "not_after", "problem"), HOSTILE)}
    user = {"name": HOSTILE, "namespace": HOSTILE, "authentication": HOSTILE, "certificate": certificate}
    users = [{**user, "presenters": [{"name": HOSTILE, "up_to_date": False}]}]
    answer = listener(HOSTILE, pods[1]["uid"], trusts=[HOSTILE], refuses=[HOSTILE], why=[HOSTILE])
    failed |= look([answer], why=HOSTILE)
    listed = {"users": users, "named_certificates": [], "users_by_ca": []}
    return [{**before(), "cluster": cluster, "began_at": BEGUN}, *done, failed, listed]


def commanding(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: commanding(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [commanding(inner) for inner in value]
    return value.replace(HOSTILE, f"he{COMMANDS}llo") if isinstance(value, str) else value


def hostile_plan() -> list[dict[str, Any]]:
    rounds = [{"nodes": [HOSTILE], "bound": HOSTILE, "topics": [HOSTILE], "what": HOSTILE}]
    step = planned_step(HOSTILE, phase=HOSTILE, does=HOSTILE, restarts=[HOSTILE], rounds=rounds, outside=[HOSTILE])
    life = {**PLANNED["planned_lives"][0], "name": HOSTILE, "not_after": HOSTILE}
    silent = {"heard": [], "unheard": [{"pod": HOSTILE, "worker": HOSTILE, "reason": HOSTILE}]}
    planned = {
        "plan": [step], "planned_rolls": 1, "planned_lives": [life], "choices": [HOSTILE], "plan_hash": HOSTILE, "planned_from": silent,
    }  # fmt: skip
    return [{**hostile()[-2], "failed": False, "done": False, **planned}]


def asked(count: int = 100) -> list[dict[str, Any]]:
    """Every channel is of another kind: observed, silent, not asked, left over, stored, outside."""
    running = nodes("d", range(count), presents=[label(NEW)], trusts=[label(NEW)])
    silent = listener("demo-kafka-7", "7-d", 9091, issuers=[], presents=[], trusts=[], refuses=[], why=["no answer"])
    answers = [one for one in listeners(running[1:]) if (one["pod"], one["port"]) != ("demo-kafka-7", 9091)]
    shown = listener("demo-kafka-1", "1-d", 9094, verifies=False, trusts=[], refuses=[])
    others = [pod("demo-entity-operator-x", "x", component="entity-operator", presents=[label(NEW)])]
    client = with_digests({
        "client": "KafkaConnect kafka/connect",
        "trusts": [label(OLD)],
        "doubt": "it did not restart",
        "waiver": None,
    })  # fmt: skip
    gone = {**ca(), "pods": [], "lingering": ["demo-kafka-2", "demo-kafka-3"]}
    last = seen([ca(NEW)], [*running, *others], removed=[gone], outside=[client])
    return rotation(first=seen([ca()], nodes("a", range(count))), last=last, **look([*answers, silent, shown]))


#: Variables of a plan. A certificate is no part of a command line, and what is empty was not given.
GIVEN = {
    "strimzi_client_grace": 300,
    "strimzi_certificate": "-----BEGIN CERTIFICATE-----\nMII",
    "strimzi_context": "",
    "strimzi_issuer": {"kind": "x"},
}


def reports() -> Mapping[str, Mapping[str, Any]]:
    many = rotation(first=seen([ca()], nodes("a", range(100))), last=seen([ca(NEW)], nodes("d", range(100))))
    return {
        "done": {"calls": rotation()},
        "many": {"calls": many},
        "asked": {"calls": asked()},
        "held": {"calls": [before(), held()]},
        "failed": {"calls": [{"failed": True, "msg": "no answer"}], "goal": "renew"},
        "idle": {"calls": idle()},
        "planned": {"calls": [PLANNED], "check_mode": True, "given": GIVEN},
        "hostile": {"calls": hostile()},
        "commanding": {"calls": commanding(hostile())},
        "hostile plan": {"calls": hostile_plan(), "check_mode": True},
    }


NAMES = tuple(reports())
HOSTILES = ("hostile", "hostile plan")


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for each of NAMES."""
    folder = tmp_path_factory.mktemp("reports")
    for name, options in reports().items():
        write_pages(folder / name, facts(**options))
    return folder
