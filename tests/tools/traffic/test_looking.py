"""Each party shakes hands with its certificates of the moment: nodes with their Secrets, components with what they have loaded."""

from __future__ import annotations

import base64
from types import SimpleNamespace
from typing import Any

import pytest

from . import looking as module
from .handshakes import GoClient, Outcome
from .looking import LookingByClientsCa, LookingByClusterCa
from .targets import Target
from .test_components import Containers, all_pods, packed, pod
from .test_handshakes import MINE, OTHER, self_signed
from .test_targets import COMBINED
from .trust import MOUNTED

API = self_signed("demo-cruise-control.ns.svc")
TOPIC_OPERATOR, OPERATOR = (
    Target(identity, "cruise-control", 9090) for identity in ("entity-topic-operator", "cluster-operator")
)
HOST = "demo-cruise-control.ns.svc"


class Asked(Containers):
    """Cruise Control presents ``API``; the Topic Operator has ``known`` in its ``ca.crt``."""

    def __init__(self, known: bytes) -> None:
        super().__init__()
        self.known = known

    def execute(self, pod: str, *command: str, container: str, **options: float) -> Any:
        found = super().execute(pod, *command, container=container, **options)
        leaf = API if container == "cruise-control" else MINE
        files = {"leaf/a.crt": leaf[0], "leaf/a.key": leaf[1], "trust/ca.crt": self.known, "trust/old.crt": API[0]}
        return type(found)(0, packed(files))


class FakeTier:
    """A tier whose nodes, clients and operator all have ``MINE``, and whose CA Secret has ``MINE`` and ``API``."""

    name = "demo"

    def __init__(self, pods: list[dict[str, Any]], known: bytes = API[0]) -> None:
        self.pods, self.items = Asked(known), pods
        bundle = {"ca.crt": MINE[0], "ca.p12": b"", "ca.password": b""}
        data = {name: base64.b64encode(value).decode() for name, value in bundle.items()}
        self.cluster = SimpleNamespace(
            namespace="ns", pods=lambda _label: self.items, find=lambda *_name: {"data": data}
        )

    def secret(self, name: str) -> dict[str, bytes]:
        if name == "demo-cluster-ca-cert":
            return {"ca.crt": MINE[0], "old.crt": API[0], "ca.password": b"x"}
        if name == "demo-trustbundle":
            return {"cluster-ca.crt": MINE[0]}
        own = name if name in COMBINED.nodes else name.removeprefix("demo-").removesuffix("-certs")
        return {f"{own}.crt": MINE[0], f"{own}.key": MINE[1]}


def node(name: str, uid: str) -> dict[str, Any]:
    found = pod("kafka", uid)
    found["metadata"]["name"] = name
    found["status"]["podIP"] = f"192.0.2.{uid}"
    return found


NODES = [node(name, str(number)) for number, name in enumerate(COMBINED.nodes)]


def looking(tier: Any) -> LookingByClusterCa:
    return LookingByClusterCa(tier, COMBINED)


def outcome(tier: Any, target: Target) -> Outcome | None:
    verdict = looking(tier).look().attempt(target, HOST)
    return verdict.outcome if verdict else None


@pytest.mark.parametrize(
    ("known", "expected"), [(API[0], Outcome.DONE), (OTHER[0] + API[0], Outcome.FAILED), (OTHER[0], Outcome.FAILED)]
)
def test_the_topic_operator_knows_cruise_control_by_the_first_of_its_file_only(known: bytes, expected: Outcome) -> None:
    assert outcome(FakeTier(all_pods("1"), known), TOPIC_OPERATOR) is expected


def test_the_operator_knows_cruise_control_by_any_ca_of_the_secret() -> None:
    assert outcome(FakeTier(all_pods("1"), OTHER[0]), OPERATOR) is Outcome.DONE


@pytest.mark.parametrize("target", [TOPIC_OPERATOR, OPERATOR, Target("kafka-exporter", COMBINED.nodes[0], 9091)])
def test_a_target_that_is_not_there_is_not_tried(target: Target) -> None:
    assert outcome(FakeTier([]), target) is None


def test_restarts_of_components_are_not_those_of_nodes() -> None:
    found = looking(FakeTier([*NODES, *all_pods("new")]))
    assert found.look().addresses == {name: f"192.0.2.{number}" for number, name in enumerate(COMBINED.nodes)}
    assert found.pods.keys() == {"0", "1", "2"}


def test_a_component_that_restarts_has_another_context_afterwards() -> None:
    tier = FakeTier([*NODES, *all_pods("1")])
    found = looking(tier)
    before, again = found.look(), found.look()
    assert before.contexts == again.contexts
    tier.items, tier.pods.known = [*NODES, *all_pods("2")], OTHER[0]
    after = found.look()
    changed = {name for name in before.contexts if before.contexts[name] != after.contexts[name]}
    assert changed == {"entity-topic-operator", "entity-user-operator", "cruise-control", "kafka-exporter"}


class Changing(FakeTier):
    """A cluster whose ``ca.crt`` changes."""

    ca_crt = MINE[0]

    def secret(self, name: str) -> dict[str, bytes]:
        found = super().secret(name)
        return {**found, "ca.crt": self.ca_crt} if name == "demo-cluster-ca-cert" else found


def test_readers_of_ca_crt_trust_what_it_held_when_they_read_it(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SimpleNamespace(at=1000.0)
    monkeypatch.setattr(module.time, "monotonic", lambda: clock.at)
    tier = Changing(NODES)
    found = looking(tier)

    def trusted() -> dict[str, bytes]:
        view = found.look()
        readers = {name: view.contexts[f"ca.crt-go-{name}"] for name in ("anew", "late", "kept")}
        return {name: reader.trusted for name, reader in readers.items() if isinstance(reader, GoClient)}

    assert trusted() == dict.fromkeys(("anew", "late", "kept"), MINE[0])
    tier.ca_crt, clock.at = OTHER[0], 1010.0
    assert trusted() == {"anew": OTHER[0], "late": MINE[0], "kept": MINE[0]}
    clock.at = 1010.0 + MOUNTED
    assert trusted() == {"anew": OTHER[0], "late": OTHER[0], "kept": MINE[0]}
    found.ca_crt.begin_flow()
    assert trusted() == dict.fromkeys(("anew", "late", "kept"), OTHER[0])


class UsersTier(FakeTier):
    """All users have ``MINE`` now; the pods of programs have read something else, when they started."""

    def __init__(self, programs: list[dict[str, Any]]) -> None:
        super().__init__([])
        self.cluster.pods = lambda label: programs if label == "program" else NODES

    def secret(self, name: str) -> dict[str, bytes]:
        if name.startswith("demo-"):
            return super().secret(name)
        return {"user.crt": MINE[0], "user.key": MINE[1]}


def test_users_log_in_with_their_secrets_and_programs_with_what_they_hold() -> None:
    application = pod("application", "1")
    application["metadata"]["name"] = "application"
    found = LookingByClientsCa(UsersTier([application]), COMBINED)  # type: ignore[arg-type]
    view = found.look()
    assert view.contexts.keys() == {"user orders", "user payments", "user pipeline", "application"}
    assert view.addresses.keys() == set(COMBINED.nodes)
    assert {target.identity for target in found.targets} - view.contexts.keys() == {"pipeline-connect-0"}


@pytest.mark.parametrize("how", [{"is_ready": False}, {"deletionTimestamp": "2026-01-03"}])
def test_a_program_that_starts_or_goes_logs_in_nowhere(how: Any) -> None:
    view = LookingByClientsCa(UsersTier([pod("application", "1", **how)]), COMBINED).look()  # type: ignore[arg-type]
    assert all(name.startswith("user ") for name in view.contexts)
