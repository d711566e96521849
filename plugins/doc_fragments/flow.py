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
      - V(auto) is V(handshake) where any node can be reached that way, which needs the permission to create C(pods/portforward);
        RV(evidence) says what it came to.
    type: str
    choices: [auto, handshake, annotations]
    default: auto
  client_bundle:
    description:
      - Whether to publish all trusted CAs to clients in Secret C(<cluster>-cluster-ca-bundle), as C(ca.crt) (PEM), C(ca.p12)
        (PKCS#12) and C(ca.jks) (JKS), the last two under C(ca.password), which stays the same for good.
      - It holds a new CA before any broker presents a certificate of it. Once the Secret exists it is kept up to date whatever
        this says.
    type: bool
    default: false
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
