"""The process that owns all processes of one bed: when it ends, for whatever reason, they end.

It runs until it gets SIGTERM, until its folder is gone, or, when it has an owner, until the owner's end of a pipe closes.
"""

from __future__ import annotations

import ctypes
import json
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

_PR_SET_PDEATHSIG = 1


def _die_with_parent() -> None:
    """In the child: the kernel kills it when the supervisor dies, even by SIGKILL."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def supervise(folder: Path, owned: bool) -> int:
    """Start what ``plan.json`` says, in order; stop it in reverse order."""
    stop = {"asked": False}
    signal.signal(signal.SIGTERM, lambda *arguments: stop.update(asked=True))
    children: list[subprocess.Popen[bytes]] = []
    plan = folder / "plan.json"
    started = 0
    # A bed that ends in the moment in which this process begins does not know it yet.
    while not stop["asked"] and folder.exists():
        steps: list[dict[str, Any]] = json.loads(plan.read_text()) if plan.exists() else []
        for step in steps[started:]:
            children.append(_start(folder, step))
            (folder / f"{step['name']}.pid").write_text(str(children[-1].pid))
            started += 1
        if any(child.poll() is not None for child in children):
            break
        if owned and select.select([sys.stdin], [], [], 0.1)[0] and not os.read(sys.stdin.fileno(), 1):
            break
        if not owned:
            time.sleep(0.1)
    for child in reversed(children):
        child.kill()
        child.wait()
    return 0


def _start(folder: Path, step: dict[str, Any]) -> subprocess.Popen[bytes]:
    with (folder / f"{step['name']}.log").open("ab") as log:
        return subprocess.Popen(
            step["command"], stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd=folder,
            env={**os.environ, **step.get("environment", {})}, preexec_fn=_die_with_parent,
        )  # fmt: skip
