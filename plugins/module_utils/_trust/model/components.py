# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The components with certificates of a cluster, one row each (docs/operator.md, "Leaves"). All knowledge of a
component stands in its row. The report reads the rows on the controller, so this file imports nothing that needs a
library.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from ..._pki.verifiers import Verifier


class Workload(Enum):
    """The kind of the object that owns the pods of a component, or the kind above it."""

    POD_SET = "StrimziPodSet"
    #: It owns ReplicaSets, which own the pods.
    DEPLOYMENT = "Deployment"
    #: The component runs in no pod of the cluster.
    NONE = ""


@dataclass(frozen=True)
class LeafPlace:
    """A leaf of a component, and the Secret with it."""

    #: The name of the Secret without ``<cluster>-`` before it.
    secret: str
    #: The name of its entries in the Secret, without ``.crt`` and ``.key``.
    entry: str
    #: The common name of its subject. ``{cluster}`` in it is the name of the cluster.
    common_name: str
    #: The field in the component's part of the Kafka resource without which the operator issues no such leaf; empty if
    #: the component always has it.
    field: str = ""


@dataclass(frozen=True)
class ComponentFacts:
    """The row of a component: all knowledge of it."""

    #: Its title, and the title of several, as a report has them.
    titles: tuple[str, str]
    #: The parties with its certificates, after a preposition.
    owners: str
    #: The owner of its pods.
    workload: Workload = Workload.NONE
    #: The field of ``spec`` of the Kafka resource for it; empty if it does not depend on one field.
    field: str = ""
    #: Its leaves, in the order of their hashes in the annotations of a pod; empty if each pod or user has a leaf in a
    #: Secret of its own.
    leaves: tuple[LeafPlace, ...] = ()
    #: The Services by which other processes of the cluster call it, without ``<cluster>-`` before each. Its leaf has
    #: their names, and is presented to clients too; without a Service it is a pure client.
    services: tuple[str, ...] = ()
    #: Further names in its leaf.
    hosts: tuple[str, ...] = ()
    #: How it verifies certificates.
    verifier: Verifier = Verifier.JVM
    #: Whether the operator finds the Secrets of its leaves by their labels, and issues another leaf if a label is
    #: missing. It finds other Secrets by their names, and puts labels back.
    is_found_by_labels: bool = False


class Component(str, Enum):
    """The component of a pod or a leaf, in the order of a report. The value is the component as the operator's labels
    and the names of its Deployments have it.
    """

    _value_: str
    #: The row.
    facts: ComponentFacts

    def __new__(cls, value: str, *row: ComponentFacts) -> Component:
        """A member of this enum, always with its row. A call with a value alone finds the member and makes none."""
        member = str.__new__(cls, value)
        member._value_ = value
        (member.facts,) = row
        return member

    KAFKA = (
        "kafka",
        ComponentFacts(
            titles=("Kafka node", "Kafka nodes"),
            owners="the Kafka nodes",
            workload=Workload.POD_SET,
            services=("kafka-bootstrap", "kafka-brokers"),
            is_found_by_labels=True,
        ),
    )
    ENTITY_OPERATOR = (
        "entity-operator",
        ComponentFacts(
            titles=("Entity Operator", "Entity Operators"),
            owners="the Entity Operator",
            workload=Workload.DEPLOYMENT,
            field="entityOperator",
            leaves=(
                LeafPlace(
                    "entity-topic-operator-certs", "entity-operator", "{cluster}-entity-topic-operator", "topicOperator"
                ),
                LeafPlace(
                    "entity-user-operator-certs", "entity-operator", "{cluster}-entity-user-operator", "userOperator"
                ),
            ),
        ),
    )
    CRUISE_CONTROL = (
        "cruise-control",
        ComponentFacts(
            titles=("Cruise Control", "Cruise Controls"),
            owners="Cruise Control",
            workload=Workload.DEPLOYMENT,
            field="cruiseControl",
            leaves=(LeafPlace("cruise-control-certs", "cruise-control", "{cluster}-cruise-control"),),
            services=("cruise-control",),
            hosts=("localhost",),
        ),
    )
    KAFKA_EXPORTER = (
        "kafka-exporter",
        ComponentFacts(
            titles=("Kafka Exporter", "Kafka Exporters"),
            owners="Kafka Exporter",
            workload=Workload.DEPLOYMENT,
            field="kafkaExporter",
            leaves=(LeafPlace("kafka-exporter-certs", "kafka-exporter", "{cluster}-kafka-exporter"),),
            verifier=Verifier.GO,
        ),
    )
    CLUSTER_OPERATOR = (
        "cluster-operator",
        ComponentFacts(
            titles=("Cluster Operator", "Cluster Operators"),
            owners="the Cluster Operator",
            leaves=(LeafPlace("cluster-operator-certs", "cluster-operator", "cluster-operator"),),
            is_found_by_labels=True,
        ),
    )
    #: The users of the cluster, parties outside it with leaves for nodes.
    USER = "user", ComponentFacts(titles=("user", "users"), owners="users")


#: The components in pods of the cluster.
IN_PODS = tuple(component for component in Component if component.facts.workload is not Workload.NONE)
#: The components in pods of a Deployment.
DEPLOYED = tuple(component for component in IN_PODS if component.facts.workload is Workload.DEPLOYMENT)
