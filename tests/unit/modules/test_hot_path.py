# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A module loads its own work only: every call compiles again what it imports, and a flow has many calls."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from .running import MODULES, NAMES

#: A process of its own, which has none of the tests' imports.
PROGRAM = """
import importlib, json, sys
importlib.import_module("{modules}.{name}")
print(json.dumps([name.partition(".module_utils.")[2] for name in sys.modules if "trustops.strimzi" in name]))
"""
#: Modules that take their part in a flow; the others look only, or do something else.
WRITERS = {"strimzi_ca", "strimzi_trusted_certs", "strimzi_ee_cert", "strimzi_node_pool", "strimzi_roll"}
#: Parts that are loaded only where they are needed, and the modules that always need them.
OWNERS = {
    "_handshake": set(),
    "_kube.pod_access": set(),
    "_strimzi.cluster.listeners": set(),
    "_rollout.admin": set(),
    "_rollout.direct": set(),
    "_rollout.reloading": set(),
    "_engine.reconciliation": {"strimzi_reconciliation"},
    "_engine.engine": WRITERS,
}


def loaded_by(name: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(modules=MODULES, name=name)], capture_output=True, text=True, check=True,
        env={"PYTHONPATH": ":".join(sys.path)},
    )  # fmt: skip
    return set(json.loads(done.stdout))


@pytest.mark.parametrize("name", NAMES)
def test_a_module_loads_what_it_needs(name: str) -> None:
    loaded = loaded_by(name)
    assert "_ansible.module" in loaded
    assert {part for part in OWNERS if part in loaded} == {part for part, owners in OWNERS.items() if name in owners}
