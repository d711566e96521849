"""The node's namespaces and its cgroups: how they are made, entered and removed."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import Any

INIT = Path(__file__).with_name("init.sh")
CGROUPS = Path("/sys/fs/cgroup")
#: Only version 2 of cgroups has this file here.
_CONTROLLERS = CGROUPS / "cgroup.subtree_control"
#: All pods together would otherwise get as much of a busy machine as a single process beside them.
_CPU = {"cpu.shares": 8 * 1024, "cpu.weight": 8 * 100}


def holder(folder: Path) -> dict[str, Any]:
    """The step that holds the namespaces: when this process ends, all that is in them ends."""
    unshare = ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]
    return {"name": "node", "command": [*unshare, "--propagation", "private", "sh", str(INIT), str(folder)]}


def inside(pid: int, *command: str) -> list[str]:
    """A command in the namespaces that the process ``pid`` holds."""
    return ["nsenter", f"--target={pid}", "--mount", "--net", f"--pid=/proc/{pid}/ns/pid_for_children", *command]


def cgroup_root(name: str) -> str:
    return f"/trustops-{name}"


def _hierarchies() -> list[Path]:
    """All of cgroup v1, or the one of v2."""
    if _CONTROLLERS.exists():
        return [CGROUPS]
    return [folder for folder in CGROUPS.iterdir() if folder.is_dir() and not folder.is_symlink()]


def make_cgroups(name: str) -> None:
    """The kubelet wants its root in every hierarchy, and in the one of v2 the controllers that it uses."""
    if _CONTROLLERS.exists():
        for controller in ("cpu", "cpuset", "memory", "pids", "io"):
            with suppress(OSError):
                _CONTROLLERS.write_text(f"+{controller}")
    for hierarchy in _hierarchies():
        top = hierarchy / cgroup_root(name)[1:]
        top.mkdir(exist_ok=True)
        for file, value in _CPU.items():
            if (top / file).exists():
                (top / file).write_text(str(value))


def cgroups(name: str) -> list[Path]:
    """The cgroups of this bed that there are now, the innermost first."""
    tops = [hierarchy / cgroup_root(name)[1:] for hierarchy in _hierarchies()]
    found = [Path(path) for top in tops for path, _folders, _files in os.walk(top, topdown=False)]
    return [path for path in found if path.is_dir()]


def remove_cgroups(name: str) -> bool:
    """False when one is still in use: its processes have been killed and may take a moment to end."""
    for path in cgroups(name):
        for pid in _processes(path):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        with suppress(OSError):
            path.rmdir()
    return not cgroups(name)


def _processes(cgroup: Path) -> list[int]:
    try:
        return [int(line) for line in (cgroup / "cgroup.procs").read_text().split()]
    except OSError:
        return []
