"""The needs of this tier: Linux, root, namespaces, and some Debian packages, which are installed when missing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from ..tools.cluster import debian
from ..tools.cluster.cache import MissingTool
from .image import DEBIAN

#: Programs (or files) that are used here, and the package of each.
PACKAGES = {
    "containerd": "containerd", "ctr": "containerd", "runc": "runc", "/usr/lib/cni/ptp": "containernetworking-plugins",
    **debian.of_roots(DEBIAN),
    "iptables": "iptables", "iptables-save": "iptables", "ip": "iproute2", "nsenter": "util-linux", "sysctl": "procps",
    "mvn": "maven",
}  # fmt: skip


def missing_packages() -> list[str]:
    return debian.missing(PACKAGES)


def reason_to_skip() -> str:
    """Why no real node can run on this machine, or an empty string; asks, and changes nothing."""
    if not sys.platform.startswith("linux"):
        return "a node needs Linux"
    if os.geteuid() != 0:
        return "a node needs root"
    if shutil.which("unshare") is None:
        return "no unshare in the PATH (package util-linux)"
    attempt = ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc", "true"]
    done = subprocess.run(attempt, capture_output=True, text=True, check=False)
    if done.returncode:
        return f"no namespaces can be made here: {done.stderr.strip()}"
    if not os.access("/sys/fs/cgroup", os.W_OK):
        return "cgroups cannot be written here"
    missing = missing_packages()
    if missing and shutil.which("apt-get") is None:
        return f"missing, and no apt-get to install them: {', '.join(missing)}"
    return ""


def install() -> None:
    """Install what is missing. Raises MissingTool."""
    if reason := reason_to_skip():
        raise MissingTool(reason)
    debian.install(missing_packages)
