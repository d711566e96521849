# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A flow was interrupted anywhere, the key of the CA in use is kept elsewhere, and that CA has ended with the
certificates of the nodes: the recovery leads to a healthy cluster, or asks a person for what only a person can bring,
and goes on with it. The flow runs once; at each write a copy of the process ends there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.outcome import inspect
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition, Decision
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase

from ..tools.operator import certs
from ..tools.support.authorities import Authority, renewed, root
from ..tools.support.certificates import YEAR
from ..tools.support.flows import START
from ..tools.support.killing import ForkingTransport
from ..tools.support.reloads import ReloadingNodes
from ..tools.support.watched_cluster import IN_USE, KEYS, WatchedCluster
from .test_ended_elsewhere import corporate, let_end
from .test_kept_elsewhere import ASKED, elsewhere, moved, office
from .test_recovering import LIFE, NODES, lasting

#: More calls than any way to a healthy cluster takes.
_MOST_CALLS = 8


@dataclass
class Person:
    """Runs the recovery again and again, and brings what each call asks for: the next answers of the issuers, or a
    renewed CA.
    """

    cluster: WatchedCluster
    #: The CAs whose keys issuers keep, by fingerprint.
    kept: dict[str, Authority]
    #: The things that the calls asked for, in order.
    brought: list[str] = field(default_factory=list)

    def recover(self) -> Decision:
        supplied: Authority | None = None
        for _call in range(_MOST_CALLS):
            told = self.cluster.run(Goal.RECOVER, supplied, in_one_call=True, external_issuer=ASKED).outcome.decision
            if told.done:
                return told
            supplied, wrote = None, self.cluster.writes
            conditions = {one.condition for one in told.violations}
            if Condition.SUPPLIED_FITS_THE_GOAL in conditions:
                supplied = self._renew(self.cluster.current)
                self.brought.append("renewed CA")
            elif Condition.AUTHORITY_IS_VALID_NOW in conditions:
                self._take_out_next()
            elif told.waiting:
                self._answer()
            elif not wrote:
                break
        raise AssertionError(
            f"the recovery leads nowhere: {[*map(str, told.violations), *told.waiting, *told.pending]}"
        )

    def _renew(self, fingerprint: str) -> Authority:
        again = elsewhere(renewed(self.kept[fingerprint]))
        self.kept[again.fingerprint] = again
        return again

    def _take_out_next(self) -> None:
        """The next CA has ended before it was used: its entries go."""
        (prepared,) = self.cluster.prepared
        entries = [key for key in self.cluster.secret(KEYS) if key.startswith(prepared)]
        self.cluster.change("secrets", KEYS, {"data": dict.fromkeys(entries)})
        self.brought.append("no next CA")

    def _answer(self) -> None:
        """The issuers sign the open requests, with a renewed CA where theirs has ended."""
        asked = self.cluster.intent(Goal.RECOVER, external_issuer=ASKED)
        requests = inspect(self.cluster.work(), asked).observation.snapshot.leaves.requests
        (wanted,) = {request.authority for request in requests.values() if request.is_open}
        signing = self.kept[wanted]
        if signing.chain[0].has_ended(START + timedelta(seconds=self.cluster.memory.seconds)):
            signing = self._renew(wanted)
            self.brought.append("renewed issuer")
        office(self.cluster, signing).work()
        self.brought.append("answers")


def assert_recovered(cluster: WatchedCluster, leaves_another: bool) -> None:
    """leaves_another: whether a CA stays trusted whose flow a person has ended by hand. Nodes restart together and
    once; the operator may restart each once more, when all are back.
    """
    cluster.memory.settle(3)
    assert (cluster.memory.kubelet.ended(certs.now()), cluster.ready, cluster.paused) == ([], True, False)
    assert cluster.states[cluster.current] == IN_USE
    assert len(cluster.states) == 1 + leaves_another
    assert max(cluster.counts()[node] for node in NODES) <= 2


@dataclass
class Story:
    """A flow that is interrupted."""

    cluster: WatchedCluster
    #: The CAs whose keys issuers keep.
    kept: list[Authority]
    #: The flow, to its end.
    run: Callable[[], object]

    def interrupt(self, numbers: range) -> list[tuple[str, ...]]:
        """Interrupts it after each of these writes; what the person brought then."""
        cluster, usual = self.cluster, self.cluster.permitted
        transport = cluster.permitted = ForkingTransport(cluster.memory.api, numbers, after=True)

        def recover() -> tuple[str, ...]:
            cluster.permitted = usual
            let_end(cluster)
            person = Person(cluster, {one.fingerprint: one for one in self.kept})
            person.recover()
            assert_recovered(cluster, "no next CA" in person.brought)
            return tuple(person.brought)

        found = transport.kill_copies(self.run, recover)
        cluster.permitted = usual
        assert found
        return [brought for _number, brought in sorted(found.items())]


def next_here(cluster: WatchedCluster, phase: Phase | None = None) -> None:
    """A CA that is made here, and lives on, replaces the CA in use."""
    cluster.validity, asked = 10 * YEAR, {"external_issuer": ASKED, "replaces": cluster.current}
    cluster.run(Goal.REPLACE_KEY, last_phase=Phase.PREPARE, **asked)
    cluster.validity = None
    cluster.run(Goal.REPLACE_KEY, last_phase=phase, **asked)


def next_elsewhere(cluster: WatchedCluster, second: Authority, phase: Phase | None = None) -> None:
    cluster.run(Goal.REPLACE_KEY, second, external_issuer=ASKED)
    office(cluster, second).work()
    cluster.run(Goal.REPLACE_KEY, second, external_issuer=ASKED, last_phase=phase)


def abort(cluster: WatchedCluster) -> None:
    cluster.run(Goal.ABORT, external_issuer=ASKED)


def abort_after_the_switch(cluster: WatchedCluster, first: Authority) -> None:
    """The issuer of the CA that the abort leads back to signs once more."""
    abort(cluster)
    office(cluster, first).work()
    abort(cluster)


def second_root() -> Authority:
    return elsewhere(root("Second", end=START + 10 * YEAR))


def begin(cluster: WatchedCluster) -> Authority:
    cluster.create(manifests=lasting())
    first = corporate()
    moved(cluster, first)
    return first


def next_ca_is_here(cluster: WatchedCluster) -> Story:
    first = begin(cluster)
    return Story(cluster, [first], lambda: next_here(cluster))


def next_ca_is_elsewhere(cluster: WatchedCluster) -> Story:
    first, second = begin(cluster), second_root()
    return Story(cluster, [first, second], lambda: next_elsewhere(cluster, second))


def next_ca_ends_too(cluster: WatchedCluster) -> Story:
    """The next CA ends with the CA that it replaces."""
    first, second = begin(cluster), elsewhere(root("Second", end=START + timedelta(days=LIFE + 1)))
    return Story(cluster, [first, second], lambda: next_elsewhere(cluster, second))


def undone_before_the_switch(cluster: WatchedCluster) -> Story:
    first, second = begin(cluster), second_root()
    next_elsewhere(cluster, second, Phase.TRUST)
    return Story(cluster, [first, second], lambda: abort(cluster))


def undone_here_after_the_switch(cluster: WatchedCluster) -> Story:
    """The CA that the abort leads back to ends while the CA that is given up, which is made here, is in use."""
    first = begin(cluster)
    next_here(cluster, Phase.USE)
    return Story(cluster, [first], lambda: abort_after_the_switch(cluster, first))


#: Each with the first of the writes at which the short tests interrupt it, and what the person may have to bring.
STORIES = [
    (next_ca_is_here, 2, set()),
    (next_ca_is_elsewhere, 5, {"answers"}),
    (next_ca_ends_too, 11, {"answers", "renewed CA", "renewed issuer", "no next CA"}),
    (undone_before_the_switch, 2, {"answers", "renewed CA", "renewed issuer"}),
    (undone_here_after_the_switch, 3, {"answers", "renewed CA", "renewed issuer"}),
]
#: Between two of the writes at which one test interrupts a flow.
_STEP = 24


def each_part() -> Iterator[Any]:
    for story, first, brought in STORIES:
        for number in range(1, _STEP + 1):
            marks = () if number == first else pytest.mark.long
            yield pytest.param(story, number, brought, id=f"{story.__name__} {number}", marks=marks)


@pytest.mark.parametrize(("story", "first", "brought"), list(each_part()))
def test_a_recovery_leads_on_from_wherever_the_flow_was_interrupted(
    cluster: WatchedCluster,
    nodes: ReloadingNodes,
    story: Callable[[WatchedCluster], Story],
    first: int,
    brought: set[str],
) -> None:
    told = story(cluster)
    for what in told.interrupt(range(first, 1000, _STEP)):
        assert set(what) <= brought
        assert len(what) == len(set(what)), "the person was asked for the same thing twice"
