# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The kinds of Strimzi 1.x (docs/operator.md, "Kafka resource") and of cert-manager that are read or written here."""

from __future__ import annotations

from .._kube.resources import Resource

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
