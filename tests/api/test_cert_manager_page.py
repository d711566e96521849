# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The way of docs/issuers/cert-manager.md, "Step by step", with cert-manager's own controllers and the shipped Roles."""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate, parse_certificates

from ..tools.cluster.bed import Bed
from ..tools.cluster.cert_manager import start_cert_manager
from ..tools.support.pages import block, quick, shell, stand_in
from .running import Runner
from .test_permissions import shipped_rules

_shown = partial(block, "cert-manager.md")


@pytest.fixture(scope="module")
def administrator(bed: Bed, runner: Runner, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of an administrator who installed cert-manager and has kubectl."""
    commands = tmp_path_factory.mktemp("bin")
    stand_in("kubectl", "kubectl_command", commands)
    stand_in("cmctl", "cmctl_command", commands)
    start_cert_manager(bed, approving=runner.cluster.namespace)
    return {"PATH": f"{commands}:{os.environ['PATH']}", "KUBECONFIG": str(bed.kubeconfig)}


@pytest.mark.long
@pytest.mark.parametrize(
    ("more", "role"),
    [("", "cert-manager"), (", resource: Certificate", "cert-manager-certificates")],
    ids=["CertificateRequest", "Certificate"],
)
def test_a_cluster_moves_to_a_ca_of_cert_manager(
    runner: Runner, administrator: dict[str, str], tmp_path: Path, more: str, role: str
) -> None:
    namespace = runner.cluster.namespace
    permitted = runner.as_service_account(shipped_rules("looking", "flows", "issuing", role), tmp_path)
    running = {**permitted.environment(), "ANSIBLE_PYTHON_INTERPRETER": sys.executable}

    (tmp_path / "issuer.yaml").write_text(_here(_shown("yaml", "isCA: true"), namespace))
    shell(_here(_shown("shell", "kubectl apply -f issuer.yaml"), namespace), tmp_path, administrator)
    shell(_here(_shown("shell", "kubectl get secret"), namespace), tmp_path, administrator)
    (tmp_path / "cert-manager.yml").write_text(_with(_shown("yaml", "   strimzi_certificate"), more))
    shell(quick(_here(_shown("shell", "--check --diff"), namespace)), tmp_path, running)

    (wanted,) = parse_certificates((tmp_path / "corporate-ca.pem").read_bytes())
    info = runner.module("strimzi_ca_info")
    (issuing,) = info["cas"]
    assert (issuing["sha256"], issuing["state"]) == (wanted.sha256, "TRUSTED_IN_USE_ALL")
    assert {leaf["issuer"] for leaf in info["leaves"]} == {wanted.subject}
    shell(quick(_here(_shown("shell", "renew_leaves"), namespace)), tmp_path, running)
    assert runner.module("strimzi_ca_info")["leaves"] == info["leaves"]
    if not more:
        wanted = made_again(runner, administrator, running, tmp_path)
    runner.flow("rotate_cluster_ca", strimzi_replaces=wanted.sha256).check()


def made_again(runner: Runner, administrator: dict[str, str], running: dict[str, str], folder: Path) -> Certificate:
    """The chapter "The CA of the issuer comes to its end": cert-manager gives the same name to another key. Returns the CA that is in use then."""
    namespace, pods = runner.cluster.namespace, runner.cluster.node_uids("demo")
    (old,) = parse_certificates((folder / "corporate-ca.pem").read_bytes())
    shell(_here(_shown("shell", "cmctl renew"), namespace), folder, administrator)
    for words in ("kubectl get secret", "kubectl create configmap"):
        shell(_here(_shown("shell", words), namespace), folder, administrator)
    (new,) = parse_certificates((folder / "corporate-ca.pem").read_bytes())
    assert (new.subject_der, new.public_key_sha256 == old.public_key_sha256) == (old.subject_der, False)
    (folder / "cert-manager.yml").write_text(_shown("yaml", "   strimzi_ca_source"))
    shell(quick(_here(_shown("shell", "strimzi_confirm_roots"), namespace)), folder, running)

    info = runner.module("strimzi_ca_info")
    (issuing,) = info["cas"]
    assert (issuing["sha256"], issuing["state"]) == (new.sha256, "TRUSTED_IN_USE_ALL")
    assert {leaf["ca"] for leaf in info["leaves"]} == {f"{new.subject} ({new.sha256[:12]})"}
    assert runner.restarts_since(pods) == len(pods)
    return new


def _here(text: str, namespace: str) -> str:
    """The namespace of the page is kafka."""
    for before in ("namespace: ", "-n ", "strimzi_namespace="):
        text = text.replace(f"{before}kafka", f"{before}{namespace}")
    return text


def _with(variables: str, more: str) -> str:
    """``strimzi_issuer`` with more said of it."""
    assert "kind: Issuer}" in variables
    return variables.replace("kind: Issuer}", f"kind: Issuer{more}}}")
