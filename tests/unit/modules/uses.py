# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every use of every module: where it begins, what the module is told, and what it has to write."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

from ...tools.operator import clusters
from ...tools.operator.user_operator import UserOperatorDouble
from ...tools.support.certificates import key, make
from ...tools.support.memory_cluster import MemoryCluster
from ...tools.support.signed_by_hand import Signature
from ...tools.support.users import kafka_user
from . import stages
from .running import Ended, call

LEDGER, KEYS, CERTIFICATES = (f"PATCH secrets/demo-cluster-ca{suffix}" for suffix in ("-trusted-certs", "", "-cert"))
BUNDLE, KAFKA = "PATCH secrets/demo-trustbundle", "PATCH kafkas/demo"
NODES = [f"PATCH secrets/demo-kafka-{number}" for number in range(3)]
OPERATOR = "PATCH secrets/demo-cluster-operator-certs"
OTHERS = [
    *(f"PATCH secrets/demo-entity-{name}-operator-certs" for name in ("topic", "user")),
    *(f"PATCH secrets/demo-{name}-certs" for name in ("cruise-control", "kafka-exporter")),
]
PODS = [f"PATCH pods/demo-kafka-{number}" for number in range(3)]
DEPLOYMENTS = [f"DELETE pods/demo-{name}" for name in ("cruise-control", "entity-operator", "kafka-exporter")]
STAMPS = [
    "PATCH strimzipodsets/demo-kafka",
    *(f"PATCH pods/demo-{name}" for name in ("cruise-control", "entity-operator")), *PODS, "PATCH pods/demo-kafka-exporter",
]  # fmt: skip

#: Another CA, to be trusted beside those of the cluster.
OTHER_CA = make("another", key(1)).certificate


#: Keys that a result has in check mode only, where a flow is planned.
PLANNED = {
    "plan", "planned_phases", "planned_restarts", "planned_rolls", "planned_rounds", "planned_seconds", "planned_lives", "planned_from", "choices",
}  # fmt: skip


@dataclass(frozen=True)
class Use:
    module: str
    what: str
    #: A cluster of its own.
    start: Callable[[], MemoryCluster]
    options: Mapping[str, Any]
    #: The writes in their order, without the Lease.
    writes: list[str]
    #: Whether it takes the Lease for them.
    leased: bool = field(default=True, kw_only=True)

    def __str__(self) -> str:
        return f"{self.module.removeprefix('strimzi_')} {self.what}".replace(" ", "-")

    def take(self, memory: MemoryCluster, *, check: bool = False, **more: Any) -> Ended:
        return call(self.module, memory, check=check, **{**self.options, **more})

    @cached_property
    def done(self) -> Ended:
        return self.take(self.start())

    @cached_property
    def planned(self) -> Ended:
        """The same in check mode."""
        return self.take(self.start(), check=True)


def _without(secret: str) -> Callable[[], MemoryCluster]:
    """A user has deleted this Secret, and the operator has not reconciled since."""

    def start() -> MemoryCluster:
        memory = stages.managed()
        memory.operator_runs = False
        memory.api.request("DELETE", f"/api/v1/namespaces/{memory.namespace}/secrets/{secret}")
        return memory

    return start


def trusting() -> MemoryCluster:
    memory = stages.managed()
    stages.done(memory, "strimzi_trusted_certs", certificate=OTHER_CA.pem.decode())
    return memory


def _paused() -> MemoryCluster:
    memory = stages.managed()
    stages.done(memory, "strimzi_reconciliation", state="paused")
    return memory


def _deployed() -> MemoryCluster:
    """The CA is made, and the Kafka resource applied since."""
    memory = MemoryCluster()
    stages.done(memory, "strimzi_ca", before_kafka=True, **stages.FAST)
    memory.apply(*clusters.dual_role(memory.cluster, memory.namespace))
    memory.settle()
    return memory


def _with_a_user() -> MemoryCluster:
    """The User Operator looks at the user as soon as its resource changes."""
    memory = stages.managed()
    operator = UserOperatorDouble(memory.api, memory.namespace, memory.cluster)
    memory.apply(kafka_user("orders", memory.namespace))
    operator.reconcile()
    memory.api.listeners.append(lambda change: operator.reconcile() if change.plural == "kafkausers" else None)
    return memory


def _later() -> MemoryCluster:
    memory = stages.managed()
    memory.seconds = 100
    return memory


#: Empty whenever a use begins.
FOLDER = Path(tempfile.mkdtemp())
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)


def _to_be_exported() -> MemoryCluster:
    for path in FOLDER.iterdir():
        path.unlink()
    return stages.asked()


def _to_be_imported() -> MemoryCluster:
    memory = _to_be_exported()
    requests = stages.done(memory, "strimzi_csr").result["requests"]
    (csr,) = (one["csr"] for one in requests if one["secret"] == "demo-kafka-0")
    signed = Signature(stages.ELSEWHERE, stages.NOW - timedelta(hours=1)).sign(csr.encode())
    (FOLDER / "demo-kafka-0.crt").write_bytes(signed)
    (FOLDER / "corporate.pem").write_bytes(stages.ELSEWHERE.certificate.pem)
    return memory


OWN = {
    "secret": "tools-tls", "common_name": "tools", "subject_alternative_names": ["tools.kafka.svc", "10.0.0.1"],
    "forms": ["pkcs12", "combined"],
}  # fmt: skip
TRUST_ROLL = [*PODS, KAFKA, *DEPLOYMENTS, LEDGER]

USES = [
    Use(
        "strimzi_ca", "makes a first one", MemoryCluster, {"before_kafka": True, **stages.FAST},
        ["POST secrets", "POST secrets", KEYS, "POST secrets", LEDGER, KEYS, LEDGER],
    ),
    Use("strimzi_ca", "takes up a new cluster", _deployed, stages.FAST, [LEDGER, LEDGER]),
    Use("strimzi_ca", "adopts", stages.generated, {"state": "adopted"}, [KAFKA, "POST secrets", LEDGER]),
    Use(
        "strimzi_ca", "hands back", stages.managed, {"state": "handed_back"},
        [KAFKA, "DELETE secrets/demo-cluster-ca-trusted-certs"],
    ),
    Use("strimzi_ca", "prepares a replacement", stages.managed, stages.PREPARED, [KEYS, LEDGER, CERTIFICATES, KAFKA, LEDGER]),
    Use(
        "strimzi_ca", "prepares a renewal", stages.managed, {**stages.PREPARED, "state": "renewed"},
        [KEYS, LEDGER, CERTIFICATES, KAFKA, LEDGER],
    ),
    Use(
        "strimzi_ca", "switches to a new key", stages.taken_up, {"state": "promoted"},
        [
            KAFKA, KEYS, CERTIFICATES, LEDGER, BUNDLE, LEDGER, *NODES, OPERATOR, *OTHERS, *STAMPS, KAFKA,
        ],
    ),
    Use(
        "strimzi_ca", "switches to new dates", stages.renewing, {"state": "promoted"},
        [KAFKA, CERTIFICATES, LEDGER, *NODES, OPERATOR, *OTHERS, KAFKA],
    ),
    Use(
        "strimzi_ca", "takes one out", trusting, {"state": "absent", "fingerprint": OTHER_CA.sha256},
        [LEDGER, KAFKA, CERTIFICATES, BUNDLE, LEDGER, KAFKA],
    ),
    Use("strimzi_trusted_certs", "has every pod trust the next CA", stages.unlinked, {}, TRUST_ROLL),
    Use(
        "strimzi_trusted_certs", "has every pod trust another CA", stages.managed, {"certificate": OTHER_CA.pem.decode()},
        [CERTIFICATES, KAFKA, LEDGER, *TRUST_ROLL],
    ),
    Use("strimzi_trusted_certs", "ends a replacement", stages.switched, {"state": "retired"}, [KEYS, KAFKA, LEDGER]),
    Use(
        "strimzi_trusted_certs", "puts the ledger into other Secrets", stages.managed, {"state": "converted", "layout": "split"},
        ["POST secrets", LEDGER],
    ),
    Use("strimzi_ee_cert", "issues those of the next CA", stages.prepared, {}, [*NODES, *OTHERS]),
    Use("strimzi_ee_cert", "issues a missing one", _without("demo-kafka-1"), {}, ["POST secrets"]),
    Use("strimzi_ee_cert", "issues one of its own", stages.managed, OWN, ["POST secrets"], leased=False),
    Use(
        "strimzi_csr", "exports requests", _to_be_exported, {"state": "exported", "directory": str(FOLDER)}, [], leased=False,
    ),
    Use(
        "strimzi_csr", "imports certificates", _to_be_imported, {"state": "imported", "directory": str(FOLDER)},
        ["PATCH secrets/demo-issuing-kafka"], leased=False,
    ),
    Use("strimzi_roll", "has every pod present what is stored", stages.issued, {}, [KAFKA, LEDGER, OPERATOR]),
    Use(
        "strimzi_roll", "restarts for a reason", _later, {"reason": "a new kernel", "since": "2026-01-01T00:01:00Z"},
        [*PODS, KAFKA],
    ),
    Use(
        "strimzi_node_pool", "scales", stages.managed, {"pool": "kafka", "replicas": 4}, ["PATCH kafkanodepools/kafka"],
    ),
    Use(
        "strimzi_user", "leaves its certificates to another issuer", _with_a_user, {"user": "orders", "authentication": "tls-external"},
        ["PATCH kafkausers/orders", "PATCH secrets/orders", "PATCH kafkausers/orders"],
    ),
    Use("strimzi_reconciliation", "pauses", stages.managed, {"state": "paused"}, [KAFKA]),
    Use("strimzi_reconciliation", "resumes", _paused, {"state": "resumed"}, [KAFKA]),
]  # fmt: skip
