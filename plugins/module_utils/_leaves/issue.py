# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The judgement of an answer, and the request after it (Improved and extensible Certificate controller, "issuing")."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from enum import Enum
from math import ceil

from .._pki.certificates import Chain
from .life import Failure, LeafRequest

#: How far the clock of an issuer may be ahead: such a certificate is good in a moment, and not wrong.
CLOCKS_DIFFER = timedelta(minutes=5)


class Verdict(Enum):
    """VALIDATED: it is what was asked for, and may be copied. NOT_YET: it is good in a moment. REFUSED: it must not be used."""

    VALIDATED = "validated"
    NOT_YET = "not yet"
    REFUSED = "refused"


def judge(answer: Chain, refusals: Sequence[str], now: datetime) -> Verdict:
    """refusals: every reason why this certificate must not be used now. Its date alone may cure itself."""
    if timedelta(0) < answer[0].not_before - now <= CLOCKS_DIFFER:
        return Verdict.NOT_YET
    return Verdict.REFUSED if refusals else Verdict.VALIDATED


def record_answer(request: LeafRequest, answer: Chain, refusals: Sequence[str], now: datetime) -> LeafRequest:
    """The request after this answer; nothing of it is recorded yet. A good certificate ends the row of failures."""
    verdict = judge(answer, refusals, now)
    if verdict is Verdict.NOT_YET:
        ahead = ceil((answer[0].not_before - now).total_seconds())
        return replace(request, waiting=f"{request.secret}: its certificate is valid in {ahead} s; clocks differ.")
    if verdict is Verdict.REFUSED:
        told = f"The certificate that came back is refused: {'; '.join(refusals)}. Correct what the issuer makes of the request."
        return record_failure(request, told, now)
    return replace(request, answer=answer, failure=None, is_open=False, is_recorded=False)


def record_failure(request: LeafRequest, why: str, now: datetime) -> LeafRequest:
    """The request after one more failure in the row. why: a sentence with cause and remedy."""
    return replace(request, failure=Failure.after(request.failure, now, why), is_open=False, is_recorded=False)
