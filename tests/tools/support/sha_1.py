# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A CA that is signed with SHA-1. Our library makes none; openssl still does."""

from __future__ import annotations

import subprocess
from pathlib import Path

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import parse_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import PrivateKey

from .certificates import Entity


def sha_1_below(issuer: Entity, own_key: PrivateKey, folder: Path, name: str = "theirs") -> Entity:
    """Valid from now on."""
    (folder / "issuer.crt").write_bytes(issuer.certificate.pem)
    (folder / "issuer.key").write_bytes(issuer.key.reveal())
    (folder / "own.key").write_bytes(own_key.reveal())
    made = subprocess.run(
        ["openssl", "req", "-x509", "-new", "-sha1", "-days", "300", "-subj", f"/O=io.strimzi/CN={name}", "-key", "own.key",
         "-CA", "issuer.crt", "-CAkey", "issuer.key"],
        cwd=folder, check=True, capture_output=True,
    ).stdout  # fmt: skip
    return Entity(parse_certificates(made)[0], own_key)
