"""Each flow, killed before and after every write it makes, then run again: same end, and never a failed handshake."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal

from .flows import CASES, Case, complete, eager, end_state, start
from .killing import Killed, KillingTransport


def undisturbed(case: Case, watchful: bool) -> tuple[int, dict[str, object]]:
    world, _checker = start(case)
    if watchful:
        world.api.listeners.append(eager(world))
    before = world.restarts()
    transport = KillingTransport(world.api)
    complete(world, case, transport)
    assert transport.unconditional == []
    rolls = [count - before.get(name, 0) for name, count in world.restarts().items()]
    assert max(rolls) <= case.rolls
    assert min(rolls) == max(rolls)
    writes = transport.writes
    complete(world, case, transport)
    assert transport.writes == writes, "a second run wrote something (I9)"
    return writes, end_state(world)


def killed_at(case: Case, number: int, after: bool, watchful: bool) -> dict[str, object]:
    """Kill at one write, let the world go on for a while, run again."""
    world, _checker = start(case)
    if watchful:
        world.api.listeners.append(eager(world))
    before = world.restarts()
    with pytest.raises(Killed):
        complete(world, case, KillingTransport(world.api, number, after))
    world.settle(2)
    complete(world, case)
    rolls = [count - before.get(name, 0) for name, count in world.restarts().items()]
    assert max(rolls) <= case.rolls, f"{rolls} restarts"
    return end_state(world)


@pytest.mark.parametrize("watchful", [False, True], ids=["operator-when-asked", "operator-at-once"])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_killed_anywhere_and_run_again(case: Case, watchful: bool) -> None:
    writes, wanted = undisturbed(case, watchful)
    runs = 0
    for number in range(1, writes + 1):
        for after in (False, True):
            assert killed_at(case, number, after, watchful) == wanted, (
                f"write {number}, {'after' if after else 'before'}"
            )
            runs += 1
    print(f"\n{case}: {writes} writes, {runs} kills, all ended the same")
    short = case.goal in (Goal.CREATE, Goal.UPGRADE, Goal.RENEW_LEAVES)
    assert short or writes >= 10
