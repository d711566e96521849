#!/usr/bin/python
# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: strimzi_ee_cert
short_description: Issue end-entity certificates of a Strimzi cluster
version_added: 1.0.0
description:
  - Most calls give three options - O(cluster) and O(namespace) name the C(Kafka) resource, and O(state) says whether
    missing certificates are issued or certificates that come to their end are renewed. Every other option has a default
    that fits most clusters.
  - Issues the certificates of Kafka nodes, Cluster Operator, Entity Operator, Cruise Control and Kafka Exporter, in
    exactly the form in which the operator keeps them. It checks each certificate of an issuer before it writes it.
  - With O(secret) it issues a certificate for names of your own.
options:
  state:
    description:
      - V(issued) issues certificates of the cluster that are missing, and in a replacement of the CA certificates of
        the new CA. It does so behind the same gates as the whole flow; with a link certificate before the switch of the
        operator.
      - V(renewed) renews the nodes' certificates that come to their end, under the same CA; nodes reload them, or
        restart if they cannot.
      - V(tidied) removes Certificates of cert-manager that this collection has made for the cluster and that no leaf
        needs any more, with their Secrets, such as after a move to another issuer, and such a Secret whose Certificate
        is gone; C(actions) says which, and why. Give the same O(issuer) as to the playbooks. A Certificate of another
        issuer stays as long as its leaf is in use.
    type: str
    choices: [issued, renewed, tidied]
    default: issued
  components:
    description:
      - With O(state=issued), the components whose missing certificates are issued. All by default. With O(force), the
        components whose certificates are issued again.
    type: list
    elements: str
    choices: [kafka, entity-operator, cruise-control, kafka-exporter, cluster-operator, user]
  secrets:
    description:
      - With O(state=issued), the Secrets whose missing certificates are issued. All by default. With O(force), the
        Secrets whose certificates are issued again.
    type: list
    elements: str
  force:
    description:
      - With O(state=renewed), whether the certificates of O(components) and O(secrets) are issued again whenever they
        end, such as after a key may have leaked. Each run issues them once more, and renews certificates in their time
        for renewal as well.
      - Nodes reload them, or restart if they cannot; the pod of a component restarts. Raft clients and agents of a
        node present the certificate of their start until the node restarts.
      - If the issuer has not answered by the end of the task, run the same task again; a task without O(force) takes
        the request back.
    type: bool
    default: false
  validity_days:
    description:
      - Validity of new certificates in days; never longer than that of the CA. If it is not given, as long as
        C(spec.clusterCa.validityDays) of the Kafka resource says; 365 if that says nothing.
      - It has to be a week longer than C(spec.clusterCa.renewalDays), or the Cluster Operator would issue each
        certificate again as soon as it is there.
    type: int
  secret:
    description:
      - With O(state=issued), name of a Secret in the cluster's namespace for a certificate for names of your own,
        issued by the CA in use. It gets the entries C(<common_name>.crt), the certificate with its chain,
        C(<common_name>.key) and C(ca.crt), the trusted CAs.
      - The module issues the certificate again when it has other names, comes to its end, or is of a CA that is no
        longer in use; other entries stay.
    type: str
  common_name:
    description:
      - Common name of the certificate in O(secret). Its subject is C(CN=<common_name>,O=io.strimzi).
      - The names of Strimzi's own certificates are refused, because Kafka permits everything to their holders.
    type: str
  subject_alternative_names:
    description:
      - DNS names and IP addresses of the certificate in O(secret).
    type: list
    elements: str
  forms:
    description:
      - Further forms of the certificate in O(secret) with its key. The module makes them again with the certificate,
        and if one of them or the entries behind them have changed; it removes a form that the task does not name any
        more.
      - V(pkcs12) makes the keystore C(<common_name>.p12) and the truststore C(<common_name>.truststore.p12). V(jks)
        makes the same with the ending C(.jks), for programs that read no other form; an alias there is in lower case.
      - V(combined) makes C(<common_name>.pem) with the key, in PKCS#8 form, and then the certificate with its chain, as
        Kafka's own clients read it with C(ssl.keystore.type=PEM).
      - All of these stores have one password, in the entry C(<common_name>.password). It is made once and stays; a
        password that is already there is taken.
    type: list
    elements: str
    choices: [pkcs12, jks, combined]
extends_documentation_fragment:
  - trustops.strimzi.cluster.auth
  - trustops.strimzi.cluster
  - trustops.strimzi.cluster.ca
  - trustops.strimzi.flow
  - trustops.strimzi.flow.policy
  - trustops.strimzi.flow.presenting
  - trustops.strimzi.goal.renewal
  - trustops.strimzi.attributes
seealso:
  - module: trustops.strimzi.strimzi_ca
  - module: trustops.strimzi.strimzi_roll
  - module: trustops.strimzi.strimzi_ca_info
author:
  - The trustops.strimzi contributors (@trustops)
"""

EXAMPLES = r"""
- name: Issue certificates whose Secrets are missing
  trustops.strimzi.strimzi_ee_cert:
    cluster: demo
    namespace: kafka

- name: Issue the certificate of one node whose Secret is missing
  trustops.strimzi.strimzi_ee_cert:
    cluster: demo
    namespace: kafka
    secrets: [demo-kafka-0]

- name: Renew the nodes' certificates before the operator does
  trustops.strimzi.strimzi_ee_cert:
    cluster: demo
    namespace: kafka
    state: renewed
    renew_before_days: 60

- name: Issue the certificate of one node again, although it is good
  trustops.strimzi.strimzi_ee_cert:
    cluster: demo
    namespace: kafka
    state: renewed
    force: true
    secrets: [demo-kafka-0]

- name: Remove Certificates of leaves that cert-manager does not issue any more
  trustops.strimzi.strimzi_ee_cert:
    cluster: demo
    namespace: kafka
    state: tidied

- name: Issue a certificate for a tool that connects to the brokers
  trustops.strimzi.strimzi_ee_cert:
    cluster: demo
    namespace: kafka
    secret: tools-tls
    common_name: tools
    subject_alternative_names: [tools.kafka.svc]

- name: Write this certificate as a keystore and a truststore for a program in Java too
  trustops.strimzi.strimzi_ee_cert:
    cluster: demo
    namespace: kafka
    secret: tools-tls
    common_name: tools
    forms: [pkcs12]
"""

RETURN = r"""
certificate:
  description: The certificate for names of your own, with O(secret).
  returned: with O(secret)
  type: dict
  sample:
    secret: kafka/tools-tls
    subject: "CN=tools,O=io.strimzi"
    sha256: 6c1f0e
    not_after: "2027-01-01T00:00:00Z"
    why: it is not there yet
done:
  description: Whether the flow has nothing left to do, up to the last phase that is allowed; a task may ask for less
    than that.
  returned: always
  type: bool
  sample: true
pending:
  description: The steps and waits that are left, as sentences.
  returned: always
  type: list
  elements: str
  sample: []
waiting:
  description: Sentences about events that the flow waits for, and about old CAs and certificates that pods keep in use,
    with their end.
  returned: always
  type: list
  elements: str
  sample: []
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
cluster: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:cluster).', returned: always, type: dict}
cas: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:cas).', returned: always, type: list, elements: dict}
removed: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:removed).', returned: always, type: list,
  elements: dict}
former_leaves: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:former_leaves).', returned: always,
  type: list, elements: dict}
pods: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:pods).', returned: always, type: list,
  elements: dict}
presenters: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:presenters).', returned: always, type: dict}
outside: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:outside).', returned: always, type: list,
  elements: dict}
waivers: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:waivers).', returned: always, type: list,
  elements: dict}
unmanaged: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:unmanaged).', returned: always, type: list,
  elements: str}
leaves: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:leaves).', returned: always, type: list,
  elements: dict}
leaf_states: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:leaf_states).', returned: always, type: list,
  elements: dict}
leaf_requests: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:leaf_requests).', returned: always,
  type: list, elements: dict}
renewals: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:renewals).', returned: always, type: list,
  elements: dict}
upkeep: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:upkeep).', returned: always, type: dict}
expiring: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:expiring).', returned: always, type: list,
  elements: dict}
first_to_end: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:first_to_end).', returned: always,
  type: dict}
other_ca: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:other_ca).', returned: always, type: dict}
ca_source: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:ca_source).', returned: always, type: dict}
node_pools: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:node_pools).', returned: always, type: list,
  elements: dict}
ledger: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:ledger).', returned: always, type: dict}
journal: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:journal).', returned: always, type: dict}
backups: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:backups).', returned: always, type: list,
  elements: dict}
replaces: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:replaces).', returned: always, type: str}
client_warnings: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:client_warnings).', returned: always,
  type: list, elements: str}
transitions: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:transitions).', returned: always, type: list,
  elements: dict}
evidence: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:evidence).', returned: always, type: dict}
listeners: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:listeners).', returned: always, type: list,
  elements: dict}
violations: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:violations).', returned: always, type: list,
  elements: dict}
phase: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:phase).', returned: always, type: str}
plan: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:plan).', returned: 'in check mode of a flow,
  and always by strimzi_ca_info', type: list, elements: dict}
planned_phases: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:planned_phases).', returned: with RV(plan),
  type: list, elements: str}
planned_rolls: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:planned_rolls).', returned: with RV(plan),
  type: int}
planned_rounds: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:planned_rounds).', returned: with RV(plan),
  type: int}
planned_restarts: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:planned_restarts).',
  returned: with RV(plan), type: int}
planned_seconds: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:planned_seconds).',
  returned: with RV(plan), type: dict}
planned_lives: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:planned_lives).', returned: with RV(plan),
  type: list, elements: dict}
planned_from: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:planned_from).', returned: with RV(plan),
  type: dict}
choices: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:choices).', returned: with RV(plan), type: list,
  elements: str}
restart_count: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:restart_count).', returned: always,
  type: dict}
"""

from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.arguments import (
    FLAG,
    SET_OF_TEXTS,
    TEXT,
    ArgumentSpec,
    Field,
    OnlyWith,
    Option,
    some_of,
    word_of,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.flow_module import FlowModule
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.flow_options import FLOW
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.options import (
    ALTERNATIVE_NAMES,
    COMMON_NAME,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.results import describe_own
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.tables import (
    CA,
    CLUSTER,
    RENEWAL,
    VALIDITY,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._engine.looking import observe_cluster, observe_existing
from ansible_collections.trustops.strimzi.plugins.module_utils._engine.outcome import (
    AT_FIRST,
    IN_A_FLOW,
    Patience,
    are_issued,
    are_replaced,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.caller_certificate import (
    Form,
    OwnCertificate,
    have_certificate,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.cert_manager.certificates import (
    find_left_over,
    remove,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.issuer_settings import CertManagerCertificates
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.settings import Settings
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Parameters, Selection
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.names import listed


class LeavesModule(FlowModule):
    """A call about leaves."""

    def wanted_leaves(self) -> Selection:
        return self.said(Selection)

    def renew(self) -> dict[str, Any]:
        """Renew the leaves in their time for renewal, or with ``force`` the named leaves, whenever they end."""
        chosen = self.wanted_leaves()
        if bool(chosen.secrets or chosen.components) is not self.params["force"]:
            self.fail(
                "force: name the certificates that are to be issued again in secrets or components, and give "
                "force=true with these alone."
            )
        if not self.params["force"]:
            return self.run(Goal.RENEW_LEAVES)
        if isinstance(self.said(Settings).issuer, CertManagerCertificates):
            self.fail(
                "force: cert-manager renews these certificates by itself. Run cmctl renew with the name of the "
                "Certificate; the reconcile playbook takes it up."
            )
        stored = observe_cluster(self.work()).snapshot.every_leaf
        leaves = [leaf for leaf in stored if leaf.chain and chosen.has(leaf.secret, leaf.component)]
        if missing := chosen.secrets - {leaf.secret for leaf in leaves}:
            self.fail(
                f"secrets: there is no certificate of this CA in {listed(sorted(missing))} in namespace "
                f"{self.params['namespace']}. Give names of leaves that strimzi_ca_info returns. A certificate that is "
                "missing or unreadable is issued with state=issued or by the Cluster Operator."
            )
        unwanted = frozenset(leaf.chain[0].sha256 for leaf in leaves if leaf.chain)
        return self.run(Goal.RENEW_LEAVES, required=are_replaced(unwanted), unwanted_leaves=unwanted)

    def own_certificate(self) -> dict[str, Any]:
        """A certificate for names of the caller's own."""
        work = self.work()
        seen = observe_existing(work)
        self.hide_secrets(seen)
        wanted = OwnCertificate(
            self.params["secret"], self.params["common_name"],
            self.value("subject_alternative_names") or frozenset(), self.said(Parameters).renew_before,
            self.value("forms") or frozenset(),
        )  # fmt: skip
        chain, why = Patience(work).through(lambda: have_certificate(wanted, observe_existing(work), work), IN_A_FLOW)
        return {**self.described(seen), "certificate": describe_own(wanted.secret, chain, why, seen.snapshot)}

    def tidy_certificates(self) -> dict[str, Any]:
        """Remove what cert-manager keeps for leaves that it does not issue any more."""
        work = self.work()
        patience = Patience(work)
        seen = patience.through(lambda: observe_existing(work), AT_FIRST)
        left = patience.through(lambda: find_left_over(seen, work), AT_FIRST)
        if left and not work.dry_run:
            patience.through(lambda: self.take_lease(work.client), AT_FIRST)
        patience.renew()
        patience.through(lambda: remove(left, work), IN_A_FLOW)
        return self.described(seen)


STATE = ArgumentSpec(
    {
        "state": Option(word_of("issued", "renewed", "tidied"), default="issued"),
        "components": Option(some_of(Component), Field(Selection, "components")),
        "secrets": Option(SET_OF_TEXTS, Field(Selection, "secrets"), no_log=False),
        "force": Option(FLAG, default=False),
        **VALIDITY.table,
        "secret": Option(TEXT, no_log=False),
        "common_name": Option(COMMON_NAME),
        "subject_alternative_names": Option(ALTERNATIVE_NAMES),
        "forms": Option(some_of(Form)),
    },
    required_together=(("secret", "common_name"),),
    mutually_exclusive=(("secret", "secrets"), ("secret", "components")),
    required_by={"subject_alternative_names": ("secret",), "forms": ("secret",)},
    only_with=(
        OnlyWith("secret", "state", ("issued",)),
        OnlyWith("force", "state", ("renewed",)),
        *(OnlyWith(option, "state", ("issued", "renewed")) for option in ("components", "secrets")),
    ),
)
SPEC = CLUSTER + CA + FLOW + RENEWAL + STATE


def body(module: LeavesModule) -> dict[str, Any]:
    if module.params["secret"]:
        return module.own_certificate()
    if module.params["state"] == "renewed":
        return module.renew()
    if module.params["state"] == "tidied":
        return module.tidy_certificates()
    missing = module.wanted_leaves()
    return module.run(Goal.RECONCILE, Phase.USE, are_issued(missing), missing_leaves=missing)


def main() -> None:
    module = LeavesModule(SPEC)
    module.execute(lambda: body(module))


if __name__ == "__main__":
    main()
