# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One cluster on which every kind of write has something to do, and the step that does it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.work import SuppliedAuthority
from ansible_collections.trustops.strimzi.plugins.module_utils._trust import steps
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal, Ledger, LedgerEntry
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.states import TrustState
from ansible_collections.trustops.strimzi.tests.unit._pki.hierarchy import Entity, key, make

from .bench import LABELS, SCOPE, Bench, conditions, kafka, pem, pod, secret

OLD, NEXT, GONE = (make(f"cluster-ca v{number}", key(number)) for number in range(3))
#: A CA that a caller brings.
BROUGHT = make("corporate", key(3))
SUPPLIED = SuppliedAuthority((BROUGHT.certificate,), BROUGHT.key)
ENTRIES = Ledger((LedgerEntry((OLD.certificate,), TrustState.TRUSTED_IN_USE_ALL, frozenset({0})),))
AFTER = Ledger((*ENTRIES.entries, LedgerEntry((NEXT.certificate,), TrustState.UNTRUSTED)))


def fingerprint(entity: Entity) -> str:
    return entity.certificate.fingerprint


@dataclass(frozen=True)
class Case:
    """name: for people. touches: plural and name of each object that the step writes."""

    name: str
    step: Callable[[], steps.Step]
    touches: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        return self.name


CERTIFICATES, KEYS = ("secrets", SCOPE.ca_certificate_secret), ("secrets", SCOPE.ca_key_secret)
LEDGER, RESOURCE = ("secrets", SCOPE.ledger_secret), ("kafkas", "demo")
CASES = (
    Case("write ledger", lambda: steps.WriteLedger(AFTER, Phase.PREPARE), (LEDGER,)),
    Case("delete ledger", steps.DeleteLedger, (LEDGER,)),
    Case("project", lambda: steps.Project(((NEXT.certificate,),)), (CERTIFICATES,)),
    Case("withdraw", lambda: steps.Withdraw(fingerprint(GONE)), (CERTIFICATES,)),
    Case("prepare", lambda: steps.PrepareAuthority(Goal.REPLACE_KEY, (OLD.certificate,), 1), (KEYS,)),
    Case("promote", lambda: steps.Promote(fingerprint(NEXT), 1), (KEYS, CERTIFICATES)),
    Case(
        "tidy",
        lambda: steps.TidyKeys(frozenset({fingerprint(NEXT)}), frozenset({fingerprint(GONE)}), Phase.RETIRE),
        (KEYS,),
    ),
    Case("true key generation", lambda: steps.TrueKeyGeneration(5), (("pods", "demo-kafka-0"), KEYS)),
    Case("pause", lambda: steps.Pause(Phase.USE), (RESOURCE,)),
    Case("resume", lambda: steps.Resume(Phase.USE), (RESOURCE,)),
    Case("set generated", lambda: steps.SetGenerated(True, Phase.RETIRE), (RESOURCE,)),
)


@cache
def _ledger_data() -> dict[str, bytes]:
    bench = Bench()
    bench.carry_out(steps.WriteLedger(ENTRIES, Phase.PREPARE))
    return bench.data(SCOPE.ledger_secret)


def cluster() -> Bench:
    """OLD issues, NEXT is prepared, GONE may go; the operator confirms whatever is asked at once."""
    bench = Bench()
    status = {"conditions": conditions("Ready", "ReconciliationPaused"), "observedGeneration": 1}
    bench.create("kafkas", kafka(status, {"strimzi.io/other": "stays"}, clusterCa={"validityDays": 30}))
    keys = {
        f"{fingerprint(NEXT)}.crt": pem(NEXT), f"{fingerprint(NEXT)}.key": NEXT.key.reveal(),
        f"{fingerprint(GONE)}.key": GONE.key.reveal(),
    }  # fmt: skip
    bench.authority(OLD, keys, gone=GONE)
    bench.create("secrets", secret(SCOPE.ledger_secret, _ledger_data()))
    bench.create("pods", pod("demo-kafka-0", cluster_ca_key_generation="0"))
    template = pod("demo-kafka-0", cluster_ca_key_generation="0", revision="abc")
    pod_set = {"metadata": {"name": "demo-kafka", "labels": LABELS}, "spec": {"pods": [template]}}
    bench.create("strimzipodsets", pod_set)
    bench.api.idle = lambda: follow(bench)
    return bench


def follow(bench: Bench) -> None:
    """What the operator does at once: it says that it has seen the present generation."""
    bench.clock.seconds += 1.0
    generation = bench.find("kafkas", "demo")["metadata"]["generation"]
    bench.change("kafkas", "demo", {"status": {"observedGeneration": generation}}, "status")
