# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The CAs that processes trust: an entry of the trust bundle for each CA of the cluster (docs/operator.md, "Trust bundle")."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._errors import CertificateError
from .._pki.certificates import parse_certificates
from .names import ClusterNames
from .secret_data import entries


def read_bundle(secret: Mapping[str, Any] | None, scope: ClusterNames) -> frozenset[str] | None:
    """Fingerprints of its CAs; None where there is no Secret. No process trusts an entry that cannot be read."""
    if secret is None:
        return None
    try:
        return frozenset(one.fingerprint for one in parse_certificates(entries(secret).get(scope.bundle_entry, b"")))
    except CertificateError:
        return frozenset()
