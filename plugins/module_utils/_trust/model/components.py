# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The components that present certificates of a cluster."""

from __future__ import annotations

from enum import Enum


class Component(str, Enum):
    """The component that a pod or a leaf belongs to."""

    KAFKA = "kafka"
    ENTITY_OPERATOR = "entity-operator"
    CRUISE_CONTROL = "cruise-control"
    KAFKA_EXPORTER = "kafka-exporter"
    CLUSTER_OPERATOR = "cluster-operator"
    #: A party outside the cluster that presents its leaf to nodes.
    USER = "user"
