# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clusters at the points where tests begin. Each is reached once, through the modules, and then only copied."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from functools import cache
from typing import Any
from unittest import mock

from cryptography.hazmat.primitives.asymmetric import ec

from ...tools.operator import certs, clusters
from ...tools.support.certificates import key, make
from ...tools.support.memory_cluster import MemoryCluster, Moment
from .fast_clock import FastClock
from .key_supply import KeySupply
from .running import Ended, call

#: Options for a module so that a test does not wait for primes.
FAST = {"key_type": "ecdsa-p256"}
#: A replacement that stops where the next CA is published: the first task of a flow.
PREPARED = {"state": "replaced", "ends_after": "prepare", "fresh_for_hours": 0, **FAST}
NOW, DAY = datetime.now(timezone.utc).replace(microsecond=0), timedelta(days=1)
KEYS, LEDGER = "demo-cluster-ca", "demo-cluster-ca-trusted-certs"


def done(memory: MemoryCluster, module: str, **options: Any) -> Ended:
    """A call that succeeds."""
    ended = call(module, memory, **options)
    assert not ended.failed, ended.result["msg"]
    return ended


def _managed() -> MemoryCluster:
    memory = MemoryCluster()
    done(memory, "strimzi_ca", before_kafka=True, **FAST)
    memory.apply(*clusters.dual_role(memory.cluster, memory.namespace))
    memory.settle()
    done(memory, "strimzi_ca", **FAST)
    return memory


def _generated() -> MemoryCluster:
    memory = MemoryCluster()
    memory.apply(*clusters.dual_role(memory.cluster, memory.namespace, generated=True))
    memory.settle()
    return memory


def _prepared() -> MemoryCluster:
    memory = managed()
    done(memory, "strimzi_ca", **PREPARED)
    return memory


def _unlinked() -> MemoryCluster:
    memory = managed()
    root = make("Corporate Root", key(2), begin=NOW - DAY, end=NOW + 400 * DAY)
    own = make("Kafka CA", key(1), root, begin=NOW - DAY, end=NOW + 365 * DAY)
    chain = "".join(one.certificate.pem.decode() for one in (own, root))
    done(memory, "strimzi_ca", **PREPARED, certificate=chain, private_key=key(1).reveal().decode())
    return memory


def _renewing() -> MemoryCluster:
    memory = managed()
    done(memory, "strimzi_ca", **{**PREPARED, "state": "renewed"})
    return memory


#: A CA whose key an outside issuer keeps.
ELSEWHERE = make("Corporate CA", key(3), begin=NOW - DAY, end=NOW + 400 * DAY)


def _asked() -> MemoryCluster:
    memory = managed()
    done(memory, "strimzi_ca", **PREPARED, certificate=ELSEWHERE.certificate.pem.decode())
    return memory


def _issued() -> MemoryCluster:
    memory = prepared()
    # Clients are given all of their time at once.
    done(memory, "strimzi_ee_cert", client_grace=120)
    return memory


def _taken_up() -> MemoryCluster:
    memory = issued()
    done(memory, "strimzi_roll")
    return memory


def _switched() -> MemoryCluster:
    memory = taken_up()
    done(memory, "strimzi_ca", state="promoted")
    return memory


@cache
def _reached(make: Callable[[], MemoryCluster]) -> Moment:
    """With EC keys of the operator, whichever test comes first: the cluster is kept for all of them."""
    with (
        mock.patch.multiple(certs, new_ca_key=_ec_key, new_leaf_key=_ec_key),
        FastClock.making_kept_cluster(),
        KeySupply.making_kept_cluster(),
    ):
        return make().moment()


def _ec_key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def start(make: Callable[[], MemoryCluster]) -> MemoryCluster:
    """A cluster of its own at this stage."""
    memory = MemoryCluster()
    memory.go_to(_reached(make))
    return memory


def managed() -> MemoryCluster:
    """A Ready cluster with a user-managed CA and a ledger."""
    return start(_managed)


def generated() -> MemoryCluster:
    """A Ready cluster whose CA the operator generates."""
    return start(_generated)


def prepared() -> MemoryCluster:
    """In a replacement: the next CA is published, with a link certificate."""
    return start(_prepared)


def unlinked() -> MemoryCluster:
    """In a replacement by an intermediate CA, which has no link certificate: processes have to trust it before it is used."""
    return start(_unlinked)


def renewing() -> MemoryCluster:
    """In a renewal: the new certificate is published."""
    return start(_renewing)


def asked() -> MemoryCluster:
    """In a replacement by a CA whose key is kept elsewhere: its leaves are asked for, and the issuer has signed none."""
    return start(_asked)


def issued() -> MemoryCluster:
    """In a replacement: the leaves of the next CA are stored, and no process has taken them up."""
    return start(_issued)


def taken_up() -> MemoryCluster:
    """In a replacement: every process presents leaves of the next CA, and the operator is still on the old one."""
    return start(_taken_up)


def switched() -> MemoryCluster:
    """In a replacement: the operator is on the new CA, and processes still know the old one."""
    return start(_switched)
