# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Users that are left where no User Operator looks any more: no module replaces the clients CA until a person has decided about each."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from ...tools.operator.user_operator import UserOperatorDouble
from ...tools.support.memory_cluster import MemoryCluster
from ...tools.support.users import kafka_user
from .fast_clock import FastClock
from .mistakes import put
from .running import Answer, Ended, Response, call
from .stages import FAST
from .test_clients_ca import adopted_with, asked

REPLACED = {"state": "replaced", **FAST}
USER, ALL_USERS = "KafkaUser team/orders", "KafkaUser team/*"


def watch(memory: MemoryCluster, namespace: str | None) -> None:
    """The User Operator of the cluster looks there from now on."""
    put(memory, "kafkas", "demo", spec={"entityOperator": {"userOperator": {"watchedNamespace": namespace}}})
    memory.settle(1)


def add_user(memory: MemoryCluster, name: str = "orders", prefix: str = "") -> None:
    """A user in the namespace team, with the certificate that its User Operator has issued."""
    path = "/apis/kafka.strimzi.io/v1/namespaces/team/kafkausers"
    assert memory.api.request("POST", path, body=kafka_user(name, "team")).status == 201
    UserOperatorDouble(memory.api, "team", "demo", prefix=prefix, ca_namespace="kafka").reconcile(name)


def delete(memory: MemoryCluster, plural: str, name: str) -> None:
    root = "/api/v1" if plural == "secrets" else "/apis/kafka.strimzi.io/v1"
    assert memory.api.request("DELETE", f"{root}/namespaces/team/{plural}/{name}").status == 200


def refusing(*ends: str) -> Answer:
    """Reads whose path ends so are forbidden."""

    def answer(method: str, path: str) -> Response | None:
        body = {"kind": "Status", "code": 403, "reason": "Forbidden", "message": f"cannot list {path}"}
        return Response(403, body) if method == "GET" and path.endswith(ends) else None

    return answer


#: A namespaced identity: it may not look for users everywhere.
NAMESPACED = refusing("/v1/kafkausers")


def replaced(memory: MemoryCluster, **options: Any) -> Ended:
    return call("strimzi_ca", memory, ca="clients", **{"answer": NAMESPACED, **REPLACED, **options})


def found(ended: Ended) -> list[tuple[str, str]]:
    return [(one["gate"], one["subject"]) for one in ended.result["violations"]]


def waive(client: str) -> dict[str, Any]:
    until = FastClock().now() + timedelta(days=1)
    return {"waivers": [{"client": client, "until": f"{until:%Y-%m-%dT%H:%M:%SZ}", "reason": "decided by its owner"}]}


def remembering(monkeypatch: pytest.MonkeyPatch) -> MemoryCluster:
    """A call has seen that the User Operator watches the namespace team; it no longer does."""
    memory = adopted_with(monkeypatch, "here")
    watch(memory, "team")
    add_user(memory)
    asked(memory, "strimzi_ca", state="present", answer=NAMESPACED)
    watch(memory, None)
    return memory


def unremembering(monkeypatch: pytest.MonkeyPatch) -> MemoryCluster:
    """No call has run while the User Operator watched the namespace team."""
    memory = adopted_with(monkeypatch, "here")
    watch(memory, "team")
    add_user(memory)
    watch(memory, None)
    return memory


def test_users_of_a_remembered_namespace_hold_a_replacement(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = remembering(monkeypatch)
    before = memory.api.but_events()
    for options in ({}, {"check": True}, {"state": "renewed"}):
        ended = replaced(memory, **options)
        assert (found(ended), ended.writes) == ([("presenters_are_served", USER)], [])
    assert memory.api.but_events() == before


@pytest.mark.parametrize("namespace", ["other", None])
def test_so_do_users_where_the_user_operator_has_gone_or_looks_elsewhere(
    namespace: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = remembering(monkeypatch)
    operator = None if namespace is None else {"watchedNamespace": namespace}
    put(memory, "kafkas", "demo", spec={"entityOperator": {"userOperator": operator}})
    memory.settle(1)
    ended = replaced(memory)
    assert ("presenters_are_served", USER) in found(ended)
    assert ended.writes == []


def test_a_waiver_for_each_user_lets_the_replacement_begin(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = remembering(monkeypatch)
    add_user(memory, "payments")
    ended = replaced(memory, **waive(USER))
    assert (found(ended), ended.writes) == ([("presenters_are_served", "KafkaUser team/payments")], [])
    delete(memory, "kafkausers", "payments")
    delete(memory, "secrets", "payments")
    assert found(replaced(memory, until_phase="prepare", **waive(USER))) == []


def test_a_secret_whose_user_is_gone_keeps_the_old_ca_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = remembering(monkeypatch)
    delete(memory, "kafkausers", "orders")
    ended = replaced(memory, answer=NAMESPACED)
    assert [subject for _gate, subject in found(ended)] == ["Secret team/orders entry user.crt"]
    assert len(ended.result["cas"]) == 2
    delete(memory, "secrets", "orders")
    ended = asked(memory, "strimzi_trusted_certs", state="retired", answer=NAMESPACED)
    assert len(ended.result["cas"]) == 1


@pytest.mark.parametrize("end", ["/team/kafkausers", "/team/secrets", "/team/pods"])
def test_a_remembered_namespace_that_may_not_be_read_holds_a_replacement(
    end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = remembering(monkeypatch)
    closed = refusing("/v1/kafkausers", end)
    for _time in range(2):
        ended = replaced(memory, answer=closed)
        assert ("presenters_are_known", ALL_USERS) in found(ended)
        assert ended.writes == []
    # A call that issues nothing is not held.
    assert not call("strimzi_ca", memory, ca="clients", state="present", answer=closed).failed
    assert replaced(memory, answer=closed).failed
    if end != "/team/pods":
        assert found(replaced(memory, answer=closed, until_phase="prepare", **waive(ALL_USERS))) == []


def test_a_namespace_is_forgotten_when_users_and_secrets_are_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = remembering(monkeypatch)
    delete(memory, "kafkausers", "orders")
    delete(memory, "secrets", "orders")
    asked(memory, "strimzi_ca", state="present", answer=NAMESPACED)
    assert call("strimzi_ca", memory, ca="clients", state="present", answer=NAMESPACED).writes == []
    closed = refusing("/v1/kafkausers", "/team/kafkausers", "/team/secrets", "/team/pods")
    assert found(replaced(memory, answer=closed, until_phase="prepare")) == []


def test_what_nothing_remembers_is_found_where_the_call_may_look(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = unremembering(monkeypatch)
    ended = replaced(memory, answer=refusing())
    assert (found(ended), ended.writes) == ([("presenters_are_served", USER)], [])
    assert not [told for told in ended.warnings if "trustops-strimzi-users-anywhere" in told]
    ended = replaced(memory, answer=refusing("/team/secrets"))
    assert (found(ended), ended.writes) == ([("presenters_are_known", ALL_USERS)], [])


def test_where_it_may_not_look_each_replacement_warns(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = unremembering(monkeypatch)

    def warned(ended: Ended) -> int:
        return len([told for told in ended.warnings if "trustops-strimzi-users-anywhere" in told])

    assert warned(call("strimzi_ca", memory, ca="clients", state="present", answer=NAMESPACED)) == 0
    assert warned(replaced(memory, check=True)) == 1
    assert warned(replaced(memory, until_phase="prepare")) == 1
    assert warned(call("strimzi_ca", memory, state="replaced", check=True, answer=NAMESPACED, **FAST)) == 0


def test_users_that_are_left_are_problems_of_the_report(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = remembering(monkeypatch)
    problems = call("strimzi_user_info", memory, answer=NAMESPACED).result["problems"]
    assert [told for told in problems if told.startswith(f"{USER}: no User Operator")]
    shown = call("strimzi_user_info", memory, answer=refusing("/team/secrets"))
    assert [told for told in shown.result["problems"] if told.startswith(f"{ALL_USERS}: ")]
    assert [told for told in shown.warnings if "trustops-strimzi-users-anywhere" in told] == []
    assert len(call("strimzi_user_info", memory, answer=NAMESPACED).warnings) == 1
