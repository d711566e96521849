# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Without the library every module of the package can be imported, and the reason can be told."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import importlib, pkgutil, sys
import ansible_collections.trustops.strimzi.plugins.module_utils._pki as package
{preparation}
for module in pkgutil.iter_modules(package.__path__):
    importlib.import_module(f"{{package.__name__}}.{{module.name}}")
guard = sys.modules[package.__name__ + "._cryptography"]
print(guard.cryptography is not None, guard.CRYPTOGRAPHY_IMPORT_ERROR)
"""


def outcome(preparation: str) -> str:
    program = PROGRAM.format(preparation=preparation)
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": ":".join(sys.path)},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_absent() -> None:
    assert outcome("sys.modules['cryptography'] = None").startswith("False Traceback")


def test_present() -> None:
    assert outcome("") == "True None\n"
