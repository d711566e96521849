# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A person reads sentences: no surface shows the name of a condition, or of a state, in the place of one. The name of a condition stands in a reference
to the page of stops alone.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.filter.report_view import report_view
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.results import failure_text
from ansible_collections.trustops.strimzi.plugins.module_utils._leaves.request import LeafState
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.audit import AuditTrail
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.events import events_at_the_end
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import (
    Condition,
    Decision,
    Violation,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import TrustState, Usage
from ansible_collections.trustops.strimzi.plugins.modules.strimzi_ca_info import plan_lines
from ansible_collections.trustops.strimzi.plugins.plugin_utils._progress import RUNBOOK, with_runbook

from ...tools.support.audit import lines_of
from ...tools.support.flows import work_on
from ...tools.support.memory_cluster import MemoryCluster
from .._ansible.test_results import planned
from .._trust.builders import cluster
from .._trust.ledgers import a_journal
from ..filter.runs import NEW, before, ca, facts, held
from ..report.pages import page_of, write_pages
from . import stages
from .running import call
from .test_info import rendered, told_by

#: A reference to the entry of a condition, or of several.
REFERENCE = re.compile(rf"{re.escape(RUNBOOK)}: \w+(, \w+)*")
#: A name of no condition, to compare the words of a surface with.
NAMELESS = "nameless"

Violations = list[dict[str, str]]


def of_the_plan(violations: Violations, _folder: Path) -> str:
    """Each alone: where no call follows, and where a call follows."""
    given = [planned([], violations=[violation]) for violation in violations]
    return "\n".join(line for check in (False, True) for one in given for line in plan_lines(one, "renew", check))


def of_a_failure(violations: Violations, _folder: Path) -> str:
    message = " ".join(f"{one['subject']}: {one['message']} {one['remedy']}" for one in violations)
    return str(with_runbook({"failed": True, "msg": message, "violations": violations})["msg"])


def of_the_report(violations: Violations, folder: Path) -> str:
    """Markdown, page and lines; the JSON has the result as it is."""
    found = facts([before(), held(violations=violations)])
    write_pages(folder, found)
    pages = [(folder / name).read_text() for name in ("report.md", "report.html")]
    return "\n".join([*pages, *report_view(found)["lines"]])


def of_status(violations: Violations, _folder: Path) -> str:
    seen = call("strimzi_ca_info", stages.managed()).result
    return "\n".join(rendered({**seen, "violations": violations, "done": False}, {}, everything=True))


SURFACES = {"plan": of_the_plan, "failure": of_a_failure, "report": of_the_report, "status": of_status}


@pytest.mark.parametrize("surface", SURFACES)
def test_a_surface_shows_each_condition_in_its_words(surface: str, tmp_path: Path) -> None:
    def shown(gates: Iterable[str]) -> str:
        found = [
            {
                "gate": gate,
                "subject": f"Pod {number}",
                "message": f"is way {number}.",
                "remedy": f"Move {number}.",
                "command": "",
            }
            for number, gate in enumerate(gates, 100)
        ]
        return SURFACES[surface](found, tmp_path / str(len(list(tmp_path.iterdir()))))

    text, nameless = shown(condition.value for condition in Condition), shown(NAMELESS for _condition in Condition)
    for number, condition in enumerate(Condition, 100):
        # No flow is held by that, and the page of status says what it means.
        if (surface, condition) != ("status", Condition.AUTHORITY_IS_USER_MANAGED):
            sentences = (f"Pod {number}", f"is way {number}.", f"Move {number}.")
            assert [sentence for sentence in sentences if sentence not in text] == [], condition
        # The words of a page may be those of a name.
        name = re.compile(rf"\b{condition.value}\b")
        alone = [name.findall(REFERENCE.sub("", one)) for one in (text, nameless)]
        assert alone[0] == alone[1], condition
    assert NAMELESS not in REFERENCE.sub("", nameless)


def test_messages_and_events_have_the_sentences_alone() -> None:
    snapshot = cluster()
    begun = replace(snapshot, ledger=replace(snapshot.ledger_or_empty, journal=a_journal()))
    for condition in Condition:
        violation = Violation(condition, "Pod kafka/demo-kafka-0", "is in the way.", "Move it.")
        (event,) = events_at_the_end(begun, [violation], [])
        assert event.note == f"{violation.subject}: {violation.message} {violation.remedy}"
        assert failure_text((violation,), begun).endswith(f": {event.note}")


def test_the_audit_trail_has_the_sentence_beside_each_name() -> None:
    memory = MemoryCluster()
    held = [
        Violation(condition, "Pod kafka/demo-kafka-0", f"is way {condition.name}.", "Move it.")
        for condition in Condition
    ]
    AuditTrail(work_on(memory)).record_end(Decision(violations=tuple(held)))
    (line,) = lines_of(memory.api.find("configmaps", memory.namespace, "demo-cluster-ca-audit"))
    assert json.loads(line)["ended"]["violations"] == [
        {"condition": condition.value, "subject": "Pod kafka/demo-kafka-0", "message": f"is way {condition.name}."}
        for condition in Condition
    ]


#: Values of enums that a result has, and that are no words.
STATES = [*TrustState, *LeafState, *Usage]


def states_in(text: str) -> Counter[str]:
    return Counter(
        state.value for state in STATES if "_" in state.value for _found in re.findall(rf"\b{state.value}\b", text)
    )


@pytest.mark.parametrize(
    "goal", ["create", "renew", "replace_key", "upgrade", "downgrade", "renew_leaves", "reconcile"]
)
@pytest.mark.parametrize("start", [stages.generated, stages.managed, stages.prepared, stages.issued])
def test_a_plan_and_what_is_left_are_words(start: Callable[[], Any], goal: str, tmp_path: Path) -> None:
    memory = start()
    lines = told_by(memory, tmp_path, goal=goal, check=True, fresh_for_hours=0)
    seen: Mapping[str, Any] = call("strimzi_ca_info", memory, goal=goal, fresh_for_hours=0).result
    assert lines
    assert states_in("\n".join([*lines, *seen["pending"], *seen["waiting"]])) == Counter()
    assert states_in("\n".join(rendered(dict(seen), {}, everything=True))) == Counter()


@pytest.mark.parametrize("state", TrustState)
def test_the_pages_of_a_report_show_each_state_in_its_words(state: TrustState, tmp_path: Path) -> None:
    """Also the boxes of its pictures, whose lines are short."""
    folder = tmp_path / "report"
    write_pages(folder, facts([before(), held(cas=[ca(), ca(NEW, state.value, meaning=state.meaning, current=False)])]))
    page = page_of(folder)
    assert states_in(" ".join([*page.texts, (folder / "report.md").read_text()])) == Counter()
    (last,) = (part for part in (folder / "report.html").read_text().split("<svg ") if "picture-after" in part)
    lines = re.findall(r'<text class="small"[^>]*>([^<]*)</text>', last)
    assert state.meaning in " ".join(lines)
    assert all(len(line) < 30 for line in lines)


@pytest.mark.parametrize("state", STATES[: len(TrustState) + len(LeafState)])
def test_each_state_has_its_words(state: TrustState | LeafState) -> None:
    assert re.fullmatch(r"[a-z][A-Za-z ,]+", state.meaning)
