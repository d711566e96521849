# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations


class ModuleDocFragment:
    """Options that say which cluster and which of its CAs is meant, and how to reach the Kubernetes API."""

    #: The options that name the Kafka cluster.
    DOCUMENTATION = r"""
options:
  cluster:
    description:
      - Name of the C(Kafka) resource.
    type: str
    required: true
  namespace:
    description:
      - Namespace of the C(Kafka) resource.
    type: str
    required: true
  audit:
    description:
      - Whether a call that changes something records it in the audit trail of the CA, the ConfigMap
        C(<cluster>-<ca>-ca-audit) beside it - each decision with its reasons before the first write, and each write and
        restart. Entries are chained by SHA-256, and contain no key.
    type: bool
    default: true
"""

    #: How to reach and authenticate to the Kubernetes API; same names as kubernetes.core.
    AUTH = r"""
options:
  kubeconfig:
    description:
      - Path to a kubeconfig file, or its content as a dictionary; content as text is refused.
      - Can also be given by the environment variable E(K8S_AUTH_KUBECONFIG).
      - Without it, O(context) and O(host), the service account of the pod is used if there is one, else the default
        kubeconfig.
    type: raw
  context:
    description:
      - Context of the kubeconfig file. Can also be given by E(K8S_AUTH_CONTEXT).
    type: str
  host:
    description:
      - URL of the API server, without user name and password. Can also be given by E(K8S_AUTH_HOST).
    type: str
  api_key:
    description:
      - Bearer token. Can also be given by E(K8S_AUTH_API_KEY).
    type: str
  username:
    description:
      - User name for basic authentication. Can also be given by E(K8S_AUTH_USERNAME).
    type: str
  password:
    description:
      - Password for basic authentication. Can also be given by E(K8S_AUTH_PASSWORD).
    type: str
  validate_certs:
    description:
      - Whether to verify the API server's certificate. Can also be given by E(K8S_AUTH_VERIFY_SSL).
    type: bool
    aliases: [verify_ssl]
  ca_cert:
    description:
      - File with the CA of the API server. Can also be given by E(K8S_AUTH_SSL_CA_CERT).
    type: path
    aliases: [ssl_ca_cert]
  client_cert:
    description:
      - File with a client certificate. Can also be given by E(K8S_AUTH_CERT_FILE).
    type: path
    aliases: [cert_file]
  client_key:
    description:
      - File with the key of the client certificate. Can also be given by E(K8S_AUTH_KEY_FILE).
    type: path
    aliases: [key_file]
  proxy:
    description:
      - URL of an HTTP proxy, without user name and password. Can also be given by E(K8S_AUTH_PROXY).
    type: str
  no_proxy:
    description:
      - Hosts to reach without the proxy. Can also be given by E(K8S_AUTH_NO_PROXY).
    type: str
  proxy_headers:
    description:
      - Headers for the proxy. Can also be given by E(K8S_AUTH_PROXY_HEADERS_PROXY_BASIC_AUTH),
        E(K8S_AUTH_PROXY_HEADERS_BASIC_AUTH) and E(K8S_AUTH_PROXY_HEADERS_USER_AGENT).
    type: dict
    suboptions:
      proxy_basic_auth:
        description:
          - Colon-separated user name and password for the proxy.
        type: str
      basic_auth:
        description:
          - Colon-separated user name and password for basic authentication.
        type: str
      user_agent:
        description:
          - The user agent to present.
        type: str
  persist_config:
    description:
      - Whether to save refreshed tokens into the kubeconfig file. Can also be given by E(K8S_AUTH_PERSIST_CONFIG).
    type: bool
  impersonate_user:
    description:
      - User to impersonate. Can also be given by E(K8S_AUTH_IMPERSONATE_USER).
    type: str
  impersonate_groups:
    description:
      - Groups to impersonate. Can also be given by E(K8S_AUTH_IMPERSONATE_GROUPS), separated by commas.
    type: list
    elements: str
requirements:
  - python >= 3.10
  - kubernetes >= 24.2.0
  - cryptography >= 45.0.0
"""

    #: The option that says which CA of the cluster is meant.
    CA = r"""
options:
  ca:
    description:
      - The CA of the cluster. Nodes and components verify each other by the C(cluster) CA. By the C(clients) CA brokers
        verify the users of listeners with the authentication C(tls); the User Operator issues the users' certificates
        with it.
      - Each CA has a ledger, a Lease and flows of its own. Flows on both CAs can be in flight at once; while a flow on
        one CA has the operator paused, a call on the other CA changes nothing.
    type: str
    choices: [cluster, clients]
    default: cluster
"""
