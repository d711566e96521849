# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The issuer that the caller names, made from its settings."""

from __future__ import annotations

from collections.abc import Iterable

from .._errors import VaultFailure
from .._kube.resources import SECRETS
from .._strimzi.apply.work import Work
from .._strimzi.issuer_settings import CertManagerCertificates, CertManagerIssuer, VaultIssuer, VaultTokenSecret
from .._strimzi.secret_data import entries
from .issuer import External, Issuer
from .pending.requests import StoredRequest


def issuer_of(work: Work, stored: Iterable[StoredRequest] = ()) -> Issuer:
    """The issuer that the caller has chosen. It gets what the cluster has stored of its requests; the external issuer has no other place for answers."""
    settings, scope = work.settings.issuer, work.scope
    # A call has one issuer, and imports the code of no other.
    if isinstance(settings, CertManagerIssuer):
        from .cert_manager.requests import CertManager

        return CertManager(work.client, scope, settings, work.clock)
    if isinstance(settings, CertManagerCertificates):
        from .cert_manager.certificates import CertManagerByCertificates, Terms
        from .cert_manager.conditions import IssuerReference

        reference = IssuerReference(settings.issuer, scope.namespace)
        terms = Terms(scope, reference, work.settings.leaf_key, settings.validity, settings.renew_before)
        return CertManagerByCertificates(work.client, terms, work.clock)
    if isinstance(settings, VaultIssuer):
        from .vault.issuer import VaultPki

        return VaultPki(settings, work.clock, lambda named: _token_in(named, work), work.renew_lease)
    answers = {
        request.record.token.encode("utf-8"): request.issued
        for request in stored
        if request.record is not None and request.issued is not None
    }
    return External(answers, f"Secrets {scope.namespace}/{scope.issuing_secret('<component>')}")


def _token_in(named: VaultTokenSecret, work: Work) -> str:
    namespace = named.namespace or work.scope.namespace
    found = work.client.get_or_none(SECRETS, namespace, named.secret)
    token = entries(found).get(named.entry, b"").decode("latin-1").strip()
    if not token:
        problem = "does not exist" if found is None else f"has no token in its entry {named.entry}"
        raise VaultFailure(
            f"Secret {namespace}/{named.secret}", problem, "Put a token there, or correct token_from of issuer.login."
        )
    return token
