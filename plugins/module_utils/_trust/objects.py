# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""How the objects of a cluster are named in messages: kind, namespace and name."""

from __future__ import annotations

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Snapshot


def kafka(snapshot: Snapshot) -> str:
    return f"Kafka {snapshot.namespace}/{snapshot.cluster}"


def certificate_secret(snapshot: Snapshot) -> str:
    return f"Secret {snapshot.namespace}/{snapshot.cluster}-cluster-ca-cert"


def key_secret(snapshot: Snapshot) -> str:
    return f"Secret {snapshot.namespace}/{snapshot.cluster}-cluster-ca"


def ledger_secret(snapshot: Snapshot) -> str:
    return f"Secret {snapshot.namespace}/{snapshot.cluster}-cluster-ca-trusted-certs"
