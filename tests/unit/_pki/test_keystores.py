# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import pkcs12

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keystores import pkcs12_truststore

from ...support.certificates import key, make

STORED = {
    "ca.crt": make("cluster-ca v1", key(1)).certificate,
    "ca-2027.crt": make("cluster-ca v0", key(0)).certificate,
}
KEYTOOL = shutil.which("keytool")


def test_holds_the_certificates_under_their_aliases() -> None:
    loaded = pkcs12.load_pkcs12(pkcs12_truststore(STORED, b"password"), b"password")
    assert loaded.key is None
    found = {(one.friendly_name or b"").decode(): one.certificate for one in loaded.additional_certs}
    assert {name: one.fingerprint(SHA256()).hex() for name, one in found.items()} == {
        name: one.sha256 for name, one in STORED.items()
    }


def test_is_closed_with_the_password() -> None:
    with pytest.raises(ValueError, match="password"):
        pkcs12.load_pkcs12(pkcs12_truststore(STORED, b"password"), b"other")


@pytest.mark.skipif(KEYTOOL is None, reason="needs keytool")
def test_java_reads_trusted_certificates(tmp_path: Path) -> None:
    (tmp_path / "ca.p12").write_bytes(pkcs12_truststore(STORED, b"password"))
    command = [str(KEYTOOL), "-list", "-keystore", "ca.p12", "-storetype", "PKCS12", "-storepass", "password"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("trustedCertEntry") == len(STORED)
    assert all(alias in done.stdout for alias in STORED)
