# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How flows about the clients CA are run: with an owner who restarts what a flow waits for, and what is looked at in the end."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from ...api.running import Finished
from . import clients_ca
from .clients_ca import ClientsTraffic
from .flows import Flow, flows_named
from .ledger import Window
from .scenario import scenarios
from .targets import of_clients_ca

WAITS = Finished(2, "Pod kafka/application: may present a certificate of the CA that is to leave")
DONE = Finished(0, "")


class Run(ClientsTraffic):
    """Playbooks end as they are told to; every flow but the last is done where nothing else is said."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, variant: str, ends: dict[str, Finished], lets_in: str) -> None:
        (scenario,) = scenarios(["dual-role"], [variant], 1)
        self.played: list[tuple[str, dict[str, object]]] = []
        self.restarted = 0
        tier: Any = SimpleNamespace(
            name="demo", cluster=SimpleNamespace(namespace="kafka", node_uids=lambda _name: {n: n for n in scenario.layout.nodes}),
            secret=lambda _name: {"user.crt": b"certificate", "user.key": b"key"}, refusals=lambda _node: [],
            shake_hands=lambda node, port, *_login: SimpleNamespace(refusal="" if f"{node}:{port}" == lets_in else "alert"),
        )  # fmt: skip
        anything: Any = None
        clients: Any = SimpleNamespace(restart_kept=self._restart, libraries=("rdkafka",))
        operators: Any = SimpleNamespace(connects=SimpleNamespace(restarts=3))
        super().__init__(tier, scenario, anything, anything, anything, clients, operators)

        def play(_cluster: Any, playbook: str, **variables: object) -> Finished:
            self.played.append((playbook, variables))
            return ends.get(playbook, DONE)

        monkeypatch.setattr(clients_ca, "play", play)
        monkeypatch.setattr(clients_ca, "issuing", lambda _tier, _ca: "now")

    def _restart(self) -> None:
        self.restarted += 1

    @property
    def playbooks(self) -> list[str]:
        return [playbook for playbook, _variables in self.played]


def flow(name: str) -> Flow:
    (found,) = flows_named([f"clients-{name}"])
    return found


def run(patch: pytest.MonkeyPatch, name: str, *, variant: str = "reload", lets_in: str = "", **ends: Finished) -> Run:
    started = Run(patch, variant, ends, lets_in)
    started.run(flow(name))
    return started


def test_a_process_that_a_flow_waits_for_is_restarted_and_the_flow_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    found = run(monkeypatch, "replace_key", replace_key=WAITS)
    assert (found.playbooks, found.restarted) == (["replace_key", "reconcile"], 1)
    assert list(found.complaints(flow("replace_key"))) == []
    assert found.played[0][1] == {
        "strimzi_ca": "clients", "strimzi_evidence": "handshake", "strimzi_spread": "auto", "strimzi_replaces": "now",
    }  # fmt: skip
    assert found.figures(Window("clients-replace_key", 0.0)) == {"refused_by_brokers": 0, "restarts_of_connect": 0}


def test_a_flow_that_does_not_wait_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    found = run(monkeypatch, "batches")
    assert found.played[0][1]["strimzi_user_batch"] == "1"
    assert list(found.complaints(flow("batches"))) == ["clients-batches has not waited for application"]


def test_a_flow_that_fails_for_another_reason_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AssertionError, match="a broker is away"):
        run(monkeypatch, "replace_key", replace_key=Finished(2, "a broker is away"))
    with pytest.raises(AssertionError, match="still"):
        run(monkeypatch, "replace_key", replace_key=WAITS, reconcile=Finished(2, "still"))


def test_a_replacement_is_undone_when_it_has_gone_far(monkeypatch: pytest.MonkeyPatch) -> None:
    """No owner restarts a program that reads its Secret only once before the flow is turned round."""
    found = run(monkeypatch, "abort", abort=WAITS)
    assert found.restarted == 1
    assert found.playbooks == ["replace_key", "abort", "reconcile"]
    assert found.played[0][1]["strimzi_until_phase"] == "use"
    assert "strimzi_replaces" not in found.played[1][1]


def test_a_flow_without_a_new_key_waits_for_no_user(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("upgrade", "renew", "downgrade"):
        found = run(monkeypatch, name, lets_in="demo-kafka-0:9093")
        assert (found.playbooks, list(found.complaints(flow(name)))) == ([name], [])


def test_brokers_are_told_to_read_again_or_restart(monkeypatch: pytest.MonkeyPatch) -> None:
    found = run(monkeypatch, "upgrade", variant="restart")
    assert found.played[0][1]["strimzi_spread"] == "restart"


@pytest.mark.parametrize(
    "target",
    sorted(
        {f"{target.node}:{target.port}" for target in of_clients_ca(scenarios(["dual-role"], ["reload"], 1)[0].layout)}
    ),
)
def test_a_broker_that_still_lets_in_who_was_to_be_refused_is_named(
    monkeypatch: pytest.MonkeyPatch, target: str
) -> None:
    found = run(monkeypatch, "replace_key", lets_in=target, replace_key=WAITS)
    assert list(found.complaints(flow("replace_key"))) == [
        f"{target} lets in who has a certificate of the CA that was replaced"
    ]


@pytest.mark.parametrize(
    "names", [(), ("foreign-leaf",), ("promoted-early",), ("retired-early", "promoted-early"), ("retired-early",)]
)
def test_only_mistakes_that_are_asked_for_are_made(monkeypatch: pytest.MonkeyPatch, names: tuple[str, ...]) -> None:
    """On a CA that is the collection's: the operator takes back what a person writes."""
    made: list[str] = []
    for name, function in (("promoted-early", "promote_too_early"), ("retired-early", "retire_too_early")):
        monkeypatch.setattr(clients_ca, function, lambda *_about, name=name: made.append(name))
    found = Run(monkeypatch, "reload", {}, "")
    found.control(names)
    assert made == sorted(set(names) - {"foreign-leaf"})
    assert found.playbooks == (["upgrade"] if made else [])
