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
  - Most calls give O(cluster) and O(namespace), which name the C(Kafka) resource, O(state), and the O(directory) with the files.
  - Where the key of a CA is not in the cluster, and no issuer is named, flows leave signing requests in the Secrets
    C(<cluster>-issuing-<component>), requests of users in C(<cluster>-clients-issuing-user), and wait for certificates. This
    module shows them, writes them to files, and puts certificates back.
  - What is put back is checked completely, as the flow checks it again before it uses it. No private key is shown or written to a file.
  - Requests of other issuers are named in RV(requests_elsewhere) and left alone.
options:
  state:
    description:
      - With V(listed), nothing changes; RV(requests) has every open request.
      - With V(exported), each request that is still to be signed is in O(directory) as C(<leaf's Secret>.csr). Other files there stay.
      - With V(imported), certificates are put back beside their requests, all of them or none, and the next run of the flow takes them.
        Each belongs to the request with its public key, whatever its file is called.
    type: str
    choices: [listed, exported, imported]
    default: listed
  directory:
    description:
      - A folder on the machine where the module runs. With O(state=exported) it is made where it is missing.
      - With O(state=imported), certificates are read from C(<leaf's Secret>.crt) and C(<leaf's Secret>.pem); other files, such as files of
        another cluster or of the CA itself, are named in RV(other_files).
    type: path
  dns_domain:
    description:
      - DNS domain of the Services in this Kubernetes cluster, as the flow that has asked was given it; see O(trustops.strimzi.strimzi_ca#module:dns_domain).
    type: str
  certificates:
    description:
      - With O(state=imported), the certificates instead of a O(directory), each in PEM form, which may have its chain after it.
    type: list
    elements: str
  ca_source:
    description:
      - The Secret or ConfigMap with the CAs to trust that the flow is given, as the option of the same name of M(trustops.strimzi.strimzi_ca).
      - With it, a certificate of a CA that lies there and is not in use yet is put back as well, and waits until every node and component trusts that CA and
        in use, for which C(reconcile) sees. Without it, such a certificate is refused.
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
        description: Its namespace; that of the cluster where it is not given.
        type: str
      key:
        description: The entry with the certificates.
        type: str
        default: ca.crt
extends_documentation_fragment:
  - trustops.strimzi.cluster.auth
  - trustops.strimzi.cluster
  - trustops.strimzi.cluster.ca
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

- name: Write it to files
  trustops.strimzi.strimzi_csr:
    cluster: demo
    namespace: kafka
    state: exported
    directory: /tmp/demo-requests
  register: exported

- name: Sign it, on the machine that has the key of the CA
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
  description: The requests that wait to be carried to the signer, as they are after this call.
  returned: always
  type: list
  elements: dict
  contains:
    secret: {description: The Secret of the leaf., type: str, returned: always, sample: demo-kafka-0}
    component: {description: The component that the certificate belongs to., type: str, returned: always, sample: kafka}
    subject: {description: "Requested distinguished name (RFC 4514).", type: str, returned: always, sample: "CN=demo-kafka,O=io.strimzi"}
    subject_alternative_names: {description: Requested DNS names and IP addresses., type: list, elements: str, returned: always, sample: [demo-kafka-brokers]}
    public_key_sha256: {description: SHA-256 of the requested SubjectPublicKeyInfo., type: str, returned: always, sample: "6c1f0e"}
    asked_at: {description: Since when it is there., type: str, returned: always, sample: "2026-01-01T00:00:00Z"}
    authority:
      description: Subject and SHA-256 of the CA that is to sign; null where it is none of this cluster any more.
      type: dict
      returned: always
      sample: {subject: CN=Corporate CA, sha256: "6c1f0e"}
    csr: {description: The signing request in PEM form., type: str, returned: always, sample: "-----BEGIN CERTIFICATE REQUEST-----\n..."}
    answered: {description: Whether a certificate was put back that the next run takes., type: bool, returned: always, sample: false}
    problem: {description: "Why it must not be signed, with what helps; empty where it may be.", type: str, returned: always, sample: ""}
    refused: {description: "Why what was put back is refused; empty where nothing was, or where it is good.", type: str, returned: always, sample: ""}
    waiting: {description: "What a good certificate waits for before it is used; empty where it waits for nothing.", type: str, returned: always, sample: ""}
    failed:
      description: How often requests before it have failed, when the last did, and why; null where none has.
      type: dict
      returned: always
      sample: {count: 1, at: "2026-01-01T00:00:00Z", why: "The certificate that came back is refused: it is a CA certificate."}
requests_elsewhere:
  description: Open requests to another issuer, which wait for no carrier.
  returned: always
  type: list
  elements: dict
  contains:
    secret: {description: The Secret of the leaf., type: str, returned: always, sample: demo-kafka-0}
    issuer: {description: The issuer., type: str, returned: always, sample: cert-manager ClusterIssuer corporate}
    asked_at: {description: Since when it is there., type: str, returned: always, sample: "2026-01-01T00:00:00Z"}
exported:
  description: The files with requests that are to be signed; with O(state=exported).
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
    subject: {description: "Distinguished name (RFC 4514).", type: str, returned: always, sample: "CN=demo-kafka,O=io.strimzi"}
    sha256: {description: SHA-256 fingerprint., type: str, returned: always, sample: "6c1f0e"}
    not_after: {description: End of validity., type: str, returned: always, sample: "2027-01-01T00:00:00Z"}
    changed: {description: Whether this call has put it back., type: bool, returned: always, sample: true}
other_files:
  description: Files of O(directory) that end like certificates and are named after no leaf of this cluster; with O(state=imported).
  returned: always
  type: list
  elements: str
  sample: [/tmp/demo-requests/corporate.pem]
actions:
  description: Every write and restart of this call, in order; in check mode the first steps that it would take, of which the plan has all.
  returned: always
  type: list
  elements: dict
  sample: [{verb: update, object: Secret kafka/demo-cluster-ca-cert, what: "trust CN=cluster-ca v1,O=io.strimzi", phase: prepare, seconds: null, away: null}]
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
  description: The last entry of the audit trail after this call, as a proof of the entries before it; null where it added none.
  returned: always
  type: dict
  contains:
    object: {description: The ConfigMap with the entries., type: str, returned: always, sample: ConfigMap kafka/demo-cluster-ca-audit}
    entry: {description: Number of the last entry., type: int, returned: always, sample: 17}
    sha256: {description: SHA-256 of its line., type: str, returned: always, sample: 7b5f6d0c9a1e4f8b2d3c5a697887a6b5c4d3e2f10f1e2d3c4b5a69788796a5b4}
cluster: {description: 'As RV(trustops.strimzi.strimzi_ca_info#module:cluster).', returned: always, type: dict}
"""

from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.arguments import (
    CA,
    CLUSTER,
    SOURCE,
    ArgumentSpec,
    OnlyWith,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.requests import RequestsModule

STATE = ArgumentSpec(
    {
        "state": {"type": "str", "choices": ["listed", "exported", "imported"], "default": "listed"},
        "directory": {"type": "path"},
        "dns_domain": {"type": "str"},
        "certificates": {"type": "list", "elements": "str"},
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
SPEC = CLUSTER + CA + SOURCE + STATE


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
