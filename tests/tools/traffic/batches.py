# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``python -m tests.tools.traffic.batches``: all nodes of a cluster in three racks restart, one by one and in batches, under
traffic; exit code 1 on any harm, and if the rounds are not the planned ones. ``--layout`` says where its controllers are.

The collection itself restarts the nodes, by what real Kafka nodes tell it. Both ways are measured in the same run and begin in the same
state. The ratio of their times is printed, and breaks no rule: a machine with few cores starts a batch slower than a node.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Any

from ...api.running import Runner
from ...kafka.bed import KafkaBed
from ...kafka.kubelet import DOMAIN
from ...kafka.tier import PATIENCE, Tier, bed_cluster_of_nodes, kafka_cluster
from ..bench.measurement import Measurement, Wanted
from ..bench.pairs import seconds
from ..bench.restarts import watched
from ..cluster.bed import ROOT, Bed
from ..cluster.commands import run_command
from ..cluster.kube import wait_for
from ..operator.clusters import STRIMZI_READINESS
from .clients import LIBRARIES, Demand, find_brokers, is_short_of_replicas
from .fleet import TrustingFleet, trusting_fleet
from .ledger import Ledger
from .listeners import PUBLIC
from .node_logs import followed
from .placement import Placed, partitions_in
from .rounds import Round, of_nodes, rounds_of, with_a_core_for_each
from .scenario import IN_RACKS, Layout
from .traffic import ADMINISTRATOR, administer, create_topic
from .trust import issuing

_TOPIC = "traffic"
#: The time between two flows belongs to neither.
_BETWEEN = "between"
_ELECTION = "org.apache.kafka.tools.LeaderElectionCommand"
#: Partitions of the topic: each of nine brokers leads two.
_PARTITIONS = 18
#: The wanted time of restarts in batches, as a share of the time of the same restarts one by one.
_SHARE = 0.5
_RESOLVING = 'mount --bind "$1" /etc/resolv.conf && shift && exec "$@"'


@dataclass(frozen=True)
class Way:
    """How many nodes restart at a time."""

    name: str
    #: ``strimzi_batch``.
    batch: str


ONE_BY_ONE, IN_BATCHES = Way("one by one", "1"), Way("batches", "rack")
WAYS = (ONE_BY_ONE, IN_BATCHES)


@dataclass(frozen=True)
class Planned:
    """The restarts of nodes that a plan names."""

    restarts: int
    rounds: int


@dataclass(frozen=True)
class Flow:
    """A flow that restarts every node once."""

    name: str
    #: Plans it with this ``strimzi_batch``.
    plan: Callable[[Stand, str], Planned]
    #: Runs it with this ``strimzi_batch``.
    run: Callable[[Stand, str], None]


def _plan_roll(stand: Stand, batch: str) -> Planned:
    """A module that restarts nodes tells its rounds in sentences only, so these are reckoned: one controller after the other, and then the other
    brokers, one rack after the other.
    """
    found = _checked(stand.runner.module("strimzi_roll", "--check", **_roll(batch)))
    restarts = sum(action["verb"] == "restart" for action in found["actions"])
    racks = {pool.rack for pool in stand.layout.pools if "controller" not in pool.roles}
    return Planned(restarts, restarts if batch == ONE_BY_ONE.batch else len(stand.layout.controllers) + len(racks))


def _run_roll(stand: Stand, batch: str) -> None:
    _checked(stand.runner.module("strimzi_roll", **_roll(batch)))


def _roll(batch: str) -> dict[str, str]:
    return {"reason": "measured", "strategy": "direct", "batch": batch}


def _plan_replacement(stand: Stand, batch: str) -> Planned:
    options = {"strategy": "direct", "batch": batch, "evidence": "handshake", "replaces": issuing(stand.tier)}
    found = _checked(stand.runner.module("strimzi_ca_info", goal="replace_key", **options))
    return Planned(found["planned_restarts"], found["planned_rounds"])


def _run_replacement(stand: Stand, batch: str) -> None:
    options = {"strimzi_strategy": "direct", "strimzi_batch": batch, "strimzi_evidence": "handshake"}
    print(stand.runner.flow("replace_key", strimzi_replaces=issuing(stand.tier), **options).check().output, flush=True)


def _checked(result: dict[str, Any]) -> dict[str, Any]:
    if result.get("failed"):
        raise RuntimeError(result["msg"])
    return result


FLOWS = (Flow("roll", _plan_roll, _run_roll), Flow("replace_key", _plan_replacement, _run_replacement))


@dataclass(frozen=True)
class Rolled:
    """A flow that has restarted all nodes in one way."""

    flow: str
    way: str
    #: The nodes that have restarted.
    layout: Layout
    #: Of the whole call.
    seconds: float
    planned: Planned
    rounds: tuple[Round, ...]
    #: Records that brokers acknowledged, acknowledged records that a consumer has not read, and records that are in the log twice.
    sent: int
    lost: int
    duplicated: int
    #: Answers for want of replicas in sync: as producers have logged them, and as brokers have.
    short_to_producers: int
    short_in_logs: int
    longest_stall_s: float
    #: TLS failures of clients.
    failed: int

    @property
    def restarts(self) -> int:
        return sum(len(one.restarts) for one in self.rounds)

    @property
    def of_brokers(self) -> tuple[Round, ...]:
        """The rounds of brokers."""
        return of_nodes(self.rounds, self.layout.brokers)

    def as_json(self) -> dict[str, Any]:
        phases = [
            {
                "nodes": sorted(one.nodes), "seconds": round(one.seconds, 1), "stopping": round(one.stopping, 1),
                "starting": round(one.starting, 1), "returning": round(one.returning, 1),
            }
            for one in self.rounds
        ]  # fmt: skip
        return {**asdict(self), "layout": self.layout.name, "restarts": self.restarts, "rounds": phases}

    def line(self) -> str:
        means = (
            sum(map(attrgetter(phase), self.of_brokers)) / max(len(self.of_brokers), 1)
            for phase in ("stopping", "starting", "returning")
        )
        stop, start, back = means
        return (
            f"{self.layout.name}, {self.flow}, {self.way}: {self.seconds:.0f} s, {self.restarts} restarts in {len(self.rounds)} rounds "
            f"(planned: {self.planned.restarts} in {self.planned.rounds}); a round of brokers: end {stop:.1f} s, start {start:.1f} s, "
            f"in sync and leading {back:.1f} s; {self.sent} records, {self.lost} lost, {self.duplicated} twice, "
            f"{self.short_to_producers} + {self.short_in_logs} times too few replicas, longest stall {self.longest_stall_s:.1f} s"
        )


def measurements(one_by_one: Rolled, batches: Rolled) -> Iterator[Measurement]:
    """The times of batches as shares of those of the same flow one by one."""
    flow = f"{batches.layout.name}-{batches.flow}"
    brokers = [sum(one.seconds for one in rolled.of_brokers) for rolled in (one_by_one, batches)]
    cores = with_a_core_for_each(batches.of_brokers, one_by_one.of_brokers)
    yield Measurement(f"{flow}-in-batches-vs-one-by-one", batches.seconds / one_by_one.seconds, Wanted.AT_MOST, _SHARE)
    yield Measurement(f"{flow}-brokers-in-batches-vs-one-by-one", brokers[1] / brokers[0], Wanted.AT_MOST, _SHARE)
    yield Measurement(f"{flow}-brokers-with-a-core-each-reckoned", cores / brokers[0], Wanted.AT_MOST, _SHARE)


def broken_rules(rolled: Sequence[Rolled], control: int) -> Iterator[str]:
    """In words; nothing if all is well. control: the answers for want of replicas after two brokers of a partition were ended at once."""
    for one in rolled:
        named = f"{one.flow}, {one.way}"
        found = {
            "lost": one.lost, "too few replicas, to producers": one.short_to_producers, "too few replicas, in logs": one.short_in_logs,
            "TLS failures": one.failed,
        }  # fmt: skip
        yield from (f"{named}: {what}: {count}" for what, count in found.items() if count)
        # A producer that cannot tell what became of a batch begins a new epoch, and may write it twice (KIP-360).
        if one.duplicated > one.restarts:
            yield f"{named}: {one.duplicated} records are in the log twice"
        if not one.sent:
            yield f"{named}: no record was sent"
        if (one.restarts, len(one.rounds)) != (one.planned.restarts, one.planned.rounds):
            yield f"{named}: {one.restarts} restarts in {len(one.rounds)} rounds, not as planned: {one.planned}"
        if restarted := [name for name in one.layout.nodes if sum(name in each.nodes for each in one.rounds) != 1]:
            yield f"{named}: not restarted once: {restarted}"
    if not control:
        yield "negative control: no producer and no log has told of too few replicas"


@dataclass(frozen=True)
class Stand:
    """The cluster with its clients."""

    #: Its nodes.
    layout: Layout
    tier: Tier
    runner: Runner
    clients: TrustingFleet
    ledger: Ledger

    @property
    def logs(self) -> Path:
        """The folder of the logs of all pods."""
        return self.tier.cluster.bed.folder / "pods" / "pods"

    def settle(self) -> None:
        """Every replica in sync, and every partition led by its preferred broker: the state in which each way begins."""
        asked, *_others = self.layout.brokers

        def is_settled() -> bool:
            found = self.partitions()
            # The tool fails where a preferred broker is not in sync.
            if all(one.in_sync == set(one.replicas) for one in found) and not all(one.is_settled for one in found):
                administer(self.tier, asked, _ELECTION, "--election-type", "preferred", "--all-topic-partitions")
            return all(one.is_settled for one in found)

        wait_for(is_settled, "leaders and replicas as they were", 180)

    def partitions(self) -> list[Placed]:
        asked, *_others = self.layout.brokers
        return partitions_in(administer(self.tier, asked, ADMINISTRATOR, "--describe"))

    def measure(self, flow: Flow, way: Way) -> Rolled:
        self.settle()
        planned = flow.plan(self, way.batch)
        window = self.ledger.begin(f"{flow.name}, {way.name}")
        with followed(self.logs, is_short_of_replicas) as logs, watched(self.tier.cluster, self.tier.name) as restarts:
            taken = seconds(lambda: flow.run(self, way.batch))
        self.ledger.end()
        # Records of the flow alone count: producers go on.
        self.ledger.begin(_BETWEEN)
        with suppress(TimeoutError):
            wait_for(lambda: not self.ledger.behind(window), "all records being read", 120)
        print(*self.ledger.lost(window)[:20], sep="\n", flush=True)
        figures = self.ledger.figures(window)
        return Rolled(
            flow.name, way.name, self.layout, taken, planned, rounds_of(restarts.done), figures.sent, figures.lost, figures.duplicated,
            len(self.ledger.short(window)), len(logs.lines), figures.longest_stall_s, len(self.ledger.failures(window)),
        )  # fmt: skip

    def control(self) -> int:
        """Ends two brokers of a partition at once, and returns how often brokers have told since that replicas were missing."""
        self.settle()
        window = self.ledger.begin("control")
        asked, *_others = map(node_id, self.layout.brokers)
        pairs = (one.replicas[:2] for one in self.partitions() if one.topic == _TOPIC)
        lost = next(pair for pair in pairs if asked not in pair)
        with followed(self.logs, is_short_of_replicas) as logs:
            before = self.tier.cluster.node_uids(self.tier.name)
            ended = {name: uid for name, uid in before.items() if node_id(name) in lost}
            for name in ended:
                self.tier.delete("pods", name)
            wait_for(lambda: bool(self.ledger.short(window)), "a producer being refused for want of replicas", 120)
            wait_for(lambda: bool(logs.lines), "a broker logging that replicas are missing", 120)
            self.settle()
        return min(len(self.ledger.short(window)), len(logs.lines))


def node_id(pod: str) -> int:
    return int(pod.rpartition("-")[2])


def racks_of(layout: Layout) -> dict[int, str]:
    """The rack of each broker, by node id."""
    racks = {pool.name: pool.rack for pool in layout.pools}
    return {node_id(pod): racks[pod.removeprefix(f"{layout.cluster}-").rpartition("-")[0]] for pod in layout.brokers}


@contextmanager
def stand_of(layout: Layout) -> Iterator[Stand]:
    with bed_cluster_of_nodes("batches") as cluster, tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        Runner(cluster).flow("create", strimzi_path_length=1).check()
        tier = kafka_cluster(cluster, partial(layout.manifests, readiness=STRIMZI_READINESS), generated=False)
        asked, *_others = layout.brokers
        create_topic(tier, asked, _TOPIC, replicas=3, partitions=_PARTITIONS)
        ledger, brokers = Ledger(), find_brokers(tier, layout.brokers, folder, PUBLIC, _TOPIC)
        runner = Runner(cluster, patience=2 * PATIENCE, within=_resolving(cluster.bed, folder))
        demand = Demand(0.0, LIBRARIES, renews=False)
        with trusting_fleet(tier, brokers, demand, folder, ledger) as clients:
            yield Stand(layout, tier, runner, clients, ledger)


def _resolving(bed: Bed, folder: Path) -> tuple[str, ...]:
    """Runs a command with the names of the cluster: the collection asks nodes by the names that they give themselves."""
    assert isinstance(bed, KafkaBed)
    file = folder / "resolv.conf"
    file.write_text(f"nameserver {bed.network.node}\nsearch {DOMAIN}\noptions ndots:5\n")
    return ("unshare", "--mount", "sh", "-c", _RESOLVING, "sh", str(file))


def measure(layout: Layout, flows: Sequence[Flow], ways: Sequence[Way], file: Path) -> list[str]:
    """Measures, prints and writes the figures, and returns the rules that are broken. Both ways are compared."""
    rolled: list[Rolled] = []
    lines: list[str] = []
    with stand_of(layout) as found:
        racks = racks_of(layout)
        if scattered := [one for one in found.partitions() if not one.is_spread(racks)]:
            raise RuntimeError(f"these partitions have two replicas in a rack: {scattered}")
        try:
            for flow in flows:
                for way in ways:
                    rolled.append(found.measure(flow, way))
                    print(rolled[-1].line(), flush=True)
                compared = measurements(*rolled[-2:]) if tuple(ways) == WAYS else ()
                lines += (told := [measurement.line() for measurement in compared])
                print(*told, sep="\n", flush=True)
            control = found.control()
        finally:
            file.parent.mkdir(exist_ok=True)
            file.write_text(json.dumps({"rolled": [one.as_json() for one in rolled], "lines": lines}, indent=2) + "\n")
    print(f"negative control: {control} answers for want of replicas", flush=True)
    return list(broken_rules(rolled, control))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.tools.traffic.batches", description=__doc__)
    names = [layout.name for layout in IN_RACKS]
    parser.add_argument("--layout", choices=names, default=names[0], help="default: %(default)s")
    parser.add_argument("--flow", action="append", choices=[flow.name for flow in FLOWS], help="default: every one")
    parser.add_argument("--way", choices=[way.name for way in WAYS], help="this one only, and no ratio; default: both")
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "batches.json", help="default: %(default)s")
    arguments = parser.parse_args()
    flows = [flow for flow in FLOWS if flow.name in (arguments.flow or [flow.name])]
    ways = [way for way in WAYS if way.name == (arguments.way or way.name)]
    layout = next(layout for layout in IN_RACKS if layout.name == arguments.layout)
    broken = measure(layout, flows, ways, arguments.output)
    print(*broken, sep="\n")
    return 1 if broken else 0


if __name__ == "__main__":
    run_command(main)
