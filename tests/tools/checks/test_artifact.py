# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The artifact contains the collection and nothing of the person who builds it: built by ansible-galaxy from a tree that is not clean."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from .places import ROOT
from .trees import files

#: Files that lie about in work trees, and above all in those of administrators.
STRANGERS = (
    ".env", ".envrc", ".netrc", ".vault_pass", ".ssh/id_ed25519", ".idea/workspace.xml", ".venv/bin/python",
    "id_rsa", "id_rsa.pub", "ca.key", "ca.crt", "kubeconfig", "kubeconfig.yml", "hosts.yml", "inventory/hosts", "secrets.json",
    "vault.yml", "notes.md", "report.html", "trustops-strimzi-0.9.0.tar.gz", "core", "nohup.out", "galaxy.yml.orig",
    "changelogs/fragments/mine.yml", "changelogs/.plugin-cache.yaml",
    "group_vars/all.yml", "host_vars/demo/vault.yml", "meta/secrets.yml", "playbooks/.env", "playbooks/ca.key",
    "playbooks/group_vars/all.yml", "playbooks/hosts.yml", "playbooks/mine.yml", "playbooks/reports/kafka-demo/report.md",
    "plugins/modules/id_rsa", "plugins/modules/strimzi_ca.py.orig", "plugins/modules/strimzi_ca.py~",
    "plugins/modules/__pycache__/strimzi_ca.cpython-311.pyc", "plugins/modules/secrets.json", "roles/renew/files/ca.key",
    "roles/renew/vars/vault.yml", "roles/renew/defaults/.main.yml.swp", "roles/flow/vars/secrets.yml",
    "tests/config.yml.bak", "tests/output/junit.xml", "tests/secrets.yml", "venv/lib/site.py",
)  # fmt: skip
STRANGERS_AMONG_PAGES = ("ca.key", "secrets.yml", ".page.md.swp")
#: Files for people who work on the collection. Fragments become the changelog of a release.
_NOT_SHIPPED = re.compile(
    r"(tests/(?!config\.yml$)|molecule/|\.|changelogs/fragments/|(Makefile|pyproject\.toml|galaxy\.yml)$)"
)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The files of an artifact from a dirty tree."""
    tree, output = (tmp_path_factory.mktemp(name) for name in ("tree", "output"))
    for name in files():
        if not name.startswith("tests/") or name == "tests/config.yml":
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tree / name)
    for name in STRANGERS:
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text("a secret")
    for name in STRANGERS_AMONG_PAGES:
        (tree / "docs" / name).write_text("a secret")
    command = [
        sys.executable,
        "-m",
        "ansible",
        "galaxy",
        "collection",
        "build",
        str(tree),
        "--output-path",
        str(output),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return names_in(next(output.glob("*.tar.gz")))


def names_in(artifact: Path) -> list[str]:
    with tarfile.open(artifact) as archive:
        return sorted(member.name for member in archive if not member.isdir())


def test_no_file_of_a_stranger_is_in_the_artifact(built: list[str]) -> None:
    assert sorted({*STRANGERS, *(f"docs/{name}" for name in STRANGERS_AMONG_PAGES)} & set(built)) == []


def test_the_whole_collection_is_in_the_artifact(built: list[str]) -> None:
    shipped = {name for name in files() if not _NOT_SHIPPED.match(name)}
    assert built == sorted(shipped | {"FILES.json", "MANIFEST.json"})
