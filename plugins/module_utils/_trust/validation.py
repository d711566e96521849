# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Path validation as the gates ask for it: the same question for hundreds of parties."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.paths import (
    PathResult,
    Verifier,
    validate_issued_by,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Chain


def is_valid(form: Chain, anchors: Chain, at: datetime, kind: Verifier) -> bool:
    """Whether a leaf of the CA ``form[0]``, sent with the rest of ``form``, validates under these anchors."""
    return validate(form, anchors, at, kind).valid


@lru_cache(maxsize=4096)
def validate(form: Chain, anchors: Chain, at: datetime, kind: Verifier) -> PathResult:
    """The same, and why not. Hundreds of pods trust the same few CAs: each question is answered once."""
    return validate_issued_by(form[0], form[1:], anchors, at=at, verifier=kind)
