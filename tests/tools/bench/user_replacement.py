"""Replaces a clients CA with so many users in memory: ``python -m tests.tools.bench.user_replacement NUMBER [forgetting] [restored]``.

Prints what the calls cost beside the API server and the operators: seconds of the processor and bytes of answers, of a call that has nothing to do and
of all phases together, and the most memory of the process, with the cluster in it. forgetting: each look reads everything, as if nothing were
remembered. restored: another program has written the Secrets of users, with PKCS#12 files as Java makes them.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from cryptography.hazmat.primitives.serialization import PrivateFormat, pkcs12

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.engine import run
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import Remembered
from ansible_collections.trustops.strimzi.plugins.module_utils._pki import certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import Work
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import CaKind
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent

from ..operator import certs
from ..operator.user_operator import UserOperatorDouble
from ..support.flows import work_on
from ..support.intents import changed_intent
from ..support.memory_api import Change, MemoryApi, Response
from ..support.memory_cluster import MemoryCluster
from ..support.users import CERTIFICATE_SECRET, kafka_user
from .cluster import RSA_WISHES, cluster_of
from .once import peak_kib

#: Bytes of a PKCS#12 file, which the User Operator writes with the certificate.
KEYSTORE = 3000
#: Iterations of Java.
_ITERATIONS = 10_000


@dataclass
class Forgetting(Remembered[Any]):
    """Nothing is known at the next look."""

    def __post_init__(self) -> None:
        super().__init__()

    def each(self, *arguments: Any, **more: Any) -> Any:
        self._lists.clear()
        return super().each(*arguments, **more)


@dataclass
class Metered:
    """An API server whose answers are counted, and whose own time and that of the operators is not the client's."""

    api: MemoryApi
    bytes: int = 0
    outside: float = 0.0

    def request(self, method: str, path: str, **more: Any) -> Response:
        begun = time.process_time()
        found = self.api.request(method, path, **more)
        text = json.dumps(found.body, separators=(",", ":"))
        self.bytes += len(text)
        self.outside += time.process_time() - begun
        # The client pays for reading what was sent.
        return replace(found, body=json.loads(text))

    def stream(self, path: str, **more: Any) -> Iterator[dict[str, Any]]:
        begun = time.process_time()
        found = list(self.api.stream(path, **more))
        self.outside += time.process_time() - begun
        return iter(found)


def _java_keystore(name: str, certificate: bytes, key: bytes, password: bytes) -> bytes:
    algorithm = pkcs12.PBES.PBESv2SHA256AndAES256CBC
    how = PrivateFormat.PKCS12.encryption_builder().kdf_rounds(_ITERATIONS).key_cert_algorithm(algorithm)
    pair = certs.load_key(key), certs.load(certificate)[0]
    return pkcs12.serialize_key_and_certificates(name.encode(), *pair, None, how.build(password))


@dataclass
class Users:
    """The users of a cluster, and a User Operator that looks at those that have changed."""

    memory: MemoryCluster
    number: int
    restored: bool = False
    changed: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        certs.keystore = _java_keystore if self.restored else lambda *_what: os.urandom(KEYSTORE)
        self.operator = UserOperatorDouble(self.memory.api, self.memory.namespace, self.memory.cluster)
        self.memory.api.listeners.append(self._note)
        self.memory.neighbours.append(self._look)
        self.memory.apply(*(kafka_user(name, self.memory.namespace) for name in self._all))
        self.memory.settle()
        certs.keystore = lambda *_what: os.urandom(KEYSTORE)
        # The next keys are others, as those are that the User Operator makes.
        key = certs._rsa(2048)
        certs.new_leaf_key = lambda: key
        for name in self._all if self.restored else ():
            self.memory.api.give("secrets", self.memory.namespace, name, "velero")

    @property
    def _all(self) -> list[str]:
        return [f"user-{number}" for number in range(self.number)]

    def _note(self, change: Change) -> None:
        if change.plural == "kafkausers":
            self.changed.add(change.name)
        elif change.name == CERTIFICATE_SECRET:
            self.changed.update(self._all)

    def _look(self) -> None:
        # No test here looks back at what was written.
        self.memory.api.writes.clear()
        looked, self.changed = self.changed, set()
        for name in looked:
            user = self.memory.api.find("kafkausers", self.memory.namespace, name)
            if user is not None:
                self.operator._reconcile(user)
        self.changed = set()


def call(memory: MemoryCluster, intent: Intent, remembered: Remembered[Any]) -> tuple[str | None, dict[str, float]]:
    """A module call, in a process that knows nothing of those before. The CA that it replaces, and what it cost."""
    for cached in (certificates._from_der, certificates._signed_by, certificates._bears_signature_of):
        cached.cache_clear()
    metered = Metered(memory.api)
    work: Work = work_on(memory, metered, wishes=RSA_WISHES)
    work = replace(work, scope=work.scope.of(CaKind.CLIENTS), user_secrets=remembered)
    sleep = work.clock.sleep

    def move(seconds: float) -> None:
        begun = time.process_time()
        sleep(seconds)
        metered.outside += time.process_time() - begun

    work.clock.sleep = move  # type: ignore[method-assign]
    begun = time.process_time()
    outcome = run(work, intent, lambda: None)
    if outcome.decision.violations or not outcome.decision.done:
        raise RuntimeError(f"the flow is held: {[str(violation) for violation in outcome.decision.violations]}")
    return outcome.replaces, {"seconds": time.process_time() - begun - metered.outside, "bytes": metered.bytes}


def main() -> None:
    number, kind = int(sys.argv[1]), Forgetting if "forgetting" in sys.argv else Remembered
    memory, _work = cluster_of(3)
    generated = {"spec": {"clientsCa": {"generateCertificateAuthority": False}}}
    path = f"/apis/kafka.strimzi.io/v1/namespaces/{memory.namespace}/kafkas/{memory.cluster}"
    memory.api.request("PATCH", path, body=generated, content_type="application/merge-patch+json")
    Users(memory, number, restored="restored" in sys.argv)
    call(memory, Intent(Goal.RECONCILE), kind())
    _replaces, idle = call(memory, Intent(Goal.RECONCILE), kind())
    intent, costs = Intent(Goal.REPLACE_KEY), []
    for phase in Phase:
        replaces, cost = call(memory, changed_intent(intent, last_phase=phase), kind())
        intent = changed_intent(intent, replaces=intent.parameters.replaces or replaces)
        costs.append(cost)
    whole = {what: sum(cost[what] for cost in costs) for what in idle}
    print(json.dumps({"idle": idle, "whole": whole, "peak": peak_kib()}))


if __name__ == "__main__":
    main()
