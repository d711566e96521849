"""The traces of a bed on the machine: after ``down`` there must be none."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from . import needs, node
from .bed import KafkaBed
from .network import LINK_PREFIX

#: The commands that show links, routes, packet filters, named network namespaces and kernel parameters.
ASKED = (
    ("ip", "-oneline", "link"), ("ip", "route", "show", "table", "all"), ("ip", "netns"), ("iptables-save",),
    ("sysctl", "vm.overcommit_memory", "kernel.panic", "kernel.panic_on_oops", "net.ipv4.ip_forward"),
)  # fmt: skip


def traces(bed: KafkaBed) -> list[str]:
    """Folder, processes, mounts and cgroups that belong to this bed and no other."""
    marks = (f"{bed.folder}/", f"{bed.folder}\0", node.cgroup_root(bed.name) + "/")
    found = [f"folder {bed.folder}"] if bed.folder.exists() else []
    found += [f"cgroup {path}" for path in node.cgroups(bed.name)]
    found += [f"mount {line}" for line in Path("/proc/mounts").read_text().splitlines() if marks[0] in line]
    for process in Path("/proc").glob("[0-9]*"):
        seen = _text(process / "cmdline") + _text(process / "cgroup")
        if any(mark in seen for mark in marks) and not _has_ended(process):
            found.append(f"process {process.name} {_text(process / 'comm').strip()}")
    return found


def _has_ended(process: Path) -> bool:
    """A zombie keeps no memory; its parent has not looked yet (proc(5): the state follows the name in parentheses)."""
    return _text(process / "stat").rpartition(")")[2].split()[:1] == ["Z"]


def machine_state(own: str = "") -> list[str]:
    """The state that no bed may change. Installs the tools that tell it, and all that a bed needs, so that this is no change made by a bed.

    Other beds come and go meanwhile: of links of beds and routes to them only those of ``own`` are looked at.
    Raises MissingTool.
    """
    needs.install()
    others = re.compile(rf"\b(?!{own or '-'}\b){LINK_PREFIX}\d+\b")
    return sorted(line for command in ASKED for line in _lines(command) if not others.search(line))


def _lines(command: Sequence[str]) -> list[str]:
    output = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    # Packets are counted all the time.
    return [re.sub(r"\[\d+:\d+\]", "", line) for line in output.splitlines() if not line.startswith("#")]


def _text(file: Path) -> str:
    try:
        return file.read_text(errors="replace")
    except OSError:
        return ""
