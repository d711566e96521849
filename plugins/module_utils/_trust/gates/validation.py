# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Path validation for the gates, which ask the same question for hundreds of parties."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache

from ..._pki.certificates import Chain
from ..._pki.paths import validate_issued_by
from ..._pki.verifiers import PathResult, Verifier


def is_valid(form: Chain, anchors: Chain, at: datetime, kind: Verifier, *, dated_anchors: bool = True) -> bool:
    """Whether a leaf of the CA ``form[0]``, sent with the rest of ``form``, validates under these anchors."""
    return validate(form, anchors, at, kind, dated_anchors=dated_anchors).valid


@lru_cache(maxsize=4096)
def validate(form: Chain, anchors: Chain, at: datetime, kind: Verifier, *, dated_anchors: bool = True) -> PathResult:
    """The result of the validation, with the reason where it fails. Hundreds of pods trust the same few CAs, so results
    are kept.
    """
    return validate_issued_by(form[0], form[1:], anchors, at=at, verifier=kind, dated_anchors=dated_anchors)
