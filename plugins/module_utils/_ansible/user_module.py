# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""A module call that changes who issues the certificates of a user."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from .._engine.patience import IN_A_FLOW, Patience
from .._errors import StepError
from .._kube.resources import SECRETS
from .._strimzi.ca_secrets import read_ca_secrets
from .._strimzi.finding_secrets import read_secrets
from .._strimzi.ledger_layouts import read_ledger
from .._strimzi.named_certificates import read_named
from .._strimzi.names import CaKind, ClusterNames
from .._strimzi.user_authentication import Authentication
from .._strimzi.user_moving import ChangeOfAuthentication
from .._strimzi.user_secrets import ClientsCa, read_clients_ca, read_user_secret
from .._strimzi.users import operated_kafka, user_namespaces
from .._strimzi.work import Work
from .._trust.model.ledger import Ledger
from .._trust.model.named import Named, UserNamespace
from .._trust.model.states import TrustState
from .times import time_text
from .trust_module import TrustModule


class UserModule(TrustModule):
    """A call that changes the issuer of a user's certificates."""

    def scope(self) -> ClusterNames:
        """The names for the clients CA, which issues to users: its Lease keeps flows on it away."""
        return super().scope().of(CaKind.CLIENTS)

    def change(self) -> dict[str, Any]:
        work, wanted = self.work(), Authentication(self.params["authentication"])
        change = self._change(work)
        before = change.see()
        if wanted is Authentication.TLS_EXTERNAL and before.authentication != wanted.value:
            self._require_a_certificate(change, self._accepted(change))
        after = Patience(work).through(lambda: change.carry_out(wanted), IN_A_FLOW)
        authentication = wanted.value if work.dry_run else after.authentication
        user = {"name": change.user, "namespace": change.namespace, "authentication": authentication}
        return {**self.done_so_far(), "user": {**user, "secret": change.secret}}

    def _change(self, work: Work) -> ChangeOfAuthentication:
        scope, client = work.scope, work.client
        kafka = operated_kafka(client, scope)
        space = self._space(kafka, scope, work.settings.outside.named())
        certificates, keys = (
            client.get_or_none(SECRETS, scope.namespace, name)
            for name in (scope.ca_certificate_secret, scope.ca_key_secret)
        )
        user, ca = str(self.params["user"]), read_ca_secrets(certificates, keys, scope.certificate_generation)
        return ChangeOfAuthentication(
            space.name, user, f"{space.secret_prefix}{user}", read_clients_ca(certificates), work,
            lambda: self.take_lease(client), ca.in_use_elsewhere,
        )  # fmt: skip

    def _space(self, kafka: Mapping[str, Any], scope: ClusterNames, asked: Named) -> UserNamespace:
        known = user_namespaces(kafka, scope, asked)
        wanted = self.params["user_namespace"] or known[0].name
        return next((one for one in known if one.name == wanted), UserNamespace(wanted))

    def _accepted(self, change: ChangeOfAuthentication) -> ClientsCa:
        """The clients CA without those that brokers are still to trust, as far as the ledger tells."""
        work, found = change.work, change.clients_ca
        ledger = read_ledger(read_secrets(work.client, work.scope), work.scope) or Ledger()
        untrusted = {one.fingerprint for one in ledger.entries if one.state is TrustState.UNTRUSTED}
        return replace(found, anchors=tuple(one for one in found.anchors if one.fingerprint not in untrusted))

    def _require_a_certificate(self, change: ChangeOfAuthentication, accepted: ClientsCa) -> None:
        """The user needs a certificate of another issuer: from here on the one in its own Secret is not renewed. Raises StepError."""
        work, subject = change.work, f"CN={change.user}"
        named = read_named(work.client, work.settings.outside.named().presenting, accepted, work.clock.now())
        for one in named:
            if not one.certificate.sha256 or (one.certificate.subject == subject and one.certificate.problem):
                raise StepError(
                    f"{one.secret.label}:",
                    one.certificate.problem,
                    one.remedy
                    or f"Have a certificate with the subject {subject} issued into it by a CA that brokers trust.",
                )
        if any(one.certificate.subject == subject for one in named):
            return
        if named:
            raise StepError(
                "No Secret of presenting_secrets",
                f"holds a certificate with the subject {subject}",
                "Another subject is another user to Kafka. Have the certificate issued with this one, without an organization.",
            )
        self._warn_of_the_end(change, subject)

    def _warn_of_the_end(self, change: ChangeOfAuthentication, subject: str) -> None:
        secret = change.see().secret
        kept = read_user_secret(secret, change.clients_ca, change.work.clock.now()) if secret is not None else None
        end = (
            f" The one in Secret {change.namespace}/{change.secret} ends at {time_text(kept.not_after)}."
            if kept and kept.not_after
            else ""
        )
        self.module.warn(
            f"From here on only the issuer that you use issues certificates with the subject {subject}; presenting_secrets names none.{end}"
        )
