# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The way of docs/issuers/external.md, "Step by step", with the commands and the permissions that the page shows."""

from __future__ import annotations

import os
import re
import subprocess
import textwrap
from collections.abc import Mapping
from pathlib import Path

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import parse_certificates

from ..tools.cluster.bed import ROOT
from .running import Runner
from .test_permissions import shipped_rules

#: As the other pages about issuers; requests are carried by hand in memory in every run.
pytestmark = pytest.mark.long

PAGE = (ROOT / "docs" / "issuers" / "external.md").read_text()
#: Three nodes, and the five others of a cluster with everything.
LEAVES = 8


def block(language: str, has: str) -> str:
    """The block that the page shows in this language and with these words."""
    found = re.findall(rf"^ *```{language}\n(.*?)^ *```$", PAGE, re.DOTALL | re.MULTILINE)
    (one,) = (text for text in found if has in text)
    return textwrap.dedent(one)


def shell(script: str, folder: Path, **variables: str) -> None:
    environment: Mapping[str, str] = {**os.environ, **variables}
    done = subprocess.run(
        ["sh", "-c", script], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_a_ca_whose_key_stays_with_another_office(runner: Runner, tmp_path: Path) -> None:
    office, folder = tmp_path / "office", tmp_path / "requests"
    office.mkdir()
    shell(
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key -out ca.crt -days 400 "
        "-subj '/O=Example/CN=Corporate CA' -addext keyUsage=critical,keyCertSign,cRLSign",
        office,
    )
    certificate = (office / "ca.crt").read_text()
    running = shipped_rules("looking", "flows", "issuing")
    begin = {"strimzi_certificate": certificate}

    asked = runner.as_service_account(running, tmp_path).flow("rotate_cluster_ca", strimzi_pending="fail", **begin)
    assert asked.code == 2, asked.output
    assert re.search(rf"strimzi_pending=fail.* {LEAVES} certificates of CN=Corporate", asked.output)
    limited = runner.as_service_account(shipped_rules("looking"), tmp_path)
    exported = limited.flow("export-requests", strimzi_requests_dir=str(folder)).check()
    assert f"{LEAVES} to be signed" in exported.output
    assert "changed=0" in limited.flow("export_requests", strimzi_requests_dir=str(folder)).check().output

    (rule,) = shipped_rules("issuing")
    requests = [name for name in rule["resourceNames"] if not name.endswith("-keys")]
    limited = runner.as_service_account(
        [*shipped_rules("looking"), {**rule, "resourceNames": requests, "verbs": ["patch"]}], tmp_path
    )
    key, ca = str(office / "ca.key"), str(office / "ca.crt")
    shell(block("sh", "openssl x509 -req").replace("-copy_extensions copy", ""), folder, CA_CERTIFICATE=ca, CA_KEY=key)
    since = runner.audit_lines()
    refused = limited.flow("import_certificates", strimzi_requests_dir=str(folder))
    assert refused.code != 0
    assert "alternative names" in refused.output
    assert runner.writes_in_audit_log(since) == []

    shell(block("sh", "openssl x509 -req"), folder, CA_CERTIFICATE=ca, CA_KEY=key)
    imported = limited.flow("import-certificates", strimzi_requests_dir=str(folder)).check()
    assert re.search(r"\b0 still to\b", imported.output)
    assert "changed=0" in limited.flow("import_certificates", strimzi_requests_dir=str(folder)).check().output

    limited = runner.as_service_account(running, tmp_path)
    limited.flow("rotate_cluster_ca", strimzi_pending="fail", **begin).check()
    info = runner.module("strimzi_ca_info")
    (wanted,) = parse_certificates(certificate.encode())
    assert [(one["sha256"], one["state"], one["current"]) for one in info["cas"]] == [
        (wanted.sha256, "TRUSTED_IN_USE_ALL", True)
    ]
    assert {leaf["issuer"] for leaf in info["leaves"]} == {wanted.subject}
    left = runner.cluster.kube.request("GET", f"/api/v1/namespaces/{runner.cluster.namespace}/secrets").body["items"]
    # The request for the next node is left, which may come some day.
    issuing = [one["metadata"]["name"] for one in left if "-issuing-" in one["metadata"]["name"]]
    assert issuing == ["demo-issuing-kafka", "demo-issuing-kafka-keys"]
    # The imported certificates are in use, so to import them again is right and changes nothing.
    assert "changed=0" in limited.flow("import_certificates", strimzi_requests_dir=str(folder)).check().output
