# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``python -m tests.tools.traffic.recovery``: what the end of certificates costs on real nodes under traffic, with the playbook recover and with the steps of
Strimzi's documentation; as JSON, a line for each measurement.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta, timezone
from functools import partial
from itertools import product
from pathlib import Path

from ...api.running import Runner
from ...kafka.aged_leaves import make_short_lived_authority, outlive_authority, outlive_leaves, starts
from ...kafka.tier import PATIENCE, Tier, bed_cluster_of_nodes, kafka_cluster
from ..cluster.bed import ROOT
from ..cluster.commands import run_command
from ..cluster.kube import wait_for
from ..support.outside_authority import OutsideOptions
from .by_hand import recover_authority, recover_leaves
from .clients import Demand
from .cluster_ca import ClusterTraffic, cluster_traffic
from .handshakes import Outcome
from .ledger import Ledger, Window, longest_gap
from .scenario import LAYOUTS, VARIANTS, Layout, Scenario
from .targets import CA_CRT_READERS, CLIENT
from .trust import Reading

RECOVER, BY_HAND = "recover", "by hand"
WAYS = (RECOVER, BY_HAND)
#: Seconds until all is well again, at most.
_HEALED = 600.0
#: Applications that read ``ca.crt`` late, or never again, are late by that and not by a recovery.
_LATE = {reader for reader, (_library, when) in CA_CRT_READERS.items() if when is not Reading.ANEW}


@dataclass(frozen=True)
class Situation:
    """Certificates that have ended, and how that comes about."""

    name: str
    #: Returns when certificates have ended.
    end: Callable[[Tier], None]
    #: The steps of Strimzi's documentation.
    by_hand: Callable[[Tier], None]
    #: How long the CA lives, where it is the CA that ends.
    authority: timedelta | None = None
    #: Whether nodes have read a next certificate without a restart before: they have it by a dynamic value.
    reloaded: bool = False


_END_LEAVES = partial(outlive_leaves, life=timedelta(seconds=180))
SITUATIONS = (
    Situation("leaves", _END_LEAVES, recover_leaves),
    Situation("ca", outlive_authority, recover_authority, timedelta(seconds=420)),
    Situation("leaves-reloaded", _END_LEAVES, recover_leaves, reloaded=True),
)


@dataclass(frozen=True)
class Figures:
    """Seconds, from when the remedy began. healed: until all that connects was served again and the operator said Ready. outside_served: until a client
    outside that was refused was served by a node; outside_whole: until no client outside was refused or interrupted any more. unacknowledged: the longest
    time in which no producer got any record acknowledged. stalled: the longest time of the producer or consumer that it kept waiting longest.
    """

    situation: str
    layout: str
    way: str
    healed_s: float
    outside_served_s: float
    outside_whole_s: float
    unacknowledged_s: float
    stalled_s: float
    stalled_client: str
    sent: int
    #: Acknowledged records that no consumer has read.
    lost: int
    #: The number of records that a consumer had not read a minute after the end, by consumer.
    behind: Mapping[str, int]
    duplicated: int
    handshakes: int
    #: Handshakes that failed; interrupted: without a verdict.
    refused: int
    interrupted: int
    restarts: int


Result = tuple[float, str, Outcome]


def outside_times(results: Iterable[Result], begin: float) -> tuple[float, float]:
    """Seconds from begin until the first success of a client outside, and until the last attempt of it that was none."""
    own = [(at - begin, outcome) for at, party, outcome in results if party == CLIENT and at >= begin]
    first = min((at for at, outcome in own if outcome is Outcome.DONE), default=float("inf"))
    return first, max((at for at, outcome in own if outcome is not Outcome.DONE), default=0.0)


def unacknowledged(ledger: Ledger, window: Window) -> float:
    """The longest time in which no record of any producer was acknowledged, in seconds."""
    return longest_gap(ledger.acked.values(), window.began, window.ended)


def measure(situation: Situation, layout: Layout, way: str, demand: Demand) -> Figures:
    scenario = Scenario(layout, next(variant for variant in VARIANTS if variant.name == "reload"))
    with bed_cluster_of_nodes("recovery") as cluster, tempfile.TemporaryDirectory() as folder:
        runner = Runner(cluster, patience=2 * PATIENCE)
        if situation.authority:
            make_short_lived_authority(cluster, "demo", datetime.now(timezone.utc) + situation.authority)
        tier = kafka_cluster(cluster, scenario.layout.manifests, generated=not situation.authority)
        runner.flow("upgrade").check()
        if situation.reloaded:
            runner.flow("replace_key", strimzi_spread="reload").check()
        with cluster_traffic(tier, scenario, OutsideOptions({}), demand, Path(folder)) as traffic:
            situation.end(tier)
            return _measure(situation, way, traffic, runner)


def _measure(situation: Situation, way: str, traffic: ClusterTraffic, runner: Runner) -> Figures:
    ledger, load, tier = traffic.ledger, traffic.load, traffic.tier
    print(f"{situation.name}, {way}: begins", flush=True)
    before = runs_of(tier)
    window = ledger.begin(way)
    if way == RECOVER:
        print(runner.flow("recover", strimzi_operator_timeout=900).check().output, flush=True)
    else:
        situation.by_hand(tier)
    try:
        wait_for(lambda: is_well(traffic, window.began), "a cluster that serves all", _HEALED)
    except TimeoutError as late:
        raise TimeoutError("\n".join([str(late), *load.unsettled(_LATE)])) from late
    ledger.end()
    print(f"{situation.name}, {way}: healed after {window.ended - window.began:.0f} s", flush=True)
    traffic.finish()
    found, counts = ledger.figures(window), load.counts(window.began, window.ended)
    served, whole = outside_times([result for result in load.results if result[0] < window.ended], window.began)
    return Figures(
        situation.name, traffic.scenario.layout.name, way, round(window.ended - window.began, 1), round(served, 1), round(whole, 1),
        round(unacknowledged(ledger, window), 1), round(found.longest_stall_s, 1), found.stalled_client,
        found.sent, ledger.lost_to_all(window), ledger.behind(window), found.duplicated,
        counts[Outcome.DONE] + counts[Outcome.FAILED], counts[Outcome.FAILED], counts[Outcome.INTERRUPTED],
        restarts(before, runs_of(tier)),
    )  # fmt: skip


def is_well(traffic: ClusterTraffic, since: float) -> bool:
    """Whether the operator says Ready, and the last attempts of all that connects have succeeded since then."""
    last = {target: verdict for target, verdict in traffic.load.last.items() if target.party not in _LATE}
    recent = time.monotonic() - since > 10
    return (
        recent
        and traffic.tier.cluster.is_ready(traffic.tier.name)
        and all(verdict.outcome is Outcome.DONE for verdict in last.values())
    )


def restarts(before: Mapping[str, tuple[str, int]], now: Mapping[str, tuple[str, int]]) -> int:
    """How often processes have started since then, from ``runs_of`` then and now. A pod that replaces another pod has started once more than it says."""
    return sum(count - before[node][1] if uid == before[node][0] else count + 1 for node, (uid, count) in now.items())


def runs_of(tier: Tier) -> dict[str, tuple[str, int]]:
    """By node: the UID of its pod, and how often the container in it was started again."""
    uids = tier.cluster.node_uids(tier.name)
    return {node: (uids[node], count) for node, count in starts(tier).items()}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.tools.traffic.recovery", description=__doc__)
    parser.add_argument(
        "--situation", action="append", choices=[situation.name for situation in SITUATIONS], help="default: all"
    )
    parser.add_argument(
        "--layout", choices=[layout.name for layout in LAYOUTS], default=LAYOUTS[0].name, help="default: %(default)s"
    )
    parser.add_argument("--way", action="append", choices=WAYS, help="default: both")
    parser.add_argument("--rate", type=float, default=20.0, help="handshakes a second; default: %(default)s")
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "recovery.json", help="default: %(default)s")
    arguments = parser.parse_args()
    chosen = [situation for situation in SITUATIONS if situation.name in (arguments.situation or [situation.name])]
    layout, demand = next(layout for layout in LAYOUTS if layout.name == arguments.layout), Demand(arguments.rate)
    found = [measure(situation, layout, way, demand) for situation, way in product(chosen, arguments.way or WAYS)]
    rows = [asdict(figures) for figures in found]
    arguments.output.parent.mkdir(exist_ok=True)
    arguments.output.write_text(json.dumps(rows, indent=2) + "\n")
    print(*(json.dumps(row) for row in rows), sep="\n")
    return 0


if __name__ == "__main__":
    run_command(main)
