"""``make bench-kafka``: what replacing a CA's key costs on real Kafka nodes, beside the operator's own way.

Lines as of ``make bench``, a table, and build/bench-kafka.json. The exit code says only whether all could be measured.
``python -m tests.tools.bench_kafka --variant plain`` measures this variant only; with ``--brokers 9`` the cluster has as many
nodes more, which are brokers only.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from ...api.running import Runner
from ...kafka.tier import Layout, Tier, bed_cluster_of_nodes, kafka_cluster
from ..bench.measurement import Measurement, Wanted
from ..cluster.bed import ROOT
from ..cluster.commands import run_command
from ..operator import clusters
from .looking import Looks, looks
from .replacement import Replacement, table
from .replacing import by_operator, by_playbook
from .variants import OPERATOR, VARIANTS, Variant, judge


@dataclass
class Figures:
    """All figures so far; they are written after each new one, so that a run that is cut short leaves something."""

    file: Path
    replacements: list[Replacement] = field(default_factory=list)
    looks: Looks | None = None
    lines: list[str] = field(default_factory=list)

    def say(self, measurement: Measurement) -> None:
        self.lines.append(measurement.line())
        print(self.lines[-1], flush=True)
        self.write()

    def write(self) -> None:
        content: dict[str, Any] = {
            "replacements": [replacement.as_json() for replacement in self.replacements],
            "looks": asdict(self.looks) if self.looks else None,
            "lines": self.lines,
        }
        self.file.parent.mkdir(exist_ok=True)
        self.file.write_text(json.dumps(content, indent=2) + "\n")


def _replace(tier: Tier, variants: list[Variant], figures: Figures) -> None:
    for variant in variants:
        figures.replacements.append(by_playbook(tier, variant))
        for measurement in judge(variant, figures.replacements[-1], figures.replacements[0]):
            figures.say(measurement)
        # A replacement that waits until nodes restart for another reason has not ended: end it now.
        Runner(tier.cluster, patience=600).flow("reconcile", strimzi_retire="now").check()


def _look(tier: Tier, figures: Figures) -> None:
    figures.looks = looks(tier)
    figures.say(Measurement("live-evidence-per-pod", figures.looks.added_per_pod * 1000, Wanted.AT_MOST, 500.0, "ms"))


def _compare_with_operator(tier: Tier, figures: Figures) -> None:
    """Last, because the operator replaces only the key of a CA that it has made itself or was handed."""
    Runner(tier.cluster, patience=600).flow("downgrade").check()
    tier.cluster.wait_until_ready(tier.name, 300)
    ours, own = tuple(figures.replacements), by_operator(tier)
    figures.replacements.append(own)
    for replacement in ours:
        # The operator pays nothing for evidence, because it waits for none.
        figures.say(
            Measurement(
                f"replace-{replacement.way}-vs-{own.way}", replacement.seconds / own.seconds, Wanted.AT_MOST, 1.5
            )
        )


def _layout(brokers: int) -> Layout:
    """Three nodes that are controller and broker, and so many brokers more; ready when Strimzi's own probe finds them so."""
    more = [clusters.Pool("more", brokers, ("broker",))] if brokers else []
    pools = [*clusters.combined(), *more]
    return partial(clusters.of_pools, pools=pools, readiness=clusters.STRIMZI_READINESS)


def measure(names: Sequence[str], brokers: int, figures: Figures) -> None:
    with bed_cluster_of_nodes("bench-kafka") as cluster:
        Runner(cluster).flow("create").check()
        tier = kafka_cluster(cluster, _layout(brokers), generated=False)
        Runner(cluster).flow("create").check()
        _look(tier, figures)
        _replace(tier, [variant for variant in VARIANTS if variant.name in names], figures)
        if OPERATOR.name in names:
            _compare_with_operator(tier, figures)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.tools.bench_kafka", description="Measured on real Kafka nodes."
    )
    names = [variant.name for variant in (*VARIANTS, OPERATOR)]
    parser.add_argument("--variant", action="append", choices=names, help="this one only; may be given again")
    parser.add_argument("--brokers", type=int, default=0, help="nodes beside the three; default: none")
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "bench-kafka.json", help="default: %(default)s")
    arguments = parser.parse_args()
    figures = Figures(arguments.output)
    measure(arguments.variant or names, arguments.brokers, figures)
    print(table(figures.replacements))
    print("Hours: reckoned, from restarts and reloads alone to all of it, as if everything grew with the brokers.")
    return 0


if __name__ == "__main__":
    run_command(main)
