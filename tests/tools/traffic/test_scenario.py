"""Every combination is measured once, by its names, and tells the flows what makes it what it is."""

from __future__ import annotations

import pytest

from .scenario import LAYOUTS, VARIANTS, Layout, Scenario, scenarios

NAMES = [layout.name for layout in LAYOUTS], [variant.name for variant in VARIANTS]


def test_every_combination_has_a_row_of_its_own() -> None:
    found = scenarios(*NAMES, 1)
    rows = {(scenario.row["layout"], scenario.row["variant"]) for scenario in found}
    assert len(rows) == len(found) == len(LAYOUTS) * len(VARIANTS)
    assert {str(scenario) for scenario in found} == {" ".join(map(str, row)) for row in rows}


@pytest.mark.parametrize(
    ("variant", "option"),
    [
        ("supplied", {"strimzi_spread": "restart"}),
        ("restart", {"strimzi_spread": "restart"}),
        ("reload", {"strimzi_spread": "auto"}),
        ("when-restarted", {"strimzi_retire": "when_restarted"}),
        ("cert-manager", {"strimzi_spread": "auto"}),
        ("vault", {"strimzi_spread": "auto"}),
    ],
)
def test_flows_are_told_how_a_new_key_comes(variant: str, option: dict[str, str]) -> None:
    (scenario,) = scenarios(["dual-role"], [variant], 0)
    common = {
        "strimzi_path_length": "0", "strimzi_evidence": "handshake", "strimzi_client_grace": "",
        "strimzi_client_bundle": "true",
    }  # fmt: skip
    assert scenario.variables == {**common, **option}


@pytest.mark.parametrize(("length", "accepting"), [(1, {"jvm", "rdkafka"}), (0, {"jvm"})])
def test_which_clients_accept_a_link_certificate(length: int, accepting: set[str]) -> None:
    (scenario,) = scenarios(["separate"], ["reload"], length)
    assert scenario.accept_links == accepting


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: str(layout.name))
def test_a_layout_names_the_nodes_that_its_manifests_make(layout: Layout) -> None:
    made = layout.manifests("demo", "kafka", persistent=True)
    pools = [manifest for manifest in made if manifest["kind"] == "KafkaNodePool"]
    nodes = {role: set[str]() for role in ("controller", "broker")}
    first = 0
    for pool in sorted(pools, key=lambda pool: str(pool["metadata"]["name"])):
        names = {f"demo-{pool['metadata']['name']}-{first + n}" for n in range(pool["spec"]["replicas"])}
        first += len(names)
        for role in pool["spec"]["roles"]:
            nodes[role] |= names
    assert nodes == {"controller": set(layout.controllers), "broker": set(layout.brokers)}
    assert set(layout.nodes) == nodes["controller"] | nodes["broker"]
    (kafka,) = [manifest for manifest in made if manifest["kind"] == "Kafka"]
    assert kafka["spec"]["kafka"]["config"]["min.insync.replicas"] == "2"


def test_a_scenario_is_named_by_what_it_is() -> None:
    assert str(Scenario(LAYOUTS[1], VARIANTS[0])) == "separate supplied"
