# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action plugins show what their module tells while it works, and give back what the module returned."""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest

from ansible_collections.trustops.strimzi.plugins import action as actions
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.module import beginner
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.plugin_utils import _progress

from ...tools.support.golden import GoldenFiles
from ..modules.running import NAMES
from ..modules.test_documentation import arguments_of

Module = Callable[[dict[str, Any]], dict[str, Any]]
OPTIONS = {"cluster": "demo", "namespace": "kafka"}
DOCS = Path(__file__).parents[3] / "docs"
ACTIONS = "ansible_collections.trustops.strimzi.plugins.action"
FOLLOWED = ("strimzi_ca", "strimzi_ca_info", "strimzi_ee_cert", "strimzi_roll", "strimzi_trusted_certs")


class Screen:
    """The lines that were shown, and a way to wait for them."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def display(self, line: str) -> None:
        self.lines.append(line)

    def wait_for(self, count: int) -> None:
        deadline = time.monotonic() + 60
        while len(self.lines) < count and time.monotonic() < deadline:
            time.sleep(0.005)


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Screen:
    one = Screen()
    monkeypatch.setattr(_progress, "display", one)
    monkeypatch.setattr(_progress, "LOOK", 0.01)
    return one


def run(
    module: Module,
    transport: str = "local",
    name: str = "strimzi_roll",
    check: bool = False,
    hosts: tuple[str, ...] = ("localhost",),
    **options: Any,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The plugin's result, and the options that the module was given. hosts: of the play; the plugin runs on the first."""
    given: dict[str, Any] = {}
    full = f"trustops.strimzi.{name}"

    def execute(module_name: str, module_args: dict[str, Any], task_vars: Any) -> dict[str, Any]:
        assert module_name == full
        given.update(module_args)
        return module(module_args)

    task = mock.MagicMock(args={**OPTIONS, **options}, async_val=0, check_mode=check, diff=False, resolved_action=full)
    connection = mock.MagicMock(transport=transport)
    shell = SimpleNamespace(tmpdir=None)
    connection._shell = shell
    plugin = importlib.import_module(f"{ACTIONS}.{name}").ActionModule(
        task, connection, mock.MagicMock(), mock.MagicMock(), mock.MagicMock(), None
    )
    with mock.patch.object(plugin, "_execute_module", execute):
        return plugin.run(task_vars={"inventory_hostname": hosts[0], "ansible_play_hosts_all": list(hosts)}), given


def tell(options: dict[str, Any], line: str) -> None:
    with open(options["progress_file"], "a", encoding="utf-8") as progress:
        progress.write(f"{json.dumps({'line': line})}\n")


@pytest.mark.parametrize("name", FOLLOWED)
def test_result_is_the_modules(screen: Screen, name: str) -> None:
    result, given = run(lambda options: {"changed": True, "done": False}, name=name, state="promoted")
    assert result == {"changed": True, "done": False}
    assert given.pop("progress_file")
    assert given == {**OPTIONS, "state": "promoted"}
    assert screen.lines == []


def test_every_module_that_tells_anything_is_followed() -> None:
    plugins = {path.stem for path in Path(actions.__file__).parent.glob("strimzi_*.py")}
    assert plugins == {name for name in NAMES if "progress_file" in arguments_of(name)["argument_spec"]}


def test_each_line_is_shown_while_the_module_still_works(screen: Screen) -> None:
    def module(options: dict[str, Any]) -> dict[str, Any]:
        for number in range(3):
            tell(options, f"restart {number}")
            screen.wait_for(number + 1)
            assert screen.lines == [f"[kafka/demo] restart {done}" for done in range(number + 1)]
        return {}

    run(module)


@pytest.mark.parametrize(
    ("hosts", "line"),
    [
        (("bastion",), "[kafka/demo] restart demo-kafka-0"),
        (("demo.kafka.eu", "demo.kafka.us"), "[demo.kafka.eu] restart demo-kafka-0"),
    ],
)
def test_a_line_names_the_host_where_clusters_can_have_one_name(
    screen: Screen, hosts: tuple[str, ...], line: str
) -> None:
    def module(options: dict[str, Any]) -> dict[str, Any]:
        tell(options, "restart demo-kafka-0")
        return {}

    run(module, hosts=hosts)
    assert screen.lines == [line]


def test_last_line_is_not_lost(screen: Screen) -> None:
    def module(options: dict[str, Any]) -> dict[str, Any]:
        tell(options, "the end")
        return {}

    run(module)
    assert screen.lines == ["[kafka/demo] the end"]


class Watch:
    """A clock that a test sets, in the place of the plugin's."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        monkeypatch.setattr(_progress, "time", SimpleNamespace(monotonic=lambda: self.now))


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Watch:
    return Watch(monkeypatch)


LONG = "wait for the answer of demo-kafka-0 on worker a (Port 9091 did not answer within 5 s)"


def test_a_wait_is_said_in_full_once_and_then_in_short(screen: Screen, watch: Watch, golden: GoldenFiles) -> None:
    def module(options: dict[str, Any]) -> dict[str, Any]:
        begin = beginner(options["progress_file"])
        begin(LONG, "3 nodes", False)
        for now, count in ((29.0, 0), (30.0, 1), (149.0, 1), (150.0, 2), (269.0, 2), (270.0, 3)):
            time.sleep(0.05)
            watch.now = now
            screen.wait_for(count)
            time.sleep(0.05)
            # The engine decides on the same wait again in each pass, and the causes of the nodes differ by their times.
            begin(f"{LONG} {now}", "3 nodes", False)
            assert len(screen.lines) == count, now
        return {}

    run(module)
    golden.compare("console", "a wait, in full once and then in short", "\n".join(screen.lines))


def test_another_wait_is_said_in_full_again(screen: Screen, watch: Watch) -> None:
    def module(options: dict[str, Any]) -> dict[str, Any]:
        begin = beginner(options["progress_file"])
        for number, awaited in enumerate(("3 nodes", "2 nodes"), 1):
            begin(LONG, awaited, False)
            time.sleep(0.05)
            watch.now += _progress.HEARTBEAT
            screen.wait_for(number)
        return {}

    run(module)
    assert [line.endswith(f"30 s so far: {LONG}") for line in screen.lines] == [True, True]


def test_a_sentence_that_was_shown_when_its_step_began_is_not_said_again(
    screen: Screen, watch: Watch, golden: GoldenFiles
) -> None:
    def module(options: dict[str, Any]) -> dict[str, Any]:
        beginner(options["progress_file"])("issue 7 certificates", "", True)
        tell(options, "issue 7 certificates")
        screen.wait_for(1)
        watch.now = _progress.SHORT_HEARTBEAT - 1
        time.sleep(0.1)
        assert len(screen.lines) == 1
        watch.now = _progress.SHORT_HEARTBEAT
        screen.wait_for(2)
        return {}

    run(module)
    (line,) = screen.lines[1:]
    golden.compare("console", "a step that goes on", line)


def test_the_first_sign_of_life_says_that_the_module_looks(screen: Screen, watch: Watch, golden: GoldenFiles) -> None:
    def module(options: dict[str, Any]) -> dict[str, Any]:
        time.sleep(0.05)
        watch.now = 40.0
        screen.wait_for(1)
        return {}

    run(module)
    (line,) = screen.lines
    golden.compare("console", "a module that looks", line)


def test_time_counts_from_the_last_line(screen: Screen, watch: Watch) -> None:
    def module(options: dict[str, Any]) -> dict[str, Any]:
        for count in (1, 2):
            tell(options, "a restart")
            screen.wait_for(count)
            watch.now += _progress.HEARTBEAT - 1
        # Time for several looks: since the beginning it is long enough, since the last line it is not.
        time.sleep(0.1)
        assert screen.lines == ["[kafka/demo] a restart"] * 2
        watch.now += _progress.HEARTBEAT
        screen.wait_for(3)
        return {}

    run(module)
    assert "88 s" in screen.lines[2]


@pytest.mark.parametrize("fails", [True, False])
def test_the_progress_file_is_removed(screen: Screen, fails: bool) -> None:
    files: list[Path] = []

    def module(options: dict[str, Any]) -> dict[str, Any]:
        files.append(Path(options["progress_file"]))
        assert files[0].exists()
        if fails:
            raise RuntimeError("connection lost")
        return {}

    if fails:
        with pytest.raises(RuntimeError, match="connection lost"):
            run(module)
    else:
        run(module)
    assert not files[0].exists()


def test_elsewhere_the_module_works_silently(screen: Screen) -> None:
    result, given = run(lambda options: {"changed": False}, transport="ssh")
    assert result == {"changed": False}
    assert given == OPTIONS


@pytest.mark.parametrize(
    ("check", "options", "passed"),
    [
        pytest.param(True, {"goal": "replace_key"}, {"strimzi_plan_hash": "a-b-c-d"}, id="a plan"),
        pytest.param(True, {}, None, id="no plan of a flow"),
        pytest.param(False, {"goal": "replace_key"}, None, id="the look before a run"),
    ],
)
def test_the_hash_of_a_plan_is_passed_on(check: bool, options: dict[str, Any], passed: dict[str, str] | None) -> None:
    """A run that got the hash of the approved plan passes no other on."""
    result, _given = run(lambda _options: {"plan_hash": "a-b-c-d"}, name="strimzi_ca_info", check=check, **options)
    assert result.get("ansible_stats", {}).get("data") == passed


def held(*gates: str, failed: bool = True) -> dict[str, Any]:
    return {"failed": failed, "msg": "held.", "violations": [{"gate": gate} for gate in gates]}


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        pytest.param(held("key_matches"), "held. docs/stops.md: key_matches", id="one"),
        pytest.param(held("trust", "evidence", "trust"), "held. docs/stops.md: trust, evidence", id="several"),
        pytest.param(held(), "held.", id="another failure"),
        pytest.param(held("trust", failed=False), "held.", id="no failure"),
    ],
)
def test_a_refusal_ends_with_the_names_of_its_entries_in_the_runbook(
    screen: Screen, returned: dict[str, Any], message: str
) -> None:
    result, _given = run(lambda arguments: returned)
    assert result == {**returned, "msg": message}


def test_the_runbook_is_where_messages_say() -> None:
    page = (Path(__file__).parents[3] / _progress.RUNBOOK).read_text()
    assert [f"### {one.value}" for one in Condition] == [line for line in page.splitlines() if line.startswith("### ")]


def test_the_line_for_scripts_reads_the_result_behind_the_progress(screen: Screen) -> None:
    """As the page about watching shows it; Ansible's command prints the result after the lines that were shown."""

    def works(options: dict[str, Any]) -> dict[str, Any]:
        tell(options, "reconcile: nothing to do")
        return {"done": True, "changed": False}

    result, _given = run(works, name="strimzi_ca_info")
    printed = [*screen.lines, f"localhost | SUCCESS => {json.dumps(result, indent=4)}"]
    (expression,) = re.findall(r"strimzi_ca_info -a .* \| sed '(.*)' \|", (DOCS / "watch.md").read_text())
    read = subprocess.run(["sed", expression], input="\n".join(printed), capture_output=True, text=True, check=True)
    assert len(printed) == 2
    assert json.loads(read.stdout) == result
