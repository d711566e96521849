# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A flow was interrupted anywhere, the key of the CA in use is kept elsewhere, and that CA has ended with the
certificates of the nodes: the recovery leads to a healthy cluster, or asks a person for what only a person can bring,
and goes on with it. The flow runs once; at each write a copy of the process ends there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.outcome import inspect
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition, Decision
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase

from ..tools.operator import certs
from ..tools.support.asked_issuers import ByVault
from ..tools.support.authorities import Authority, renewed, root
from ..tools.support.certificates import YEAR
from ..tools.support.fake_vault.server import FakeVault, serving
from ..tools.support.flows import START
from ..tools.support.killing import ForkingTransport
from ..tools.support.misissuing import Signing
from ..tools.support.reloads import ReloadingNodes
from ..tools.support.watched_cluster import IN_USE, WatchedCluster
from .test_ended_elsewhere import corporate, decided, let_end
from .test_kept_elsewhere import ASKED, elsewhere, moved, office
from .test_recovering import LIFE, NODES, create, lasting

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
    #: The Secrets whose certificates the issuers have signed, in order.
    signed: list[str] = field(default_factory=list)

    def recover(self) -> Decision:
        supplied: Authority | None = None
        named: set[str] = set()
        for _call in range(_MOST_CALLS):
            result = self.cluster.run(Goal.RECOVER, supplied, in_one_call=True, external_issuer=ASKED)
            unplanned = {restart.pod for restart in result.restarts if not restart.is_planned}
            assert unplanned <= named, "the operator restarts pods, and no call has named them"
            assert named <= {restart.pod for restart in result.restarts}, (
                "the operator restarts no pod that a call named"
            )
            told = result.outcome.decision
            named = self._named_in(told)
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

    def _named_in(self, told: Decision) -> set[str]:
        """The pods that the operator restarts after this call, as it says."""
        pods = {process.pod for process in self.cluster.memory.kubelet.processes.values()}
        return {pod for pod in pods if any(pod in sentence for sentence in told.waiting if "by itself" in sentence)}

    def _renew(self, fingerprint: str) -> Authority:
        again = elsewhere(renewed(self.kept[fingerprint]))
        self.kept[again.fingerprint] = again
        return again

    def _take_out_next(self) -> None:
        """The next CA has ended before it was used: its entries go."""
        (prepared,) = self.cluster.prepared
        keys = f"demo-{self.cluster.ca.value}-ca"
        entries = [key for key in self.cluster.secret(keys) if key.startswith(prepared)]
        self.cluster.change("secrets", keys, {"data": dict.fromkeys(entries)})
        self.brought.append("no next CA")

    def _answer(self) -> None:
        """The issuers sign the open requests, with a renewed CA where theirs has ended."""
        asked = self.cluster.intent(Goal.RECOVER, external_issuer=ASKED)
        requests = inspect(self.cluster.work(), asked).observation.snapshot.leaves.requests
        names = [name for name, request in requests.items() if request.is_open]
        (wanted,) = {requests[name].authority for name in names}
        signing = self.kept[wanted]
        if signing.chain[0].has_ended(START + timedelta(seconds=self.cluster.memory.seconds)):
            signing = self._renew(wanted)
            self.brought.append("renewed issuer")
        office(self.cluster, signing).work()
        assert set(names).isdisjoint(self.signed), "a certificate is requested for the second time"
        self.signed += names
        self.brought.append("answers")


def assert_recovered(cluster: WatchedCluster, leaves_another: bool, restarts: int) -> None:
    """leaves_another: whether a CA may stay trusted whose flow a person has ended by hand. restarts: of each node, at
    most. Nodes restart together and once; the operator restarts each once more if the flow was interrupted in the pause
    of its switch.
    """
    cluster.memory.settle(3)
    assert (cluster.memory.kubelet.ended(certs.now()), cluster.ready, cluster.paused) == ([], True, False)
    assert cluster.states[cluster.current] == IN_USE
    assert len(cluster.states) <= 1 + leaves_another
    assert max(cluster.counts()[node] for node in NODES) <= restarts


@dataclass
class Story:
    """A flow that is interrupted."""

    cluster: WatchedCluster
    #: The CAs whose keys issuers keep.
    kept: list[Authority]
    #: The flow, to its end.
    run: Callable[[], object]
    #: Lets the CA that the flow began with end, with the certificates under it.
    end: Callable[[], object]
    #: Asserts that the cluster is healthy again; it gets whether a CA may stay trusted whose flow a person has ended.
    check: Callable[[bool], object]

    def interrupt(self, numbers: range) -> list[tuple[str, ...]]:
        """Interrupts it after each of these writes; what the person brought then."""
        cluster, usual = self.cluster, self.cluster.permitted
        transport = cluster.permitted = ForkingTransport(cluster.memory.api, numbers, after=True)

        def recover() -> tuple[str, ...]:
            cluster.permitted = usual
            self.end()
            person = Person(cluster, {one.fingerprint: one for one in self.kept})
            person.recover()
            self.check("no next CA" in person.brought)
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


def story_of(cluster: WatchedCluster, kept: list[Authority], run: Callable[[], object], restarts: int = 2) -> Story:
    def check(leaves_another: bool) -> None:
        assert_recovered(cluster, leaves_another, restarts)

    return Story(cluster, kept, run, lambda: let_end(cluster), check)


def next_ca_is_here(cluster: WatchedCluster) -> Story:
    first = begin(cluster)
    return story_of(cluster, [first], lambda: next_here(cluster))


def next_ca_is_elsewhere(cluster: WatchedCluster) -> Story:
    first, second = begin(cluster), second_root()
    return story_of(cluster, [first, second], lambda: next_elsewhere(cluster, second))


def next_ca_ends_too(cluster: WatchedCluster) -> Story:
    """The next CA ends with the CA that it replaces."""
    first, second = begin(cluster), elsewhere(root("Second", end=START + timedelta(days=LIFE + 1)))
    return story_of(cluster, [first, second], lambda: next_elsewhere(cluster, second))


def undone_before_the_switch(cluster: WatchedCluster) -> Story:
    first, second = begin(cluster), second_root()
    next_elsewhere(cluster, second, Phase.TRUST)
    return story_of(cluster, [first, second], lambda: abort(cluster))


def undone_here_after_the_switch(cluster: WatchedCluster) -> Story:
    """The CA that the abort leads back to ends while the CA that is given up, which is made here, is in use."""
    first = begin(cluster)
    next_here(cluster, Phase.USE)
    return story_of(cluster, [first], lambda: abort_after_the_switch(cluster, first))


def undone_elsewhere_after_the_switch(cluster: WatchedCluster) -> Story:
    """The same, and another issuer keeps the CA that is given up."""
    first, second = begin(cluster), second_root()
    next_elsewhere(cluster, second, Phase.USE)
    return story_of(cluster, [first, second], lambda: abort_after_the_switch(cluster, first))


def linked_here(cluster: WatchedCluster) -> Story:
    """The key of the CA in use is here, and signs a link certificate, which ends with that CA. The replacement comes
    after the recovery, with the two restarts of a replacement without a link certificate.
    """
    create(cluster, ca=LIFE)
    return story_of(cluster, [], lambda: next_here(cluster), restarts=3)


#: Each with the first of the writes at which the short tests interrupt it, and what the person may have to bring.
STORIES = [
    (next_ca_is_here, 2, set()),
    (next_ca_is_elsewhere, 5, {"answers"}),
    (next_ca_ends_too, 1, {"answers", "renewed CA", "renewed issuer", "no next CA"}),
    (undone_before_the_switch, 2, {"answers", "renewed CA", "renewed issuer"}),
    (undone_here_after_the_switch, 3, {"answers", "renewed CA", "renewed issuer"}),
    (undone_elsewhere_after_the_switch, 3, {"answers", "renewed CA", "renewed issuer"}),
    (linked_here, 12, set()),
]
#: Between two of the writes at which a short test, and a long test, interrupts a flow.
_SHORT, _LONG = 24, 8


def parts_of(stories: Sequence[tuple[Any, int, set[str]]]) -> Iterator[Any]:
    """The parameters of a short test of each story, and of long tests, which together interrupt it at every write."""
    for story, first, brought in stories:
        yield pytest.param(story, range(first, 1000, _SHORT), brought, id=f"{story.__name__} {first}")
        for number in range(1, _LONG + 1):
            every = f"{story.__name__} every {_LONG}th from {number} on"
            yield pytest.param(story, range(number, 1000, _LONG), brought, id=every, marks=pytest.mark.long)


def assert_each_leads_on(story: Story, numbers: range, brought: set[str]) -> None:
    for what in story.interrupt(numbers):
        assert set(what) <= brought
        once = [thing for thing in what if thing != "answers"]
        assert len(once) == len(set(once)), f"the person was asked for the same thing twice: {what}"


@pytest.mark.parametrize(("story", "numbers", "brought"), list(parts_of(STORIES)))
def test_a_recovery_leads_on_from_wherever_the_flow_was_interrupted(
    cluster: WatchedCluster,
    nodes: ReloadingNodes,
    story: Callable[[WatchedCluster], Story],
    numbers: range,
    brought: set[str],
) -> None:
    assert_each_leads_on(story(cluster), numbers, brought)


@pytest.mark.parametrize("phase", [Phase.PREPARE, Phase.TRUST, Phase.USE])
def test_a_link_certificate_of_the_ended_ca_keeps_no_node_away(
    cluster: WatchedCluster, nodes: ReloadingNodes, phase: Phase
) -> None:
    """Its issuer has signed it, and it has ended with the CA."""
    cluster.create(manifests=lasting())
    first = corporate(outlives_rewriting=True)
    with serving(FakeVault()) as vault:
        issuer = ByVault(Signing(first, cluster.memory, ""), vault)
        cluster.issuer, asked = issuer.settings, {"external_issuer": issuer.reference}
        cluster.finish(Goal.REPLACE_KEY, first, **asked)
        cluster.look_away()
        issuer.permit(links=True)
        cluster.validity = 10 * YEAR
        to_replace = {**asked, "link_issuer": issuer.linker, "replaces": cluster.current}
        cluster.run(Goal.REPLACE_KEY, last_phase=phase, **to_replace)
        assert cluster.links
        cluster.validity = None
        let_end(cluster)
        told = cluster.run(Goal.RECOVER, in_one_call=True, **asked).outcome.decision
        assert (told.violations, told.done) == ((), True)
        assert_recovered(cluster, leaves_another=False, restarts=1)
        assert cluster.current != first.fingerprint


@pytest.mark.parametrize("stop", [Phase.PREPARE, Phase.TRUST])
@pytest.mark.parametrize("is_next_here", [True, False], ids=["next CA here", "next CA elsewhere"])
def test_a_replacement_that_stops_for_an_approval_is_led_on_where_a_person_says_so(
    cluster: WatchedCluster, nodes: ReloadingNodes, stop: Phase, is_next_here: bool
) -> None:
    first, second = begin(cluster), None if is_next_here else second_root()
    asked: dict[str, Any] = {"external_issuer": ASKED, "stop_after": stop, "last_phase": stop}
    cluster.validity = 10 * YEAR
    for _call in range(2):
        cluster.run(Goal.REPLACE_KEY, second, replaces=first.fingerprint, **asked)
        if second is not None:
            office(cluster, second).work()
    cluster.validity = None
    let_end(cluster)
    for goal in (Goal.RECOVER, Goal.RECONCILE, Goal.RENEW):
        (held,) = decided(cluster, goal=goal).violations
        assert re.findall(r"(\w+) playbook", held.remedy) == ["recover"]
    (held,) = decided(cluster).violations
    assert held.condition is Condition.NOT_STOPPED
    assert "strimzi_continue_stopped" in held.remedy
    assert cluster.writes == 0
    told = decided(cluster, continue_stopped=True)
    if second is not None:
        office(cluster, second).work()
        told = decided(cluster, continue_stopped=True)
    assert (told.violations, told.done) == ((), True)
    assert_recovered(cluster, leaves_another=False, restarts=1)
    assert cluster.current != first.fingerprint
