# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The way of docs/issuers/vault.md, "Set up Vault" and "Step by step", with the double in place of the server."""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import parse_certificates

from ..tools.support.fake_vault.server import FakeVault, serving
from ..tools.support.pages import block, quick, shell, stand_in
from .running import Runner
from .test_permissions import shipped_rules

_shown = partial(block, "vault.md")
_SET_UP = ("secrets enable", "generate/root/internal", "vault write pki/roles/kafka \\", "policy write kafka-leaves")


@pytest.mark.long
def test_a_cluster_moves_to_a_ca_of_vault(runner: Runner, tmp_path: Path) -> None:
    commands = tmp_path / "bin"
    commands.mkdir()
    stand_in("vault", "vault_command", commands)
    permitted = runner.as_service_account(shipped_rules("looking", "flows", "issuing"), tmp_path)
    with serving(FakeVault()) as vault:
        variables = {
            **permitted.environment(), "PATH": f"{commands}:{os.environ['PATH']}", "VAULT_ADDR": vault.url,
            "VAULT_TOKEN": vault.root, "ANSIBLE_PYTHON_INTERPRETER": sys.executable,
        }  # fmt: skip
        for part in _SET_UP:
            shell(_shown("shell", part), tmp_path, variables)
        (tmp_path / "vault.yml").write_text(_shown("yaml", "   strimzi_certificate"))
        flow = quick(_shown("shell", "--check --diff").replace("=kafka", f"={runner.cluster.namespace}"))
        shell(f"{_shown('shell', 'LEAVES_TOKEN=')}unset VAULT_TOKEN\n{flow}", tmp_path, variables)
    (wanted,) = parse_certificates((tmp_path / "corporate-ca.pem").read_bytes())
    info = runner.module("strimzi_ca_info")
    (issuing,) = info["cas"]
    assert (issuing["sha256"], issuing["state"]) == (wanted.sha256, "TRUSTED_IN_USE_ALL")
    assert {leaf["issuer"] for leaf in info["leaves"]} == {wanted.subject}
    # And one for the next node, which waits.
    assert vault.signed() == len(info["leaves"]) + 1
