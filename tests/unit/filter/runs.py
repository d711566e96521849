# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the role ``reconcile`` notes of a rotation of three nodes, piece by piece."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ansible_collections.trustops.strimzi.plugins.filter.report import report

OLD, NEW = "a" * 64, "b" * 64
BEGUN, NOW = "2026-06-01T12:00:00Z", "2026-06-01T12:01:05Z"
CLUSTER = {"name": "demo", "namespace": "kafka", "exists": True, "generated": False, "paused": False, "ready": True}
PHASES = ("prepare", "trust", "use", "retire")


def label(sha256: str, name: str = "cluster-ca") -> str:
    return f"{name} ({sha256[:12]})"


def ca(sha256: str = OLD, state: str = "TRUSTED_IN_USE_ALL", **changed: Any) -> dict[str, Any]:
    return {
        "subject": f"CN=cluster-ca {sha256[0]},O=io.strimzi",
        "sha256": sha256,
        "fingerprint": sha256[:40],
        "not_before": "2026-01-01T00:00:00Z",
        "not_after": "2026-07-01T12:01:05Z",
        "state": state,
        "current": state == "TRUSTED_IN_USE_ALL",
        "generations": [0],
        **changed,
    }


def pod(name: str = "demo-kafka-0", uid: str = "1", **changed: Any) -> dict[str, Any]:
    return {
        "name": name,
        "uid": uid,
        "component": "kafka",
        "ready": True,
        "generation": 0,
        "presents": [label(OLD)],
        "trusts": [label(OLD)],
        "evidence": "stored leaf",
        **changed,
    }


def nodes(uid: str, numbers: Iterable[int] = range(3), **changed: Any) -> list[dict[str, Any]]:
    return [pod(f"demo-kafka-{number}", f"{number}-{uid}", **changed) for number in numbers]


def listener(name: str = "demo-kafka-0", uid: str = "0-d", port: int = 9091, **changed: Any) -> dict[str, Any]:
    """As it answers after the rotation."""
    return {
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
    }


def listeners(pods: Iterable[Mapping[str, Any]], ports: Iterable[int] = (9090, 9091)) -> list[dict[str, Any]]:
    return [listener(one["name"], one["uid"], port) for one in pods for port in ports]


def look(answers: Iterable[Mapping[str, Any]], **changed: Any) -> dict[str, Any]:
    """What a result says of the last time the listeners were asked."""
    evidence = {"source": "handshake", "why": "", "seen_at": "2026-06-01T12:01:00Z", **changed}
    return {"evidence": evidence, "listeners": list(answers)}


def leaf(**changed: Any) -> dict[str, Any]:
    return {"component": "cluster-operator", "issuer": ca()["subject"], "generation": 0, **changed}


def seen(cas: Iterable[Mapping[str, Any]], pods: Iterable[Mapping[str, Any]], **changed: Any) -> dict[str, Any]:
    empty = {"removed": [], "outside": [], "leaves": [], "journal": None, "done": True, "pending": []}
    return {"cluster": CLUSTER, "cas": list(cas), "pods": list(pods), **empty, **changed}


def action(verb: str, named: str, phase: str, seconds: float | None = None, **changed: Any) -> dict[str, Any]:
    kind, name = named.split(" ")
    return {
        "verb": verb,
        "object": f"{kind} kafka/{name}",
        "what": f"{verb} it",
        "phase": phase,
        "seconds": seconds,
        "away": 1 if verb == "restart" else None,
        **changed,
    }


def step(
    module: str, seconds: float, actions: list[dict[str, Any]], pods: Iterable[Mapping[str, Any]] = ()
) -> dict[str, Any]:
    uids = {one["name"]: one["uid"] for one in pods}
    return {"module": module, "seconds": seconds, "actions": actions, "transitions": [], "pods": uids}


def roll(phase: str, uid: str, seconds: float = 6.0, away: int = 1) -> dict[str, Any]:
    restarts = [action("restart", f"Pod {one['name']}", phase, 2.0, away=away) for one in nodes(uid)]
    return step("strimzi_roll", seconds, [action("update", "Kafka demo", phase), *restarts], nodes(uid))


def rotation(**changed: Any) -> dict[str, Any]:
    """A replaced key: two writes, then a roll in each of three phases."""
    prepare = [
        action("update", "Secret demo-cluster-ca", "prepare"),
        action("wait", "Secret demo-trustbundle", "prepare", 1.5),
    ]
    log = [step("strimzi_ca", 3.0, prepare, nodes("a"))]
    log += [roll(phase, uid) for phase, uid in zip(PHASES[1:], "bcd", strict=True)]
    last = nodes("d", presents=[label(NEW)], trusts=[label(NEW)])
    return {
        "goal": "replace_key",
        "begun": BEGUN,
        "next": "",
        "done": True,
        "log": log,
        "first": seen([ca()], nodes("a"), leaves=[leaf()]),
        "last": seen([ca(NEW)], last, leaves=[leaf(issuer=ca(NEW)["subject"])]),
        **changed,
    }


def idle() -> dict[str, Any]:
    """Nothing was to do."""
    return rotation(log=[], first=rotation()["last"])


def held(**changed: Any) -> dict[str, Any]:
    """The result of a call that a gate stopped."""
    violation = {"gate": "trust", "subject": "pod demo-kafka-0", "message": "is held.", "remedy": "Let it go."}
    return {**seen([ca()], nodes("b")), "failed": True, "msg": "held", "violations": [violation], **changed}


def facts(noted: Mapping[str, Any] | None = None, **options: Any) -> dict[str, Any]:
    return report(rotation() if noted is None else noted, **{"now": NOW, **options})
