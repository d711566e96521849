# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The reasons why a CertificateRequest waits: for an approver, a controller, or its issuer (docs/issuers/cert-manager.md, "States of a request")."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property

from .._errors import Forbidden, NotFound, ResourceTypeMissing
from .._kube.client import KubeClient
from .._kube.times import read_time
from .._pki.printable import fit_in_line
from .._strimzi.resources import CERTIFICATE_REQUESTS
from .cert_manager_conditions import Object, conditions_of, holds, said
from .issuer_reference import IssuerReference

#: cert-manager's own approver, and approver-policy, decide within seconds.
_APPROVERS_TAKE = timedelta(seconds=30)


@dataclass
class Circumstances:
    """The tools to look at requests. now: by the clock of this run. The issuer is read once, where a request waits for it."""

    client: KubeClient
    issuer: IssuerReference
    now: datetime

    @cached_property
    def state_of_issuer(self) -> str:
        """The state of the issuer, and what to do about it, as sentences."""
        issuer, resource = self.issuer, self.issuer.resource
        home = f" in namespace {issuer.home}" if issuer.home else ""
        has_to = f"{issuer} has to exist{home} and to be Ready"
        if resource is None:
            return f"{has_to}."
        try:
            found = self.client.get(resource, issuer.home, issuer.settings.name)
        except NotFound:
            return f"{issuer} does not exist{home}: create it, or correct its name and kind."
        except (Forbidden, ResourceTypeMissing):
            return f"{has_to}, which cannot be looked up here (get on {resource.plural}.{resource.group})."
        conditions = conditions_of(found)
        if "Ready" not in conditions:
            return f"{issuer} has no Ready condition: no controller has looked at it. Check that cert-manager runs."
        if holds(conditions, "Ready"):
            return f"{issuer} is Ready, so cert-manager goes on by itself."
        return f"{issuer} is not Ready: {said(conditions['Ready'])}. Correct it; cert-manager then goes on by itself."


def named_request(name: str, namespace: str) -> str:
    """The request in sentences."""
    return f"{CERTIFICATE_REQUESTS.kind} {namespace}/{name}"


def why_waiting(request: Object, at: Circumstances) -> str:
    """Why a request that has come to no end still waits, as sentences."""
    conditions, issuer = conditions_of(request), at.issuer
    target = named_request(str(request["metadata"]["name"]), issuer.namespace)
    if "Ready" in conditions:
        return f"{target} is pending: {said(conditions['Ready'])}. {at.state_of_issuer}"
    if holds(conditions, "Approved"):
        return (
            f"{target} is approved, and no controller has begun with it. Check that the controller of {issuer} runs, "
            "and that it serves this namespace."
        )
    return f"{target} is not approved{_overlooked(request, at.now)}. {_who_approves(request, issuer)}"


def _overlooked(request: Object, now: datetime) -> str:
    """Approvers decide within seconds: after half a minute without a decision, none is looking at the request."""
    made = read_time(request["metadata"].get("creationTimestamp"))
    if made is None or now - made <= _APPROVERS_TAKE:
        return " yet"
    return f", and no approver has decided about it since {made:%Y-%m-%d %H:%M:%S} UTC"


def _who_approves(request: Object, issuer: IssuerReference) -> str:
    asker = fit_in_line(str((request.get("spec") or {}).get("username") or "")) or "the author of the request"
    who = f"signers {issuer.signer}" if issuer.signer else str(issuer)
    return (
        "cert-manager approves by itself unless that is switched off, or not permitted for this kind of issuer, or cert-manager does "
        f"not run. Where approver-policy is installed, a CertificateRequestPolicy has to permit it that {asker} may use. Else an approver "
        f"for {who} has to (cmctl approve -n {issuer.namespace} {request['metadata']['name']})."
    )
