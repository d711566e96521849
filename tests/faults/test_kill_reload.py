"""Flows whose nodes read again, killed at every write and around every request to a node, then run again.

Beside it the control: what Raft clients and agents were started with is really looked at.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust import bookkeeping, holds
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Bridge, Phase, Way
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal
from ansible_collections.trustops.strimzi.tests.fakes.rules import replace_in_rules

from ..fakes.flows import run_flow, work_on
from ..fakes.reloads import ReloadingNodes
from ..fakes.world import World
from .checker import InvariantBroken
from .flows import Case, end_state, start
from .killing import Killed, KillingTransport

#: Of each node, in the whole flow.
RESTARTS = {Goal.REPLACE_KEY: 1, Goal.RENEW_LEAVES: 0}
CASES = [Case(goal, way) for goal in RESTARTS for way in Way]


@dataclass(frozen=True)
class Run:
    world: World
    nodes: ReloadingNodes
    case: Case

    def complete(self, transport: KillingTransport | None = None, until: Phase | None = None) -> None:
        work = self.nodes.attach(work_on(self.world, transport))
        result = run_flow(work, replace(self.case.intent, until=until))
        assert result.outcome.decision.done, [str(one) for one in result.outcome.decision.violations]

    def end(self) -> dict[str, Any]:
        ledger = self.world.api.find("secrets", "kafka", "demo-cluster-ca-trusted-certs") or {"data": {}}
        assert any(key.endswith(".lingering") for key in ledger["data"])
        assert self.world.restarts() == dict.fromkeys(self.world.restarts(), RESTARTS[self.case.goal])
        return end_state(self.world)


def begin(case: Case, patch: pytest.MonkeyPatch) -> Run:
    world, _checker = start(case)
    nodes = ReloadingNodes(world)
    nodes.replace_requests(patch)
    return Run(world, nodes, case)


def undisturbed(case: Case, patch: pytest.MonkeyPatch) -> tuple[range, dict[str, Any]]:
    """Numbers of the writes from the end of a roll on; before it, nothing is read again."""
    run = begin(case, patch)
    transport = KillingTransport(run.world.api)
    if RESTARTS[case.goal]:
        run.complete(transport, Phase.USE)
    rolled = transport.writes
    run.complete(transport)
    assert transport.unconditional == []
    writes = transport.writes
    run.complete(transport)
    assert transport.writes == writes, "a second run wrote something (I9)"
    return range(rolled + 1, writes + 1), run.end()


def go_on(run: Run) -> dict[str, Any]:
    run.world.settle(2)
    run.complete()
    return run.end()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_killed_at_any_write(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    writes, wanted = undisturbed(case, monkeypatch)
    assert len(writes) >= 10
    for number in writes:
        # Before the next one is the same world.
        run = begin(case, monkeypatch)
        with pytest.raises(Killed):
            run.complete(KillingTransport(run.world.api, number, after=True))
        assert go_on(run) == wanted, f"write {number}"


@pytest.mark.parametrize("node", range(3))
@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_killed_at_any_request_to_a_node(case: Case, after: bool, node: int, monkeypatch: pytest.MonkeyPatch) -> None:
    _writes, wanted = undisturbed(case, monkeypatch)
    run = begin(case, monkeypatch)

    def kill(pod: str) -> None:
        if pod == f"demo-kafka-{node}":
            raise Killed

    setattr(run.nodes, "after" if after else "before", kill)
    with pytest.raises(Killed):
        run.complete()
    run.nodes.before = run.nodes.after = lambda pod: None
    assert go_on(run) == wanted


def read_again(run: Run) -> None:
    """As if a reload reached listeners and every other component: only Raft clients and agents know the old CA alone."""
    kubelet = run.world.kubelet
    for uid, process in list(kubelet.processes.items()):
        kubelet.reload(uid)
        if process.component != "kafka":
            kubelet.processes[uid] = replace(kubelet.processes[uid], kept=None)


def test_a_plain_leaf_before_raft_clients_trust_its_ca_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """No bridge, no roll, only a reload: listeners would do, and the quorum would fall apart."""
    run = begin(Case(Goal.REPLACE_KEY, Way.COOPERATE), monkeypatch)
    plain = replace(run.case.intent, bridge=Bridge.NEVER)
    run_flow(work_on(run.world), replace(plain, until=Phase.PREPARE))
    read_again(run)
    replace_in_rules(monkeypatch, "trust_gate", lambda *arguments: (), bookkeeping, holds)
    with pytest.raises(InvariantBroken, match=r"the (Raft client|agent) of"):
        run_flow(work_on(run.world), plain)
