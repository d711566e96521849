"""Runs checks, one of each lane beside the others, and says how each ended."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..cluster.cache import NOTES
from .check import SKIPPED, Check, Lane
from .environments import CannotPrepare
from .places import LOGS, ROOT

#: Nodes that have to share the processors with all other checks take twice as long to start.
_PRIORITY = {Lane.BUSY: ("nice", "-n", "10"), Lane.SINGLE: ("nice", "-n", "10"), Lane.WAITING: ()}
#: Lines of a failed check's log that are shown.
TAIL = 80
#: Lines of each failed check that are shown once more at the very end: of a long output people often see only that.
FINDINGS = 5
#: Characters of each such line.
FINDING = 200
#: A line of a log that starts so is repeated beside the check's result.
NOTE = "note: "
#: A check that takes longer than that hangs. On a machine that others use, the unit tests have taken fifty minutes beside the other checks.
LIMIT_SECONDS = 4500.0
_RUNNING: set[subprocess.Popen[str]] = set()


@dataclass(frozen=True)
class Outcome:
    """How one check ended: ``passed``, ``failed`` or ``skipped``, and why."""

    check: str
    verdict: str
    seconds: float
    reason: str = ""
    #: Seconds of the processors that its processes have taken, without processes that outlived it.
    processor_seconds: float = 0.0
    #: The preparations that took a part of its seconds: things that are kept, or that another process was making.
    preparations: tuple[str, ...] = ()
    #: The lines of its output that name what failed.
    findings: tuple[str, ...] = ()


def run_check(check: Check, log: Path | None) -> Outcome:
    """Runs one check, with its output in ``log``, or shown when that is None."""
    started = time.monotonic()
    notes = log.with_suffix(".prepared") if log else None
    preparations: list[str] = []
    shown: list[str] = []
    taken: list[float] = []

    def ended(verdict: str, reason: str = "") -> Outcome:
        if notes and notes.exists():
            preparations.extend(notes.read_text().splitlines())
        findings = _findings(shown) if verdict == "failed" else ()
        seconds = time.monotonic() - started
        return Outcome(check.name, verdict, seconds, reason, sum(taken), tuple(preparations), findings)

    if reason := check.reason_to_skip():
        return ended("skipped", reason)
    try:
        variables = check.command_environment()
    except CannotPrepare as problem:
        return ended("failed", str(problem))
    if (seconds := time.monotonic() - started) >= 1:
        preparations.append(f"had its environment after {seconds:.0f} s")
    if notes:
        notes.unlink(missing_ok=True)
        variables = {**variables, NOTES: str(notes)}
    for command in check.commands:
        code, processor_seconds = _run((*_PRIORITY[check.lane], *command), variables, log, shown)
        taken.append(processor_seconds)
        if code == SKIPPED:
            return ended("skipped", shown[-1] if shown else "no reason given")
        if code:
            return ended("failed", f"exit code {code} of: {' '.join(command)}")
    return ended("passed", "; ".join(line.removeprefix(NOTE) for line in shown if line.startswith(NOTE)))


def _findings(shown: Sequence[str]) -> tuple[str, ...]:
    """The tests that pytest's summary names; of a check without any, the last lines of its output."""
    named = tuple(line for line in shown if line.startswith(("FAILED ", "ERROR ")))
    return (named or tuple(shown))[-FINDINGS:]


def _run(command: Sequence[str], variables: dict[str, str], log: Path | None, shown: list[str]) -> tuple[int, float]:
    """Its exit code, and the seconds of the processors that it and the children that it waited for have taken."""
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        # A kernel that groups processes by session shares the processors between checks, whatever each starts.
        start_new_session=True,
    ) as process:
        _RUNNING.add(process)
        limit = threading.Timer(LIMIT_SECONDS, _end, (process,))
        limit.start()
        try:
            _follow(process, command, log, shown)
            return _wait(process)
        except BaseException:
            _end(process)
            raise
        finally:
            limit.cancel()
            _RUNNING.discard(process)


def _wait(process: subprocess.Popen[str]) -> tuple[int, float]:
    _pid, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, used.ru_utime + used.ru_stime


def _follow(process: subprocess.Popen[str], command: Sequence[str], log: Path | None, shown: list[str]) -> None:
    with (log or Path("/dev/null")).open("a") as kept:
        print("$", *command, file=kept, flush=True)
        for line in process.stdout or ():
            kept.write(line)
            kept.flush()
            if log is None:
                print(line, end="", flush=True)
            if line.strip():
                shown.append(line.strip())


def _end(process: subprocess.Popen[str]) -> None:
    # Its children hold the other end of the pipe, so the whole group has to go.
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)


class Board:
    """The checks that are left, and how others ended."""

    def __init__(self, checks: Sequence[Check]) -> None:
        self._left = list(checks)
        self._names = {check.name for check in checks}
        self._changed = threading.Condition()
        self.outcomes: list[Outcome] = []

    def take(self, lane: Lane) -> Check | None:
        """The next check of a lane that may run now; waits for one; None when none is left."""
        with self._changed:
            while left := [check for check in self._left if check.lane is lane]:
                for check in left:
                    if self._may_run(check):
                        self._left.remove(check)
                        return check
                self._changed.wait()
            return None

    def _may_run(self, check: Check) -> bool:
        ended = {outcome.check for outcome in self.outcomes}
        return all(name in ended for name in check.after if name in self._names)

    def give_up(self) -> None:
        """Nothing more is started."""
        with self._changed:
            self._left.clear()
            self._changed.notify_all()

    def unmet(self, check: Check) -> str:
        """The check it comes after that failed, or an empty string."""
        with self._changed:
            bad = [o.check for o in self.outcomes if o.check in check.after and o.verdict == "failed"]
        return bad[0] if bad else ""

    def done(self, check: Check, outcome: Outcome) -> None:
        with self._changed:
            self.outcomes.append(outcome)
            self._changed.notify_all()
            _report(outcome)


def _report(outcome: Outcome) -> None:
    first = outcome.reason.splitlines()[0] if outcome.reason else ""
    print(f"{outcome.verdict:8} {outcome.check:18} {outcome.seconds:7.1f} s  {first}".rstrip(), flush=True)


def _work(board: Board, lane: Lane) -> None:
    while (check := board.take(lane)) is not None:
        log = LOGS / f"{check.name}.log"
        log.unlink(missing_ok=True)
        try:
            if unmet := board.unmet(check):
                outcome = Outcome(check.name, "failed", 0.0, f"'{unmet}' did not pass")
            else:
                outcome = run_check(check, log)
        except Exception as problem:  # a check that cannot even start must not leave the others waiting for it
            outcome = Outcome(check.name, "failed", 0.0, f"{type(problem).__name__}: {problem}")
        board.done(check, outcome)


def run_all(checks: Sequence[Check]) -> list[Outcome]:
    """Runs the checks side by side; the output of each goes to its log, the end of a failed one's is shown."""
    LOGS.mkdir(parents=True, exist_ok=True)
    board = Board(checks)
    # Servers take of the processors as long as they run, so checks with servers run one after the other. Real nodes have names of the machine.
    workers = [threading.Thread(target=_work, args=(board, lane)) for lane in Lane]
    for worker in workers:
        worker.start()
    try:
        for worker in workers:
            worker.join()
    except KeyboardInterrupt:
        board.give_up()
        for process in list(_RUNNING):
            _end(process)
        raise
    for outcome in board.outcomes:
        if outcome.verdict == "failed":
            log = LOGS / f"{outcome.check}.log"
            print(f"\n===== {outcome.check}: {outcome.reason}\n===== the end of {log}")
            if log.exists():
                print(*log.read_text(errors="replace").splitlines()[-TAIL:], sep="\n")
    return board.outcomes


def choose(checks: Sequence[Check], names: Sequence[str]) -> list[Check]:
    """The checks with these names, in that order; without names, all but the long ones."""
    known = {check.name: check for check in checks}
    return [known[name] for name in names] or [check for check in checks if not check.long]


def choose_long(checks: Sequence[Check]) -> list[Check]:
    """The checks that a run without names leaves out, and the checks that these come after."""
    wanted = {check.name for check in checks if check.long}
    while more := {name for check in checks if check.name in wanted for name in check.after} - wanted:
        wanted |= more
    return [check for check in checks if check.name in wanted]


def summarise(outcomes: Sequence[Outcome]) -> int:
    """Prints what took how long, the reasons of what was skipped, then the count; returns the exit code."""
    print()
    if len(outcomes) > 1:
        print("slowest first:")
        for outcome in sorted(outcomes, key=lambda check: -check.seconds):
            taken = f"{outcome.seconds:9.1f} s {outcome.processor_seconds:9.1f} s of processors"
            print(f"{taken}  {outcome.check:18} {', '.join(outcome.preparations)}".rstrip())
    for outcome in outcomes:
        if outcome.verdict == "skipped":
            print(f"skipped: {outcome.check}: {outcome.reason}")
    count = {verdict: sum(o.verdict == verdict for o in outcomes) for verdict in ("passed", "failed", "skipped")}
    print(f"{count['passed']} passed, {count['failed']} failed, {count['skipped']} skipped")
    for outcome in outcomes:
        if outcome.verdict == "failed":
            print(
                f"failed: {outcome.check}: {outcome.reason}",
                *(f"  {line[:FINDING]}" for line in outcome.findings),
                sep="\n",
            )
    sys.stdout.flush()
    return 1 if count["failed"] else 0
