# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The external issuer among the kinds of issuers (docs/issuers/external.md)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..._strimzi.issuer_settings import ExternalIssuer
from ..kind import IssuerKind

if TYPE_CHECKING:
    from ..._strimzi.apply.work import Work
    from ..issuer import Issuer
    from ..pending.requests import StoredRequest


def _connect(settings: ExternalIssuer, work: Work, stored: Iterable[StoredRequest]) -> Issuer:
    from .issuer import External

    answers = {
        request.record.token.encode("utf-8"): request.issued
        for request in stored
        if request.record is not None and request.issued is not None
    }
    scope = work.scope
    return External(answers, f"Secrets {scope.namespace}/{scope.issuing_secret('<component>')}")


EXTERNAL = IssuerKind(
    name="external", settings=(ExternalIssuer,), connect=_connect, read=lambda options: ExternalIssuer()
)
