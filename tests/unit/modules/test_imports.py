# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The imports of a module before it has something to do, and the files that Ansible packs with a module that only looks.

Python compiles again in each call what a module imports, and Ansible parses again what it packs.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.kinds import KINDS

from ...tools.bench.files import MODULES, UTILS, packed_files

PACKAGE = "ansible_collections.trustops.strimzi.plugins"
#: Code that issues, restarts and writes.
DOING = (
    "_issuing",
    "_rollout",
    "_strimzi.apply.carry_out",
    "_strimzi.apply.authority",
    "_kube.lease",
)
#: Code that decides.
DECIDING = ("_trust.decide", "_trust.plan", "_trust.rules", "_engine.engine", "_engine.outcome")


def imported_by(module: str) -> list[str]:
    """The modules of ``module_utils`` that are there when this one is imported, without the package's own name."""
    code = f"import sys, {PACKAGE}.modules.{module}; print(*sys.modules, sep='\\n')"
    told = subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.PIPE, text=True).stdout
    return [name.removeprefix(f"{PACKAGE}.module_utils.") for name in told.split() if name.startswith(PACKAGE)]


def parts_of(names: list[str], parts: tuple[str, ...]) -> list[str]:
    """The names inside these parts, without the options of issuers: an argument spec has them, and they speak to no issuer."""
    inside = [name for name in names if f"{name}.".startswith(tuple(f"{part}." for part in parts))]
    folders = {kind.name for kind in KINDS}
    telling = {
        *("_issuing", "_issuing.kind", "_issuing.kinds"),
        *(f"_issuing.{folder}{file}" for folder in folders for file in ("", ".row", ".settings")),
    }
    return [name for name in inside if name.removesuffix(".__init__") not in telling]


@pytest.mark.parametrize(
    ("module", "unneeded"),
    [
        ("strimzi_ca_info", DOING),
        ("strimzi_user_info", DOING + DECIDING),
        ("strimzi_ca", DOING),
        ("strimzi_trusted_certs", DOING),
        ("strimzi_node_pool", DOING),
    ],
)
def test_a_call_with_nothing_to_do_imports_no_code_that_does_something(module: str, unneeded: tuple[str, ...]) -> None:
    assert parts_of(imported_by(module), unneeded) == []


@pytest.mark.parametrize(
    ("module", "unneeded"),
    [
        (
            "strimzi_ca_info",
            (
                "_issuing.issue",
                "_issuing.caller_certificate",
                "_engine.engine",
                "_rollout.roll",
            ),
        ),
        ("strimzi_user_info", ("_issuing", "_rollout", *DECIDING)),
    ],
)
def test_with_a_module_that_looks_ansible_packs_no_code_that_does_something(
    module: str, unneeded: tuple[str, ...]
) -> None:
    packed = packed_files(MODULES / f"{module}.py")
    names = [".".join(file.relative_to(UTILS).with_suffix("").parts) for file in packed if file.is_relative_to(UTILS)]
    assert parts_of(names, unneeded) == []
