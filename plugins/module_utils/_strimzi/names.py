# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Names, labels, annotations and kinds of Strimzi and of this collection, and the kinds of cert-manager
(docs/operator.md, "CA Secrets", "Pod annotations", "Kafka resource").
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum

from .._kube.resources import Resource

DOMAIN = "strimzi.io"
#: Annotations and labels of this collection.
OWN_DOMAIN = "trustops.strimzi"

#: The beginning of the names by which Strimzi's programs write, in the User-Agent (docs/operator.md, "Users").
OPERATOR_MANAGERS = "strimzi-"

CLUSTER_LABEL = f"{DOMAIN}/cluster"
KIND_LABEL = f"{DOMAIN}/kind"
#: The pods of Cluster Operators.
OPERATOR_SELECTOR = f"{KIND_LABEL}=cluster-operator"
NAME_LABEL = f"{DOMAIN}/name"
COMPONENT_TYPE_LABEL = f"{DOMAIN}/component-type"
POOL_LABEL = f"{DOMAIN}/pool-name"
BROKER_ROLE_LABEL = f"{DOMAIN}/broker-role"
CONTROLLER_ROLE_LABEL = f"{DOMAIN}/controller-role"

CA_CERT_GENERATION = f"{DOMAIN}/ca-cert-generation"
CA_KEY_GENERATION = f"{DOMAIN}/ca-key-generation"
CLUSTER_CA_CERT_GENERATION = f"{DOMAIN}/cluster-ca-cert-generation"
CLIENTS_CA_CERT_GENERATION = f"{DOMAIN}/clients-ca-cert-generation"
CLUSTER_CA_KEY_GENERATION = f"{DOMAIN}/cluster-ca-key-generation"
SERVER_CERT_HASH = f"{DOMAIN}/server-cert-hash"
KAFKA_VERSION = f"{DOMAIN}/kafka-version"
REVISION = f"{DOMAIN}/revision"
RESOURCE_REVISION = f"{DOMAIN}/resource-revision"
FORCE_RENEW = f"{DOMAIN}/force-renew"
FORCE_REPLACE = f"{DOMAIN}/force-replace"
MANUAL_ROLLING_UPDATE = f"{DOMAIN}/manual-rolling-update"
DELETE_POD_AND_PVC = f"{DOMAIN}/delete-pod-and-pvc"
NEXT_NODE_IDS = f"{DOMAIN}/next-node-ids"
REMOVE_NODE_IDS = f"{DOMAIN}/remove-node-ids"
PAUSE_RECONCILIATION = f"{DOMAIN}/pause-reconciliation"
#: On the Kafka resource, from release 1.3 on: the security that its processes are to speak among each other
#: (docs/operator.md, "Security between processes").
INTERNAL_SECURITY = f"{DOMAIN}/internal-cluster-security"

MANAGED_BY_LABEL = "app.kubernetes.io/managed-by"
#: Label of this collection: the cluster of the user whose Secret was kept.
KEPT_OF = "trustops.strimzi/kept-of"
#: Annotation of this collection on a Secret of cert-manager with key and certificate of a leaf: the CA of the leaf, by
#: the name of the Secret with its key.
KEPT_FOR = "trustops.strimzi/kept-for"
#: The annotation of a Certificate of cert-manager about this collection's corrections, and their time.
CORRECTED = "trustops.strimzi/corrected"

#: Annotations of this collection: the call of a flow that paused the Kafka resource, an annotation for each CA; the
#: generation of the clients CA; the holder of a task's pause; the authentication for which a user is paused; the reason
#: of a request to reconcile; the journal of the ledger, the upkeep of a CA in its time for renewal, the CAs replaced by
#: earlier flows, and the namespaces of users; of the flow of a prepared CA the places to look at, the phase of its
#: stop, whether a replacement follows, and its beginning; the layout of a Secret of the ledger; the sources of the
#: further forms of a certificate; when a backup was made, of which CA, and the digest of its content.
PAUSED_BY = "trustops.strimzi/paused-by"
PAUSED_FOR_CLIENTS_CA = "trustops.strimzi/paused-for-clients-ca-by"
CLIENTS_CA_GENERATION = "trustops.strimzi/ca-cert-generation"
PAUSED_FOR = "trustops.strimzi/paused-for"
PAUSED_FOR_AUTHENTICATION = "trustops.strimzi/paused-for-authentication"
RECONCILE_REQUEST = "trustops.strimzi/reconcile-request"
JOURNAL = "trustops.strimzi/journal"
UPKEEP = "trustops.strimzi/upkeep"
REPLACED = "trustops.strimzi/replaced"
USER_NAMESPACES = "trustops.strimzi/user-namespaces"
NAMED = "trustops.strimzi/named"
STOP = "trustops.strimzi/stop"
TO_REPLACE = "trustops.strimzi/to-replace"
BEGINNING = "trustops.strimzi/beginning"
LAYOUT = "trustops.strimzi/layout"
FORMS = "trustops.strimzi/forms"
BACKUP = "trustops.strimzi/backup"

#: The Lease by which one of several Cluster Operators leads, in their own namespace (docs/operator.md, "Kafka
#: resource").
OPERATOR_LEASE = "strimzi-cluster-operator"

#: Entries of a user's Secret (docs/operator.md, "Users"): certificate, key, and the PKCS#12 file of both with its
#: password.
USER_CERTIFICATE, USER_KEY, USER_KEYSTORE, USER_PASSWORD = "user.crt", "user.key", "user.p12", "user.password"


def selector_of(labels: Mapping[str, str]) -> str:
    """The label selector of everything with these labels."""
    return ",".join(f"{label}={value}" for label, value in labels.items())


class CaKind(str, Enum):
    """The CAs of a Kafka cluster. Strimzi names everything of a CA after it."""

    CLUSTER = "cluster"
    CLIENTS = "clients"


@dataclass(frozen=True)
class ClusterNames:
    """Names of the objects of one Kafka cluster."""

    #: The namespace of the Kafka resource.
    namespace: str
    #: The name of the Kafka resource.
    cluster: str
    #: The CA that the names of a CA's objects are about.
    ca: CaKind = CaKind.CLUSTER

    def of(self, ca: CaKind) -> ClusterNames:
        """The names of the same cluster, about this CA."""
        return replace(self, ca=ca)

    @property
    def ca_key_secret(self) -> str:
        return f"{self.cluster}-{self.ca.value}-ca"

    @property
    def ca_certificate_secret(self) -> str:
        return f"{self.ca_key_secret}-cert"

    @property
    def bundle_entry(self) -> str:
        """The entry of the trust bundle with the certificates of the CA (docs/operator.md, "Trust bundle")."""
        return f"{self.ca.value}-ca.crt"

    @property
    def ca_specification(self) -> str:
        """The CA's part of the Kafka resource's specification."""
        return f"{self.ca.value}Ca"

    @property
    def ca_common_name(self) -> str:
        """The operator's name for a generated CA, before ``v`` and its number (docs/operator.md, "Generated CA")."""
        return f"{self.ca.value}-ca"

    @property
    def cluster_operator_secret(self) -> str:
        """The operator's own certificate, with the rights of a superuser of Kafka (docs/operator.md, "Leaves")."""
        return f"{self.cluster}-cluster-operator-certs"

    @property
    def trust_bundle_secret(self) -> str:
        return f"{self.cluster}-trustbundle"

    @property
    def client_bundle_secret(self) -> str:
        return f"{self.ca_key_secret}-bundle"

    @property
    def trusted_certificates_secret(self) -> str:
        """The ledger; in the layout ``split`` the certificates of its CAs."""
        return f"{self.ca_key_secret}-trusted-certs"

    @property
    def trust_state_secret(self) -> str:
        """In the layout ``split``: the states of the CAs."""
        return f"{self.ca_key_secret}-trust-state"

    @property
    def trust_secret(self) -> str:
        """In the layout ``keyed``: the ledger."""
        return f"{self.ca_key_secret}-trust"

    @property
    def ledger_secrets(self) -> tuple[str, ...]:
        """All possible Secrets of a ledger."""
        return (self.trusted_certificates_secret, self.trust_state_secret, self.trust_secret)

    @property
    def backup_secrets(self) -> tuple[str, ...]:
        """The Secrets with backups of the CA, in no order of time."""
        return tuple(f"{self.ca_key_secret}-backup-{number}" for number in (1, 2, 3))

    @property
    def audit_trail(self) -> str:
        """The ConfigMap with the audit trail of the CA."""
        return f"{self.ca_key_secret}-audit"

    def issuing_secret(self, component: str) -> str:
        """Requests to an issuer for leaves of this component (CA abstraction, "End-entity Secrets")."""
        return f"{self._issuing}-{component}"

    def next_keys_secret(self, component: str) -> str:
        """The private keys of these requests, until they are used."""
        return f"{self._issuing}-{component}-keys"

    @property
    def _issuing(self) -> str:
        return f"{self.cluster}-issuing" if self.ca is CaKind.CLUSTER else f"{self.cluster}-{self.ca.value}-issuing"

    @property
    def lease(self) -> str:
        """The Lease of a run on the CA. The Lease for the clients CA has another ending, so that no two clusters have
        Leases of one name.
        """
        return f"{self.cluster}-trust" if self.ca is CaKind.CLUSTER else f"{self.cluster}-trust.{self.ca.value}"

    @property
    def paused_by(self) -> str:
        """The annotation of a pause by a flow on the CA."""
        return {CaKind.CLUSTER: PAUSED_BY, CaKind.CLIENTS: PAUSED_FOR_CLIENTS_CA}[self.ca]

    @property
    def certificate_generation(self) -> str:
        """The annotation with the number of certificates so far in ``ca.crt``. The operator restarts every node when
        its own number of the clients CA changes (docs/operator.md, "Sequences"), and no flow needs that: this
        collection counts beside it.
        """
        return {CaKind.CLUSTER: CA_CERT_GENERATION, CaKind.CLIENTS: CLIENTS_CA_GENERATION}[self.ca]

    @property
    def own_labels(self) -> dict[str, str]:
        """Labels of this collection's objects for the CA, unknown to Strimzi: a flow on one CA removes nothing of the
        other.
        """
        manager = {CaKind.CLUSTER: "trustops.strimzi", CaKind.CLIENTS: "trustops.strimzi-clients-ca"}[self.ca]
        return {MANAGED_BY_LABEL: manager, CLUSTER_LABEL: self.cluster}

    @property
    def beside_labels(self) -> dict[str, str]:
        """Labels of Secrets with certificates of the CA beside Strimzi's own Secrets. The operators' own labels are
        left out: if an operator finds an unknown Secret by them, it deletes it (docs/operator.md, "Leaves", "Users").
        """
        labels = {
            "app.kubernetes.io/instance": self.cluster,
            MANAGED_BY_LABEL: "cert-manager",
            "app.kubernetes.io/part-of": f"strimzi-{self.cluster}",
        }
        return labels if self.ca is CaKind.CLIENTS else {**labels, CLUSTER_LABEL: self.cluster}

    @property
    def other_ca(self) -> ClusterNames:
        """The names of the same cluster, about its other CA."""
        return self.of(CaKind.CLIENTS if self.ca is CaKind.CLUSTER else CaKind.CLUSTER)

    @property
    def selector(self) -> str:
        """Label selector of everything of the Kafka resource."""
        return selector_of(self.labels)

    @property
    def labels(self) -> dict[str, str]:
        """The two labels without which the operator does not find a Secret (docs/operator.md, "CA Secrets")."""
        return {KIND_LABEL: "Kafka", CLUSTER_LABEL: self.cluster}

    @property
    def user_labels(self) -> dict[str, str]:
        """The labels by which the User Operator finds a Secret of a user (docs/operator.md, "Users")."""
        return {KIND_LABEL: "KafkaUser", CLUSTER_LABEL: self.cluster}

    @property
    def user_selector(self) -> str:
        """Label selector of the User Operator's Secrets."""
        return selector_of(self.user_labels)

    @property
    def node_leaf_labels(self) -> dict[str, str]:
        """Labels of a Secret with the leaf of a node: two more than others. By them the operator deletes Secrets of
        gone nodes.
        """
        return {**self.labels, NAME_LABEL: self.node_name_label, COMPONENT_TYPE_LABEL: "kafka"}

    @property
    def node_name_label(self) -> str:
        """Value of ``strimzi.io/name`` on Kafka nodes and their Secrets."""
        return f"{self.cluster}-kafka"


#: The version of Strimzi's API before v1. Up to Strimzi 0.51 the API server stores objects in it, and serves both
#: (docs/operator.md, "The API before v1").
OLDER_VERSION = "v1beta2"

KAFKAS = Resource("kafka.strimzi.io", "v1", "kafkas", "Kafka")
KAFKA_NODE_POOLS = Resource("kafka.strimzi.io", "v1", "kafkanodepools", "KafkaNodePool")
KAFKA_USERS = Resource("kafka.strimzi.io", "v1", "kafkausers", "KafkaUser")
KAFKA_ACCESSES = Resource("access.strimzi.io", "v1alpha1", "kafkaaccesses", "KafkaAccess")
STRIMZI_POD_SETS = Resource("core.strimzi.io", "v1", "strimzipodsets", "StrimziPodSet")
SERVICES = Resource("", "v1", "services", "Service")
ROUTES = Resource("route.openshift.io", "v1", "routes", "Route")
CERTIFICATES = Resource("cert-manager.io", "v1", "certificates", "Certificate")
CERTIFICATE_REQUESTS = Resource("cert-manager.io", "v1", "certificaterequests", "CertificateRequest")
ISSUERS = Resource("cert-manager.io", "v1", "issuers", "Issuer")
CLUSTER_ISSUERS = Resource("cert-manager.io", "v1", "clusterissuers", "ClusterIssuer")
