# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""CAs with one name and different keys. The CAs that a listener accepts are told by their names alone; a probe tells two of one name apart, and
takes the key of the CA (docs/design.md, "CAs of one name").
"""

from __future__ import annotations

from collections.abc import Iterator

from ..._pki.certificates import Certificate
from ..model.names import named
from ..model.snapshot import Snapshot


def why_not_told(authority: Certificate, snapshot: Snapshot) -> str:
    """Why no listener can tell whether it trusts this CA, as a sentence; empty where it can."""
    other = find_namesake(authority, snapshot)
    if other is None or _is_probed(authority, snapshot):
        return ""
    return (
        f"listeners tell the names of the CAs that they trust, {named(other)} has the name of {named(authority)}, and the key of the latter is "
        "not here for a probe."
    )


def find_namesake(authority: Certificate, snapshot: Snapshot) -> Certificate | None:
    """A CA with the name of this one and another key."""
    same = (one for one in _known(snapshot) if one.subject_der == authority.subject_der)
    return next((one for one in same if one.public_key_sha256 != authority.public_key_sha256), None)


def _is_probed(authority: Certificate, snapshot: Snapshot) -> bool:
    ca = snapshot.ca
    is_here = ca.key == authority.public_key_sha256 or authority.fingerprint in ca.kept_keys
    return is_here and not ca.is_kept_elsewhere(authority)


def _known(snapshot: Snapshot) -> Iterator[Certificate]:
    """The CAs that listeners may name."""
    yield from snapshot.ca.anchors
    yield from (one.chain[0] for one in snapshot.ca.prepared)
    if snapshot.ledger is not None:
        yield from (entry.certificate for entry in snapshot.ledger.entries)
        yield from (removed.certificate for removed in snapshot.ledger.removed)
