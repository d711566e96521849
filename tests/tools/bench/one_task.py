"""Playbooks with one task that looks at a cluster: ours, and kubernetes.core's, which reads one object."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..checks.environments import environment
from ..checks.pythons import PAIRS
from .empty import play


class OneTask:
    """A playbook with one task, in the environment of the checks: the same Ansible, Python and Kubernetes library for all."""

    def __init__(self, folder: Path, module: str, kubeconfig: Path, **options: str) -> None:
        """folder: where the playbook is written. module: its name with its collection. options: of the module."""
        content: Mapping[str, Any] = {
            "hosts": "localhost",
            "gather_facts": False,
            "tasks": [{module: {"kubeconfig": str(kubeconfig), **options}}],
        }
        self._playbook = folder / f"{module}.yml"
        self._playbook.write_text(json.dumps([content]))

    def run(self) -> None:
        """Raises RuntimeError where the task fails, CannotPrepare where kubernetes.core cannot be had."""
        paths = filter(None, (os.environ.get("ANSIBLE_COLLECTIONS_PATH"), str(peers())))
        play(self._playbook, collections=os.pathsep.join(paths))


def peers() -> Path:
    """The folder with the collections that the package ansible brings."""
    python = PAIRS[0].python
    return environment(python, "bench.txt") / "lib" / f"python{python}" / "site-packages"
