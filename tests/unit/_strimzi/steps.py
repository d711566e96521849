# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster on which every kind of write has something to do, and the step that does it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.ca_secrets import SuppliedAuthority
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Step
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import (
    Ledger,
    LedgerEntry,
    TrustState,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import PreparedAuthority
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.authority import (
    PrepareAuthority,
    PutBack,
    RaiseKeyGeneration,
    RestoreKey,
    SetGenerated,
    Switch,
    TidyKeys,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import Pause, Resume, StampPods
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.trust import (
    DeleteLedger,
    Project,
    Withdraw,
    WriteBundle,
    WriteLedger,
)

from ...tools.support.certificates import Entity, key, make
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
    #: The name in messages.
    name: str
    step: Step
    #: Plural and name of each object that the step writes.
    touches: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        return self.name


CERTIFICATES, KEYS = ("secrets", SCOPE.ca_certificate_secret), ("secrets", SCOPE.ca_key_secret)
LEDGER, RESOURCE = ("secrets", SCOPE.trusted_certificates_secret), ("kafkas", "demo")
BUNDLE, NODE = ("secrets", SCOPE.trust_bundle_secret), ("pods", "demo-kafka-0")
NEXT_PREPARED = PreparedAuthority((NEXT.certificate,), NEXT.certificate.public_key_sha256)


def switch_to(authority: PreparedAuthority = NEXT_PREPARED, leaving: Entity | None = None) -> Switch:
    """To the generations that follow those of ``cluster``."""
    gone = leaving.certificate if leaving else None
    return Switch(authority=authority, generation=1, key_generation=1, leaving=gone)


def record(ledger: Ledger, before: Ledger = ENTRIES) -> WriteLedger:
    return WriteLedger(ledger=ledger, before=before, phase=Phase.PREPARE)


PAUSE = Pause(phase=Phase.USE, purpose="put the chain of the CA in use behind 3 certificates")
CASES = (
    Case("write ledger", record(AFTER), (LEDGER,)),
    Case("delete ledger", DeleteLedger(), (LEDGER,)),
    Case("project", Project(chains=((NEXT.certificate,),)), (CERTIFICATES,)),
    Case("withdraw", Withdraw(certificate=GONE.certificate), (CERTIFICATES,)),
    Case("write bundle", WriteBundle(phase=Phase.RETIRE), (BUNDLE,)),
    Case("prepare", PrepareAuthority(goal=Goal.REPLACE_KEY, replaces=(OLD.certificate,), generation=1), (KEYS,)),
    Case("switch", switch_to(), (KEYS, CERTIFICATES)),
    Case("put back", PutBack(chain=(GONE.certificate,), generation=3, key_generation=4), (KEYS, CERTIFICATES)),
    Case("restore key", RestoreKey(certificate=GONE.certificate, key_generation=7), (KEYS,)),
    Case("raise key generation", RaiseKeyGeneration(generation=5), (KEYS,)),
    Case(
        "tidy",
        TidyKeys(prepared=frozenset({fingerprint(NEXT)}), kept_keys=frozenset({fingerprint(GONE)}), phase=Phase.RETIRE),
        (KEYS,),
    ),
    Case("stamp pods", StampPods(generation=None, key_generation=5, phase=Phase.USE), (NODE,)),
    Case("pause", PAUSE, (RESOURCE,)),
    Case("resume", Resume(phase=Phase.USE), (RESOURCE,)),
    Case("set generated", SetGenerated(generated=True, ca="cluster CA", phase=Phase.RETIRE), (RESOURCE,)),
)


@cache
def _ledger_data() -> dict[str, bytes]:
    bench = Bench()
    bench.carry_out(record(ENTRIES))
    return bench.data(SCOPE.trusted_certificates_secret)


def cluster() -> Bench:
    """OLD issues, NEXT is prepared, GONE may go; the operator confirms whatever is asked at once."""
    bench = Bench()
    status = {"conditions": conditions("Ready"), "observedGeneration": 1}
    bench.create("kafkas", kafka(status, {"strimzi.io/other": "stays"}, clusterCa={"validityDays": 30}))
    keys = {
        f"{fingerprint(NEXT)}.crt": pem(NEXT), f"{fingerprint(NEXT)}.key": NEXT.key.reveal(),
        f"{fingerprint(GONE)}.key": GONE.key.reveal(),
    }  # fmt: skip
    bench.authority(OLD, keys, gone=GONE)
    bench.create("secrets", secret(SCOPE.trusted_certificates_secret, _ledger_data()))
    bench.create("secrets", secret(SCOPE.trust_bundle_secret, {"cluster-ca.crt": pem(GONE)}))
    template = pod("demo-kafka-0", cluster_ca_key_generation="0", revision="abc")
    pod_set = {"metadata": {"name": "demo-kafka", "labels": LABELS}, "spec": {"pods": [template]}}
    bench.create("strimzipodsets", pod_set)
    bench.create("pods", pod("demo-kafka-0", cluster_ca_key_generation="0"))
    bench.api.idle = lambda: follow(bench)
    return bench


def follow(bench: Bench) -> None:
    """The operator says at once that it has seen the present generation, or the pause."""
    bench.clock.seconds += 1.0
    generation = bench.find("kafkas", "demo")["metadata"]["generation"]
    said = conditions("ReconciliationPaused" if bench.annotation("kafkas", "demo", "pause-reconciliation") else "Ready")
    bench.change("kafkas", "demo", {"status": {"observedGeneration": generation, "conditions": said}}, "status")
