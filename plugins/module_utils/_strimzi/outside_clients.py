# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Clients outside the cluster, as far as they can be seen: their resources, the copies that the operator makes for them,
and Secrets that the user names. The number of requests does not depend on their number, except one for each named
Secret, and for each that a resource without a copy names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .._errors import CertificateError, Forbidden, NotFound, ResourceTypeMissing
from .._kube.client import KubeClient
from .._kube.resources import PODS, SECRETS, Resource
from .._pki.certificates import Certificate, mentions_certificates, parse_certificates
from .._pki.verifiers import Verifier
from .._trust.ledger.journal import in_flight
from .._trust.model.clients import Follows, OutsideClient, Waiver
from .._trust.model.ledger import Ledger
from .._trust.model.named import NOTHING_NAMED, Named, NamedSecret, UserNamespace
from .._trust.model.snapshot import CaSecrets
from .client_resources import (
    CLIENT_KINDS,
    CLIENT_PODS,
    TrustedCopy,
    copies_of,
    selects,
)
from .copy_age import unread_by
from .names import ClusterNames
from .reach import Reach
from .secret_data import entries


@dataclass(frozen=True)
class Outside:
    """The user's options about clients outside the cluster, as in ``Named``. None: not given; a flow in flight goes on with what it was told."""

    trusting: tuple[NamedSecret, ...] | None = None
    waivers: tuple[Waiver, ...] = ()
    presenting: tuple[NamedSecret, ...] | None = None
    user_namespaces: tuple[UserNamespace, ...] | None = None

    def named(self, remembered: Named = NOTHING_NAMED) -> Named:
        """Where to look: what is given, and what is remembered in place of what is not."""
        return Named(
            remembered.trusting if self.trusting is None else self.trusting,
            remembered.presenting if self.presenting is None else self.presenting,
            remembered.user_namespaces if self.user_namespaces is None else self.user_namespaces,
        )

    def to_look_at(self, ca: CaSecrets, ledger: Ledger | None) -> Named:
        """Where this run looks. The journal of the flow in flight remembers it; before that is open, what lies beside the prepared CA."""
        journal = in_flight(ledger)
        return self.named(ca.named if journal is None else journal.named)


NOTHING_SAID = Outside()


def observe_outside(client: KubeClient, reach: Reach, trusting: Sequence[NamedSecret]) -> tuple[OutsideClient, ...]:
    """Every client that holds, or may hold, a copy of the cluster CA; sorted by name."""
    scope = reach.scope
    copies: list[TrustedCopy] = []
    found: list[OutsideClient] = []
    for kind in CLIENT_KINDS:
        try:
            listed = client.list(kind, scope.namespace).items
        except ResourceTypeMissing:
            # Without its CRD there is no resource of this kind.
            continue
        except Forbidden as error:
            found.append(_unseen(kind, scope, error))
            continue
        copies += [copy for item in listed for copy in copies_of(item, kind.kind, reach)]
    found += _with_copies(client, reach, copies) if copies else ()
    found += [_named(client, secret, scope) for secret in trusting if secret != _published(scope)]
    return tuple(sorted(found, key=lambda one: one.name))


def _published(scope: ClusterNames) -> NamedSecret:
    """The published bundle is left out: this collection brings it up to date before the trust gate is asked."""
    return NamedSecret(scope.namespace, scope.client_bundle_secret)


def _unseen(kind: Resource, scope: ClusterNames, error: Forbidden) -> OutsideClient:
    name = f"{kind.kind} {scope.namespace}/*"
    doubt = f"it cannot be told which {kind.kind} resources trust this cluster: {error}".rstrip(".")
    return OutsideClient(name, None, doubt, remedy=error.remedy)


def _with_copies(client: KubeClient, reach: Reach, copies: Sequence[TrustedCopy]) -> Iterator[OutsideClient]:
    """Secrets are read before pods, so a pod that is missing here started later, with the content that was read or
    newer. Of a resource that does not name the cluster its copy tells whether it is a client, or what that is to be made of.
    """
    scope = reach.scope
    listed = client.list(SECRETS, scope.namespace, label_selector=CLIENT_PODS).items
    secrets = {str(secret["metadata"]["name"]): secret for secret in listed}
    pods = client.list(PODS, scope.namespace, label_selector=CLIENT_PODS).items
    for copy in copies:
        secret = secrets.get(copy.secret)
        trusts, doubt = _certificates(secret, copy.entries, f"Secret {scope.namespace}/{copy.secret}")
        is_copied = trusts is not None
        if not (is_copied or copy.refers):
            trusts = _to_be_copied(client, scope, copy)
        if not (copy.refers or reach.is_trusted_by(trusts)):
            continue
        if secret is not None and is_copied:
            doubt = unread_by([pod for pod in pods if copy.is_read_by(pod)], secret)
        yield OutsideClient(
            copy.name(scope), trusts, doubt, kind=Verifier.JVM, follows=copy.follows, remedy=copy.remedy(scope)
        )


def _to_be_copied(client: KubeClient, scope: ClusterNames, copy: TrustedCopy) -> tuple[Certificate, ...]:
    """The certificates that can be read where the operator takes them from."""
    found: list[Certificate] = []
    for source in copy.sources:
        try:
            stored = client.get_or_none(SECRETS, scope.namespace, str(source.get("secretName")))
        except Forbidden:
            continue
        chosen = [entry for entry in entries(stored) if selects(source, entry)]
        found += _certificates(stored, chosen, "")[0] or ()
    return tuple(dict.fromkeys(found))


def _named(client: KubeClient, secret: NamedSecret, scope: ClusterNames) -> OutsideClient:
    """The client behind a named Secret. It is not known which program reads it, so the strictest rules of path
    validation apply.
    """
    follows = Follows.NOTHING
    if (secret.namespace, secret.name) == (scope.namespace, scope.ca_certificate_secret):
        follows = Follows.ISSUING if secret.entry == "ca.crt" else Follows.NOTHING if secret.entry else Follows.TRUSTED
    remedy = "Put the CA's certificate into it beside those that are there, and have its readers read it again."
    try:
        stored = client.get(SECRETS, secret.namespace, secret.name)
    except NotFound:
        stored = None
    except Forbidden as error:
        return OutsideClient(
            secret.label, None, str(error).rstrip("."), Verifier.OPENSSL, remedy=error.remedy, declared=True
        )
    wanted = (secret.entry,) if secret.entry else tuple(entries(stored))
    trusts, doubt = _certificates(stored, wanted, secret.label)
    return OutsideClient(secret.label, trusts, doubt, Verifier.OPENSSL, follows, remedy, declared=True)


def _certificates(
    secret: Mapping[str, Any] | None, wanted: Sequence[str], label: str
) -> tuple[tuple[Certificate, ...] | None, str]:
    """The certificates in these entries, or None and the reason."""
    if secret is None:
        return None, f"{label} does not exist"
    content = entries(secret)
    found: list[Certificate] = []
    for entry in wanted:
        if not mentions_certificates(content.get(entry, b"")):
            continue
        try:
            found += parse_certificates(content[entry])
        except CertificateError as error:
            return None, f"entry {entry} of {label} cannot be read: {error}"
    if not found:
        return None, f"{label} holds no certificate in PEM form"
    return tuple(dict.fromkeys(found)), ""
