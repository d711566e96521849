# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations


class ModuleDocFragment:
    """Options of a flow that depend on its goal."""

    #: The option for the goal of a flow.
    DOCUMENTATION = r"""
options:
  goal:
    description:
      - The flow that RV(plan) describes. If a flow is in flight the plan continues that flow, whatever goal you
        give.
      - Without it RV(plan) is as with V(reconcile), and the call shows no line about it, as C(status) does.
      - V(renew_leaves) renews the nodes' certificates under the same CA.
      - V(reconcile) finishes the flow in flight. It begins a renewal or a replacement only if the source of CAs (the
        option C(ca_source)) contains another CA, or if the CA in use is in its time for renewal (the option
        C(ca_renewal)).
      - V(create), V(renew), V(replace_key), V(upgrade), V(downgrade), V(abort) and V(recover) are the flows of the
        roles of these names.
    type: str
    choices: [create, renew, replace_key, upgrade, downgrade, renew_leaves, reconcile, abort, recover]
"""

    #: The options that name the CA of a renewal or replacement, so that a second run does nothing.
    REPLACED = r"""
options:
  replaces:
    description:
      - Fingerprint (SHA-1 or SHA-256, with or without colons) of the CA to renew or replace, so that a second run does
        nothing.
      - Without it the flow renews or replaces the CA in use, unless a flow of the same kind finished within
        O(fresh_for_hours).
    type: str
  fresh_for_hours:
    description:
      - How long a finished flow counts as the answer to the same request when O(replaces) is not given.
    type: int
    default: 24
"""

    #: The options about adoption.
    ADOPTED = r"""
options:
  adopts:
    description:
      - Fingerprint (SHA-1 or SHA-256, with or without colons) of a CA that another program or a person has put into the
        place of the CA in use. Such a CA stops every flow, and the flow names it, until this option adopts it or the
        former CA is put back.
      - For the flow that adopts only. If every process has started with this CA already, it enters the ledger as the
        CA in use. Else the former CA takes its place again, and the new CA replaces it through every gate.
    type: str
  raise_path_length:
    description:
      - For the flow that adopts only. Whether to renew the adopted CA if it allows no CA below it, such as a CA that
        the operator makes. It keeps its name, its key and its end, or gets a later end, and has path length 1.
      - Clients of OpenSSL, librdkafka and Go that have read the renewed CA accept the next CA whenever the key is
        replaced, also clients that read their CAs only when they start. The renewal restarts no node that can reload;
        Deployments restart once.
      - By default an adoption changes no byte of a CA, so that you can hand it back at no cost, and the replacement
        renews it first.
    type: bool
    default: false
"""

    #: The options for a CA that is handed back.
    HANDED_BACK = r"""
options:
  operator_may_renew:
    description:
      - Whether to hand back a CA that is in the operator's time for renewal (C(renewalDays)). The Cluster Operator
        renews it at once and restarts every pod, or with C(certificateExpirationPolicy=replace-key) makes a new key
        without a check that the new CA is trusted; in the next maintenance window if there are any. The plan says
        which.
      - For the flow that hands back only. Without it the flow stops at such a CA; renew the CA first.
    type: bool
    default: false
  keep_ca:
    description:
      - Whether the CA stays user-managed (C(generateCertificateAuthority=false)), and the operator does not get it. The
        flow removes the ledger, open requests, the Lease and the annotations of this collection on the Kafka resource
        and the CA Secrets. No pod restarts, and every process keeps its certificates and CAs.
      - From then on nothing renews the CA. Adopting it again begins a new ledger.
    type: bool
    default: false
"""

    #: When a certificate is in its time for renewal.
    RENEWAL = r"""
options:
  renew_before_days:
    description:
      - How many days a certificate has left when it is renewed, or half of its life if that is less.
      - Certificates of nodes are renewed at least 15 days before C(spec.clusterCa.renewalDays) (30), at which the
        Cluster Operator renews them by itself and restarts every node, or halfway if there is less time.
    type: int
    default: 45
"""

    #: The options that choose between renewing and replacing a CA in its time for renewal.
    UPKEEP = r"""
options:
  ca_renewal:
    description:
      - What the call does with the CA in use in its time for renewal. The Cluster Operator does not renew a CA that was
        adopted, so a schedule has to.
      - With V(renew-certificate) it gets new dates and keeps its key. With V(replace-key) its key is replaced, with the
        same gates as in any other replacement; unless O(retire) says otherwise, no node that can reload restarts for
        it, and the old CA leaves when each node has restarted for another reason. Nodes that cannot reload restart for
        it, in the maintenance windows of the Kafka resource.
      - With V(specified), what C(certificateExpirationPolicy) of the Kafka resource says, C(renew-certificate) if
        that says nothing.
      - With V(none), nothing. The ledger records this option of the last call, so that every other call can say what is
        going to renew the CA, and when. A call without this option does nothing either, and leaves the record as it is.
      - Only its issuer renews a CA whose key is kept elsewhere, or that another CA has issued. RV(expiring) says by
        when.
      - A call with this option fails in the last seven days of a CA that it can neither renew nor replace, or if no
        maintenance window opens in time.
    type: str
    choices: [specified, renew-certificate, replace-key, none]
  ca_renewal_days:
    description:
      - How many days the CA has left when its time for renewal begins, or half of its life if that is less.
      - By default a week more than C(renewalDays) of the Kafka resource (30), because within these days the Cluster
        Operator renews certificates that end with the CA, and restarts their pods.
    type: int
"""

    #: The options about the form of a new CA.
    AUTHORITY = r"""
options:
  validity_days:
    description:
      - Validity of new certificates in days. If it is not given, as long as C(spec.clusterCa.validityDays) of the
        Kafka resource says, or C(spec.clientsCa.validityDays); 365 if that says nothing.
      - It has to be a week longer than C(renewalDays) beside it. The Cluster Operator renews a certificate with fewer
        days left at once, again and again.
    type: int
  key_type:
    description:
      - Kind of a new CA key - RSA with so many bits, or ECDSA on the NIST curve of that name. If it is not given, a
        new key is of V(rsa-4096).
      - If a flow in flight, or a flow that has just ended, has made the CA already, a call fails that asks for
        another kind of key or path length than this CA has; once the flow has ended, also for another validity.
      - A CA in use, or a CA that O(certificate) supplies, may have a key of a kind that is not listed.
    type: str
    choices: [rsa-2048, rsa-3072, rsa-4096, rsa-8192, ecdsa-p256, ecdsa-p384]
  path_length:
    description:
      - Path length constraint of a new or renewed CA. If it is not given, a new CA has 1, which leaves room for one
        CA below it, and a renewed CA keeps its path length; but 0 becomes 1 if nodes present chains, because clients
        that know only this CA would otherwise refuse the next CA.
    type: int
  certificate:
    description:
      - CA certificate in PEM form, with its chain after it, to use instead of a generated CA.
      - If this CA is in use already, the call does nothing.
      - The call fails if O(key_type) or O(path_length) ask for another form than this certificate has.
      - A renewal needs a certificate with the name and key of the CA in use, a replacement needs another key.
      - The CA counts as confirmed. Not together with O(ca_source).
    type: str
  certificate_from:
    description:
      - A Secret of the type C(kubernetes.io/tls) with the CA, such as cert-manager writes for a Certificate that is a
        CA, to use in the place of O(certificate) and O(private_key). The key is in no option, variable or file.
      - C(tls.crt) contains the CA with its chain; if the chain ends below the CA in C(ca.crt), C(ca.crt) follows.
        Without C(tls.key) O(issuer) has to sign the certificates of this CA.
      - The call only reads the Secret. Another CA in this Secret has no effect until you renew or replace the CA.
    type: dict
    suboptions:
      secret:
        description: The name of the Secret.
        type: str
        required: true
      namespace:
        description: Its namespace. That of the cluster if it is not given.
        type: str
  private_key:
    description:
      - Private key of O(certificate), unencrypted, in PEM form. Without it the collection has O(issuer) sign
        the certificates of this CA. An empty text is an error.
    type: str
"""
