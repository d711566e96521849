# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each remedy of docs/stops.md leads out: a call stops at the condition, a person does as the page says, and the same call goes through, or stops at another
condition whose remedy is followed likewise. A condition that is met twice is a circle.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import KafkaUnavailable
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import parse_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import PrivateKey, load_key, placeholder
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout import admin
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import ENGINE
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition, Steps
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import UpkeepOptions, WhenDue
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.authority import TidyKeys
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import Roll, RollReason
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.situation import Situation

from ...flows.cases import DAY as CLUSTER_DAY
from ...flows.cases import outlive_authority
from ...flows.conftest import in_time
from ...flows.test_handing_back import in_its_time
from ...flows.test_kept_elsewhere import ASKED, elsewhere, moved, office
from ...flows.test_kept_elsewhere import run as run_flow
from ...flows.test_recovering import create as create_lasting
from ...flows.test_recovering import outlive_leaves
from ...flows.test_schedules import adopted as adopt_due
from ...flows.test_schedules import go_to, in_use, with_windows
from ...tools.operator import certs
from ...tools.support.authorities import Authority, below, root
from ...tools.support.certificates import YEAR, Entity, key, make
from ...tools.support.golden import GoldenFiles, without_chance
from ...tools.support.kafka import FakeKafka, FakeTopic
from ...tools.support.memory_api import Change
from ...tools.support.memory_cluster import MemoryCluster
from ...tools.support.other_hands import WriterBack
from ...tools.support.reloads import ReloadingNodes
from ...tools.support.signing_office import SigningOffice
from ...tools.support.strangers import NAME as STRANGER
from ...tools.support.strangers import label_stranger, labels_of, run_stranger
from ...tools.support.watched_cluster import WatchedCluster
from . import stages
from .fast_clock import FastClock as module_clock
from .mistakes import CERTIFICATES, KEYS, LEDGER, entry, put, swap_authority, use_authority
from .running import call
from .stages import DAY, NOW, PREPARED
from .test_clients_ca import adopted_with
from .test_deleted_and_restored import delete, restore
from .test_mistakes_authority import GROWTH, NAMESAKE, authority, filled
from .test_mistakes_objects import JOURNAL, journal
from .test_node_pool import elsewhere as elsewhere_cluster
from .test_outside_clients import with_connect
from .test_taken_names import Name, put_foreign
from .test_users_left import NAMESPACED, remembering, waive
from .test_users_left import delete as delete_of_team
from .test_users_left import refusing as refusing_reads
from .test_verdict import accept, refuse
from .walks import DirectWalk, FlowWalk, ModuleWalk, Row, follow, kubectl, make_again

Patch = pytest.MonkeyPatch
REPLACED = {"state": "replaced", "fresh_for_hours": 0, **stages.FAST}
OWN = "demo-cluster-ca-bundle"
PAUSED = "strimzi.io/pause-reconciliation"
#: A task that restarts a pod for a reason of its own.
OWN_REASON = {"reason": "a new kernel", "pods": ["demo-kafka-1"]}


def task(
    spoil: Callable[[MemoryCluster], object] = lambda _memory: None,
    module: str = "strimzi_ca",
    start: Callable[[], MemoryCluster] = stages.managed,
    options: dict[str, Any] | None = None,
    **more: Any,
) -> Callable[[Patch], ModuleWalk]:
    """A call of this module with these options, PREPARED where none are given, where the cluster is spoilt."""

    def begin(_patch: Patch) -> ModuleWalk:
        memory = start()
        spoil(memory)
        chosen = dict(PREPARED) if options is None and module == "strimzi_ca" else dict(options or {})
        return ModuleWalk(memory, module, chosen, **more)

    return begin


def asks(**options: Any) -> Callable[[ModuleWalk], None]:
    """The person gives the task these options; None takes an option away."""

    def change(walk: ModuleWalk) -> None:
        walk.options.update(options)
        walk.options = {name: value for name, value in walk.options.items() if value is not None}

    return change


def edits(plural: str, name: str, **parts: Any) -> Callable[[ModuleWalk], None]:
    """The person changes these parts of an object, and the operator looks at it."""

    def change(walk: ModuleWalk) -> None:
        put(walk.memory, plural, name, **parts)
        walk.memory.settle(1)

    return change


def runs(*tasks: tuple[str, dict[str, Any]]) -> Callable[[ModuleWalk], None]:
    """The person runs these tasks first."""

    def run(walk: ModuleWalk) -> None:
        for module, options in tasks:
            walk.task(module, **options)

    return run


def settles(walk: ModuleWalk) -> None:
    """The operator reconciles."""
    walk.memory.settle(3)


def spoils(plural: str, name: str, **parts: Any) -> Callable[[MemoryCluster], None]:
    return lambda memory: put(memory, plural, name, **parts)


def in_remedy(pattern: str, walk: ModuleWalk) -> str:
    found = re.search(pattern, walk.stop.remedy)
    assert found is not None, walk.stop.remedy
    return found.group(1)


# The cluster and its operator.


def another_name(walk: ModuleWalk) -> None:
    walk.memory.cluster = "demo"


def misspelt(memory: MemoryCluster) -> None:
    memory.cluster = "dmeo"


def start_operator(walk: ModuleWalk) -> None:
    walk.memory.operator_runs = True
    walk.memory.settle(6)


def agreeing(walk: ModuleWalk) -> None:
    walk.ahead = timedelta(0)


def delete_secret(name: str) -> Callable[[MemoryCluster], object]:
    return lambda memory: memory.api.request("DELETE", f"/api/v1/namespaces/{memory.namespace}/secrets/{name}")


def as_stranger(memory: MemoryCluster) -> None:
    run_stranger(memory.api)
    label_stranger(memory.api, labels_of("kafka"))


def backed_up(spoil: Callable[[MemoryCluster], object]) -> Callable[[MemoryCluster], None]:
    def change(memory: MemoryCluster) -> None:
        stages.done(memory, "strimzi_ca", **PREPARED, backup=True)
        spoil(memory)

    return change


def replaced_by_operator(memory: MemoryCluster) -> None:
    put(memory, "secrets", KEYS, annotations={"strimzi.io/force-replace": "true"})
    memory.step()


def in_the_future(memory: MemoryCluster) -> None:
    put(memory, "secrets", LEDGER, annotations={JOURNAL: journal(memory, finishedAt="2051-01-01T00:00:00.000000Z")})


def correct_time(walk: ModuleWalk) -> None:
    ended = f"{NOW - DAY:%Y-%m-%dT%H:%M:%S}.000000Z"
    put(walk.memory, "secrets", LEDGER, annotations={JOURNAL: journal(walk.memory, finishedAt=ended)})


RECOVER = runs(("strimzi_ca", {"state": "recovered"}))

CLUSTER: dict[Condition, Row] = {
    Condition.CLOCKS_AGREE: Row(task(ahead=timedelta(minutes=10)), agreeing),
    Condition.CLUSTER_EXISTS: Row(task(misspelt), another_name),
    Condition.NOTHING_IS_IN_DELETION: Row(
        task(lambda memory: delete(memory, "secrets", KEYS)),
        lambda walk: make_again(walk, "secrets", KEYS, lambda _body: None),
    ),
    Condition.OPERATOR_IS_THERE: Row(task(restore, options={**PREPARED, "operator_timeout": 1}), start_operator),
    Condition.NOT_PAUSED_BY_OTHERS: Row(
        task(lambda memory: (put(memory, "kafkas", "demo", annotations={"strimzi.io/pause-reconciliation": "true"}), memory.settle())),
        edits("kafkas", "demo", annotations={"strimzi.io/pause-reconciliation": None}),
    ),
    Condition.OPERATOR_IS_WORKING: Row(
        task(spoils("kafkas", "demo", spec={"kafka": {"version": "4.3.2"}})), settles,
        played="the operator reconciles, once the cause is gone that its log names",
    ),
    Condition.AUTHORITY_IS_USER_MANAGED: Row(
        task(start=stages.generated), runs(("strimzi_ca", {"state": "adopted"}))
    ),
    Condition.PODS_ARE_LABELLED: Row(task(spoils("pods", "demo-kafka-1", labels={"strimzi.io/name": None})), kubectl),
    Condition.NAMES_ARE_FREE: Row(
        task(lambda memory: put_foreign(memory, Name(OWN)), options={**PREPARED, "client_bundle": True}),
        lambda walk: delete_secret(OWN)(walk.memory),
    ),
    Condition.SECRETS_ARE_LABELLED: Row(task(spoils("secrets", KEYS, labels={"strimzi.io/kind": None})), kubectl),
    Condition.PODS_ARE_OWNED: Row(
        task(as_stranger),
        lambda walk: walk.memory.api.request("DELETE", f"/api/v1/namespaces/kafka/pods/{STRANGER}"),
    ),
    Condition.OPERATOR_HAS_FINISHED: Row(
        task(replaced_by_operator, start=stages.generated, options={"state": "adopted"}), settles
    ),
    Condition.NO_LEFT_OVER_TRIGGER: Row(
        task(spoils("secrets", CERTIFICATES, annotations={"strimzi.io/force-renew": "true"})),
        edits("secrets", CERTIFICATES, annotations={"strimzi.io/force-renew": None}),
    ),
    Condition.SECRETS_ARE_COMPLETE: Row(task(backed_up(delete_secret(KEYS))), RECOVER),
    Condition.LEDGER_IS_OURS: Row(
        task(spoils("secrets", LEDGER, annotations={JOURNAL: "{}"})), lambda walk: delete_secret(LEDGER)(walk.memory)
    ),
    Condition.LEDGER_IS_OF_THE_PAST: Row(task(in_the_future), correct_time),
    Condition.SECRETS_CAN_BE_WRITTEN: Row(
        task(spoils("secrets", KEYS, immutable=True)),
        lambda walk: make_again(walk, "secrets", KEYS, lambda body: body.pop("immutable")),
        played="the command of the remedy deletes the Secret and makes it again without immutable",
    ),
}  # fmt: skip

# The CA in its Secrets.


def as_the_pods_say(walk: ModuleWalk) -> None:
    pod = walk.memory.api.find("pods", "kafka", "demo-kafka-0") or {}
    number = pod["metadata"]["annotations"]["strimzi.io/cluster-ca-cert-generation"]
    put(walk.memory, "secrets", CERTIFICATES, annotations={"strimzi.io/ca-cert-generation": number})


def put_text_for_key(walk: ModuleWalk) -> None:
    (own,) = parse_certificates(entry(walk.memory, CERTIFICATES, "ca.crt"))
    text = placeholder(own.public_key_sha256)
    assert text in walk.stop.remedy
    put(walk.memory, "secrets", KEYS, {"ca.key": text.encode()})


def twice(memory: MemoryCluster) -> None:
    mine = authority("mine", 1)
    use_authority(memory, mine, mine)


def once(walk: ModuleWalk) -> None:
    first = parse_certificates(entry(walk.memory, CERTIFICATES, "ca.crt"))[0]
    put(walk.memory, "secrets", CERTIFICATES, {"ca.crt": first.pem})
    walk.memory.settle(3)


def expired(memory: MemoryCluster) -> None:
    use_authority(memory, authority("cluster-ca v0", 1, begin=NOW - 9 * DAY, end=NOW - DAY))


def adopt(walk: ModuleWalk) -> None:
    mine = parse_certificates(entry(walk.memory, CERTIFICATES, "ca.crt"))[0]
    walk.task("strimzi_ca", state="adopted", adopts=mine.sha256, client_grace=0)


def same_generation(memory: MemoryCluster) -> None:
    swap_authority(memory, authority("mine", 1))
    put(memory, "secrets", CERTIFICATES, annotations={"strimzi.io/ca-cert-generation": "0"})


AUTHORITY: dict[Condition, Row] = {
    Condition.AUTHORITY_SECRETS_ARE_USABLE: Row(
        task(lambda memory: put(memory, "secrets", CERTIFICATES, {"mine.crt": b"nothing"})),
        lambda walk: put(walk.memory, "secrets", CERTIFICATES, {"mine.crt": None}),
    ),
    Condition.GENERATIONS_ARE_TOLD: Row(
        task(spoils("secrets", CERTIFICATES, annotations={"strimzi.io/ca-cert-generation": None})),
        as_the_pods_say,
    ),
    Condition.KEY_MATCHES: Row(
        task(lambda memory: put(memory, "secrets", KEYS, {"ca.key": None}), options=REPLACED), put_text_for_key
    ),
    Condition.CHAINS_ARE_IN_ORDER: Row(task(twice), once),
    Condition.AUTHORITY_IS_VALID_NOW: Row(
        task(expired, options={"state": "handed_back"}), runs(("strimzi_ca", {"state": "renewed", **stages.FAST}))
    ),
    Condition.AUTHORITY_IS_KNOWN: Row(
        task(lambda memory: swap_authority(memory, authority("mine", 1)), options=REPLACED), adopt
    ),
    Condition.KEYS_ARE_TOLD_APART: Row(
        task(lambda memory: put(memory, "secrets", CERTIFICATES, {"other.crt": NAMESAKE})),
        lambda walk: put(walk.memory, "secrets", CERTIFICATES, {"other.crt": authority("another name", 1).certificate.pem}),
    ),
    Condition.GENERATION_IS_UNAMBIGUOUS: Row(
        task(same_generation, options=REPLACED),
        edits("secrets", CERTIFICATES, annotations={"strimzi.io/ca-cert-generation": "7"}),
        then={Condition.AUTHORITY_IS_KNOWN: adopt},
    ),
}  # fmt: skip

# The options of the run.

THEIRS = root("Corporate Root")
SOURCE = {"ca_source": {"name": "corporate-ca"}, "state": "retired", "client_grace": 0}


def pem_of(entity: Entity) -> str:
    return entity.certificate.pem.decode()


def brings(name: str, number: int, **changes: Any) -> dict[str, Any]:
    """The options that supply this CA with its key."""
    return {"certificate": pem_of(authority(name, number, **changes)), "private_key": key(number).reveal().decode()}


def put_source(memory: MemoryCluster) -> None:
    memory.apply({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "corporate-ca"},
        "data": {"ca.crt": base64.b64encode(THEIRS.pem).decode()},
    })  # fmt: skip


def clients_key(patch: Patch) -> ModuleWalk:
    memory = stages.managed()
    mine = load_key(entry(memory, "demo-clients-ca", "ca.key"))
    shared = make("shared", mine, begin=NOW - DAY, end=NOW + 365 * DAY)
    given = {"certificate": pem_of(shared), "private_key": mine.reveal().decode()}
    return ModuleWalk(memory, "strimzi_ca", {**PREPARED, **given})


def leaving(patch: Patch) -> ModuleWalk:
    memory = stages.prepared()
    current = parse_certificates(entry(memory, CERTIFICATES, "ca.crt"))[0]
    return ModuleWalk(memory, "strimzi_ca", {"state": "absent", "fingerprint": current.fingerprint})


def stopped(patch: Patch) -> ModuleWalk:
    memory = stages.managed()
    stages.done(memory, "strimzi_ca", **{**REPLACED, "until_phase": "prepare"})
    return ModuleWalk(memory, "strimzi_ca", {"state": "renewed"})


def scaled_in_a_flow(patch: Patch) -> ModuleWalk:
    """The CA in use is kept elsewhere, and a flow replaces it by another such CA."""
    memory = elsewhere_cluster()
    following = make("Second", key(4), begin=NOW - DAY, end=NOW + 400 * DAY)
    stages.done(memory, "strimzi_ca", **{**PREPARED, "ends_after": "prepare"}, certificate=pem_of(following))
    return ModuleWalk(memory, "strimzi_node_pool", {"pool": "kafka", "replicas": 4})


def finish_flow(walk: ModuleWalk) -> None:
    following = make("Second", key(4), begin=NOW - DAY, end=NOW + 400 * DAY)
    signing = SigningOffice(walk.memory, Authority((following.certificate,), (key(4),)), NOW)
    for _round in range(2):
        signing.work()
        call("strimzi_trusted_certs", walk.memory, state="retired", client_grace=0)
    walk.task("strimzi_trusted_certs", state="retired", client_grace=0)


def too_many(patch: Patch) -> ModuleWalk:
    memory = elsewhere_cluster()
    memory.operator_runs = False
    put(memory, "kafkanodepools", "kafka", spec={"replicas": 20000})
    return ModuleWalk(memory, "strimzi_ee_cert", {"state": "renewed"})


def in_time_flow(start: Callable[[WatchedCluster], object], goal: Goal, **intent: Any) -> Callable[[Patch], FlowWalk]:
    """A run of a playbook on a cluster that is brought to this state."""

    def begin(patch: Patch) -> FlowWalk:
        cluster = in_time(WatchedCluster(), patch)
        start(cluster)
        return FlowWalk(cluster, goal, dict(intent))

    return begin


def led_back(cluster: WatchedCluster) -> None:
    """The operator is switched to the next CA, and the CA before has ended."""
    cluster.create()
    outlive_authority(cluster)
    cluster.run(Goal.REPLACE_KEY, last_phase=Phase.USE)


def finish_then_replace(walk: FlowWalk) -> None:
    """The flow finishes, and the CA is replaced again: the call of the person is another from then on."""
    walk.cluster.finish(Goal.RECONCILE)
    walk.goal, walk.intent = Goal.REPLACE_KEY, {"replaces": walk.cluster.current}


def waiver(**changes: Any) -> list[dict[str, Any]]:
    until = f"{NOW + 30 * DAY:%Y-%m-%dT%H:%M:%SZ}"
    return [{"client": "KafkaConnect kafka/connect", "until": until, "reason": "moves in week 51", **changes}]


def finish(goal: Goal, **intent: Any) -> Callable[[FlowWalk], None]:
    return lambda walk: walk.cluster.finish(goal, **intent) and None


PARTNER = authority("partner", 2)

OPTIONS: dict[Condition, Row] = {
    Condition.SOURCE_IS_USABLE: Row(
        task(module="strimzi_trusted_certs", options=SOURCE), lambda walk: put_source(walk.memory)
    ),
    Condition.ROOTS_ARE_KNOWN: Row(
        task(put_source, module="strimzi_trusted_certs", options={**SOURCE, "trust_new_roots": "never"}),
        asks(trust_new_roots="ask", confirm_roots=[THEIRS.chain[0].sha256]),
    ),
    Condition.SUPPLIED_IS_USABLE: Row(
        task(options={**PREPARED, **brings("theirs", 1, begin=NOW - 9 * DAY, end=NOW - DAY)}), asks(**brings("theirs", 1))
    ),
    Condition.SUPPLIED_FITS_THE_GOAL: Row(
        task(options={**PREPARED, "state": "renewed", **brings("theirs", 1)}), asks(state="replaced")
    ),
    Condition.RENEWAL_KEEPS_THE_KEY: Row(
        task(options={**PREPARED, "state": "renewed", "key_type": "rsa-4096"}), asks(key_type=None)
    ),
    Condition.AUTHORITY_IS_AS_ASKED: Row(
        task(start=stages.prepared, options={**PREPARED, "key_type": "ecdsa-p384"}), asks(key_type=None)
    ),
    Condition.TRUSTING_IS_USABLE: Row(
        task(module="strimzi_trusted_certs", options={"state": "trusted", "certificate": pem_of(authority("partner", 2, ca=False))}),
        asks(certificate=pem_of(PARTNER)),
    ),
    Condition.AUTHORITIES_ARE_APART: Row(clients_key, asks(**brings("its own", 1))),
    Condition.LEAVES_OUTLAST_THE_WINDOW: Row(task(options={**PREPARED, "validity_days": 20}), asks(validity_days=400)),
    Condition.LINK_UNTIL_IS_AHEAD: Row(
        task(options={**PREPARED, "link_until": "2026-01-01T00:00:00Z"}), asks(link_until=None)
    ),
    Condition.LEAVING_IS_UNUSED: Row(
        leaving, runs(("strimzi_trusted_certs", {"state": "retired", "client_grace": 0}))
    ),
    Condition.NOT_STOPPED: Row(stopped, asks(continue_stopped=True)),
    Condition.TARGET_IS_KNOWN: Row(
        task(options={**PREPARED, "replaces": "AB:CD"}),
        lambda walk: asks(replaces=re.search(r"SHA-256 fingerprint ([0-9a-fA-F:]+)", f"{walk.stop.message} {walk.stop.remedy}").group(1))(walk),
    ),
    Condition.FLOW_CAN_BE_UNDONE: Row(in_time_flow(led_back, Goal.ABORT), finish_then_replace),
    Condition.LEAVES_ARE_KNOWN: Row(
        task(module="strimzi_ee_cert", options={"secrets": ["demo-kafka-9"]}),
        lambda walk: asks(secrets=[in_remedy(r"These Secrets do: ([\w.-]+)", walk)])(walk),
    ),
    Condition.POOL_IS_KNOWN: Row(
        task(module="strimzi_node_pool", options={"pool": "brokers", "replicas": 3}),
        lambda walk: asks(pool=re.search(r"kafka\b", walk.stop.remedy).group(0))(walk),
    ),
    Condition.NOTHING_IS_BEGUN: Row(scaled_in_a_flow, finish_flow),
    Condition.POOLS_ARE_OF_A_SIZE: Row(too_many, edits("kafkanodepools", "kafka", spec={"replicas": 3})),
    Condition.OPERATOR_COULD_RENEW: Row(
        in_time_flow(lambda cluster: cluster.create(below(root())), Goal.DOWNGRADE), finish(Goal.REPLACE_KEY)
    ),
    Condition.OPERATOR_KEEPS_AUTHORITY: Row(in_time_flow(in_its_time, Goal.DOWNGRADE), finish(Goal.RENEW)),
    Condition.READY_TO_HAND_BACK: Row(
        task(start=stages.prepared, options={"state": "handed_back"}),
        runs(("strimzi_trusted_certs", {"state": "retired", "client_grace": 0})),
    ),
    Condition.WAIVERS_ARE_VALID: Row(
        task(module="strimzi_trusted_certs", options={"waivers": waiver(until="2026-01-01")}), asks(waivers=waiver())
    ),
    Condition.TRUSTED_MEET_POLICY: Row(
        task(module="strimzi_trusted_certs", options={"state": "trusted", "certificate": pem_of(PARTNER), "key_policy": {"ca_days": 100}}),
        asks(waivers=waiver(client=f"CA {PARTNER.certificate.sha256}")),
    ),
    Condition.AUTHORITY_MEETS_POLICY: Row(
        task(options={**PREPARED, "key_policy": {"curves": ["secp384r1"]}}), asks(key_type="ecdsa-p384")
    ),
    Condition.LEAVES_MEET_POLICY: Row(
        task(options={**PREPARED, "key_policy": {"rsa_bits": 3000}}), asks(leaf_key_size=3072)
    ),
}  # fmt: skip

# The state of the cluster.

BRAINPOOL = make(
    "cluster-ca v0", PrivateKey(ec.generate_private_key(ec.BrainpoolP256R1())), begin=NOW - DAY, end=NOW + 365 * DAY
)
REBALANCE = {"apiVersion": "kafka.strimzi.io/v1", "kind": "KafkaRebalance"}


def rebalancing(memory: MemoryCluster) -> None:
    """Cruise Control moves partitions until it is told to stop."""

    def state(name: str) -> dict[str, Any]:
        return {"status": {"conditions": [{"type": name, "status": "True"}]}}

    root = "/apis/kafka.strimzi.io/v1/namespaces/kafka/kafkarebalances"
    metadata = {"name": "move", "labels": {"strimzi.io/cluster": "demo"}}
    assert memory.api.request("POST", root, body={**REBALANCE, "metadata": metadata}).status == 201

    def become(name: str) -> None:
        kind = "application/merge-patch+json"
        memory.api.request("PATCH", f"{root}/move/status", body=state(name), content_type=kind)

    def stop(change: Change) -> None:
        marks = ((change.new or {}).get("metadata") or {}).get("annotations") or {}
        if change.plural == "kafkarebalances" and "strimzi.io/rebalance" in marks and not stopped_already:
            stopped_already.append(True)
            become("Stopped")

    stopped_already: list[bool] = []
    become("Rebalancing")
    memory.api.listeners.append(stop)


def unready(memory: MemoryCluster) -> None:
    put(memory, "pods", "demo-kafka-1", status={"conditions": [{"type": "Ready", "status": "False"}]})


def ready_again(walk: ModuleWalk) -> None:
    put(walk.memory, "pods", "demo-kafka-1", status={"conditions": [{"type": "Ready", "status": "True"}]})


def make_room(walk: ModuleWalk) -> None:
    put(walk.memory, "secrets", CERTIFICATES, {"note": None})


def wait_for_operator(walk: ModuleWalk) -> None:
    walk.memory.operator_runs = True
    walk.memory.settle(2)


def without_a_leaf(memory: MemoryCluster) -> None:
    memory.operator_runs = False
    delete_secret("demo-kafka-0")(memory)


def ending_with_its_ca(cluster: WatchedCluster) -> None:
    """The CA ends in 40 days, and so do its leaves."""
    cluster.create()
    cluster.memory.seconds += 320 * CLUSTER_DAY
    cluster.look_away()


STATE: dict[Condition, Row] = {
    Condition.CLUSTER_IS_SETTLED: Row(task(unready), ready_again, played="the pod becomes ready"),
    Condition.LEAVES_ARE_OURS: Row(task(without_a_leaf), wait_for_operator),
    Condition.LEAVES_CAN_BE_RENEWED: Row(
        in_time_flow(ending_with_its_ca, Goal.RENEW_LEAVES, renew_before=timedelta(days=60)), finish(Goal.RENEW)
    ),
    Condition.SECRETS_HAVE_ROOM: Row(task(filled(CERTIFICATES, GROWTH - 1)), make_room),
}  # fmt: skip

# The gates, and what happens during the run.


def patch_status(memory: MemoryCluster, **status: Any) -> None:
    path = f"/apis/kafka.strimzi.io/v1/namespaces/{memory.namespace}/kafkas/{memory.cluster}/status"
    answer = memory.api.request("PATCH", path, body={"status": status}, content_type="application/merge-patch+json")
    assert answer.status == 200


def says(**status: Any) -> Callable[[ModuleWalk], None]:
    return lambda walk: patch_status(walk.memory, **status)


def by_mesh(encryption: str) -> dict[str, Any]:
    return {"clusterSecurity": {"encryption": {"type": encryption}, "authentication": {"type": "strimzi-mtls"}}}


def beside_connect(patch: Patch) -> ModuleWalk:
    memory = stages.taken_up()
    with_connect(memory)
    return ModuleWalk(memory, "strimzi_ca", {"state": "promoted"})


def connect_follows(walk: ModuleWalk) -> None:
    """The resource names the certificate Secret of the cluster, as the message says, and the operator brings it the copy."""
    chosen = {"secretName": in_remedy(r"secretName ([\w-]+)", walk), "pattern": in_remedy(r"pattern '([^']+)'", walk)}
    put(walk.memory, "kafkaconnects", "connect", spec={"tls": {"trustedCertificates": [chosen]}})
    walk.memory.settle(2)


def user_of_the_old_ca(patch: Patch) -> ModuleWalk:
    """A user is gone, and its Secret with a certificate of the old CA is not."""
    memory = remembering(patch)
    delete_of_team(memory, "kafkausers", "orders")
    return ModuleWalk(memory, "strimzi_ca", {"ca": "clients", "client_grace": 0, **REPLACED}, answer=NAMESPACED)


def refused_by_operator(patch: Patch) -> ModuleWalk:
    patch.setattr(certs, "now", lambda: module_clock().now())
    memory = stages.managed()
    refuse(memory)
    memory.settle(1)
    return ModuleWalk(memory, "strimzi_trusted_certs", {"state": "retired", "operator_timeout": 1})


def other_plan(patch: Patch) -> ModuleWalk:
    memory = stages.managed()
    approved = call("strimzi_ca_info", memory, goal="replace_key").result["plan_hash"]
    stages.done(memory, "strimzi_ca", **REPLACED)
    return ModuleWalk(memory, "strimzi_ca_info", {"goal": "replace_key", "plan_hash": approved, "fresh_for_hours": 0})


def approve(walk: ModuleWalk) -> None:
    asks(plan_hash=in_remedy(r"strimzi_plan_hash=(\S+?)\.?$", walk))(walk)


def silent(patch: Patch) -> FlowWalk:
    """A node hangs when a flow asks what it trusts."""
    walk = reloading(Goal.RENEW_LEAVES, renew_before=timedelta(days=400))(patch)
    walk.cluster.memory.seconds += 200 * CLUSTER_DAY
    walk.cluster.look_away()
    walk.cluster.nodes.answers.silent.add("demo-kafka-0")
    return walk


def reloading(goal: Goal, **intent: Any) -> Callable[[Patch], FlowWalk]:
    def begin(patch: Patch) -> FlowWalk:
        cluster = in_time(WatchedCluster(), patch)
        cluster.nodes = ReloadingNodes(cluster.memory)
        cluster.nodes.replace_requests(patch)
        cluster.validity = 10 * YEAR
        cluster.create()
        cluster.validity = None
        return FlowWalk(cluster, goal, dict(intent))

    return begin


def ended_leaves(patch: Patch) -> FlowWalk:
    """Nodes present certificates that have ended, and the operator cannot restart them."""
    cluster = in_time(WatchedCluster(), patch)
    cluster.nodes = ReloadingNodes(cluster.memory)
    cluster.nodes.replace_requests(patch)
    create_lasting(cluster)
    outlive_leaves(cluster)
    cluster.memory.settle(2)
    return FlowWalk(cluster, Goal.RECONCILE)


def beside_gitops(patch: Patch) -> FlowWalk:
    """Another program writes the Kafka resource back whenever the pause is in it."""
    walk = reloading(Goal.RENEW)(patch)
    walk.cluster.look_elsewhere()
    walk.other = WriterBack(walk.cluster.memory.api, "kafkas", "kafka", "demo")
    walk.other.watch()
    return walk


AUTHORITIES_ELSEWHERE: list[Authority] = []


def kept(authority: Authority) -> Authority:
    AUTHORITIES_ELSEWHERE.append(elsewhere(authority))
    return AUTHORITIES_ELSEWHERE[-1]


def never_in_a_window(cluster: WatchedCluster) -> None:
    """The CA is in its time for renewal, and no maintenance window ever opens for the restarts."""
    adopt_due(cluster, WhenDue.RENEW)
    with_windows(cluster, "every night")
    go_to(cluster, in_use(cluster).not_after, 36)


def never_answered(patch: Patch) -> FlowWalk:
    """The requests of a replacement went out eleven days ago."""
    cluster = in_time(WatchedCluster(), patch)
    cluster.create()
    supplied = kept(root("Silent"))
    run_flow(cluster, Goal.REPLACE_KEY, supplied)
    cluster.memory.seconds += 11 * CLUSTER_DAY
    cluster.look_away()
    return FlowWalk(cluster, Goal.REPLACE_KEY, {"external_issuer": ASKED}, supplied)


def answer_requests(walk: FlowWalk) -> None:
    assert walk.supplied is not None
    office(walk.cluster, walk.supplied).work()


GATES: dict[Condition, Row] = {
    Condition.OPERATOR_IS_NEW_ENOUGH: Row(
        task(lambda memory: patch_status(memory, operatorLastSuccessfulVersion="0.50.1")),
        says(operatorLastSuccessfulVersion="1.1.0"), played="the operator is upgraded, and has reconciled the resource",
    ),
    Condition.SECURITY_IS_KNOWN: Row(
        task(lambda memory: patch_status(memory, **by_mesh("mesh"))), says(**by_mesh("strimzi-tls")),
        played="the operator has reported types that this release knows",
    ),
    Condition.AUTHORITY_IS_NOT_FOREIGN: Row(
        task(spoils("kafkas", "demo", spec={"clusterCa": {"type": "cert-manager.io"}})),
        edits("kafkas", "demo", spec={"clusterCa": {"type": None}}),
        played="the CA is renewed as Strimzi says for its type; the same flow goes on once the field is gone",
    ),
    Condition.LEAVES_IN_USE_ARE_VALID: Row(ended_leaves, lambda walk: walk.cluster.run(Goal.RECOVER)),
    Condition.CURRENT_IS_USABLE: Row(
        task(lambda memory: use_authority(memory, BRAINPOOL), options={"state": "renewed", "fresh_for_hours": 0, **stages.FAST}),
        runs(("strimzi_ca", {**REPLACED, "client_grace": 0})),
    ),
    Condition.NO_REBALANCE_IS_RUNNING: Row(
        task(rebalancing, options=REPLACED), kubectl, played="the operator stops it, at the annotation of the command",
    ),
    Condition.EVIDENCE: Row(silent, lambda walk: walk.cluster.nodes.answers.silent.clear(), played="the node answers again"),
    Condition.TRUST: Row(beside_connect, connect_follows, then={Condition.REMOVAL: connect_follows}),
    Condition.REMOVAL: Row(user_of_the_old_ca, lambda walk: delete_of_team(walk.memory, "secrets", "orders")),
    Condition.LEAVES_ARE_ISSUED: Row(never_answered, answer_requests, played="the issuer answers its requests"),
    Condition.RENEWAL_COMES_IN_TIME: Row(
        in_time_flow(never_in_a_window, Goal.RECONCILE, upkeep=UpkeepOptions(), in_one_call=True),
        lambda walk: walk.intent.update(ignores_windows=True),
    ),
    Condition.VERDICT: Row(refused_by_operator, lambda walk: accept(walk.memory), played="what the operator names is mended"),
    Condition.IN_PLACE: Row(
        task(module="strimzi_trusted_certs", start=stages.taken_up, options={"state": "retired", "spread": "reload"}),
        asks(spread="auto", retire="now"),
    ),
    Condition.PLAN_IS_APPROVED: Row(other_plan, approve),
    Condition.WRITES_LAST: Row(
        beside_gitops, lambda walk: walk.other and walk.other.leave(), played="the other program leaves the object alone"
    ),
    Condition.PRESENTERS_ARE_SERVED: Row(
        lambda patch: ModuleWalk(remembering(patch), "strimzi_ca", {"ca": "clients", "client_grace": 0, **REPLACED}, answer=NAMESPACED),
        asks(**waive("KafkaUser team/orders")),
    ),
    Condition.PRESENTERS_ARE_KNOWN: Row(
        lambda patch: ModuleWalk(
            remembering(patch), "strimzi_ca", {"ca": "clients", **PREPARED, **waive("KafkaUser team/orders")},
            answer=refusing_reads("/v1/kafkausers", "/team/secrets"),
        ),
        lambda walk: setattr(walk, "answer", NAMESPACED),
        played="the run gets the permission to read the namespace",
    ),
}  # fmt: skip

# Users of the clients CA; what happens during the run; and before the restart of a node.

CLIENTS = {"ca": "clients", "client_grace": 0, **REPLACED}


def of_clients(patch: Patch, spoil: Callable[[MemoryCluster], object], *users: str, **options: Any) -> ModuleWalk:
    memory = adopted_with(patch, *(users or ("orders",)))
    spoil(memory)
    memory.settle(2)
    return ModuleWalk(memory, "strimzi_ca", {**CLIENTS, **options})


def listens(memory: MemoryCluster, *listeners: dict[str, Any]) -> None:
    put(memory, "kafkas", "demo", spec={"kafka": {"listeners": list(listeners)}})
    memory.settle(2)


MANAGED = {"name": "tls", "port": 9093, "type": "internal", "tls": True, "authentication": {"type": "tls"}}
UNMANAGED = {
    "name": "own", "port": 9094, "type": "internal", "tls": True,
    "authentication": {"type": "custom", "sasl": False, "listenerConfig": {"ssl.client.auth": "required"}},
}  # fmt: skip


def unusable_swap(patch: Patch) -> ModuleWalk:
    memory = stages.managed()
    swap_authority(memory, BRAINPOOL)
    return ModuleWalk(
        memory, "strimzi_ca", {"state": "adopted", "adopts": BRAINPOOL.certificate.sha256, "client_grace": 0}
    )


def another_swap(walk: ModuleWalk) -> None:
    mine = authority("mine", 1)
    swap_authority(walk.memory, mine)
    asks(adopts=mine.certificate.sha256)(walk)


def undone_each_time(patch: Patch) -> FlowWalk:
    """A program undoes each step of the call, and leaves no trace of who it is."""
    cluster = in_time(WatchedCluster(), patch)
    cluster.create()

    def again(at: Situation) -> Steps:
        return (TidyKeys(prepared=frozenset(), kept_keys=frozenset(), phase=Phase.PREPARE),)

    cluster.engine = replace(ENGINE, rules=(again,))
    return FlowWalk(cluster, Goal.RECONCILE)


def restarted_beyond_the_plan(patch: Patch) -> FlowWalk:
    """After the plan the cluster has changed so that the call would restart every pod."""
    cluster = in_time(WatchedCluster(), patch)
    cluster.create()

    def more(at: Situation) -> Steps:
        return (Roll(reason=RollReason.TRUST, uids=at.snapshot.uids, authority=None, phase=Phase.TRUST),)

    cluster.engine = replace(ENGINE, rules=(more,))
    return FlowWalk(cluster, Goal.RECONCILE)


def leave(walk: FlowWalk) -> None:
    walk.cluster.engine = ENGINE


def at_a_stand(spoil: Callable[[DirectWalk], object]) -> Callable[[Patch], DirectWalk]:
    """A roll in which the collection restarts each node itself."""

    def begin(patch: Patch) -> DirectWalk:
        memory = stages.managed()
        topics = [FakeTopic("orders", (0, 1, 2))]
        kafka = FakeKafka(memory.api, lambda: memory.seconds, dict.fromkeys(range(3), "cb"), topics, active=1)
        patch.setattr(admin, "connect_to", lambda _bootstrap: lambda _observation: kafka)
        patch.setattr(admin, "missing_library", lambda *_for: None)
        options = {"reason": "a new kernel", "components": ["kafka"], "strategy": "direct", "pod_timeout": 2}
        walk = DirectWalk(memory, "strimzi_roll", options, kafka=kafka)
        spoil(walk)
        return walk

    return begin


def makes_ready(walk: DirectWalk) -> None:
    walk.memory.kubelet.broken.clear()
    walk.memory.settle(3)


def no_answer() -> None:
    raise KafkaUnavailable("Kafka", "does not answer", "Look at the brokers.")


REST: dict[Condition, Row] = {
    Condition.VERIFIERS_ARE_KNOWN: Row(
        lambda patch: of_clients(patch, lambda memory: listens(memory, UNMANAGED)),
        lambda walk: listens(walk.memory, UNMANAGED, MANAGED),
    ),
    Condition.USERS_HAVE_AN_ISSUER: Row(
        lambda patch: of_clients(patch, spoils("kafkas", "demo", spec={"entityOperator": {"userOperator": None}})),
        edits("kafkas", "demo", spec={"entityOperator": {"userOperator": {}}}),
    ),
    Condition.PRESENTERS_CAN_BE_ISSUED_TO: Row(
        lambda patch: of_clients(
            patch, lambda _memory: None, "orders", "cluster-operator", certificate=stages.ELSEWHERE.certificate.pem.decode()
        ),
        asks(private_key=key(3).reveal().decode()),
    ),
    Condition.ADOPTED_IS_USABLE: Row(unusable_swap, another_swap),
    Condition.FLOW_ADVANCES: Row(undone_each_time, leave, played="the program that undoes each step leaves the cluster alone"),
    Condition.RESTARTS_ARE_PLANNED: Row(
        restarted_beyond_the_plan, leave, played="what has changed is found, and the plan of the next run has the restarts that are left"
    ),
    Condition.NOT_PAUSED: Row(
        task(spoils("kafkas", "demo", annotations={PAUSED: "true"}), "strimzi_roll", options=OWN_REASON),
        edits("kafkas", "demo", annotations={PAUSED: None}),
    ),
    Condition.FLOW_HAS_ENDED: Row(
        task(module="strimzi_roll", start=stages.prepared, options=OWN_REASON),
        runs(("strimzi_trusted_certs", {"state": "retired", "client_grace": 0})),
    ),
    Condition.WINDOW_IS_OPEN: Row(
        task(spoils("kafkas", "demo", spec={"maintenanceTimeWindows": ["* * * ? * * 1999"]}), "strimzi_roll", options=OWN_REASON),
        asks(ignore_maintenance_windows=True),
    ),
    Condition.QUORUM: Row(
        at_a_stand(lambda walk: walk.kafka.behind.update({0, 2})), lambda walk: walk.kafka.behind.clear(),
        played="the other controllers catch up",
    ),
    Condition.AVAILABILITY: Row(
        at_a_stand(lambda walk: walk.kafka.lagging.add(1)), lambda walk: walk.kafka.lagging.clear(), played="the other brokers are in sync again",
    ),
    Condition.RETURN: Row(
        at_a_stand(lambda walk: walk.memory.kubelet.broken.add("demo-kafka-0")), makes_ready, played="the node becomes ready"
    ),
    Condition.SOLITUDE: Row(
        at_a_stand(lambda walk: (unready(walk.memory), walk.kafka.lagging.add(2))),
        lambda walk: (ready_again(walk), walk.kafka.lagging.clear()),
        played="the other node becomes ready; the partitions that kept it from its own restart are in sync",
    ),
    Condition.KAFKA_ANSWERS: Row(
        at_a_stand(lambda walk: setattr(walk.kafka, "before_answer", no_answer)),
        lambda walk: setattr(walk.kafka, "before_answer", lambda: None), played="the way to the brokers is there",
    ),
}  # fmt: skip

ROWS: dict[Condition, Row] = {**CLUSTER, **AUTHORITY, **OPTIONS, **STATE, **GATES, **REST}
# The other ways that the page gives, after an "or".


def undone_first(walk: ModuleWalk) -> None:
    walk.task("strimzi_ca", state="aborted", continue_stopped=True)


def put_back(walk: ModuleWalk) -> None:
    """The CA of the ledger and its key, as they were before."""
    before = stages.managed()
    put(
        walk.memory,
        "secrets",
        CERTIFICATES,
        {"ca.crt": entry(before, CERTIFICATES, "ca.crt")},
        {"strimzi.io/ca-cert-generation": "0"},
    )
    put(walk.memory, "secrets", KEYS, {"ca.key": entry(before, KEYS, "ca.key")})


def journal_back(walk: ModuleWalk) -> None:
    before = (stages.managed().api.find("secrets", "kafka", LEDGER) or {})["metadata"]["annotations"][JOURNAL]
    put(walk.memory, "secrets", LEDGER, annotations={JOURNAL: before})


def signed_again(cluster: WatchedCluster, lose: Callable[[WatchedCluster], object]) -> Authority:
    """A CA whose key is kept elsewhere is in use, a flow replaces it, and a leaf is lost in it; its issuer still signs."""
    cluster.create()
    moved(cluster, kept(root("First")))
    lose(cluster)
    following = kept(root("Second"))
    run_flow(cluster, Goal.REPLACE_KEY, following)
    office(cluster, following).work()
    return following


def lacking(patch: Patch) -> FlowWalk:
    cluster = in_time(WatchedCluster(), patch)
    following = signed_again(cluster, lambda one: delete_secret("demo-cluster-operator-certs")(one.memory))
    return FlowWalk(cluster, Goal.REPLACE_KEY, {"external_issuer": ASKED}, following)


def abort_and_have_it_signed(walk: FlowWalk) -> None:
    """The abort requests another certificate of the CA in use, and the run after its arrival puts it in its place."""
    first = next(one for one in AUTHORITIES_ELSEWHERE if one.fingerprint == walk.cluster.current)
    run_flow(walk.cluster, Goal.ABORT)
    office(walk.cluster, first).work()
    walk.cluster.finish(Goal.ABORT, external_issuer=ASKED)
    run_flow(walk.cluster, Goal.REPLACE_KEY, walk.supplied)
    assert walk.supplied is not None
    office(walk.cluster, walk.supplied).work()


def same(condition: Condition, remedy: Callable[[Any], object], **then: Any) -> tuple[Condition, Row]:
    """The same state, by another way."""
    return condition, replace(ROWS[condition], remedy=remedy, **then)


def waived(name: str) -> Callable[[ModuleWalk], None]:
    return asks(**waive(name))


#: Damage to the key, the generation and the ledger, which a backup makes good.
BACKED_UP: tuple[Callable[[MemoryCluster], object], ...] = (
    lambda memory: put(memory, "secrets", KEYS, {"ca.key": None}),
    spoils("secrets", CERTIFICATES, annotations={"strimzi.io/ca-cert-generation": None}),
    spoils("secrets", LEDGER, annotations={JOURNAL: "{}"}),
)

OTHER_WAYS: list[tuple[Condition, Row]] = [
    (Condition.CLUSTER_EXISTS, Row(task(start=MemoryCluster, options=stages.FAST), asks(before_kafka=True))),
    same(Condition.LEDGER_IS_OURS, journal_back),
    *((Condition.SECRETS_ARE_COMPLETE, Row(task(backed_up(spoil), options=REPLACED), RECOVER)) for spoil in BACKED_UP),
    same(Condition.AUTHORITY_IS_KNOWN, put_back),
    same(Condition.ROOTS_ARE_KNOWN, lambda walk: put(walk.memory, "secrets", "corporate-ca", {
        "ca.crt": entry(walk.memory, CERTIFICATES, "ca.crt")
    })),
    same(Condition.RENEWAL_KEEPS_THE_KEY, asks(state="replaced")),
    same(Condition.AUTHORITY_IS_AS_ASKED, undone_first),
    same(Condition.LEAVES_OUTLAST_THE_WINDOW, edits("kafkas", "demo", spec={"clusterCa": {"renewalDays": 5}})),
    same(Condition.NOT_STOPPED, undone_first),
    same(Condition.OPERATOR_KEEPS_AUTHORITY, lambda walk: walk.intent.update(operator_may_renew=True)),
    same(Condition.WAIVERS_ARE_VALID, asks(waivers=None)),
    same(Condition.TRUSTED_MEET_POLICY, asks(certificate=pem_of(authority("short", 2, end=NOW + 90 * DAY)))),
    same(Condition.AUTHORITY_MEETS_POLICY, asks(key_policy=None)),
    same(Condition.TRUST, waived("KafkaConnect kafka/connect")),
    same(Condition.REMOVAL, lambda walk: asks(**waive(walk.stop.subject))(walk)),
    same(Condition.NO_REBALANCE_IS_RUNNING, waived("KafkaRebalance kafka/move")),
    same(Condition.PLAN_IS_APPROVED, asks(plan_hash=None)),
    (Condition.LEAVES_ARE_OURS, Row(lacking, abort_and_have_it_signed)),
]  # fmt: skip


@pytest.mark.parametrize(("condition", "row"), OTHER_WAYS, ids=[one.value for one, _row in OTHER_WAYS])
def test_another_way_leads_out_too(condition: Condition, row: Row, monkeypatch: pytest.MonkeyPatch) -> None:
    assert condition in follow(condition, row, row.begin(monkeypatch))


PAGE = (Path(__file__).parents[3] / "docs" / "stops.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("condition", "row"), ROWS.items(), ids=[one.value for one in ROWS])
def test_a_remedy_leads_out(
    condition: Condition, row: Row, monkeypatch: pytest.MonkeyPatch, golden: GoldenFiles
) -> None:
    """The golden file has the object, the cause and the remedy in words."""
    met = follow(condition, row, row.begin(monkeypatch))
    golden.compare("stops", condition.value, without_chance(str(met[condition])))


def test_every_condition_of_the_page_and_of_the_code_is_walked(golden: GoldenFiles) -> None:
    names = [one.value for one in Condition]
    assert sorted(re.findall(r"^### (\w+)$", PAGE, re.MULTILINE)) == sorted(names) == sorted(one.value for one in ROWS)
    golden.compare_names("stops", names)


def test_a_circle_and_a_remedy_that_leads_nowhere_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A negative control: a remedy that does nothing; and a remedy that leads to a condition whose remedy the row does not have."""
    row = ROWS[Condition.KEY_MATCHES]
    with pytest.raises(AssertionError, match="in a circle"):
        follow(Condition.KEY_MATCHES, replace(row, remedy=lambda _walk: None), row.begin(monkeypatch))
    row = ROWS[Condition.GENERATION_IS_UNAMBIGUOUS]
    with pytest.raises(AssertionError, match="leads to"):
        follow(Condition.GENERATION_IS_UNAMBIGUOUS, replace(row, then={}), row.begin(monkeypatch))
