# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Without its libraries, or with too old ones, every module says which, where and what to do."""

from __future__ import annotations

import json
import subprocess
import sys
from types import SimpleNamespace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible import module
from ansible_collections.trustops.strimzi.plugins.module_utils._kube import _kubernetes
from ansible_collections.trustops.strimzi.plugins.module_utils._pki import _cryptography

from . import stages
from .running import MODULES, NAMES, REQUIRED, call

#: A process of its own, in which the library cannot be imported; it has none of the tests' imports either.
PROGRAM = """
import contextlib, importlib, io, json, sys
sys.modules["{library}"] = None
from ansible.module_utils import basic
for name, options in {names}.items():
    given = {{"ANSIBLE_MODULE_ARGS": {{"cluster": "demo", "namespace": "kafka", **options}}}}
    basic._ANSIBLE_ARGS, basic._ANSIBLE_PROFILE = json.dumps(given).encode(), "legacy"
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
        importlib.import_module(f"{modules}.{{name}}").main()
    print(json.dumps(json.loads(printed.getvalue())))
"""


@pytest.mark.parametrize(("library", "minimum"), [("kubernetes", "24.2.0"), ("cryptography", "45.0.0")])
def test_absent(library: str, minimum: str) -> None:
    program = PROGRAM.format(library=library, names={name: REQUIRED.get(name, {}) for name in NAMES}, modules=MODULES)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True,
        env={"PYTHONPATH": ":".join(sys.path)},
    )  # fmt: skip
    results = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(results) == len(NAMES)
    for result in results:
        assert result["failed"] is True
        assert result["msg"].startswith(f"Failed to import the required Python library ({library} >= {minimum}) on ")
        assert f"'s Python {sys.executable}." in result["msg"]
        assert "ansible_python_interpreter" in result["msg"]


@pytest.mark.parametrize("module", NAMES)
@pytest.mark.parametrize(
    ("guard", "library", "version", "minimum"),
    [(_kubernetes, "kubernetes", "24.1.9", "24.2.0"), (_cryptography, "cryptography", "44.0.3", "45.0.0")],
)
def test_too_old(
    monkeypatch: pytest.MonkeyPatch, guard: object, library: str, version: str, minimum: str, module: str
) -> None:
    memory = stages.managed()
    monkeypatch.setattr(guard, library, SimpleNamespace(__version__=version))
    ended = call(module, memory, **REQUIRED.get(module, {}))
    assert ended.result["msg"] == (
        f"The Python library {library} {version} of {sys.executable} is too old: {minimum} or later is needed. "
        "Install a newer one there, or let ansible_python_interpreter name a Python that has it."
    )
    assert (ended.code, ended.failed, ended.writes) == (1, True, [])


@pytest.mark.parametrize("version", ["45.0.0", "45.0.1", "100.0", "46.0.0rc1"])
def test_new_enough(monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    for guard, library in ((_kubernetes, "kubernetes"), (_cryptography, "cryptography")):
        monkeypatch.setattr(guard, library, SimpleNamespace(__version__=version))
    assert module.missing_library() is None
