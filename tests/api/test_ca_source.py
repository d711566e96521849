# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The CA behind a cert-manager issuer changes, and a scheduled reconcile follows the ConfigMap that says so; with cert-manager's own
controllers.
"""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest

from ..tools.cluster.bed import Bed
from ..tools.cluster.cert_manager import start_cert_manager
from ..tools.cluster.corporate_issuer import issuer
from ..tools.support.authorities import Authority, renewed, root
from .resources import put
from .running import Runner
from .test_cert_manager import ISSUER, leaves, requests
from .test_permissions import shipped_rules

#: In every run the same is done in memory.
pytestmark = pytest.mark.long

SOURCE = {"kind": "ConfigMap", "name": "corporate-roots"}
FOLLOWING: dict[str, Any] = {
    "strimzi_ca_source": SOURCE, "strimzi_issuer": ISSUER, "strimzi_issue_timeout": 60, "strimzi_spare_leaves": 0,
}  # fmt: skip


def signs_with(runner: Runner, authority: Authority) -> None:
    """The Secret of the issuer is replaced, and the ConfigMap, as trust-manager would."""
    secret = {"tls.crt": authority.pem, "tls.key": authority.keys[0].reveal()}
    put(runner, "Secret", "corporate", {name: base64.b64encode(value).decode() for name, value in secret.items()})
    put(runner, "ConfigMap", SOURCE["name"], {"ca.crt": authority.pem.decode()})


@pytest.fixture(scope="module", autouse=True)
def _issuer(bed: Bed, runner: Runner) -> None:
    namespace = runner.cluster.namespace
    start_cert_manager(bed, approving=namespace)
    runner.cluster.kube.apply([issuer("corporate", namespace, {"ca": {"secretName": "corporate"}})])


def test_reconcile_follows_the_ca_behind_the_issuer(runner: Runner, tmp_path: Path) -> None:
    first, second = root("First Corporate Root"), root("Second Corporate Root")
    signs_with(runner, first)
    runner.flow("reconcile", **FOLLOWING, strimzi_confirm_roots=first.chain[0].sha256).check()
    assert set(leaves(runner).values()) == {first.chain[0].subject}

    signs_with(runner, second)
    pods, since = runner.cluster.node_uids("demo"), runner.audit_lines()
    told = runner.flow("reconcile", **FOLLOWING).check()
    assert second.chain[0].sha256 in told.output
    assert "strimzi_confirm_roots" in told.output
    assert runner.writes_in_audit_log(since) == []
    looking = runner.as_service_account(shipped_rules("looking"), tmp_path)
    seen = looking.flow("status", strimzi_ca_source=SOURCE).check().output
    assert f"(SHA-256 {second.chain[0].sha256})" in seen
    assert runner.module("strimzi_ca_info", ca_source=SOURCE)["ca_source"]["begins"] == "replace_key"

    runner.flow("reconcile", **FOLLOWING, strimzi_confirm_roots=second.chain[0].sha256).check()
    assert set(leaves(runner).values()) == {second.chain[0].subject}
    assert runner.restarts_since(pods) == len(pods)
    assert requests(runner) == []

    again = renewed(second)
    signs_with(runner, again)
    pods = runner.cluster.node_uids("demo")
    runner.flow("reconcile", **FOLLOWING).check()
    found = runner.module("strimzi_ca_info", ca_source=SOURCE)
    assert [ca["sha256"] for ca in found["cas"]] == [again.chain[0].sha256]
    assert (found["journal"]["goal"], found["ca_source"]["begins"]) == ("renew", None)
    # As simulated nodes cannot be told to read again; the leaves stay.
    assert runner.restarts_since(pods) == len(pods)
    assert requests(runner) == []
