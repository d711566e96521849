"""containerd: its configuration, its images."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

from . import node

NAMESPACE = "k8s.io"
_CAP_SYS_RESOURCE = 1 << 24


def write_configuration(folder: Path, image: str) -> None:
    (folder / "containerd.toml").write_text(f"""\
version = 2
disabled_plugins = ["io.containerd.internal.v1.opt"]
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "{image}"
  restrict_oom_score_adj = {str(not _may_protect_from_oom()).lower()}
  disable_hugetlb_controller = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "{folder}/cni"
""")


def _may_protect_from_oom() -> bool:
    status = Path("/proc/self/status").read_text()
    effective = next(line for line in status.splitlines() if line.startswith("CapEff:"))
    return bool(int(effective.split()[1], 16) & _CAP_SYS_RESOURCE)


def containerd(pid: int, folder: Path) -> dict[str, Any]:
    return {
        "name": "containerd",
        "command": node.inside(pid, "containerd", "--config", f"{folder}/containerd.toml"),
        "environment": {"HOME": str(folder), "TMPDIR": os.environ.get("TMPDIR", "/tmp")},
    }


def answers(pid: int) -> bool:
    return subprocess.run(node.inside(pid, "ctr", "version"), capture_output=True, check=False).returncode == 0


def import_image(pid: int, archive: Path) -> None:
    command = node.inside(pid, "ctr", "--namespace", NAMESPACE, "images", "import", str(archive))
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{archive} was not imported: {done.stderr.strip()}")
