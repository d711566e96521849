# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The errors that keep a run from asking cert-manager (docs/issuers/cert-manager.md, "States of a request")."""

from __future__ import annotations

from .._errors import Attempted, Invalid, IssuerUnavailable, KubeError, ResourceTypeMissing, Unavailable
from .._kube.resources import Resource
from .._pki.printable import fit_in_line
from .issuer import Refused, Waiting

_INSTALL = "Install cert-manager 1.0 or later with its CustomResourceDefinitions, or check that this is the right Kubernetes cluster"
#: How the API server says that a webhook was to judge an object and did not answer.
_WEBHOOK_AWAY = "failed calling webhook"


def _not_installed(kind: Attempted | Resource) -> str:
    return f"is not installed: the API server does not know {kind.kind} in {kind.api_version}"


def not_installed(kind: Resource) -> Waiting:
    """The answer to everything that was asked for before."""
    return Waiting(f"cert-manager {_not_installed(kind)}. {_INSTALL}.")


def refuse_foreign_token(reference: str) -> Refused:
    """The answer about a token that is none of ours. reference: of the issuer."""
    return Refused(
        f"What was kept about a request to {reference} cannot be read: it has been changed.",
        "Run again, so that the leaf is asked for anew.",
    )


def refuse_unwritten(error: KubeError, target: str, issuer: object) -> Refused:
    """The refusal of an object that could not be written. target: that object in sentences. Raises IssuerUnavailable where
    another run may write it as it is, and the error itself where it is not about cert-manager.
    """
    if isinstance(error, ResourceTypeMissing):
        raise IssuerUnavailable("cert-manager", _not_installed(error.attempt), f"{_INSTALL}.") from None
    if isinstance(error, Invalid):
        return Refused(
            f"{target} is not accepted: {fit_in_line(error.cause)}.",
            f"Correct the issuer ({issuer}) or the names of this leaf as this says; then run again.",
        )
    if isinstance(error, Unavailable) and _WEBHOOK_AWAY in error.cause:
        raise IssuerUnavailable(
            target,
            f"cannot be made: {fit_in_line(error.cause)}",
            "See that the webhook named here answers (cert-manager's pods have to run), then run again.",
        ) from None
    raise error
