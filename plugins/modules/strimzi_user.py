#!/usr/bin/python
# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: strimzi_user
short_description: Change who issues the certificates of a Strimzi user, without its Secret going away
version_added: 1.0.0
description:
  - Every call gives O(cluster) and O(namespace), which name the C(Kafka) resource, the O(user), and its new
    O(authentication).
  - Moves a C(KafkaUser) from the authentication C(tls), with certificates that the User Operator issues, to
    C(tls-external), with certificates that another issuer issues, such as cert-manager; or back. Name, rights and
    quotas stay as they are.
  - The User Operator deletes the Secret of a user whose authentication changes, and pods that mount it could not start
    any more. So the module first pauses the user and takes the labels and the owner off its Secret, and only then
    changes the authentication. The Secret stays, with its certificate, until you delete it; programs move to the other
    Secret one by one.
  - On the way back the User Operator issues a certificate into the Secret of the user's name. The task ends when it is
    there.
  - A task that was interrupted continues when you run it again. If Git or Helm has the resource too, change it there
    as well.
options:
  user:
    description: Name of the KafkaUser.
    type: str
    required: true
  user_namespace:
    description: Its namespace. By default the namespace that the cluster's User Operator watches.
    type: str
  authentication:
    description:
      - V(tls-external) leaves the certificate to another issuer. If O(presenting_secrets) names Secrets, one of them
        has to contain a certificate with the subject C(CN=<user>) that brokers accept; without O(presenting_secrets)
        the task warns that no issuer may be at work.
      - V(tls) has the User Operator issue the certificate again. The task fails if the key of the clients CA is kept
        elsewhere, because the User Operator could not issue.
    type: str
    required: true
    choices: [tls, tls-external]
  operator_timeout:
    description: Seconds to wait for one reaction of the User Operator.
    type: int
    default: 300
extends_documentation_fragment:
  - trustops.strimzi.cluster.auth
  - trustops.strimzi.cluster
  - trustops.strimzi.flow.presenting
  - trustops.strimzi.attributes
seealso:
  - module: trustops.strimzi.strimzi_user_info
author:
  - The trustops.strimzi contributors (@trustops)
"""

EXAMPLES = r"""
- name: Leave the certificates of a user to cert-manager
  trustops.strimzi.strimzi_user:
    cluster: demo
    namespace: kafka
    user: partner
    authentication: tls-external
    presenting_secrets: ["partner-cm:tls.crt"]

- name: Give the certificates of the user back to the User Operator
  trustops.strimzi.strimzi_user:
    cluster: demo
    namespace: kafka
    user: partner
    authentication: tls
"""

RETURN = r"""
user:
  description: The user as it is after the task; in check mode as it would be. C(secret) is the Secret of the User
    Operator.
  returned: always
  type: dict
  sample: {name: partner, namespace: kafka, authentication: tls-external, secret: partner}
actions:
  description:
    - Every write and restart of this call, in order; in check mode the first steps that it would take; C(plan) has all.
    - C(object) names the object for people; C(kind), C(namespace) and C(name) are its parts, and null for an issuer and
      for several objects. C(reason) is the reason of a restart and C(component) the component that runs in the pod,
      both null elsewhere. C(round) is the number of the round of this call in which a Kafka node restarted, and null
      if nodes do not restart in rounds. C(of_ledger) says whether the object has the ledger.
  returned: always
  type: list
  elements: dict
  sample:
    - verb: update
      object: Secret kafka/demo-cluster-ca-cert
      kind: Secret
      namespace: kafka
      name: demo-cluster-ca-cert
      what: "trust CN=cluster-ca v1,O=io.strimzi"
      phase: prepare
      seconds: null
      away: null
      round: null
      reason: null
      component: null
      of_ledger: false
began_at:
  description: When this call began.
  returned: always
  type: str
  sample: "2026-01-01T00:00:00Z"
seconds:
  description: How long this call worked and waited.
  returned: always
  type: float
  sample: 12.5
audit:
  description: The last entry of the audit trail after this call, as a proof of the entries before it; null if it
    added none.
  returned: always
  type: dict
  contains:
    object:
      description: The ConfigMap with the entries.
      type: str
      returned: always
      sample: ConfigMap kafka/demo-cluster-ca-audit
    entry: {description: Number of the last entry., type: int, returned: always, sample: 17}
    sha256:
      description: SHA-256 of its line.
      type: str
      returned: always
      sample: 7b5f6d0c9a1e4f8b2d3c5a697887a6b5c4d3e2f10f1e2d3c4b5a69788796a5b4
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.arguments import (
    TEXT,
    ArgumentSpec,
    Option,
    one_of,
    time_text,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.tables import (
    CLUSTER,
    PATIENCE,
    PRESENTING,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.trust_module import TrustModule
from ansible_collections.trustops.strimzi.plugins.module_utils._engine.looking import await_operator
from ansible_collections.trustops.strimzi.plugins.module_utils._engine.outcome import IN_A_FLOW, Patience
from ansible_collections.trustops.strimzi.plugins.module_utils._errors import StepError
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import SECRETS
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.user_authentication import (
    ChangeOfAuthentication,
    read_operated_kafka,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import Work
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.ca_secrets import (
    read_ca_secrets,
    read_secrets,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.ledger.layouts import read_ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import CaKind, ClusterNames
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.user_certificate import ClientsCa
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.users.readers import read_named
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.users.reading import user_namespaces
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.users.secrets import (
    read_clients_ca,
    read_user_secret,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.users.users import Authentication
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import NamedPlaces, UserNamespace
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import Ledger, TrustState


class UserModule(TrustModule):
    """A call that changes the issuer of a user's certificates."""

    def scope(self) -> ClusterNames:
        """The names for the clients CA, which issues to users: its Lease keeps flows on it away."""
        return super().scope().of(CaKind.CLIENTS)

    def change(self) -> dict[str, Any]:
        work, wanted = self.work(), self.value("authentication")
        change = self._change(work)
        before = change.read_user()
        if wanted is Authentication.TLS_EXTERNAL and before.authentication != wanted.value:
            self._require_a_certificate(change, self._accepted(change))
        after = Patience(work).through(lambda: change.carry_out(wanted), IN_A_FLOW)
        authentication = wanted.value if work.dry_run else after.authentication
        user = {"name": change.user, "namespace": change.namespace, "authentication": authentication}
        return {**self.done_so_far(), "user": {**user, "secret": change.secret}}

    def _change(self, work: Work) -> ChangeOfAuthentication:
        scope, client = work.scope, work.client
        kafka, obstacles = await_operator(
            lambda: read_operated_kafka(client, scope, work.clock.now(), work.clock.sleep), lambda seen: seen[1], work
        )
        for obstacle in obstacles:
            raise obstacle.as_error()
        space = self._space(kafka, scope, work.settings.surroundings.outside_clients.named_places())
        certificates, keys = (
            client.get_or_none(SECRETS, scope.namespace, name)
            for name in (scope.ca_certificate_secret, scope.ca_key_secret)
        )
        user, ca = str(self.params["user"]), read_ca_secrets(certificates, keys, scope.certificate_generation)
        return ChangeOfAuthentication(
            space.name, user, f"{space.secret_prefix}{user}", read_clients_ca(certificates), work,
            lambda: self.take_lease(client), ca.in_use_elsewhere,
        )  # fmt: skip

    def _space(self, kafka: Mapping[str, Any], scope: ClusterNames, places: NamedPlaces) -> UserNamespace:
        spaces = user_namespaces(kafka, scope, places)
        wanted = self.params["user_namespace"] or spaces[0].name
        return next((namespace for namespace in spaces if namespace.name == wanted), UserNamespace(wanted))

    def _accepted(self, change: ChangeOfAuthentication) -> ClientsCa:
        """The clients CA without CAs that brokers are still to trust, by the ledger."""
        work, clients_ca = change.work, change.clients_ca
        ledger = read_ledger(read_secrets(work.client, work.scope), work.scope) or Ledger()
        untrusted = {entry.fingerprint for entry in ledger.entries if entry.state is TrustState.UNTRUSTED}
        return replace(
            clients_ca, anchors=tuple(anchor for anchor in clients_ca.anchors if anchor.fingerprint not in untrusted)
        )

    def _require_a_certificate(self, change: ChangeOfAuthentication, accepted: ClientsCa) -> None:
        """The user needs a certificate of another issuer: from here on the certificate in its own Secret is not
        renewed. Raises StepError.
        """
        work, subject = change.work, f"CN={change.user}"
        secrets = work.settings.surroundings.outside_clients.named_places().presenting_secrets
        now = work.clock.now()
        named = [certificate.judged_by(accepted, now) for certificate in read_named(work.client, secrets)]
        for certificate in named:
            if not certificate.chain or (certificate.subject == subject and certificate.problem):
                raise StepError(
                    f"{certificate.label}:",
                    certificate.problem,
                    certificate.remedy
                    or f"Have a certificate with the subject {subject} issued into it by a CA that brokers trust.",
                )
        if any(certificate.subject == subject for certificate in named):
            return
        if named:
            raise StepError(
                "No Secret of presenting_secrets",
                f"contains a certificate with the subject {subject}",
                "Another subject is another user to Kafka. Have the certificate issued with the subject that the user "
                "has, without an organization.",
            )
        self._warn_of_the_end(change, subject)

    def _warn_of_the_end(self, change: ChangeOfAuthentication, subject: str) -> None:
        secret = change.read_user().secret
        kept = read_user_secret(secret, opening=False) if secret is not None else None
        end = (
            f" The certificate in Secret {change.namespace}/{change.secret} ends at {time_text(kept.not_after)}."
            if kept and kept.not_after
            else ""
        )
        self.module.warn(
            f"From here on only the issuer that you use issues certificates with the subject {subject}; "
            f"presenting_secrets names none.{end}"
        )


USER = ArgumentSpec(
    {
        "user": Option(TEXT, required=True),
        "user_namespace": Option(TEXT),
        "authentication": Option(one_of(Authentication), required=True),
        **PATIENCE.table,
    }
)


SPEC = CLUSTER + PRESENTING + USER


def main() -> None:
    module = UserModule(SPEC)
    module.execute(module.change)


if __name__ == "__main__":
    main()
