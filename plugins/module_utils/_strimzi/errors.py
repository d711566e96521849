# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Errors of the apply layer. Each names the object and the cause, and has a remedy."""

from __future__ import annotations


class StepError(Exception):
    """A step could not be carried out. Nothing is lost: the flow continues when it is run again."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message)
        self.remedy = remedy


class AuthorityUnavailable(StepError):
    """The key or issuer that is needed to make a CA is not at hand."""


class LinkUnavailable(StepError):
    """The issuer of the CA in use does not certify the next CA. Without that, every party has to know it before it is used."""


class OperatorSilent(StepError):
    """The Cluster Operator did not react in time."""


class RollStuck(StepError):
    """A pod did not come back in time."""


class RestartsNotDue(StepError):
    """The operator has no reason any more for restarts that are waited for: another writer has put back what it would have restarted pods for."""


class NodesSilent(StepError):
    """Nodes have not answered in time. uids: of their pods."""

    def __init__(self, message: str, remedy: str, uids: frozenset[str]) -> None:
        super().__init__(message, remedy)
        self.uids = uids


class LeafRefused(StepError):
    """An issuer returned another certificate than was asked for."""


class SecretFull(StepError):
    """More than Kubernetes stores in one Secret would have to be in it."""


class ReloadImpossible(StepError):
    """Nodes cannot read a change again. A restart brings the same result."""


class StampsRefused(ReloadImpossible):
    """The API server refuses that pods are annotated, although a review has said that it would not, as with an admission policy."""


class RollNeeded(ReloadImpossible):
    """The operator cannot be told what nodes have reloaded, so it has to restart them."""
