# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clusters whose CAs are replaced together: trusted everywhere before used anywhere, removed nowhere before used everywhere."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from ..tools.support.golden import GoldenFiles
from ..tools.support.memory_cluster import MemoryCluster
from ..unit.modules import stages
from .fleet import Fleet, Played, fleet

LEDGER, CERTIFICATES = "demo-cluster-ca-trusted-certs", "demo-cluster-ca-cert"
LEAF = "PATCH secrets/demo-kafka-0"


def states(found: Fleet, context: str) -> list[str]:
    """The states of the CAs in the ledger."""
    secret = found.clusters[context].memory.api.find("secrets", "kafka", LEDGER) or {"data": {}}
    return sorted(base64.b64decode(value).decode() for key, value in secret["data"].items() if key.endswith(".state"))


def moments(found: Fleet, context: str, secret: str) -> list[float]:
    """When this Secret was written, in order."""
    return [at for at, write in found.clusters[context].written if write.endswith(f"secrets/{secret}")]


def current(found: Fleet, context: str) -> str:
    return str((found.clusters[context].memory.api.find("secrets", "kafka", CERTIFICATES) or {})["data"]["ca.crt"])


def unready(memory: MemoryCluster, *, ready: bool = False) -> MemoryCluster:
    """A cluster on which no flow begins until its ledger is right again."""
    content = None if ready else base64.b64encode(b"nothing").decode()
    memory.api.request(
        "PATCH", f"/api/v1/namespaces/kafka/secrets/{LEDGER}", body={"data": {f"{'0' * 40}.crt": content}},
        content_type="application/merge-patch+json",
    )  # fmt: skip
    return memory


@dataclass(frozen=True)
class Held:
    """A run that one of two clusters has refused."""

    found: Fleet
    done: Played
    #: The CA of each.
    before: dict[str, str]


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Held]:
    clusters = {"eu": unready(stages.managed()), "us": stages.managed()}
    with fleet(tmp_path_factory.mktemp("fleet"), **clusters) as found:
        before = {context: current(found, context) for context in found.clusters}
        yield Held(found, found.play("rotate_fleet"), before)


def test_no_cluster_uses_its_next_ca_before_every_cluster_trusts_its_own(held: Held, golden: GoldenFiles) -> None:
    found, done = held.found, held.done
    assert (done.code, done.failed) == (2, {"demo.kafka.eu", "demo.kafka.us"})
    (message,) = (one for one in done.messages if one.startswith("No cluster"))
    golden.compare_said("roles", message)
    assert current(found, "us") == held.before["us"]
    assert states(found, "us") == ["TRUSTED_IN_USE_ALL", "TRUSTED_UNUSED"]
    assert LEAF not in found.clusters["us"].writes


@pytest.mark.long
def test_the_next_run_takes_all_clusters_on_together(held: Held) -> None:
    found = held.found
    unready(found.clusters["eu"].memory, ready=True)
    again = found.play("rotate_fleet", strimzi_report_dir="{{ inventory_dir }}/reports")
    assert again.code == 0, again.output[-4000:]
    for context in found.clusters:
        assert current(found, context) != held.before[context]
        assert states(found, context) == ["TRUSTED_IN_USE_ALL"]
    # The first write of each to the certificate Secret publishes its next CA, and the last removes its old CA.
    trusted = [moments(found, context, CERTIFICATES) for context in found.clusters]
    used = [moments(found, context, "demo-kafka-0") for context in found.clusters]
    assert max(one[0] for one in trusted) < min(one[0] for one in used)
    assert max(one[0] for one in used) < min(one[-1] for one in trusted)
    # Each phase has its report, also where a later phase has one.
    for phase in ("trust", "use", "retire"):
        assert [row["host"] for row in found.report(folder=f"reports/{phase}")["clusters"]] == [
            "demo.kafka.eu",
            "demo.kafka.us",
        ]
    assert found.report("demo.kafka.eu", folder="reports/use")["restarts"] > 0


def test_a_phase_to_stop_after_is_refused(tmp_path: Path) -> None:
    with fleet(tmp_path, us=stages.managed()) as found:
        done = found.play("rotate_fleet", strimzi_until_phase="use")
        assert (done.code, found.clusters["us"].writes) == (2, [])


def test_an_empty_phase_takes_no_cluster_through_all_of_them(tmp_path: Path, golden: GoldenFiles) -> None:
    """An answer of a survey that was left empty."""
    with fleet(tmp_path, eu=unready(stages.managed()), us=stages.managed()) as found:
        before = current(found, "us")
        done = found.play("rotate_fleet", strimzi_until_phase="")
        (message,) = (one for one in done.messages if one.startswith("No cluster"))
        golden.compare_said("roles", message)
        assert current(found, "us") == before
        assert states(found, "us") == ["TRUSTED_IN_USE_ALL", "TRUSTED_UNUSED"]
        assert LEAF not in found.clusters["us"].writes
