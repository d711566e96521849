#!/usr/bin/python
# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: strimzi_csr
short_description: Carry requests for certificates of a Strimzi cluster to a CA by hand
version_added: 1.0.0
description:
  - Most calls give O(cluster) and O(namespace), which name the C(Kafka) resource, O(state), and the O(directory) with
    the files.
  - If the key of a CA is not in the cluster, and no issuer is named, flows leave signing requests in the Secrets
    C(<cluster>-issuing-<component>), requests of users in C(<cluster>-clients-issuing-user), and wait for certificates.
    This module shows the requests, writes them to files, and puts certificates back beside them.
  - It checks each certificate completely; the flow checks it again before it uses it. It shows no private key, and
    writes none to a file.
  - It names requests with other issuers in RV(requests_elsewhere), and leaves them alone.
options:
  state:
    description:
      - V(listed) changes nothing; RV(requests) has every open request.
      - V(exported) writes each request without a certificate to O(directory) as C(<leaf's Secret>.csr). Other files
        there stay.
      - V(imported) puts certificates back beside their requests, all of them or none, and the next run of the flow
        takes them. Each belongs to the request with its public key, whatever the name of its file.
    type: str
    choices: [listed, exported, imported]
    default: listed
  directory:
    description:
      - A folder on the machine where the module runs. O(state=exported) makes it if it is missing.
      - O(state=imported) reads certificates from C(<leaf's Secret>) with the ending C(.crt), C(.cer), C(.pem) or
        C(.der), in PEM or DER form. It names other files with certificates, such as files of another cluster or of the
        CA itself, in RV(other_files).
    type: path
  dns_domain:
    description:
      - DNS domain of the Services in this Kubernetes cluster. Give the value that you give to the flow; see
        O(trustops.strimzi.strimzi_ca#module:dns_domain).
    type: str
  certificates:
    description:
      - With O(state=imported), the certificates instead of a O(directory), each in PEM form, which may have its chain
        after it.
    type: list
    elements: str
  ca_source:
    description:
      - The Secret or ConfigMap with the CAs to trust, as you give it to the flow (the option of the same name of
        M(trustops.strimzi.strimzi_ca)).
      - With it, the module also takes a certificate of a CA that lies there and is not in use yet. The certificate
        waits until C(reconcile) has every node and component trust that CA, and uses it. Without this option the module
        refuses such a certificate.
    type: dict
    suboptions:
      kind:
        description: Kind of the object.
        type: str
        choices: [Secret, ConfigMap]
        default: Secret
      name:
        description: Name of the object.
        type: str
        required: true
      namespace:
        description: Its namespace; that of the cluster if it is not given.
        type: str
      key:
        description: The entry with the certificates.
        type: str
        default: ca.crt
extends_documentation_fragment:
  - trustops.strimzi.cluster.auth
  - trustops.strimzi.cluster
  - trustops.strimzi.cluster.ca
  - trustops.strimzi.flow.policy
  - trustops.strimzi.attributes
seealso:
  - module: trustops.strimzi.strimzi_ca
  - module: trustops.strimzi.strimzi_ee_cert
author:
  - The trustops.strimzi contributors (@trustops)
"""

EXAMPLES = r"""
- name: Show the requests to be signed
  trustops.strimzi.strimzi_csr:
    cluster: demo
    namespace: kafka

- name: Write them to files
  trustops.strimzi.strimzi_csr:
    cluster: demo
    namespace: kafka
    state: exported
    directory: /tmp/demo-requests
  register: exported

- name: Sign them, on the machine that has the key of the CA
  ansible.builtin.shell:
    chdir: /tmp/demo-requests
    cmd: |
      set -eu
      cat > leaf.cnf <<'EXTENSIONS'
      basicConstraints = critical, CA:FALSE
      keyUsage = critical, digitalSignature, keyEncipherment
      extendedKeyUsage = serverAuth, clientAuth
      subjectKeyIdentifier = hash
      authorityKeyIdentifier = keyid
      EXTENSIONS
      for request in *.csr; do
        openssl x509 -req -in "$request" -out "${request%.csr}.crt" -days 365 -sha256 \
          -CA ~/ca/corporate.crt -CAkey ~/ca/corporate.key -copy_extensions copy -extfile leaf.cnf
      done
  when: exported.exported | length > 0

- name: Put the certificates back
  trustops.strimzi.strimzi_csr:
    cluster: demo
    namespace: kafka
    state: imported
    directory: /tmp/demo-requests
"""

RETURN = r"""
requests:
  description: The open requests for a person or a tool to sign, after this call.
  returned: always
  type: list
  elements: dict
  contains:
    secret: {description: The Secret of the leaf., type: str, returned: always, sample: demo-kafka-0}
    component: {description: The component that the certificate belongs to., type: str, returned: always, sample: kafka}
    subject:
      description: "Requested distinguished name (RFC 4514)."
      type: str
      returned: always
      sample: "CN=demo-kafka,O=io.strimzi"
    subject_alternative_names:
      description: Requested DNS names and IP addresses.
      type: list
      elements: str
      returned: always
      sample: [demo-kafka-brokers]
    public_key_sha256:
      description: SHA-256 of the requested SubjectPublicKeyInfo.
      type: str
      returned: always
      sample: "6c1f0e"
    asked_at: {description: When the run made it., type: str, returned: always, sample: "2026-01-01T00:00:00Z"}
    authority:
      description: Subject and SHA-256 of the CA that is to sign; null if it is no CA of this cluster any more.
      type: dict
      returned: always
      sample: {subject: CN=Corporate CA, sha256: "6c1f0e"}
    csr:
      description: The signing request in PEM form.
      type: str
      returned: always
      sample: "-----BEGIN CERTIFICATE REQUEST-----\n..."
    answered:
      description: Whether its certificate was put back for the next run.
      type: bool
      returned: always
      sample: false
    problem:
      description: "Why the CA must not sign it, with the remedy; empty if it may."
      type: str
      returned: always
      sample: ""
    refused:
      description: "Why the certificate that was put back is refused; empty if it is good."
      type: str
      returned: always
      sample: ""
    waiting:
      description: "The event for which a good certificate waits; empty without any."
      type: str
      returned: always
      sample: ""
    failed:
      description: How many requests before it have failed, when the last failed, and why; null if none has failed.
      type: dict
      returned: always
      sample:
        count: 1
        at: "2026-01-01T00:00:00Z"
        why: "The certificate that came back is refused: it is a CA certificate."
requests_elsewhere:
  description: Open requests to another issuer, which no person carries.
  returned: always
  type: list
  elements: dict
  contains:
    secret: {description: The Secret of the leaf., type: str, returned: always, sample: demo-kafka-0}
    issuer: {description: The issuer., type: str, returned: always, sample: cert-manager ClusterIssuer corporate}
    asked_at: {description: When the run made it., type: str, returned: always, sample: "2026-01-01T00:00:00Z"}
exported:
  description: The files with open requests; with O(state=exported).
  returned: always
  type: list
  elements: dict
  contains:
    secret: {description: The Secret of the leaf., type: str, returned: always, sample: demo-kafka-0}
    path: {description: The file., type: str, returned: always, sample: /tmp/demo-requests/demo-kafka-0.csr}
    changed: {description: Whether this call has written it., type: bool, returned: always, sample: true}
imported:
  description: The certificates that were given; with O(state=imported).
  returned: always
  type: list
  elements: dict
  contains:
    secret: {description: The Secret of the leaf., type: str, returned: always, sample: demo-kafka-0}
    subject:
      description: "Distinguished name (RFC 4514)."
      type: str
      returned: always
      sample: "CN=demo-kafka,O=io.strimzi"
    sha256: {description: SHA-256 fingerprint., type: str, returned: always, sample: "6c1f0e"}
    not_after: {description: End of validity., type: str, returned: always, sample: "2027-01-01T00:00:00Z"}
    changed: {description: Whether this call has stored it., type: bool, returned: always, sample: true}
other_files:
  description: Files of O(directory) that end like certificates and were not read, because no leaf of this cluster has
    their name, or because they have the form PKCS#7; with O(state=imported).
  returned: always
  type: list
  elements: str
  sample: [/tmp/demo-requests/corporate.pem]
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
"""

from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.arguments import (
    PATH,
    TEXTS,
    ArgumentSpec,
    OnlyWith,
    Option,
    word_of,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.requests import RequestsModule
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.tables import (
    CA,
    CLUSTER,
    DOMAIN,
    POLICY,
    SOURCE,
)

STATE = ArgumentSpec(
    {
        "state": Option(word_of("listed", "exported", "imported"), default="listed"),
        "directory": Option(PATH),
        **DOMAIN.table,
        "certificates": Option(TEXTS),
    },
    mutually_exclusive=(("directory", "certificates"),),
    required_if=(
        ("state", "exported", ("directory",)),
        ("state", "imported", ("directory", "certificates"), True),
    ),
    only_with=(
        OnlyWith("directory", "state", ("exported", "imported")),
        OnlyWith("certificates", "state", ("imported",)),
    ),
)
SPEC = CLUSTER + CA + SOURCE + POLICY + STATE


def body(module: RequestsModule) -> dict[str, Any]:
    if module.params["state"] == "exported":
        return module.export_requests()
    if module.params["state"] == "imported":
        return module.import_certificates()
    return module.list_requests()


def main() -> None:
    module = RequestsModule(SPEC)
    module.execute(lambda: body(module))


if __name__ == "__main__":
    main()
