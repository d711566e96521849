# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A run of each role on the console: the line of its plan, the lines of its tasks while they work, and the report at its
end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from jinja2 import StrictUndefined
from jinja2.nativetypes import NativeEnvironment

from ansible_collections.trustops.strimzi.plugins.filter.report import report
from ansible_collections.trustops.strimzi.plugins.filter.report_view import report_view

from ...tools.operator import certs, clusters
from ...tools.support.golden import GoldenFiles, without_chance
from ...tools.support.memory_cluster import MemoryCluster
from ...tools.support.reloads import ReloadingNodes
from . import stages
from .fast_clock import FastClock
from .running import call, shown_lines
from .test_clients_ca import adopted_with
from .test_info import unrolled
from .test_remedies import delete_secret, unready

ROLES = Path(__file__).parents[3] / "roles"
#: Stands for what a task does not give.
OMIT = object()

#: Makes the cluster of a run.
Begin = Callable[[pytest.MonkeyPatch], MemoryCluster]


@dataclass(frozen=True)
class Play:
    """A run of a role."""

    role: str
    #: The cluster before it.
    begin: Begin = lambda _patch: stages.managed()
    #: The values of variables that the flow's goal has, as options of modules.
    goal_options: Mapping[str, Any] = field(default_factory=dict)
    #: The values of the other variables, as options of modules.
    options: Mapping[str, Any] = field(default_factory=dict)
    #: Variables that the tasks themselves read.
    variables: Mapping[str, Any] = field(default_factory=dict)
    #: Whether nodes can be asked and read again.
    reads: bool = False
    #: The name of a run that differs from the usual run of this role.
    called: str = ""
    phases: tuple[str, ...] = ("prepare", "trust", "use", "retire")

    @property
    def name(self) -> str:
        return self.called or self.role


def at(start: Callable[[], MemoryCluster]) -> Begin:
    return lambda _patch: start()


def spoilt(spoil: Callable[[MemoryCluster], object]) -> Begin:
    def begin(_patch: pytest.MonkeyPatch) -> MemoryCluster:
        memory = stages.managed()
        spoil(memory)
        return memory

    return begin


def long_lived(**options: Any) -> MemoryCluster:
    """Its CA outlives its certificates."""
    memory = MemoryCluster()
    stages.done(memory, "strimzi_ca", before_kafka=True, validity_days=3650, **stages.FAST)
    memory.apply(*clusters.dual_role(memory.cluster, memory.namespace))
    memory.settle()
    stages.done(memory, "strimzi_ca", validity_days=3650, **stages.FAST, **options)
    return memory


def aged(patch: pytest.MonkeyPatch) -> MemoryCluster:
    """More than half of the life of its certificates is over."""
    memory, later = long_lived(), timedelta(days=200)
    time = certs.now() + later
    patch.setattr(certs, "now", lambda: time)
    patch.setattr(FastClock, "passed", FastClock.passed + later)
    return memory


def lost_key() -> MemoryCluster:
    """A backup has what is lost."""
    memory = long_lived(backup=True)
    delete_secret(stages.KEYS)(memory)
    return memory


def with_a_user(patch: pytest.MonkeyPatch) -> MemoryCluster:
    """The clients CA is adopted."""
    return adopted_with(patch, "orders")


NEW_KEY = {**stages.FAST, "fresh_for_hours": 0}
ONE_PHASE, AT_ONCE = {"until_phase": "prepare"}, {"client_grace": 0}
OF_CLIENTS = {"ca": "clients", **AT_ONCE}
SCALED = {"strimzi_node_pool": "kafka", "strimzi_replicas": 4}
ELSEWHERE = {**NEW_KEY, "certificate": stages.ELSEWHERE.certificate.pem.decode()}
PLAYS = [
    Play("create", at(MemoryCluster), stages.FAST),
    Play("create", called="create, there is a CA"),
    Play("upgrade", at(stages.generated)),
    Play("renew", goal_options=NEW_KEY),
    Play("renew", at(stages.switched), NEW_KEY, called="renew, a replacement has not finished"),
    Play("renew_leaves", aged, {"renew_before_days": 400}, reads=True),
    Play("replace_key", goal_options=NEW_KEY, options=AT_ONCE, reads=True),
    Play("replace_key", goal_options=NEW_KEY, options=AT_ONCE, called="replace_key, no node can be asked"),
    Play("replace_key", at(stages.managed), NEW_KEY, ONE_PHASE, phases=("prepare",), called="replace_key, until prepare"),
    Play("replace_key", at(stages.asked), ELSEWHERE, called="replace_key, the key is kept elsewhere"),
    Play("replace_key", spoilt(unready), NEW_KEY, called="replace_key, held"),
    Play("replace_key", with_a_user, NEW_KEY, OF_CLIENTS, called="replace_key, clients CA"),
    Play("reconcile", at(stages.taken_up), {"ca_renewal": "specified"}, reads=True),
    Play("reconcile", goal_options={"ca_renewal": "specified"}, called="reconcile, no flow is begun"),
    Play("abort", at(stages.issued), reads=True),
    Play("recover", at(lost_key)),
    Play("downgrade", reads=True),
    Play("convert_ledger", variables={"strimzi_ledger_layout": "split"}),
    Play("scale", variables=SCALED),
]  # fmt: skip

#: Sections about single tasks (test_progress.py, test_stops.py, ../action/test_followed_modules.py).
OF_TASKS = (
    "replace_key, each task by itself", "restarts for a reason", "a task past a stop", "an adoption without room for its ledger",
    "a wait, in full once and then in short", "a step that goes on", "a module that looks",
)  # fmt: skip


class Player:
    """Plays the tasks of a role as Ansible does, without Ansible: the real modules, one after the other."""

    def __init__(self, play: Play, memory: MemoryCluster, folder: Path) -> None:
        self._play, self._memory, self._progress = play, memory, folder / "progress"
        self._templates = NativeEnvironment(undefined=StrictUndefined)
        self._templates.filters["select"] = unrolled(self._templates.filters["select"])
        self._results: dict[str, dict[str, Any]] = {}
        self.lines: list[str] = []

    def show(self) -> None:
        (frame,) = yaml.safe_load((ROLES / self._play.role / "tasks" / "main.yml").read_text())
        plans = frame["vars"].get("flow_plans", True)
        plan = {"goal": self._play.role} if plans else {}
        self._call("Look at the cluster, and plan", "strimzi_ca_info", plan, "flow_plan")
        planned = self._results["flow_plan"]
        if not plans or planned["plan"] or planned["violations"]:
            self._take_steps()
        self._report()

    def _take_steps(self) -> None:
        for task in yaml.safe_load((ROLES / self._play.role / "tasks" / "steps.yml").read_text()):
            (module,) = [name for name in task if "." in name]
            if "register" in task and self._value(f"{{{{ {task.get('when', True)} }}}}"):
                given = {name: self._value(value) for name, value in (task[module] or {}).items()}
                self._call(self._value(task["name"]), module.rpartition(".")[2], given, task["register"])
                if self._results[task["register"]].get("failed"):
                    return

    def _value(self, template: Any) -> Any:
        if not isinstance(template, str):
            return template
        play = self._play
        known = {
            "omit": OMIT,
            "ansible_check_mode": False,
            "flow_phases": play.phases,
            "flow_goal_options": play.goal_options,
        }
        return self._templates.from_string(template).render(**known, **play.variables, **self._results)

    def _call(self, name: str, module: str, given: Mapping[str, Any], register: str) -> None:
        """With the defaults of modules that the frame of a flow sets."""
        of_goal = self._play.goal_options if module in ("strimzi_ca", "strimzi_ca_info") else {}
        counts = [one["restart_count"] for one in self._results.values() if one.get("restart_count")]
        options = {**of_goal, **self._play.options, **({"restart_count": counts[-1]} if counts else {}), **given}
        self._progress.write_text("")
        ended = call(
            module, self._memory, progress_file=str(self._progress),
            **{name: value for name, value in options.items() if value is not OMIT},
        )  # fmt: skip
        self._results[register] = ended.result
        failure = [f"FAILED: {ended.result['msg']}"] if ended.failed else []
        warnings = [f"[WARNING]: {warning}" for warning in dict.fromkeys(ended.warnings)]
        self.lines += [f"TASK [{name}]", *shown_lines(self._progress), *warnings, *failure]

    def _report(self) -> None:
        facts = report(list(self._results.values()), goal=self._play.role, ca=self._play.options.get("ca", "cluster"))
        self.lines += ["TASK [Show the report]", *report_view(facts)["lines"]]


@pytest.mark.parametrize("play", PLAYS, ids=lambda play: play.name)
def test_a_run_shows_what_the_golden_file_says(
    play: Play,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    reading: Callable[[MemoryCluster], ReloadingNodes],
    golden: GoldenFiles,
) -> None:
    memory = play.begin(monkeypatch)
    if play.reads:
        reading(memory)
    player = Player(play, memory, tmp_path)
    player.show()
    golden.compare("console", play.name, without_chance("\n".join(player.lines)))


def test_every_role_with_steps_is_played(golden: GoldenFiles) -> None:
    assert {play.role for play in PLAYS} == {path.parents[1].name for path in ROLES.glob("*/tasks/steps.yml")}
    golden.compare_names("console", [*(play.name for play in PLAYS), *OF_TASKS])
