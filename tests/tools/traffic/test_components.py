"""A component presents and trusts what its process has loaded at its start; while its pod restarts, it is not there."""

from __future__ import annotations

import base64
import io
import tarfile
from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest

from ...kafka.pods import Executed
from .components import Components, loaded, serving
from .test_handshakes import MINE, OTHER

LEAF = {"leaf/entity-operator.crt": MINE[0], "leaf/entity-operator.key": MINE[1]}
ALL_COMPONENTS = {"entity-topic-operator", "entity-user-operator", "cruise-control", "kafka-exporter"}


@pytest.mark.parametrize(
    ("trust", "trusted", "ca"),
    [
        ({"ca.crt": MINE[0]}, MINE[0], MINE[0]),
        ({"ca.crt": MINE[0] + OTHER[0]}, MINE[0], MINE[0]),
        ({"ca.crt": MINE[0], "old.crt": OTHER[0], "ca.p12": b"x"}, MINE[0] + OTHER[0], MINE[0]),
        ({"cluster-ca.crt": MINE[0] + OTHER[0], "clients-ca.crt": OTHER[0]}, MINE[0] + OTHER[0], b""),
    ],
)
def test_trust_is_the_first_of_each_file_and_a_bundle_as_a_whole(
    trust: dict[str, bytes], trusted: bytes, ca: bytes
) -> None:
    found = loaded(LEAF | {f"trust/{name}": content for name, content in trust.items()})
    assert (found.certificates, found.key, found.trusted, found.ca) == (*MINE, trusted, ca)


def pod(name: str, uid: str, *, created: str = "2026-01-01", is_ready: bool = True, **metadata: str) -> dict[str, Any]:
    labels = {"strimzi.io/name": f"demo-{name}"}
    return {
        "metadata": {
            "name": f"demo-{name}-{uid}", "uid": uid, "labels": labels, "creationTimestamp": created, **metadata
        },
        "status": {"conditions": [{"type": "Ready", "status": str(is_ready)}]},
    }  # fmt: skip


OLD, NEW = pod("x", "old"), pod("x", "new", created="2026-01-02")
GOING, COMING = pod("x", "going", deletionTimestamp="2026-01-03"), pod("x", "coming", is_ready=False)


@pytest.mark.parametrize(
    ("pods", "expected"),
    [
        ([], None),
        ([pod("y", "other")], None),
        ([OLD], OLD),
        ([NEW, OLD], NEW),
        ([OLD, COMING], OLD),
        ([GOING, NEW], NEW),
        ([GOING, COMING], None),
    ],
)
def test_the_pod_that_serves(pods: list[dict[str, Any]], expected: dict[str, Any] | None) -> None:
    assert serving(pods, "demo-x") == expected


class Containers:
    """The files that ``execute`` finds in containers: the same for every process, but a bundle for the exporter."""

    def __init__(self) -> None:
        self.leaf, self.asked = MINE, Counter[tuple[str, str]]()

    def execute(self, pod: str, *_command: str, container: str, **_options: float) -> Executed:
        self.asked[pod, container] += 1
        trust = "cluster-ca.crt" if container == "kafka-exporter" else "ca.crt"
        return Executed(0, packed({"leaf/a.crt": self.leaf[0], "leaf/a.key": self.leaf[1], f"trust/{trust}": OTHER[0]}))


def packed(files: dict[str, bytes]) -> str:
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return base64.b64encode(written.getvalue()).decode()


def all_pods(uid: str) -> list[dict[str, Any]]:
    return [pod(name, uid) for name in ("entity-operator", "cruise-control", "kafka-exporter")]


def looked_at(containers: Any) -> Components:
    tier: Any = SimpleNamespace(name="demo", pods=containers)
    return Components(tier)


def test_each_process_is_asked_once_in_the_life_of_its_pod() -> None:
    containers = Containers()
    components = looked_at(containers)
    first = components.loaded(all_pods("1"))
    containers.leaf = OTHER  # no container reads it, so none notices
    assert components.loaded(all_pods("1")) == first
    assert first.keys() == ALL_COMPONENTS
    assert {component.certificates for component in first.values()} == {MINE[0]}
    after = components.loaded(all_pods("2"))
    assert {component.certificates for component in after.values()} == {OTHER[0]}
    assert set(containers.asked.values()) == {1}
    assert len(containers.asked) == 2 * len(ALL_COMPONENTS)


def test_both_operators_of_a_pod_that_restarts_are_missing() -> None:
    others = [found for found in all_pods("1") if "entity" not in found["metadata"]["name"]]
    assert looked_at(Containers()).loaded(others).keys() == {"cruise-control", "kafka-exporter"}


def test_a_container_that_cannot_be_asked_is_named() -> None:
    silent = SimpleNamespace(execute=lambda *_arguments, **_options: Executed(1, "no such process"))
    with pytest.raises(RuntimeError, match="topic-operator in demo-entity-operator-1: no such process"):
        looked_at(silent).loaded(all_pods("1"))
