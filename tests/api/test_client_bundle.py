"""The published bundle as Java itself reads it."""

from __future__ import annotations

import base64
import re
import subprocess
from pathlib import Path

import pytest

from .running import Runner


def published(runner: Runner) -> dict[str, bytes]:
    path = f"/api/v1/namespaces/{runner.cluster.namespace}/secrets/demo-cluster-ca-bundle"
    data = runner.cluster.kube.request("GET", path).body["data"]
    return {name: base64.b64decode(value) for name, value in data.items()}


def fingerprints(store: Path, kind: str, password: bytes) -> list[str]:
    command = ["keytool", "-list", "-keystore", str(store), "-storetype", kind, "-storepass", password.decode()]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert f"{listed.count('trustedCertEntry')} entr" in listed, listed
    return sorted(line.split(": ")[1].replace(":", "").lower() for line in listed.splitlines() if "SHA-256" in line)


@pytest.mark.long
@pytest.mark.parametrize("phase", ["prepare", "retire"])
def test_java_reads_both_stores(runner: Runner, tmp_path: Path, phase: str) -> None:
    runner.flow("rotate-cluster-ca", strimzi_client_bundle="true", strimzi_until_phase=phase).check()
    bundle = published(runner)
    wanted = sorted(ca["sha256"] for ca in runner.module("strimzi_ca_info")["cas"])
    assert len(wanted) == (2 if phase == "prepare" else 1)
    assert len(re.findall(rb"BEGIN CERTIFICATE", bundle["ca.crt"])) == len(wanted)
    for name, kind in (("ca.jks", "JKS"), ("ca.p12", "PKCS12")):
        store = tmp_path / name
        store.write_bytes(bundle[name])
        assert fingerprints(store, kind, bundle["ca.password"]) == wanted, name
