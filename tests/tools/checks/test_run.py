"""The runner of the checks: order, exclusion, verdicts, and a count that cannot hide a failure."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from ..cluster.cache import NOTES
from . import run
from .check import Check, Lane
from .environments import CannotPrepare
from .pythons import PAIRS


class Quick(Check):
    """A check that needs no environment."""

    def command_environment(self) -> dict[str, str]:
        return {}


class Impossible(Check):
    """A check whose environment cannot be made."""

    def command_environment(self) -> dict[str, str]:
        raise CannotPrepare("install this first")


@pytest.fixture(autouse=True)
def _logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "LOGS", tmp_path / "logs")


def python(code: str) -> tuple[tuple[str, ...], ...]:
    return ((sys.executable, "-c", code),)


def quick(name: str, code: str = "", **options: object) -> Quick:
    return Quick(name, name, PAIRS[0], python(code), **options)  # type: ignore[arg-type]


def verdicts(*checks: Check) -> dict[str, str]:
    return {outcome.check: outcome.verdict for outcome in run.run_all(checks)}


def test_verdicts() -> None:
    skip = quick("skip", "print('no engine'); raise SystemExit(77)")
    outcomes = {o.check: o for o in run.run_all([quick("good"), quick("bad", "raise SystemExit(3)"), skip])}
    assert {name: o.verdict for name, o in outcomes.items()} == {"good": "passed", "bad": "failed", "skip": "skipped"}
    assert outcomes["skip"].reason == "no engine"
    assert outcomes["bad"].reason.startswith("exit code 3")


@pytest.mark.parametrize(
    ("printed", "findings"),
    [
        (
            "ok FAILED test_a.py::test_b - why;FAILED test_a.py::test_b - why;1 failed",
            ("FAILED test_a.py::test_b - why",),
        ),
        ("one;two", ("one", "two")),
        ("1;2;3;4;5;6;7", ("3", "4", "5", "6", "7")),
    ],
)
def test_failed_checks_are_named(printed: str, findings: tuple[str, ...]) -> None:
    code = f"print(*{printed!r}.split(';'), sep=chr(10)); raise SystemExit(1)"
    assert run.run_check(quick("bad", code), None).findings == findings
    assert run.run_check(quick("good", "print('FAILED in name only')"), None).findings == ()


@pytest.mark.parametrize(
    ("names", "chosen"), [((), ["short", "other"]), (("long", "short"), ["long", "short"])], ids=["all", "named"]
)
def test_a_long_check_runs_only_where_it_is_named(names: tuple[str, ...], chosen: list[str]) -> None:
    known = [quick("short"), quick("long", long=True), quick("other")]
    assert [check.name for check in run.choose(known, names)] == chosen


def test_the_long_ones_come_with_what_they_need() -> None:
    known = [
        quick("bed"),
        quick("short", after=("bed",)),
        quick("nodes", after=("bed",)),
        quick("slow", after=("nodes",), long=True),
    ]
    assert [check.name for check in run.choose_long(known)] == ["bed", "nodes", "slow"]


def test_the_first_failing_command_ends_a_check() -> None:
    commands = (*python("raise SystemExit(1)"), *python(""))
    assert verdicts(Quick("two", "", PAIRS[0], commands)) == {"two": "failed"}


def test_a_check_that_cannot_be_prepared_or_started_fails_and_blocks_no_other() -> None:
    absent = Quick("absent", "", PAIRS[0], (("/no/such/program",),))
    outcomes = verdicts(Impossible("impossible", "", PAIRS[0], ()), absent, quick("other", after=("absent",)))
    assert outcomes == {"impossible": "failed", "absent": "failed", "other": "failed"}


def test_a_check_waits_for_those_it_comes_after(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    first = quick("first", f"import time, pathlib; time.sleep(0.3); pathlib.Path({str(mark)!r}).touch()")
    second = quick("second", f"import os; raise SystemExit(not os.path.exists({str(mark)!r}))", after=("first",))
    assert verdicts(second, first) == {"first": "passed", "second": "passed"}


def test_a_check_after_a_skipped_check_decides_for_itself() -> None:
    skip = quick("skip", "print('no root'); raise SystemExit(77)")
    assert verdicts(skip, quick("other", after=("skip",))) == {"skip": "skipped", "other": "passed"}


@pytest.mark.parametrize("lane", Lane)
def test_checks_of_a_lane_take_turns(tmp_path: Path, lane: Lane) -> None:
    folder = tmp_path / "held"
    code = f"import os, time; os.mkdir({str(folder)!r}); time.sleep(0.2); os.rmdir({str(folder)!r})"
    names = ("one", "two", "three")
    assert set(verdicts(*(quick(name, code, lane=lane) for name in names)).values()) == {"passed"}


def test_a_check_of_each_lane_runs_beside_the_others(tmp_path: Path) -> None:
    def meets(lane: Lane) -> Quick:
        code = f"import pathlib, time; folder = pathlib.Path({str(tmp_path)!r}); (folder / 'lane-{lane.value}').touch()"
        code += "\ndef met(): return len(list(folder.glob('lane-*'))) == " + str(len(Lane))
        code += "\nfor _look in range(600): met() or time.sleep(0.1)\nassert met()"
        return quick(lane.value, code, lane=lane)

    assert set(verdicts(*map(meets, Lane)).values()) == {"passed"}


@pytest.mark.parametrize(("lane", "gives_way"), [(Lane.BUSY, 10), (Lane.SINGLE, 10), (Lane.WAITING, 0)])
def test_checks_that_compute_give_way_to_those_that_wait(lane: Lane, gives_way: int) -> None:
    wanted = min(19, os.nice(0) + gives_way)
    assert verdicts(quick("one", f"import os; assert os.nice(0) == {wanted}", lane=lane)) == {"one": "passed"}


def test_a_check_that_hangs_is_ended_with_its_children(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "LIMIT_SECONDS", 0.5)
    started = time.monotonic()
    code = "import subprocess; subprocess.run(['sleep', '120'])"
    assert verdicts(quick("hangs", code)) == {"hangs": "failed"}
    assert time.monotonic() - started < 60


def test_notes_are_repeated_beside_the_result() -> None:
    outcome = run.run_check(quick("noted", "print('note: pwsh is missing')"), run.LOGS.parent / "log")
    assert (outcome.verdict, outcome.reason) == ("passed", "pwsh is missing")


def test_preparations_are_reported_with_the_check_that_makes_them_alone() -> None:
    note = f"import os; open(os.environ[{NOTES!r}], 'a').write('waited 7 s for the image\\n')"
    for _round in range(2):
        outcomes = {o.check: o for o in run.run_all([quick("waits", note), quick("other")])}
        assert outcomes["waits"].preparations == ("waited 7 s for the image",)
        assert outcomes["other"].preparations == ()


def test_the_time_until_a_check_has_its_environment_is_told() -> None:
    class Slow(Quick):
        def command_environment(self) -> dict[str, str]:
            time.sleep(1.1)
            return {}

    outcome = run.run_check(Slow("slow", "", PAIRS[0], python("")), None)
    assert outcome.preparations == ("had its environment after 1 s",)


def test_the_slowest_comes_first(capsys: pytest.CaptureFixture[str]) -> None:
    preparations = ("prepared Kubernetes in 60 s", "waited 3 s for the image")
    run.summarise([
        run.Outcome("quick", "passed", 1.0), run.Outcome("slow", "failed", 70.0, "why", 90.5, preparations),
        run.Outcome("middle", "skipped", 3.0, "no root"),
    ])  # fmt: skip
    assert capsys.readouterr().out.splitlines() == [
        "",
        "slowest first:",
        "     70.0 s      90.5 s of processors  slow               prepared Kubernetes in 60 s, waited 3 s for the image",
        "      3.0 s       0.0 s of processors  middle",
        "      1.0 s       0.0 s of processors  quick",
        "skipped: middle: no root",
        "1 passed, 1 failed, 1 skipped",
        "failed: slow: why",
    ]


@pytest.mark.parametrize(("verdict", "code"), [("passed", 0), ("skipped", 0), ("failed", 1)])
def test_summary(verdict: str, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        run.summarise(
            [run.Outcome("a", "passed", 1.0), run.Outcome("b", verdict, 1.0, "why", findings=("FAILED a.py::test",))]
        )
        == code
    )
    lines = capsys.readouterr().out.splitlines()
    count = {"passed": 1, "failed": 0, "skipped": 0}
    count[verdict] += 1
    failed = ["failed: b: why", "  FAILED a.py::test"] if verdict == "failed" else []
    assert lines[-1 - len(failed) :] == ["{passed} passed, {failed} failed, {skipped} skipped".format(**count), *failed]
    assert ("skipped: b: why" in lines) == (verdict == "skipped")
