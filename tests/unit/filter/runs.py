# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The results of the modules in a rotation of three nodes, call by call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ansible_collections.trustops.strimzi.plugins.filter.report import report
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import TrustState

OLD, NEW = "a" * 64, "b" * 64
BEGUN, NOW = "2026-06-01T12:00:00Z", "2026-06-01T12:01:05Z"
CLUSTER = {"name": "demo", "namespace": "kafka", "exists": True, "generated": False, "paused": False, "ready": True}
PHASES = ("prepare", "trust", "use", "retire")
_MEANINGS = {state.value: state.meaning for state in TrustState}


#: The digests of CAs by their names in lists.
_DIGESTS: dict[str, str] = {}


def label(sha256: str, name: str = "cluster-ca") -> str:
    named = f"{name} ({sha256[:12]})"
    _DIGESTS[named] = sha256
    return named


def with_digests(party: Mapping[str, Any]) -> dict[str, Any]:
    """The party of a result, with the digests of the CAs that it names."""
    lists = {key: party[key] for key in ("presents", "issuers", "trusts", "refuses") if key in party}
    return {**party, **{f"{key}_sha256": [_DIGESTS.get(one, "") for one in named] for key, named in lists.items()}}


def ca(sha256: str = OLD, state: str = "TRUSTED_IN_USE_ALL", **changed: Any) -> dict[str, Any]:
    return {
        "subject": f"CN=cluster-ca {sha256[0]},O=io.strimzi",
        "sha256": sha256,
        "fingerprint": sha256[:40],
        "not_before": "2026-01-01T00:00:00Z",
        "not_after": "2026-07-01T12:01:05Z",
        "state": state,
        "meaning": _MEANINGS.get(state, state),
        "current": state == "TRUSTED_IN_USE_ALL",
        "generations": [0],
        **changed,
    }


def pod(name: str = "demo-kafka-0", uid: str = "1", **changed: Any) -> dict[str, Any]:
    return with_digests({
        "name": name,
        "uid": uid,
        "component": "kafka",
        "ready": True,
        "generation": 0,
        "presents": [label(OLD)],
        "trusts": [label(OLD)],
        "evidence": "stored leaf",
        **changed,
    })  # fmt: skip


def nodes(uid: str, numbers: Iterable[int] = range(3), **changed: Any) -> list[dict[str, Any]]:
    return [pod(f"demo-kafka-{number}", f"{number}-{uid}", **changed) for number in numbers]


def listener(name: str = "demo-kafka-0", uid: str = "0-d", port: int = 9091, **changed: Any) -> dict[str, Any]:
    """A listener as it answers after the rotation."""
    return with_digests({
        "pod": name,
        "uid": uid,
        "port": port,
        "verifies": True,
        "presents": [f"CN=demo-kafka,O=io.strimzi ({'e' * 12})"],
        "issuers": [label(NEW)],
        "trusts": [label(NEW)],
        "refuses": [label(OLD)],
        "why": [],
        **changed,
    })  # fmt: skip


def listeners(pods: Iterable[Mapping[str, Any]], ports: Iterable[int] = (9090, 9091)) -> list[dict[str, Any]]:
    return [listener(one["name"], one["uid"], port) for one in pods for port in ports]


def look(answers: Iterable[Mapping[str, Any]], **changed: Any) -> dict[str, Any]:
    """The part of a result about the last time the listeners were asked."""
    evidence = {"source": "handshake", "why": "", "seen_at": "2026-06-01T12:01:00Z", **changed}
    return {"evidence": evidence, "listeners": list(answers)}


def leaf(**changed: Any) -> dict[str, Any]:
    named = {"component": "cluster-operator", "ca": label(OLD), **changed}
    return {**named, "ca_sha256": _DIGESTS.get(named["ca"])}


def seen(cas: Iterable[Mapping[str, Any]], pods: Iterable[Mapping[str, Any]], **changed: Any) -> dict[str, Any]:
    empty = {"removed": [], "outside": [], "leaves": [], "journal": None, "done": True, "pending": []}
    return {"cluster": CLUSTER, "cas": list(cas), "pods": list(pods), **empty, **changed}


def action(verb: str, named: str, phase: str, seconds: float | None = None, **changed: Any) -> dict[str, Any]:
    kind, name = named.split(" ")
    return {
        "verb": verb,
        "object": f"{kind} kafka/{name}",
        "kind": kind,
        "namespace": "kafka",
        "name": name,
        "component": _component_of(name) if verb == "restart" else None,
        "of_ledger": "-ca-trust" in name and kind == "Secret",
        "what": f"{verb} it",
        "phase": phase,
        "seconds": seconds,
        "away": 1 if verb == "restart" else None,
        "round": None,
        **changed,
    }


def _component_of(pod: str) -> str:
    others = ("entity-operator", "cruise-control", "kafka-exporter")
    return next((component for component in others if component in pod), "kafka")


def step(
    seconds: float, actions: list[dict[str, Any]], pods: Iterable[Mapping[str, Any]] = (), **changed: Any
) -> dict[str, Any]:
    """The result of a call in the course of the run."""
    return {**seen([], pods, **changed), "seconds": seconds, "actions": actions, "transitions": []}


def roll(phase: str, uid: str, seconds: float = 6.0, away: int = 1) -> dict[str, Any]:
    restarts = [action("restart", f"Pod {one['name']}", phase, 2.0, away=away) for one in nodes(uid)]
    return step(seconds, [action("update", "Kafka demo", phase), *restarts], nodes(uid))


def before() -> dict[str, Any]:
    """The cluster of a rotation as the first call sees it."""
    return seen([ca()], nodes("a"), leaves=[leaf()])


def after() -> dict[str, Any]:
    """The cluster of a rotation as the last call sees it."""
    new = nodes("d", presents=[label(NEW)], trusts=[label(NEW)])
    return seen([ca(NEW)], new, leaves=[leaf(ca=label(NEW))])


def preparation() -> dict[str, Any]:
    prepare = [
        action("update", "Secret demo-cluster-ca", "prepare"),
        action("wait", "Secret demo-trustbundle", "prepare", 1.5),
    ]
    return step(3.0, prepare, nodes("a"))


def rotation(
    *,
    first: Mapping[str, Any] | None = None,
    log: Iterable[Mapping[str, Any]] | None = None,
    last: Mapping[str, Any] | None = None,
    begun: str | None = BEGUN,
    **ending: Any,
) -> list[dict[str, Any]]:
    """A replaced key: two writes, then a roll in each of three phases. ending: changes of the last result."""
    if log is None:
        log = [preparation(), *(roll(phase, uid) for phase, uid in zip(PHASES[1:], "bcd", strict=True))]
    began = {"began_at": begun} if begun else {}
    calls = [{**(first or before()), **began}, *log, {**(last or after()), **ending}]
    return [dict(call) for call in calls]


def idle() -> list[dict[str, Any]]:
    """Nothing was to do, so that only the first call was made."""
    return [{**after(), "began_at": BEGUN, "actions": []}]


def held(**changed: Any) -> dict[str, Any]:
    """The result of a call that a gate stopped."""
    violation = {
        "gate": "trust",
        "subject": "pod demo-kafka-0",
        "message": "is held.",
        "remedy": "Let it go.",
        "command": "",
    }
    return {**seen([ca()], nodes("b")), "failed": True, "msg": "held", "violations": [violation], **changed}


def planned_step(what: str, most: int | None = 1, **changed: Any) -> dict[str, Any]:
    step = {"phase": "trust", "does": "write", "what": what, "restarts": [], "rounds": [], "outside": []}
    return {**step, "seconds": {"least": 0, "most": most}, **changed}


#: The result of the one call of a run in check mode.
PLANNED = {
    **before(),
    "done": False,
    "plan": [
        planned_step(
            "wait until KafkaConnect kafka/c trusts it", does="wait", outside=["KafkaConnect kafka/c"], most=None
        ),
        planned_step("restart 3 pods", does="restart", restarts=["a", "b", "c"], most=299),
    ],
    "planned_lives": [
        {
            "name": "CN=cluster-ca",
            "is_ca": True,
            "sha256": OLD,
            "not_after": "2026-07-01T12:01:05Z",
            "seconds_left": 2592000,
            "lasts": True,
        },
        {
            "name": "3 certificates of the Kafka nodes",
            "is_ca": False,
            "sha256": NEW,
            "not_after": "2026-06-01T12:05:05Z",
            "seconds_left": 240,
            "lasts": False,
        },
    ],
    "choices": ["It is the cheapest safe way."],
    "planned_from": {
        "heard": ["demo-kafka-0", "demo-kafka-2"],
        "unheard": [{"pod": "demo-kafka-1", "worker": "worker-2", "reason": "timed out"}],
    },
    "plan_hash": "3f2a9c11-77ab02dd-c01dbeef-4f53cda1",
    "planned_rolls": 1,
    "planned_seconds": {"least": 40, "most": 300},
    "planned_restarts": 3,
    "violations": [],
}


def facts(calls: Sequence[Mapping[str, Any]] | None = None, **options: Any) -> dict[str, Any]:
    return report(rotation() if calls is None else calls, **{"goal": "replace_key", "now": NOW, **options})
