# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The one gate before leaves are issued: no rule asks for leaves that can neither be signed here nor are at hand."""

from __future__ import annotations

from ..._pki.certificates import Certificate, Chain
from ..model.goals import Phase
from ..model.steps.base import Steps
from ..model.steps.leaves import IssueLeaves
from .requests import secrets_without_leaf
from .situation import Situation


def issue(
    at: Situation,
    secrets: tuple[str, ...],
    issuer: Chain,
    phase: Phase,
    *,
    link: Certificate | None = None,
    because: str = "",
    avoidable: str = "",
) -> Steps:
    """All of them or none: nodes that take up some of them would have to restart again for the others."""
    if not secrets or secrets_without_leaf(at, secrets, issuer):
        return ()
    return (
        IssueLeaves(
            secrets=secrets,
            issuer=issuer,
            generation=at.generation,
            link=link,
            phase=phase,
            because=because,
            avoidable=avoidable,
        ),
    )
