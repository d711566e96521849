#!/usr/bin/python
# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: strimzi_ca_info
short_description: Show the CAs of a Strimzi cluster, and which pods use and trust them
version_added: 1.0.0
description:
  - Most calls give O(cluster) and O(namespace), which name the C(Kafka) resource. For the plan of a certain flow give
    O(goal), and the options of that flow.
  - Reads everything about a cluster's CAs - states, usage, expiry, the CAs that every pod presents and trusts, the next
    steps of a flow and what would stop it; also of a cluster that was never adopted.
  - Changes nothing, and does not fail on violations.
options:
  expiring_within_days:
    description:
      - Show in RV(expiring) also CAs and certificates that end within so many days. It shows CAs and certificates in
        their time for renewal in any case.
    type: int
    default: 0
  plan_hash:
    description:
      - The RV(plan_hash) of a plan that was approved. The call fails if the cluster has another plan, and says which
        part of it changed. It does not fail if a flow of the same goal, which began with the same CA, is in flight,
        or if nothing is left to do.
    type: str
  audit_entries:
    description:
      - Return RV(audit_entries), the audit trail of the CA. That needs the permission to get the ConfigMap
        C(<cluster>-<ca>-ca-audit).
    type: bool
    default: false
extends_documentation_fragment:
  - trustops.strimzi.cluster.auth
  - trustops.strimzi.cluster
  - trustops.strimzi.cluster.ca
  - trustops.strimzi.flow
  - trustops.strimzi.flow.policy
  - trustops.strimzi.flow.presenting
  - trustops.strimzi.goal.replaced
  - trustops.strimzi.goal.adopted
  - trustops.strimzi.goal.handed_back
  - trustops.strimzi.goal.renewal
  - trustops.strimzi.goal
  - trustops.strimzi.goal.upkeep
  - trustops.strimzi.goal.authority
  - trustops.strimzi.attributes
seealso:
  - module: trustops.strimzi.strimzi_ca
  - module: trustops.strimzi.strimzi_trusted_certs
author:
  - The trustops.strimzi contributors (@trustops)
"""

EXAMPLES = r"""
- name: Read the state of the CAs
  trustops.strimzi.strimzi_ca_info:
    cluster: demo
    namespace: kafka
  register: trust

- name: Plan a replacement of the CA's key
  trustops.strimzi.strimzi_ca_info:
    cluster: demo
    namespace: kafka
    goal: replace_key
"""

RETURN = r"""
cluster:
  description: The Kafka resource as seen. C(uid) is null if it does not exist. C(security) says in words what
    follows if its processes do not verify each other on both sides (C(status.clusterSecurity)), and is empty if
    they do.
  returned: always
  type: dict
  sample:
    name: demo
    namespace: kafka
    uid: 5e1c7a90-4f7d-4c36-9a55-0f0c3c1d9b42
    exists: true
    generated: false
    paused: false
    ready: true
    security: ""
cas:
  description: The CAs of the ledger; of a cluster that was never adopted, the CAs of its CA Secrets, with no state.
  returned: always
  type: list
  elements: dict
  contains:
    subject:
      description: "Distinguished name (RFC 4514)."
      type: str
      returned: always
      sample: "CN=cluster-ca v1,O=io.strimzi"
    sha256: {description: SHA-256 fingerprint., type: str, returned: always, sample: "6c1f0e"}
    fingerprint:
      description: "SHA-1 fingerprint, the name of the CA in the ledger."
      type: str
      returned: always
      sample: "9b2c41"
    serial: {description: Serial number in hexadecimal., type: str, returned: always, sample: "4f"}
    state: {description: State in the trust state machine., type: str, returned: always, sample: TRUSTED_IN_USE_ALL}
    meaning:
      description: The state in words; empty without a state.
      type: str
      returned: always
      sample: trusted and used by all
    usage:
      description: "Whether none, some or all of the processes present a certificate of it."
      type: str
      returned: always
      sample: ALL
    current: {description: Whether it is the operator's CA., type: bool, returned: always, sample: true}
    not_before: {description: Start of validity., type: str, returned: always, sample: "2026-01-01T00:00:00Z"}
    not_after: {description: End of validity., type: str, returned: always, sample: "2027-01-01T00:00:00Z"}
    path_length: {description: Path length constraint., type: int, returned: always, sample: 1}
    led_on_since:
      description:
        - Clients that have read this CA since this time accept the next CA behind a link certificate, whatever their
          library. Null while it, or a certificate of it that clients may still read, has path length 0, and if no
          record says when it was published.
      type: str
      returned: always
      sample: "2026-01-01T00:00:00Z"
    generations:
      description: Certificate generations that mean this CA.
      type: list
      elements: int
      returned: always
      sample: [1]
    trusted_by_count: {description: Number of pods known to trust it., type: int, returned: always, sample: 6}
    pods_awaiting:
      description: Pods that have to restart before they trust it.
      type: list
      elements: str
      returned: always
      sample: []
    used_by:
      description: Pods that present a certificate of it.
      type: list
      elements: str
      returned: always
      sample: [demo-kafka-0]
    used_by_count:
      description: How many pods present a certificate of it; of the clients CA, how many users and programs that read
        their Secrets.
      type: int
      returned: always
      sample: 3
removed:
  description:
    - CAs that left the ledger and that some pods (C(pods)) still trust until they restart.
    - The listeners of the pods in C(lingering) have reloaded and refuse such a CA; their Raft clients and agents
      know it until they restart.
  returned: always
  type: list
  elements: dict
  contains:
    subject: {description: Its name., type: str, returned: always, sample: "CN=cluster-ca v0,O=io.strimzi"}
    sha256: {description: Its SHA-256., type: str, returned: always, sample: "6c1f0e9a2b3c"}
    fingerprint:
      description: "Its SHA-1, by which the ledger names it."
      type: str
      returned: always
      sample: "9a2b3c6c1f0e"
    not_before: {description: When it began., type: str, returned: always, sample: "2026-01-01T00:00:00Z"}
    not_after: {description: When it ends., type: str, returned: always, sample: "2027-01-01T00:00:00Z"}
    pods:
      description: "Pods whose listeners may still trust it."
      type: list
      elements: str
      returned: always
      sample: [demo-kafka-0]
    lingering:
      description: Pods whose listeners have reloaded, and whose Raft clients and agents know it until the pods restart.
      type: list
      elements: str
      returned: always
      sample: [demo-kafka-1]
former_leaves:
  description:
    - Certificates of nodes that their Secrets do not contain any more and that processes still present.
    - The listeners of the pods in C(lingering) present the stored certificate; their Raft clients and agents present
      this certificate until they restart, and a run restarts them seven days before it ends. The listeners of C(pods)
      have yet to read the stored certificate.
  returned: always
  type: list
  elements: dict
  contains:
    subject: {description: Its name., type: str, returned: always, sample: "CN=demo-kafka,O=io.strimzi"}
    sha256: {description: Its SHA-256., type: str, returned: always, sample: "6c1f0e9a2b3c"}
    fingerprint:
      description: "Its SHA-1, by which the ledger names it."
      type: str
      returned: always
      sample: "9a2b3c6c1f0e"
    not_before: {description: When it began., type: str, returned: always, sample: "2026-01-01T00:00:00Z"}
    not_after: {description: When it ends., type: str, returned: always, sample: "2027-01-01T00:00:00Z"}
    pods:
      description: "Pods that have yet to read the stored certificate."
      type: list
      elements: str
      returned: always
      sample: [demo-kafka-0]
    lingering:
      description: Pods whose listeners have reloaded, and whose Raft clients and agents know it until the pods restart.
      type: list
      elements: str
      returned: always
      sample: [demo-kafka-1]
pods:
  description: The pods of the cluster, and the CAs of the certificates that each presents and trusts.
  returned: always
  type: list
  elements: dict
  contains:
    name: {description: Its name., type: str, returned: always, sample: demo-kafka-0}
    uid: {description: Its UID., type: str, returned: always, sample: 0b0e5f0a-5a1c-4f57-9a3c-000000000001}
    component: {description: The component that runs in it., type: str, returned: always, sample: kafka}
    ready: {description: Whether it is ready., type: bool, returned: always, sample: true}
    generation:
      description: The generation of the CA that it carries; null if it carries none.
      type: int
      returned: always
      sample: 1
    presents:
      description: The CAs of the certificates that it presents.
      type: list
      elements: str
      returned: always
      sample: ["cluster-ca v1 (6c1f0e9a2b3c)"]
    presents_sha256:
      description: The SHA-256 of each of these CAs.
      type: list
      elements: str
      returned: always
      sample: ["6c1f0e9a2b3c"]
    evidence: {description: The evidence for this., type: str, returned: always, sample: generation}
    trusts:
      description: The CAs that it trusts.
      type: list
      elements: str
      returned: always
      sample: ["cluster-ca v1 (6c1f0e9a2b3c)"]
    trusts_sha256:
      description: The SHA-256 of each of these CAs.
      type: list
      elements: str
      returned: always
      sample: ["6c1f0e9a2b3c"]
presenters:
  description:
    - The parties that present certificates of the clients CA outside the cluster - users, and the programs that read
      their Secrets. C(others) are parties that present other certificates than of the CA in use, or may; a waiver names
      C(name).
  returned: always
  type: dict
  contains:
    count: {description: How many there are., type: int, returned: always, sample: 12}
    others:
      description: Parties that are not done.
      type: list
      elements: dict
      returned: always
      sample:
        - name: Pod kafka/billing
          presents: ["clients-ca v0 (6c1f0e9a2b3c)"]
          presents_sha256: ["6c1f0e9a2b3c"]
          evidence: it has not read the certificate of user payments since that was issued
          awaits_certificate: false
          waiver: null
outside:
  description: Clients outside the cluster that have a copy of its CAs, as far as the collection sees them.
  returned: always
  type: list
  elements: dict
  contains:
    client:
      description: "Kind, namespace and name, as a waiver names it."
      type: str
      returned: always
      sample: KafkaConnect kafka/connect
    trusts:
      description: CAs of the cluster in its copy.
      type: list
      elements: str
      returned: always
      sample: ["cluster-ca v1 (6c1f0e9a2b3c)"]
    trusts_sha256:
      description: The SHA-256 of each of these CAs.
      type: list
      elements: str
      returned: always
      sample: ["6c1f0e9a2b3c"]
    doubt:
      description: Why the trust of its processes is unknown; empty if it is known.
      type: str
      returned: always
      sample: ""
    waiver:
      description: The waiver that lets it pass.
      type: dict
      returned: always
      sample: {until: "2026-12-24T18:00:00Z", reason: moves in week 51}
waivers:
  description: The waivers of this call that count - of outside clients, parties that present certificates, a CA, a
    rebalance or the clock.
  returned: always
  type: list
  elements: dict
  sample: [{client: "KafkaConnect kafka/connect", until: "2026-12-24T18:00:00Z", reason: moves in week 51}]
unmanaged:
  description:
    - Listeners with the authentication C(custom) that ask for certificates, of which the collection cannot see whether
      they verify by the clients CA. Each is a sentence that says what its owner has to do. No flow waits for them; a
      run warns of them.
  returned: always
  type: list
  elements: str
  sample: []
leaves:
  description:
    - The end-entity certificates in their Secrets. C(issuer) is the name that a certificate gives, and C(ca) the CA of
      this cluster that has signed it, with the start of its SHA-256; it is empty if no CA of this cluster has signed
      it, and C(ca_sha256) is null then.
    - C(misnamed) says which other names the operator wants for a leaf that it cannot issue, because the key of its CA
      is elsewhere; else it is empty.
  returned: always
  type: list
  elements: dict
  sample:
    - secret: demo-kafka-0
      component: kafka
      subject: "CN=demo-kafka,O=io.strimzi"
      issuer: "CN=cluster-ca v1,O=io.strimzi"
      ca: "CN=cluster-ca v1,O=io.strimzi (6c1f0e9a2b3c)"
      ca_sha256: "6c1f0e9a2b3c"
      sha256: "6c1f0e9a2b3c"
      not_after: "2027-01-01T00:00:00Z"
      generation: 1
      misnamed: ""
leaf_states:
  description: The state of the certificate of each component.
  returned: always
  type: list
  elements: dict
  contains:
    secret: {description: The Secret that the certificate is for., type: str, returned: always, sample: demo-kafka-0}
    state:
      description: >-
        V(REQUIRED) if a certificate is missing or due and no request is open, or the issuer has refused;
        V(REQUESTED); V(TRUST_PENDING) if it has come and waits until it is used; V(IN_USE); V(NOT_NEEDED) if no
        process needs it any more.
      type: str
      returned: always
      sample: IN_USE
    meaning: {description: The state in words., type: str, returned: always, sample: in use}
    reason:
      description: >-
        Why another leaf is due. V(missing), V(unreadable), V(key) for a private key that is not its own, V(authority)
        for another CA, V(specification) for other names or usages, V(renewed) if its issuer has a later leaf,
        V(asked) if the caller wants another, V(expiring), V(path) if a CA above it ends first; empty if no
        other leaf is due.
      type: str
      returned: always
      sample: ""
    why: {description: The reason as a sentence., type: str, returned: always, sample: ""}
leaf_requests:
  description: Requests to an issuer for certificates, because the key of their CA is kept elsewhere.
  returned: always
  type: list
  elements: dict
  contains:
    secret: {description: The Secret that the certificate is for., type: str, returned: always, sample: demo-kafka-0}
    state:
      description: As in RV(leaf_states).
      type: str
      returned: always
      sample: REQUESTED
    issuer:
      description: The issuer; empty if the certificate has come.
      type: str
      returned: always
      sample: cert-manager ClusterIssuer corporate
    asked_at: {description: When the run made the request., type: str, returned: always, sample: "2026-01-01T00:00:00Z"}
    waiting:
      description: "The event that the issuer waits for, in its words."
      type: str
      returned: always
      sample: ""
    outdated: {description: Why the leaf needs another request by now., type: str, returned: always, sample: ""}
    failure: {description: Why the issuer or a check refused it the last time., type: str, returned: always, sample: ""}
    next_try: {description: From when on a run repeats the request., type: str, returned: always, sample: null}
renewals:
  description: The certificate that an issuer keeps for each leaf that it renews by itself; empty with any other issuer.
  returned: always
  type: list
  elements: dict
  contains:
    secret: {description: The Secret of the leaf., type: str, returned: always, sample: demo-kafka-0}
    sha256:
      description: SHA-256 of the certificate that the issuer has now.
      type: str
      returned: always
      sample: "6c1f0e"
    not_after: {description: Its end., type: str, returned: always, sample: "2027-01-01T00:00:00Z"}
    in_use: {description: Whether the Secret of the leaf contains it., type: bool, returned: always, sample: true}
    usable: {description: Whether it has passed every check., type: bool, returned: always, sample: true}
    problem:
      description: "Why no run uses it, or the issuer does not renew it, with the remedy."
      type: str
      returned: always
      sample: ""
    differs:
      description: "How the issuer's object differs from the leaf; the next reconcile corrects it."
      type: str
      returned: always
      sample: ""
upkeep:
  description:
    - The record in the ledger about the renewal of the CA in use - what calls do in its time for renewal (C(policy)),
      how many days before its end this time begins (C(days)), when that is (C(due_from)), and since when calls give
      O(trustops.strimzi.strimzi_trusted_certs#module:ca_renewal) (C(since)).
    - Null if no call has given that option.
  returned: always
  type: dict
  sample: {policy: renew-certificate, days: 37, since: "2026-01-01T00:00:00Z", due_from: "2026-11-25T00:00:00Z"}
expiring:
  description:
    - The CA in use, the CAs above it, and certificates of it that are in their time for renewal. A warning names the
      certificates that nothing renews.
    - The other CA of the cluster is among them if nothing renews it.
  returned: always
  type: list
  elements: dict
  contains:
    name:
      description: The name of the CA or certificate.
      type: str
      returned: always
      sample: "The CA CN=cluster-ca v1,O=io.strimzi (6c1f0e9a2b3c)"
    is_ca: {description: Whether it is a CA., type: bool, returned: always, sample: true}
    sha256: {description: Its SHA-256., type: str, returned: always, sample: "6c1f0e9a2b3c"}
    not_after: {description: When it ends., type: str, returned: always, sample: "2027-01-01T00:00:00Z"}
    days_left: {description: How many days it has left., type: int, returned: always, sample: 29}
    renewed_by:
      description: The program that is going to renew it; empty without any.
      type: str
      returned: always
      sample: the reconcile playbook
    remedy:
      description: How to have it renewed; empty if renewed_by is given.
      type: str
      returned: always
      sample: ""
    refusal:
      description: The programs that refuse it or its certificates because it has ended; empty before its end.
      type: str
      returned: always
      sample: ""
first_to_end:
  description:
    - The first to end of each kind, as in RV(expiring) or null - C(ca), the CA in use or a CA above it, C(certificate),
      a certificate of a node, of a component or of the operator, C(user), a certificate of a user that this collection
      issues, C(other_ca), the other CA of the cluster.
  returned: always
  type: dict
  sample:
    ca:
      name: "The CA CN=cluster-ca v1,O=io.strimzi (6c1f0e9a2b3c)"
      days_left: 364
      renewed_by: "the reconcile playbook, from 2026-11-25 on"
other_ca:
  description: The other CA of the cluster - for the cluster CA the clients CA; null if its Secrets contain none.
  returned: always
  type: dict
  sample:
    name: clients CA
    subject: "CN=clients-ca v0,O=io.strimzi"
    sha256: "9b2c41"
    generated: true
    state: null
    flow: null
ca_source:
  description: The CAs in C(ca_source), and the flow that C(reconcile) would begin; null without C(ca_source).
  returned: always
  type: dict
  contains:
    object:
      description: The object and its entry.
      type: str
      returned: always
      sample: "ConfigMap kafka/corporate-roots, entry ca.crt"
    problem:
      description: Why the run cannot use the object; empty if it can.
      type: str
      returned: always
      sample: ""
    cas:
      description: Its CAs; C(current) says which CA is in use, C(known) which CAs are in the ledger.
      type: list
      elements: dict
      returned: always
      sample:
        - subject: CN=Corporate Root
          sha256: "6c1f0e"
          not_before: "2026-01-01T00:00:00Z"
          not_after: "2036-01-01T00:00:00Z"
          current: true
          known: true
    changed_at:
      description: When the object was written last.
      type: str
      returned: if the API server says so
      sample: "2026-01-01T00:00:00Z"
    signing:
      description: SHA-256 of the CA that is to issue certificates; null while a flow is in flight, or if it is
        unknown.
      type: str
      returned: always
      sample: "6c1f0e"
    begins:
      description: V(renew) or V(replace_key) if that CA is not in use yet, and C(reconcile) begins this flow; null
        if it begins none.
      type: str
      returned: always
      sample: null
    to_be_confirmed:
      description: SHA-256 of the CAs that wait for a confirmation in C(confirm_roots).
      type: list
      elements: str
      returned: always
      sample: []
node_pools:
  description: The node pools, if the key of the CA is elsewhere or the call scales a pool, and how far each can grow
    without the issuer.
  returned: always
  type: list
  elements: dict
  contains:
    name: {description: The KafkaNodePool., type: str, returned: always, sample: brokers}
    replicas: {description: How many nodes its resource asks for., type: int, returned: always, sample: 3}
    at_hand:
      description: Numbers of its next nodes whose certificates have come.
      type: list
      elements: int
      returned: always
      sample: [3]
    awaited:
      description: Numbers of its next nodes whose certificates are still to come.
      type: list
      elements: int
      returned: always
      sample: []
    leaving:
      description: Numbers of the nodes that the operator removes.
      type: list
      elements: int
      returned: always
      sample: []
    when_added:
      description: Which names of certificates of new nodes are unknown yet, and what follows, as a sentence; empty
        if all are known.
      type: str
      returned: always
      sample: ""
    when_removed:
      description: What becomes of certificates when it has removed them, as sentences; empty if it has none to
        remove.
      type: str
      returned: always
      sample: ""
ledger:
  description: The Secrets with the states of the CAs; null without a ledger.
  returned: always
  type: dict
  contains:
    layout:
      description: "V(single), V(split) or V(keyed), as M(trustops.strimzi.strimzi_trusted_certs) has it."
      type: str
      returned: always
      sample: single
    object: {description: Its Secrets., type: str, returned: always, sample: Secret kafka/demo-cluster-ca-trusted-certs}
    complete:
      description: Whether no Secret of another layout is left over; the next flow removes it.
      type: bool
      returned: always
      sample: true
journal:
  description:
    - The flow in flight, or the last flow that finished. C(trusting_secrets), C(presenting_secrets) and
      C(user_namespaces) are the Secrets and namespaces that it remembers, empty once it has finished. C(stop) is the
      phase after which it stops until a call continues it, and since when; null if it goes on to its end.
      C(to_replace) says of a renewal whether the flow replaces the key after it, and C(is_upkeep) whether the flow
      began because the replaced CA was in its time for renewal.
  returned: always
  type: dict
  sample:

    goal: replace_key
    is_abort: false
    replaces: "9b2c41"
    successor: "77aa01"
    started_at: "2026-01-01T00:00:00Z"
    finished_at: null
    retire: now
    stop: {after: prepare, asked_at: "2026-01-01T00:00:00Z"}
    to_replace: false
    is_upkeep: false
    trusting_secrets: [kafka/app]
    presenting_secrets: ["apps/partner-tls:tls.crt"]
    user_namespaces: [{namespace: team, secret_prefix: ""}]
backups:
  description: The backups of the CA Secrets and the ledger, the newest first; a backup that was edited is missing.
  returned: always
  type: list
  elements: dict
  contains:
    object:
      description: The Secret of the backup.
      type: str
      returned: always
      sample: Secret kafka/demo-cluster-ca-backup-1
    kept_at: {description: When it was made., type: str, returned: always, sample: "2026-01-01T00:00:00Z"}
    subject:
      description: The CA that was in use.
      type: str
      returned: always
      sample: "CN=cluster-ca v1,O=io.strimzi"
    sha256: {description: SHA-256 of that CA., type: str, returned: always, sample: "6c1f0e"}
    generation: {description: The generation of its certificate., type: int, returned: always, sample: 1}
replaces:
  description: The CA that this flow is about. Give it as C(replaces) to M(trustops.strimzi.strimzi_ca), so that the
    same task does nothing once the CA is gone.
  returned: always
  type: str
  sample: "9b2c41"
client_warnings:
  description:
    - Warnings about clients outside the cluster that are going to refuse nodes, as sentences. If the flow in flight
      has renewed a CA with path length 0 before it replaces its key, a warning says since when clients that have read
      it are safe, whatever their library. Each is a warning of the call as well.
  returned: always
  type: list
  elements: str
  sample: []
transitions:
  description: Edges of the state machine taken in this call.
  returned: always
  type: list
  elements: dict
  sample:
    - subject: "CN=cluster-ca v1,O=io.strimzi"
      fingerprint: "9a2b3c6c1f0e"
      before: UNTRUSTED
      after: TRUSTED_UNUSED
      usage: NONE
      evidence: generation
evidence:
  description: The evidence of the last decision, V(handshake) or V(annotations), why it was not V(handshake), and when
    this call made handshakes last.
  returned: always
  type: dict
  sample: {source: handshake, why: "", seen_at: "2026-01-01T00:00:00Z"}
listeners:
  description: The last answer of each TLS listener of each node to this call; empty if it made no handshakes.
  returned: always
  type: list
  elements: dict
  contains:
    pod: {description: Name of the pod., type: str, returned: always, sample: demo-kafka-0}
    uid:
      description: UID of the pod; a later pod can have the same name.
      type: str
      returned: always
      sample: 0f8a2c1e-7d1b-4c55-9a57-6a1d0c3b2e11
    port: {description: Port of the listener., type: int, returned: always, sample: 9091}
    verifies:
      description: "Whether it verifies clients by the CAs of the ledger; others trust and refuse none."
      type: bool
      returned: always
      sample: true
    presents:
      description: The chain as sent.
      type: list
      elements: str
      returned: always
      sample: ["CN=demo-kafka (6c1f0e9a2b3c)"]
    issuers:
      description: CAs that issued its certificates.
      type: list
      elements: str
      returned: always
      sample: ["cluster-ca v1 (6c1f0e9a2b3c)"]
    issuers_sha256:
      description: The SHA-256 of each of these CAs.
      type: list
      elements: str
      returned: always
      sample: ["6c1f0e9a2b3c"]
    trusts:
      description: "CAs of which it accepts certificates."
      type: list
      elements: str
      returned: always
      sample: ["cluster-ca v1 (6c1f0e9a2b3c)"]
    trusts_sha256:
      description: The SHA-256 of each of these CAs.
      type: list
      elements: str
      returned: always
      sample: ["6c1f0e9a2b3c"]
    refuses:
      description: "CAs of which it refuses certificates."
      type: list
      elements: str
      returned: always
      sample: ["cluster-ca v0 (9b2c41aa0d11)"]
    refuses_sha256:
      description: The SHA-256 of each of these CAs.
      type: list
      elements: str
      returned: always
      sample: ["9b2c41aa0d11"]
    why:
      description: Sentences about missing evidence and its cause.
      type: list
      elements: str
      returned: always
      sample: []
violations:
  description: The conditions that stop the flow; in check mode also the conditions that would stop it after the steps
    that the call can take.
  returned: always
  type: list
  elements: dict
  contains:
    gate: {description: The condition that is not met., type: str, returned: always, sample: trust}
    subject: {description: The object., type: str, returned: always, sample: pod demo-kafka-0}
    message:
      description: The cause.
      type: str
      returned: always
      sample: "cannot validate certificates of the CA CN=cluster-ca v1."
    remedy: {description: What to do., type: str, returned: always, sample: It has to restart.}
    command:
      description: The command of the remedy, which names the object; empty if the remedy has none.
      type: str
      returned: always
      sample: ""
phase:
  description: The phase of the next step; null when there is none.
  returned: always
  type: str
  sample: trust
plan:
  description: Every step from here to the end. If only clients or users would stop the flow, a step says so before
    the others.
  returned: in check mode of a flow, and always by strimzi_ca_info
  type: list
  elements: dict
  contains:
    phase: {description: The phase., type: str, returned: always, sample: use}
    does:
      description:
        - V(restart), V(reload) if nodes reload without a restart, V(write), V(wait), or V(hold) if the flow waits
          for a party outside the cluster.
      type: str
      returned: always
      sample: restart
    what: {description: The step and its reason., type: str, returned: always, sample: restart 3 pods}
    restarts:
      description: The pods that it restarts.
      type: list
      elements: str
      returned: always
      sample: [demo-kafka-0]
    rounds:
      description: The rounds in which Kafka nodes restart, with O(batch), by the state of Kafka now. Nodes that are in
        no round restart one after the other.
      type: list
      elements: dict
      returned: always
      contains:
        nodes:
          description: The pods that restart at the same time.
          type: list
          elements: str
          returned: always
          sample: [demo-broker-0, demo-broker-1]
        bound:
          description:
            - "Why the round has no more nodes: V(all) are in it; V(limit), the most that O(batch) allows; V(rack), all
              of their rack; V(partitions), a partition would lose too many replicas; V(quorum), the metadata quorum
              could lose its majority; V(unready), nodes that are down restart first; V(order), the other nodes restart
              later."
          type: str
          returned: always
          sample: rack
        topics:
          description: Topics that let no more nodes go.
          type: list
          elements: str
          returned: always
          sample: []
        what:
          description: The nodes and the reason for their number.
          type: str
          returned: always
          sample: "2 nodes at once (demo-broker-0, demo-broker-1): all that are left of their rack"
      sample: []
    outside:
      description: The parties outside the cluster that have to read a CA or a certificate before the flow goes on.
      type: list
      elements: str
      returned: always
      sample: ["KafkaConnect kafka/connect"]
    seconds:
      description: "As RV(planned_seconds), of this step alone."
      type: dict
      returned: always
      sample: {least: 41, most: 240}
planned_phases:
  description: The phases of RV(plan), in order.
  returned: with RV(plan)
  type: list
  elements: str
  sample: [prepare, use, retire]
planned_rolls:
  description: How often RV(plan) restarts Kafka nodes one after the other, or in rounds.
  returned: with RV(plan)
  type: int
  sample: 1
planned_rounds:
  description: In how many rounds RV(plan) restarts Kafka nodes, in all rolls. If a node restarts alone, or if its round
    is not known, it counts as one.
  returned: with RV(plan)
  type: int
  sample: 3
planned_restarts:
  description: How many restarts of pods RV(plan) takes.
  returned: with RV(plan)
  type: int
  sample: 9
planned_seconds:
  description:
    - How long RV(plan) takes, estimated from the last starts of these pods, the time that clients get, the usual
      reactions of the operator, and the time that looks at the cluster and answers of the API server have taken in this
      call. Null if no pod shows how long its start takes.
  returned: with RV(plan)
  type: dict
  contains:
    least: {description: The time if no step has to wait., type: int, returned: always, sample: 145}
    most:
      description: The usual time at most; null if an issuer or a client outside the cluster decides.
      type: int
      returned: always
      sample: 420
  sample: {least: 145, most: 420}
planned_lives:
  description: The remaining life of the CAs, and of the certificates by component, beside the estimated time of
    RV(plan).
  returned: with RV(plan)
  type: list
  elements: dict
  contains:
    name:
      description: The CA or the certificates.
      type: str
      returned: always
      sample: 3 certificates of the Kafka nodes
    is_ca: {description: Whether it is a CA., type: bool, returned: always, sample: false}
    sha256:
      description: SHA-256 fingerprint of the certificate that ends first.
      type: str
      returned: always
      sample: "77aa01"
    not_after: {description: Its end., type: str, returned: always, sample: "2027-01-01T00:00:00Z"}
    seconds_left: {description: Seconds until then; negative after it., type: int, returned: always, sample: 2592000}
    lasts:
      description: Whether it lasts twice as long as the plan takes. Null without an estimate of the most that the plan
        takes.
      type: bool
      returned: always
      sample: true
planned_from:
  description:
    - The nodes whose answers RV(plan) goes by. It names none if the call has opened no connection to nodes, so that
      the plan goes by what is stored.
  returned: with RV(plan)
  type: dict
  contains:
    heard:
      description: The nodes that have answered every question.
      type: list
      elements: str
      returned: always
      sample: [demo-kafka-0, demo-kafka-2]
    unheard:
      description:
        - The nodes that have not answered, or have left a question open. RV(plan) takes them to answer what the flow
          waits for, so that it has no restart because an answer is missing; restarts that follow from their answers
          come on top.
      type: list
      elements: dict
      returned: always
      contains:
        pod: {description: The node., type: str, returned: always, sample: demo-kafka-1}
        worker:
          description: The machine that it runs on; empty if that is unknown.
          type: str
          returned: always
          sample: worker-2
        reason:
          description: "What the question met, without a full stop."
          type: str
          returned: always
          sample: timed out
      sample: []
  sample: {heard: [demo-kafka-0], unheard: []}
choices:
  description: The reasons where the plan could have taken another way, such as why nodes restart, as sentences.
  returned: with RV(plan)
  type: list
  elements: str
  sample: []
plan_hash:
  description:
    - A hash of RV(plan) and of the obstacles, to approve. It stays the same while neither the CA, nor a step with the
      CA and the issuer that it brings in, nor a node or component that restarts, nor an obstacle changes. If nodes
      restart and O(batch) is given, its value follows the hash, and a plan with a smaller value has the approval as
      well. Give it as
      O(trustops.strimzi.strimzi_ca_info#module:plan_hash), or as C(strimzi_plan_hash) to a playbook.
    - In check mode with O(trustops.strimzi.strimzi_ca_info#module:goal) it is also the custom statistic
      C(strimzi_plan_hash), which later nodes of a workflow get as an extra variable.
  returned: always
  type: str
  sample: 3f2a9c11-77ab02dd-c01dbeef-4f53cda1
node_answers:
  description:
    - The answers of the nodes for the next task, as its option O(trustops.strimzi.strimzi_ca#module:node_answers). They
      contain certificates and no key. Null if the call has asked no node, or the answers are longer than 256 KiB.
  returned: always
  type: str
  sample: eJyrVkrOzys...
restart_count:
  description:
    - The count of restarts for the next task of the play, as its option
      O(trustops.strimzi.strimzi_ca#module:restart_count). A party is a node by its name, or a component whose pods get
      another name each time. Null if the tasks of a play share no count.
  returned: always
  type: dict
  contains:
    planned:
      description: The restarts of the plan by party.
      type: dict
      returned: always
      sample: {demo-kafka-0: 1, entity-operator: 2}
    done:
      description: The restarts of the plan so far by party.
      type: dict
      returned: always
      sample: {demo-kafka-0: 1}
    pods:
      description: The names of the pods that this call has seen last by UID for each party.
      type: dict
      returned: always
      sample: {demo-kafka-0: {0f8a2c1e-7d1b-4c55-9a57-6a1d0c3b2e11: demo-kafka-0}}
    in_place_obstacles:
      description: The obstacles to a change without a restart that the plan rests on, each as a sentence or empty; null
        if the plan was made without a look for them.
      type: dict
      returned: always
      sample: {reload: "", stamps: "", annotations: "", again: ""}
audit_entries:
  description: The entries of the audit trail of the CA in their order, each a line of JSON.
  returned: with O(trustops.strimzi.strimzi_ca_info#module:audit_entries)
  type: list
  elements: str
  sample:
    - '{"entry":1,"previous":"","run":"call-1","time":"2026-01-01T00:00:00Z","ended":{"done":true,"violations":[]}}'
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
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.arguments import (
    DAYS,
    FLAG,
    TEXT,
    ArgumentSpec,
    OnlyWith,
    Option,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.flow_options import FLOW
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.options import (
    MOST_DAYS,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.results import (
    describe_forecast,
    describe_violations,
    failure_text,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.tables import (
    ADOPTED,
    AUTHORITY,
    CA,
    CLUSTER,
    GOAL,
    HANDED_BACK,
    RENEWAL,
    REPLACED,
    UPKEEP,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.trust_module import TrustModule
from ansible_collections.trustops.strimzi.plugins.module_utils._engine.counting import begin_shared_count
from ansible_collections.trustops.strimzi.plugins.module_utils._engine.outcome import (
    AT_FIRST,
    Patience,
    inspect,
    plan,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._engine.rounds import RoundPlanner
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.approval import (
    check_approval,
    is_plan_hash,
    plan_hash,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.duration import describe_short_lives
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger.target import why_answered
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.folding import (
    describe_violations_in_rows,
    fold_violations,
    subjects_of,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.names import counted, first_told, listed
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.rounds import describe_round_count
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.expiring import Expiring, expiring


def plan_lines(planned: Mapping[str, Any], goal: str, check_mode: bool, answered: str = "") -> list[str]:
    """The lines about a result with a plan. In check mode they show all of it. Else the flow tells of each step when it
    carries the step out, and says at its end what it waits for. If there is neither a step nor anything in the way, no
    call follows, and these lines say what the flow waits for. If the flow that the play leads is not begun,
    ``answered`` says why; it is empty if the lines say nothing of it. The call that follows a plan looks again, and may
    go on although this look has found no way: so the lines say what was found, and no more.
    """
    waiting = () if planned["plan"] or planned["violations"] else planned["waiting"]
    causes = () if planned["plan"] else _causes(planned["violations"])
    return [f"{goal}: {_summary(planned, answered)}", *(_details(planned) if check_mode else (*causes, *waiting))]


def _summary(planned: Mapping[str, Any], answered: str) -> str:
    steps, rolls, restarts = planned["plan"], planned["planned_rolls"], planned["planned_restarts"]
    if not steps:
        return "no step is possible now" if planned["violations"] else _idle(planned["pending"], answered)
    return (
        f"{counted(len(steps), 'step')} ({', '.join(planned['planned_phases'])}), "
        f"{counted(rolls, 'roll')} of the Kafka nodes{describe_round_count(planned)}, "
        f"{counted(restarts, 'restart')} in all{_estimate(planned['planned_seconds'])}"
        f"{_yet_to_hear(planned['planned_from'])}"
    )


def _yet_to_hear(basis: Mapping[str, Any]) -> str:
    """The nodes whose answers are missing, as the end of a sentence; empty if the plan misses none."""
    nodes = [node["pod"] for node in basis["unheard"]]
    return (
        f"; {listed(nodes)} {'has' if len(nodes) == 1 else 'have'} yet to answer, and {len(basis['heard'])} did"
        if nodes
        else ""
    )


def _estimate(seconds: Mapping[str, Any] | None) -> str:
    """The estimated time, as the end of a sentence; empty if there is none."""
    if seconds is None:
        return ""
    least, most = _minutes(seconds["least"]), seconds["most"]
    return f", {least} or more" if most is None else f", {least} to {_minutes(most)}"


def _minutes(seconds: int) -> str:
    return f"{seconds} s" if seconds < 100 else f"{-(-seconds // 60)} min"


def _causes(violations: Sequence[Mapping[str, str]]) -> Iterator[str]:
    """The causes without their remedies. If they stop the call that follows, its message has both."""
    sentences = (f"{subjects_of(first, others)}: {first['message']}" for first, others in fold_violations(violations))
    return first_told(sentences, "cause", "the playbook plan shows all")


def _idle(left: Sequence[str], answered: str) -> str:
    """The summary of a plan without steps, with the steps that are left of phases which this run does not enter."""
    if left:
        return f"nothing to do up to the phase after which this run ends. Left: {'; '.join(left)}"
    return f"nothing to do: {answered}" if answered else "nothing to do"


def _details(planned: Mapping[str, Any]) -> Iterator[str]:
    yield from planned["choices"]
    yield from (
        f"{node['pod']} has yet to answer ({node['reason']}): its answers may add restarts to this plan."
        for node in planned["planned_from"]["unheard"]
    )
    for step in planned["plan"]:
        yield f"{step['phase']}: {step['what']}{_restarted(step)}"
        yield from (f"round {number}: {one['what']}" for number, one in enumerate(step["rounds"], 1))
    yield from describe_violations_in_rows(planned["violations"])
    yield from planned["waiting"]


def _restarted(step: Mapping[str, Any]) -> str:
    """The restarted pods, by their names or, if they restart in rounds, by their number."""
    pods, rounds = step["restarts"], step["rounds"]
    if rounds:
        return f" (restarts {counted(len(pods), 'pod')} in {counted(len(rounds), 'round')})"
    return f" (restarts {', '.join(pods)})" if pods else ""


class LookingModule(TrustModule):
    """A call that shows and plans."""

    def show(self, goal: Goal) -> dict[str, Any]:
        """The whole picture and the plan of a flow. Violations are part of the result and no failure, but for a cluster
        that does not exist, and a plan that was not approved.
        """
        self._check_form_of_hash()
        work = self.work()
        # A plan writes no object. The goal create is for a cluster that does not exist yet.
        intent = self.intent(work, goal, before_kafka=goal is Goal.CREATE)
        outcome = Patience(work).through(lambda: inspect(work, intent), AT_FIRST)
        self.warn_of_unfinished(outcome.before, goal)
        planner = RoundPlanner(outcome.observation, work)
        planned = plan(work, outcome, intent, planner=planner)
        outcome.shared_count = begin_shared_count(planned, outcome.observation.snapshot)
        violations = outcome.decision.violations or planned.violations
        seen = outcome.observation.snapshot
        result = {
            **self.result(outcome),
            **describe_forecast(planned, seen),
            "violations": describe_violations(violations),
        }
        # An approval is about the whole flow, also if this call goes to its first phases only.
        whole = planned if intent.allows(Phase.RETIRE) else plan(work, outcome, intent.to_the_end(), planner=planner)
        # Imported only if answers are handed over.
        from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.handed_answers import as_text

        result["node_answers"] = as_text(outcome.last_answers, seen.now)
        result["plan_hash"] = present = plan_hash(goal, seen, whole)
        if self.params["audit_entries"]:
            # Imported only by calls that show the trail.
            from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.audit import read_lines

            result["audit_entries"] = Patience(work).through(lambda: read_lines(work.client, work.scope), AT_FIRST)
        approved = self.params["plan_hash"]
        refused = check_approval(approved, goal, seen, whole) if approved else ()
        for sentence in describe_short_lives(seen, whole.span, goal):
            self.module.warn(sentence)
        if self.params["goal"]:
            answered = why_answered(seen, intent, seen.ledger_or_empty)
            for line in plan_lines(result, goal.value, self.check_mode, answered):
                work.tell(line)
            if self.check_mode and planned.whole:
                work.tell(f"plan hash: {present}")
        if all(violation.condition is not Condition.CLUSTER_EXISTS for violation in violations):
            result.pop("failed_message", None)
        if refused:
            result |= {
                "violations": describe_violations((*refused, *violations)),
                "failed_message": failure_text((*refused, *violations), seen),
            }
        return result

    def ending(self, seen: Snapshot) -> tuple[Expiring, ...]:
        return expiring(seen, self.value("expiring_within_days"))

    def _check_form_of_hash(self) -> None:
        given = self.params["plan_hash"]
        if given and not is_plan_hash(given):
            self.fail(
                f"plan_hash: {given!r} is no hash of a plan. Give the plan_hash that strimzi_ca_info, or a playbook "
                "with --check, has shown."
            )


SPEC = (
    CLUSTER + CA + FLOW + REPLACED + ADOPTED + HANDED_BACK + RENEWAL + GOAL + UPKEEP + AUTHORITY
    + ArgumentSpec(
        {
            "expiring_within_days": Option(DAYS, default=timedelta(0), least=0, most=MOST_DAYS),
            "plan_hash": Option(TEXT),
            "audit_entries": Option(FLAG, default=False),
        },
        only_with=(
            OnlyWith("adopts", "goal", ("upgrade",)),
            OnlyWith("raise_path_length", "goal", ("upgrade",)),
            OnlyWith("ca_renewal", "goal", ("reconcile",)),
            OnlyWith("operator_may_renew", "goal", ("downgrade",)),
            OnlyWith("keep_ca", "goal", ("downgrade",)),
        ),
    )
)  # fmt: skip


def body(module: LookingModule) -> dict[str, Any]:
    return module.show(module.value("goal") or Goal.RECONCILE)


def main() -> None:
    module = LookingModule(SPEC)
    module.execute(lambda: body(module))


if __name__ == "__main__":
    main()
