# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Playbooks over several clusters: what each does, one report over all, and where a run stops that fails in one of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ..tools.support.golden import GoldenFiles
from ..tools.support.memory_cluster import MemoryCluster
from ..unit.modules import stages
from .fleet import Fleet, Played, fleet


def unwilling() -> MemoryCluster:
    """A cluster whose flows fail."""
    memory = stages.generated()
    memory.apply(
        {"kind": "Secret", "metadata": {"name": "demo-cluster-ca-trusted-certs"}, "data": {"x.crt": "bm90aGluZw=="}}
    )
    return memory


@pytest.fixture(scope="module")
def reported(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Fleet, Played]]:
    """An adoption over four clusters, two at a time, one of which refuses it."""
    clusters = {"ap": stages.generated(), "eu": unwilling(), "sa": stages.generated(), "us": stages.generated()}
    given = {"strimzi_serial": 2, "strimzi_max_fail_percentage": 0, "strimzi_report_dir": "{{ inventory_dir }}/reports"}
    with fleet(tmp_path_factory.mktemp("fleet"), **clusters) as found:
        yield found, found.play("upgrade", **given)


def test_a_cluster_that_fails_keeps_none_beside_it_from_its_end(reported: tuple[Fleet, Played]) -> None:
    found, done = reported
    assert (done.code, "demo.kafka.ap" in done.failed, "demo.kafka.eu" in done.failed) == (2, False, True)
    for context, is_adopted in {"ap": True, "eu": False}.items():
        kafka = found.clusters[context].memory.api.find("kafkas", "kafka", "demo") or {}
        assert (kafka["spec"]["clusterCa"]["generateCertificateAuthority"] is False) is is_adopted, context
    assert [write for write in found.clusters["eu"].writes if "secrets/" in write or "kafkas/" in write] == []


def test_no_further_cluster_is_begun_where_too_many_have_failed(
    reported: tuple[Fleet, Played], golden: GoldenFiles
) -> None:
    found, done = reported
    assert done.failed == {"demo.kafka.eu", "demo.kafka.sa", "demo.kafka.us"}
    (message,) = (one for one in done.messages if one.startswith("Nothing was begun"))
    golden.compare_said("roles", message)
    assert [found.clusters[context].writes for context in ("sa", "us")] == [[], []]


def test_each_cluster_has_its_report_and_one_report_has_all(
    reported: tuple[Fleet, Played], golden: GoldenFiles
) -> None:
    found, done = reported
    results = {"demo.kafka.ap": "done", "demo.kafka.eu": "held"}
    assert {host: found.report(host)["result"] for host in results} == results
    told = found.report()
    assert {row["host"]: row["result"] for row in told["clusters"]} == results
    assert told["not_run"] == ["demo.kafka.sa", "demo.kafka.us"]
    adopted, held = told["clusters"]
    assert "names_are_free" in held["failure"]
    facts = found.report("demo.kafka.ap")
    certificates = [*facts["leaves"], *(authority for authority in facts["cas"] if authority["current"])]
    assert adopted["first_end"] == min(certificate["not_after"] for certificate in certificates)
    page = (found.folder / "reports" / "fleet.md").read_text()
    golden.compare_said("roles", page.rstrip("\n"))
    assert "reports/fleet.md" in done.said


def test_progress_names_hosts_as_clusters_of_several_contexts_have_one_name(reported: tuple[Fleet, Played]) -> None:
    _found, done = reported
    assert "[demo.kafka.ap] take" in done.output
    assert "[kafka/demo] " not in done.output


@pytest.mark.long
def test_slices_side_by_side_do_each_cluster_once(tmp_path: Path) -> None:
    """A failure in one slice stops no cluster of another, and each slice has a report over its own clusters."""
    clusters = {"ap": unwilling(), "eu": stages.generated(), "sa": stages.generated(), "us": stages.generated()}
    with fleet(tmp_path, **clusters) as found:
        first, second = found.play_slices(2, "upgrade", strimzi_serial=1, strimzi_max_fail_percentage=0)
        assert (first.failed, second.failed) == ({"demo.kafka.ap"}, set())
        for number, contexts in enumerate((("ap", "sa"), ("eu", "us"))):
            told = found.report(folder=f"slice-{number}")
            assert sorted([row["host"] for row in told["clusters"]] + told["not_run"]) == [
                f"demo.kafka.{one}" for one in contexts
            ]
        took = [context for context, served in found.clusters.items() if "PATCH kafkas/demo" in served.writes]
        assert took == ["eu", "us"]
        assert all(found.clusters[context].writes.count("PATCH kafkas/demo") == 1 for context in took)


def test_each_section_is_of_a_test_of_roles(golden: GoldenFiles) -> None:
    tests = Path(__file__).parents[1]
    golden.compare_tests("roles", tests / "roles", tests / "unit" / "roles")
