# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""CAs that are refused as supplied CAs, and what Go, a JVM and OpenSSL really make of their leaves."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.verifiers import Verifier

from ..support.certificates import NOW
from ..support.unusable import UNUSABLE, USABLE, Case
from ..unit._pki.test_path_properties import Hierarchy
from .conftest import Asked


@pytest.mark.parametrize("case", [*UNUSABLE, *USABLE], ids=lambda case: case.name)
def test_they_refuse_what_they_are_said_to_refuse(case: Case, go: Asked, jvm: Asked, tmp_path: Path) -> None:
    above = () if case.root == case.authority else (case.authority,)
    asked = Hierarchy(case.leaf, above, (case.root,))
    said = {
        Verifier.GO: go.accepts(asked),
        Verifier.JVM: jvm.accepts(asked),
        Verifier.OPENSSL: _openssl(asked, tmp_path),
    }
    assert {verifier for verifier, accepted in said.items() if not accepted} == case.refused_by


def _openssl(asked: Hierarchy, folder: Path) -> bool:
    """As the client of a TLS server, at its default security level."""
    parts: dict[str, tuple[Certificate, ...]] = {"leaf": (asked.leaf,), "sent": asked.sent, "anchors": asked.anchors}
    for name, certificates in parts.items():
        (folder / name).write_bytes(b"".join(one.pem for one in certificates))
    sent = ("-untrusted", folder / "sent") if asked.sent else ()
    command = (
        "openssl", "verify", "-no-CApath", "-no-CAstore", "-auth_level", "2", "-purpose", "sslserver",
        "-attime", str(int(NOW.timestamp())), "-CAfile", folder / "anchors", *sent, folder / "leaf",
    )  # fmt: skip
    return subprocess.run(command, capture_output=True, check=False).returncode == 0
