# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations


class ModuleDocFragment:
    """What every module of a flow has to know so that all of them decide the same."""

    DOCUMENTATION = r"""
options:
  way:
    description:
      - V(cooperate) leaves issuing certificates to the Cluster Operator.
      - V(takeover) pauses the C(Kafka) resource for the shortest possible time, issues the certificates here and resumes it.
    type: str
    choices: [cooperate, takeover]
    default: cooperate
  evidence:
    description:
      - What the gates rest on before a certificate of a new CA is used, before a CA leaves, and for the proof that nobody
        trusts it any more.
      - V(handshake) asks every TLS listener of every node, by handshakes through the API server, what it presents and whom it
        trusts, and holds where an answer is missing or contradicts what is stored.
      - V(annotations) rests on annotations, stored certificates and the UIDs of pods alone.
      - V(auto) is V(handshake) where any node can be reached that way, which needs the permission to create C(pods/portforward),
        and V(annotations) elsewhere. Once a node has answered in a call, nodes that fall silent hold it. RV(evidence) says what
        it came to.
    type: str
    choices: [auto, handshake, annotations]
    default: auto
  pod_access:
    description:
      - How ports of nodes are reached, to ask what they present and trust and to have them read it again.
      - V(port_forward) goes through the API server. V(direct) goes to the addresses of the pods, where there is a route to them from the
        machine that runs the module; it needs no permission for C(pods/portforward) and spares the API server.
    type: str
    choices: [port_forward, direct]
    default: port_forward
  bridge:
    description:
      - Whether a CA with a new key is introduced by a certificate of its key that the CA in use has signed (the bridge). Leaves
        are then presented with it, verifiers that know only the old CA validate them, and the roll that makes the nodes trust
        the new CA first is not needed. A key replacement takes a roll less - one, or two where nodes do not read again (O(spread)).
      - V(auto) does so where the key of the CA in use is at hand and every known verifier accepts the bridge; the plan of
        M(trustops.strimzi.strimzi_ca_info) says why it would not. Whatever would refuse it and holds no state, as a Kafka
        Exporter does where the CA in use has a path length of 0, is restarted before it, to know the new CA.
      - V(always) holds where V(auto) would take that roll. V(never) takes it.
    type: str
    choices: [auto, always, never]
    default: auto
  spread:
    description:
      - How running nodes take up a change that their listeners can read again without a restart - that a CA has left the trust, and
        that a CA takes the place of its bridge. The first use of a new key always takes a restart.
      - V(auto) tells each node by a Kafka admin request through the API server, with the operator's own certificate, to read its
        certificates again, and asks its listeners what came of it. It restarts the nodes instead where they cannot be asked
        (O(evidence)), the Python library C(kafka-python) or a permission is missing, a node refuses, or the operator would restart
        them anyway. It warns that it does and why, and RV(spread) keeps the rest of the flow to it.
      - The API server is asked beforehand what is permitted (C(SelfSubjectAccessReview)) - to list and patch C(strimzipodsets), patch C(pods),
        get C(configmaps). Where it does not say, a permission counts as missing.
      - V(reload) holds where V(auto) would restart, but for nodes that the operator would restart anyway. V(restart) always restarts.
      - Raft clients and agents of nodes that have reloaded know a removed CA until their next restart; RV(removed) names them.
    type: str
    choices: [auto, reload, restart]
    default: auto
  renew_before_days:
    description:
      - In a flow with the goal C(renew_leaves), how many days a node's certificate has left when it is renewed, or half of its life if that is less.
      - Choose more than C(spec.clusterCa.renewalDays) (30), at which the Cluster Operator renews it by itself and restarts every node.
    type: int
    default: 45
  client_bundle:
    description:
      - Whether to publish all trusted CAs to clients in Secret C(<cluster>-cluster-ca-bundle), as C(ca.crt) (PEM), C(ca.p12)
        (PKCS#12) and C(ca.jks) (JKS), the last two under C(ca.password), which stays the same for good.
      - It holds a new CA before any broker presents a certificate of it. Once the Secret exists it is kept up to date whatever
        this says.
    type: bool
    default: false
  trusting_secrets:
    description:
      - Secrets that clients outside the cluster read its CAs from, as C(name), C(namespace/name) or C(namespace/name:entry).
      - The gates wait until each holds the CAs that its readers need. It counts as read by them as soon as it is stored; whoever
        changes it restarts them. All entries with certificates in PEM form count unless one is named.
      - C(KafkaConnect), C(KafkaMirrorMaker2) and C(KafkaBridge) resources in the cluster's namespace are looked at anyway, with the
        copies that the operator makes for them.
    type: list
    elements: str
  waivers:
    description:
      - Clients outside the cluster that the gates let pass although they refuse a CA, or cannot be seen.
      - One that has ended, or names a part of the cluster, is an error; one for a client that is not seen is a warning. RV(outside)
        shows those in use.
    type: list
    elements: dict
    suboptions:
      client:
        description: Its exact name as in RV(outside) or in the refusal, such as C(KafkaConnect kafka/connect).
        type: str
        required: true
      until:
        description: When the waiver ends, in ISO 8601; UTC where no offset is given. At most 30 days from now.
        type: str
        required: true
      reason:
        description: Who decided it and why.
        type: str
        required: true
  replaces:
    description:
      - Fingerprint (SHA-1 or SHA-256, with or without colons) of the CA to renew or replace.
      - Names the CA that is to go, so that a second run does nothing.
      - Without it the CA in use is meant, unless a flow of the same kind finished within O(fresh_for_hours).
    type: str
  fresh_for_hours:
    description:
      - How long a finished flow counts as the answer to the same request when O(replaces) is not given.
    type: int
    default: 24
  until_phase:
    description:
      - The last phase to enter. V(prepare) makes the new CA known, V(trust) makes everybody trust it, V(use) makes everybody use
        it, V(retire) removes the old one.
    type: str
    choices: [prepare, trust, use, retire]
    default: retire
  run_id:
    description:
      - Holder of the Lease while several module calls make one flow. The flow gives it back with
        M(trustops.strimzi.strimzi_lease).
      - Without it each call takes the Lease for itself, and only if it has something to write.
    type: str
  operator_timeout:
    description:
      - Seconds to wait for one reaction of the Cluster Operator.
    type: int
    default: 300
  pod_timeout:
    description:
      - Seconds to wait, in a roll, until the next pod has moved.
    type: int
    default: 600
"""
