# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""OpenSSL as the third of the real verifiers."""

from __future__ import annotations

import subprocess
from pathlib import Path

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate

from ..support.certificates import NOW
from ..unit._pki.test_path_properties import Hierarchy


def openssl_accepts(asked: Hierarchy, folder: Path) -> bool:
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
