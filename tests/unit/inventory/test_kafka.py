# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The inventory as Ansible reads it: hosts, their variables and groups, and what becomes of it where something is in the way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.errors import AnsibleParserError
from ansible.inventory.data import InventoryData
from ansible.inventory.manager import InventoryManager
from ansible.parsing.dataloader import DataLoader
from ansible.plugins.loader import inventory_loader

from ansible_collections.trustops.strimzi.plugins.inventory import kafka as plugin
from ansible_collections.trustops.strimzi.plugins.module_utils._kube import client as _client
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import Layout

from ...tools.cluster.ports import free_port
from ...tools.support.golden import GoldenFiles
from .._kube.server import Reply, Request, Server, serving
from .fleet import (
    BEGUN,
    DAY,
    FINISHED,
    NOW,
    STOPPED,
    Clusters,
    adopted,
    authority,
    groups,
    inventory,
    kubeconfig,
    ready,
)

Serve = Callable[[Clusters], Server]


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("K8S_AUTH_HOST", "K8S_AUTH_CONTEXT", "K8S_AUTH_KUBECONFIG", "K8S_AUTH_API_KEY", "KUBECONFIG"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def serve() -> Iterator[Serve]:
    with ExitStack() as stack:
        yield lambda clusters: stack.enter_context(serving(clusters.answer))


@pytest.fixture
def told(capsys: pytest.CaptureFixture[str]) -> Callable[[], str]:
    """The lines that Ansible has shown since the last call, as one line."""
    return lambda: " ".join(capsys.readouterr().err.split())


def refusal(folder: Path, **options: Any) -> str:
    """The sentence with which the plugin refuses a file with these options."""
    inventory(folder, **options)
    loaded = inventory_loader.get("trustops.strimzi.kafka")
    with pytest.raises(AnsibleParserError) as refused:
        loaded.parse(InventoryData(), DataLoader(), str(folder / "fleet.strimzi.yml"), cache=False)
    return str(refused.value)


@pytest.fixture
def one(serve: Serve, tmp_path: Path) -> Callable[..., InventoryManager]:
    """The inventory of a cluster such as this."""

    def read(options: Mapping[str, Any] | None = None, **cluster: Any) -> InventoryManager:
        clusters = Clusters()
        clusters.add(**cluster)
        kubeconfig(tmp_path, only=serve(clusters).url)
        return inventory(tmp_path, **(options or {}))

    return read


def variables(found: InventoryManager, host: str) -> dict[str, Any]:
    return dict(found.get_host(host).get_vars())


OURS, ROOT = authority(), authority(20, name="Corporate Root")
ALWAYS = {
    "kafka_ready",
    "kafka_version_4_3_1",
    "kafka_operator_version_1_2_0",
    "cluster_ca_generated",
    "clients_ca_generated",
}


@pytest.mark.parametrize(
    ("cluster", "more", "less"),
    [
        pytest.param({"ca": OURS}, set(), set(), id="generated"),
        pytest.param(
            {"ca": OURS, "generated": False, "ledger": adopted(OURS, FINISHED)},
            {"cluster_ca_adopted"}, {"cluster_ca_generated"}, id="adopted",
        ),
        pytest.param(
            {"ca": OURS, "generated": False, "ledger": adopted(OURS, layout=Layout.SPLIT)},
            {"cluster_ca_adopted"}, {"cluster_ca_generated"}, id="adopted, in the layout split",
        ),
        pytest.param(
            {"ca": OURS, "generated": False, "ledger": adopted(OURS, layout=Layout.KEYED)},
            {"cluster_ca_adopted"}, {"cluster_ca_generated"}, id="adopted, in the layout keyed",
        ),
        pytest.param({"ca": OURS, "generated": False}, {"cluster_ca_by_hand"}, {"cluster_ca_generated"}, id="a person's own"),
        pytest.param({"generated": False}, {"cluster_ca_missing"}, {"cluster_ca_generated"}, id="no CA yet"),
        pytest.param(
            {"ca": OURS, "generated": False, "ledger": adopted(OURS, BEGUN)},
            {"cluster_ca_adopted", "ca_flow_in_flight"}, {"cluster_ca_generated"}, id="a flow is in flight",
        ),
        pytest.param(
            {"ca": OURS, "generated": False, "ledger": adopted(OURS, STOPPED)},
            {"cluster_ca_adopted", "ca_flow_in_flight", "ca_flow_awaits_approval"}, {"cluster_ca_generated"}, id="a flow awaits an approval",
        ),
        pytest.param(
            {"ca": OURS, "generated": False, "ledger": adopted(authority(), BEGUN, Layout.SPLIT)},
            {"cluster_ca_adopted", "ca_flow_in_flight"}, {"cluster_ca_generated"}, id="a flow in the layout split",
        ),
        pytest.param({"ca": authority(89)}, {"ca_ends_within_90_days"}, set(), id="89 days left"),
        pytest.param({"ca": authority(90)}, set(), set(), id="90 days left"),
        pytest.param({"ca": authority(29)}, {"ca_ends_within_90_days", "ca_ends_within_30_days"}, set(), id="29 days left"),
        pytest.param(
            {"ca": authority(-2)},
            {"ca_ends_within_90_days", "ca_ends_within_30_days", "ca_ends_within_7_days", "ca_ended"}, set(), id="ended",
        ),
        pytest.param(
            {"ca": OURS, "clients_ca": authority(5)},
            {"ca_ends_within_90_days", "ca_ends_within_30_days", "ca_ends_within_7_days"}, set(), id="the clients CA ends first",
        ),
        pytest.param(
            {"ca": authority(400, ROOT), "above": (ROOT,), "generated": False},
            {"cluster_ca_by_hand", "ca_ends_within_90_days", "ca_ends_within_30_days"}, {"cluster_ca_generated"}, id="the CA above ends first",
        ),
        pytest.param(
            {"ca": OURS, "status": {}}, {"kafka_not_ready", "kafka_version_4_3_0"},
            {"kafka_ready", "kafka_version_4_3_1", "kafka_operator_version_1_2_0"}, id="no operator has seen it",
        ),
        pytest.param(
            {"ca": OURS, "annotations": {"strimzi.io/pause-reconciliation": "true"}}, {"kafka_paused"}, {"kafka_ready"}, id="paused",
        ),
    ],
)  # fmt: skip
def test_groups_say_how_a_cluster_is(
    cluster: dict[str, Any], more: set[str], less: set[str], one: Callable[..., InventoryManager]
) -> None:
    assert groups(one(**cluster), "demo.kafka") == (ALWAYS | more) - less


def test_a_cluster_with_a_ca_that_cannot_be_read_is_shown_with_that(serve: Serve, tmp_path: Path) -> None:
    clusters = Clusters()
    clusters.add(generated=False)
    clusters.secret("kafka", "demo-cluster-ca-cert", {"ca.crt": b"-----BEGIN CERTIFICATE-----\nnothing"})
    kubeconfig(tmp_path, only=serve(clusters).url)
    found = inventory(tmp_path)
    assert "ca_with_problems" in groups(found, "demo.kafka")
    seen = variables(found, "demo.kafka")["kafka_cluster_ca"]
    assert seen["problems"]
    assert (seen["subject"], seen["not_after"], seen["management"]) == ("", None, "by_hand")


def test_a_host_has_what_playbooks_need_and_what_groups_are_made_of(
    one: Callable[..., InventoryManager], tmp_path: Path
) -> None:
    failure = ready(kind="NotReady", reason="Boom", message="it {{ lookup('pipe', 'id') }}\x1b[31m")
    found = one(
        {"contexts": ["only"]},
        ca=OURS,
        generated=False,
        ledger=adopted(OURS, STOPPED),
        labels={"team": "payments"},
        status=failure,
    )
    seen = variables(found, "demo.kafka.only")
    assert {name: seen.pop(name) for name in list(seen) if name.startswith(("ansible_", "strimzi_"))} == {
        "ansible_connection": "local",
        "ansible_python_interpreter": "{{ ansible_playbook_python }}",
        "strimzi_cluster": "demo",
        "strimzi_namespace": "kafka",
        "strimzi_context": "only",
        "strimzi_kubeconfig": str(tmp_path / "kubeconfig"),
    }
    end = f"{OURS.certificate.not_after:%Y-%m-%dT%H:%M:%SZ}"
    assert seen["kafka_cluster_ca"] == {
        "management": "adopted",
        "subject": OURS.certificate.subject,
        "sha256": OURS.certificate.sha256,
        "issuer": OURS.certificate.issuer,
        "not_after": end,
        "trust": "TRUSTED_IN_USE_ALL",
        "flow": {"goal": "renew", "started_at": f"{NOW - DAY:%Y-%m-%dT%H:%M:%SZ}", "stops_after": "trust"},
        "problems": [],
    }
    assert seen["kafka_clients_ca"]["flow"] is None
    assert (seen["kafka_first_end"], seen["kafka_days_left"]) == (end, 400)
    assert (seen["kafka_state"], seen["kafka_labels"]) == ("not_ready", {"team": "payments"})
    assert "\x1b" not in seen["kafka_failure"]


def test_the_failure_of_a_cluster_is_not_templated(one: Callable[..., InventoryManager]) -> None:
    failure = ready(kind="NotReady", reason="Boom", message="{{ 6 * 7 }}")
    found = one({"compose": {"copied": "kafka_failure"}}, ca=OURS, status=failure)
    from ansible.template import Templar

    for name in ("kafka_failure", "copied"):
        text = variables(found, "demo.kafka")[name]
        assert "{{ 6 * 7 }}" in str(Templar(loader=None).template(text))


def test_a_look_reads_no_secret_that_is_made_for_a_key_and_lists_no_secrets(serve: Serve, tmp_path: Path) -> None:
    clusters = Clusters()
    clusters.add("one", ca=OURS, generated=False, ledger=adopted(OURS))
    clusters.add("two", ca=OURS, clients_ca=authority())
    server = serve(clusters)
    kubeconfig(tmp_path, only=server.url)
    inventory(tmp_path, namespaces=["kafka"])
    paths = [request.path for request in server.requests]
    assert {request.method for request in server.requests} == {"GET"}
    names = sorted(path.rpartition("/")[2] for path in paths if "/secrets" in path)
    assert not [name for name in names if name.endswith("-ca") or name == "secrets"]
    # Of each CA the certificate Secret; of each ledger the one Secret that it is in, or that none of the three is there.
    assert len(names) == 4 + 1 + 3 * 3
    assert paths.count("/apis/kafka.strimzi.io/v1/namespaces/kafka/kafkas") == 1


def test_hosts_of_several_contexts_have_names_of_their_own(serve: Serve, tmp_path: Path) -> None:
    eu, us = Clusters(), Clusters()
    eu.add(ca=OURS)
    us.add(ca=OURS)
    us.add("demo", "other", ca=OURS)
    kubeconfig(tmp_path, eu=serve(eu).url, arn_us=serve(us).url)
    found = inventory(tmp_path, contexts=["eu", "arn/us"])
    assert sorted(host.name for host in found.get_hosts("kafka_clusters")) == [
        "demo.kafka.arn-us",
        "demo.kafka.eu",
        "demo.other.arn-us",
    ]
    assert variables(found, "demo.other.arn-us")["strimzi_context"] == "arn/us"


def test_contexts_whose_hosts_would_have_one_name_are_refused(
    serve: Serve, tmp_path: Path, golden: GoldenFiles
) -> None:
    clusters = Clusters()
    clusters.add(ca=OURS)
    url = serve(clusters).url
    path = kubeconfig(tmp_path, a_b=url, c=url)
    path.write_text(path.read_text().replace("name: c", "name: a-b").replace("cluster: c", "cluster: a-b"))
    assert inventory(tmp_path, contexts=["a/b", "a-b"]).get_hosts() == []
    golden.compare_said("inventory", refusal(tmp_path, contexts=["a/b", "a-b"]))


def test_contexts_that_keyed_groups_would_put_into_one_group_are_refused(
    serve: Serve, tmp_path: Path, golden: GoldenFiles
) -> None:
    clusters = Clusters()
    clusters.add(ca=OURS)
    url = serve(clusters).url
    kubeconfig(tmp_path, **{"eu.one": url, "eu-one": url})
    contexts, by_context = ["eu.one", "eu-one"], [{"key": "strimzi_context", "prefix": "context"}]
    by_team = [{"key": "kafka_labels.team | default('none')", "prefix": "team"}]
    assert len(inventory(tmp_path, contexts=contexts, keyed_groups=by_team).get_hosts()) == 2
    assert inventory(tmp_path, contexts=contexts, keyed_groups=by_context).get_hosts() == []
    golden.compare_said("inventory", refusal(tmp_path, contexts=contexts, keyed_groups=by_context))


@pytest.mark.parametrize(
    ("options", "hosts"),
    [
        ({}, ["demo.kafka", "demo.other", "dev.kafka"]),
        ({"namespaces": ["kafka"]}, ["demo.kafka", "dev.kafka"]),
        ({"namespaces": ["kafka", "other"], "label_selector": "team=payments"}, ["demo.kafka", "demo.other"]),
        ({"namespaces": ["kafka", "kafka"]}, ["demo.kafka", "dev.kafka"]),
        ({"namespaces": ["empty"]}, []),
    ],
)
def test_namespaces_and_labels_choose(options: dict[str, Any], hosts: list[str], serve: Serve, tmp_path: Path) -> None:
    clusters = Clusters()
    clusters.add("demo", ca=OURS, labels={"team": "payments"})
    clusters.add("dev", ca=OURS)
    clusters.add("demo", "other", ca=OURS, labels={"team": "payments"})
    kubeconfig(tmp_path, only=serve(clusters).url)
    assert sorted(host.name for host in inventory(tmp_path, **options).get_hosts()) == hosts


@pytest.mark.parametrize("problem", ["nothing listens", "credentials are refused", "the server is at its end"])
@pytest.mark.parametrize("skip", [False, True])
def test_a_kubernetes_cluster_out_of_reach(
    problem: str, skip: bool, serve: Serve, tmp_path: Path, told: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_client, "_ATTEMPTS", 1)
    clusters, status = Clusters(), {"credentials are refused": 401, "the server is at its end": 503}
    clusters.add(ca=OURS)
    with serving(lambda _request: Reply(status[problem], {})) as broken:
        url = f"http://127.0.0.1:{free_port()}" if problem == "nothing listens" else broken.url
        kubeconfig(tmp_path, good=serve(clusters).url, away=url)
        found = inventory(tmp_path, contexts=["good", "away"], skip_unreachable=skip)
    assert [host.name for host in found.get_hosts()] == (["demo.kafka.good"] if skip else [])
    shown = told()
    assert "Context away: " in shown
    assert ("left out (skip_unreachable)" in shown) is skip


def test_a_missing_permission_is_no_cluster_out_of_reach(serve: Serve, tmp_path: Path, golden: GoldenFiles) -> None:
    clusters = Clusters()
    clusters.add(ca=OURS)

    def answer(request: Request) -> Reply:
        refused = 'secrets "demo-cluster-ca-cert" is forbidden: User "ci" cannot get resource'
        return (
            Reply(403, {"reason": "Forbidden", "message": refused})
            if "/secrets/" in request.path
            else clusters.answer(request)
        )

    with serving(answer) as server:
        kubeconfig(tmp_path, only=server.url)
        assert inventory(tmp_path, skip_unreachable=True).get_hosts() == []
        golden.compare_said("inventory", refusal(tmp_path, skip_unreachable=True))


def test_a_context_that_does_not_exist_is_a_mistake_whatever_may_be_skipped(
    serve: Serve, tmp_path: Path, told: Callable[[], str]
) -> None:
    clusters = Clusters()
    clusters.add(ca=OURS)
    kubeconfig(tmp_path, good=serve(clusters).url)
    assert inventory(tmp_path, contexts=["good", "god"], skip_unreachable=True).get_hosts() == []
    assert "Context god: " in told()


def test_contexts_do_not_all_lead_to_the_host_of_the_environment(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, golden: GoldenFiles
) -> None:
    clusters = Clusters()
    clusters.add(ca=OURS)
    url = serve(clusters).url
    kubeconfig(tmp_path, a=url, b=url)
    monkeypatch.setenv("K8S_AUTH_HOST", url)
    assert inventory(tmp_path, contexts=["a", "b"]).get_hosts() == []
    golden.compare_said("inventory", refusal(tmp_path, contexts=["a", "b"]))
    assert [host.name for host in inventory(tmp_path).get_hosts()] == ["demo.kafka"]


def test_names_of_digits_and_numbers_in_quotes_are_taken(serve: Serve, tmp_path: Path) -> None:
    """As YAML reads them where a person writes them without quotes, or with them."""
    clusters = Clusters()
    clusters.add(namespace="2024", ca=authority(5))
    path = kubeconfig(tmp_path, only=serve(clusters).url)
    path.write_text(path.read_text().replace("only", "'12'"))
    found = inventory(tmp_path, contexts=[12], namespaces=[2024], days=["7", 30])
    assert [host.name for host in found.get_hosts()] == ["demo.2024.12"]
    assert variables(found, "demo.2024.12")["strimzi_context"] == "12"
    assert {"ca_ends_within_7_days", "ca_ends_within_30_days"} <= groups(found, "demo.2024.12")


def test_an_option_that_the_plugin_does_not_have_is_refused_with_those_that_it_has(
    serve: Serve, tmp_path: Path
) -> None:
    clusters = Clusters()
    clusters.add(ca=OURS)
    kubeconfig(tmp_path, only=serve(clusters).url)
    assert inventory(tmp_path, context=["only"], strict=True).get_hosts() == []
    said = refusal(tmp_path, context=["only"], strict=True)
    assert "no option context." in said
    assert "contexts, " in said


@pytest.mark.parametrize("days", [["soon"], [None], "7,x"])
def test_days_that_are_no_numbers_are_refused_by_name(
    days: Any, serve: Serve, tmp_path: Path, golden: GoldenFiles
) -> None:
    clusters = Clusters()
    clusters.add(ca=OURS)
    kubeconfig(tmp_path, only=serve(clusters).url)
    assert inventory(tmp_path, days=days).get_hosts() == []
    golden.compare_said("inventory", refusal(tmp_path, days=days), str(days))


CACHED = {"cache": True, "cache_plugin": "jsonfile"}


def test_a_cached_look_asks_no_server_until_something_else_is_asked_for(serve: Serve, tmp_path: Path) -> None:
    clusters = Clusters()
    clusters.add(ca=OURS, labels={"team": "payments"})
    server = serve(clusters)
    kubeconfig(tmp_path, only=server.url)
    options = {**CACHED, "cache_connection": str(tmp_path / "cache")}
    first = inventory(tmp_path, **options)
    asked = len(server.requests)
    again = inventory(tmp_path, **options)
    assert len(server.requests) == asked > 0
    assert variables(again, "demo.kafka") == variables(first, "demo.kafka")
    assert groups(again, "demo.kafka") == groups(first, "demo.kafka")
    assert inventory(tmp_path, **options, label_selector="team=other").get_hosts() == []
    inventory(tmp_path, **options, flush=True)
    assert len(server.requests) > 2 * asked
    stored = "".join(path.read_text() for path in (tmp_path / "cache").iterdir())
    assert OURS.certificate.sha256 in stored
    assert "PRIVATE KEY" not in stored


@pytest.mark.parametrize("led", ["K8S_AUTH_CONTEXT", "K8S_AUTH_HOST", "KUBECONFIG", "current-context"])
def test_a_cached_look_is_none_at_another_api_server(
    led: str, serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The hosts of one would be those on which the playbooks work in the other."""
    prod, test = Clusters(), Clusters()
    prod.add("orders", ca=OURS)
    test.add("demo", ca=OURS)
    path = kubeconfig(tmp_path, prod=serve(prod).url, test=serve(test).url)
    options: dict[str, Any] = {**CACHED, "cache_connection": str(tmp_path / "cache")}
    if led == "KUBECONFIG":
        options["kubeconfig"] = None
        monkeypatch.setenv("KUBECONFIG", str(path))
    assert [host.name for host in inventory(tmp_path, **options).get_hosts()] == ["orders.kafka"]
    if led == "current-context":
        path.write_text(path.read_text().replace("current-context: prod", "current-context: test"))
    elif led == "KUBECONFIG":
        other = tmp_path / "other"
        other.write_text(path.read_text().replace("current-context: prod", "current-context: test"))
        monkeypatch.setenv(led, str(other))
    else:
        monkeypatch.setenv(led, "test" if led == "K8S_AUTH_CONTEXT" else serve(test).url)
    assert [host.name for host in inventory(tmp_path, **options).get_hosts()] == ["demo.kafka"]


def test_days_count_from_now_also_in_a_cached_look(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clusters = Clusters()
    clusters.add(ca=authority(31))
    kubeconfig(tmp_path, only=serve(clusters).url)
    options = {**CACHED, "cache_connection": str(tmp_path / "cache")}
    assert "ca_ends_within_30_days" not in groups(inventory(tmp_path, **options), "demo.kafka")

    class Later(plugin.datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return NOW + 2 * DAY

    # Ansible loads a plugin under a name of its own.
    loaded = type(inventory_loader.get("trustops.strimzi.kafka"))
    monkeypatch.setitem(loaded.parse.__globals__, "datetime", Later)
    assert "ca_ends_within_30_days" in groups(inventory(tmp_path, **options), "demo.kafka")


def test_an_inventory_with_something_left_out_is_not_cached(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_client, "_ATTEMPTS", 1)
    clusters = Clusters()
    clusters.add(ca=OURS)
    kubeconfig(tmp_path, good=serve(clusters).url, away=f"http://127.0.0.1:{free_port()}")
    options = {**CACHED, "cache_connection": str(tmp_path / "cache"), "contexts": ["good", "away"]}
    assert inventory(tmp_path, **options, skip_unreachable=True).get_hosts() != []
    assert inventory(tmp_path, **options).get_hosts() == []


def test_variables_and_groups_of_one_s_own(one: Callable[..., InventoryManager]) -> None:
    options = {
        "compose": {"owner": "kafka_labels.team"},
        "keyed_groups": [{"key": "kafka_labels.team", "prefix": "team"}],
        "groups": {"soon": "kafka_days_left < 50"},
        "days": [50],
    }
    found = one(options, ca=authority(40), labels={"team": "payments"})
    assert variables(found, "demo.kafka")["owner"] == "payments"
    assert {"team_payments", "soon", "ca_ends_within_50_days"} <= groups(found, "demo.kafka")


@pytest.mark.parametrize("strict", [False, True])
def test_an_expression_that_cannot_be_worked_out_fails_where_that_is_wanted(
    strict: bool, one: Callable[..., InventoryManager], told: Callable[[], str]
) -> None:
    one({"compose": {"owner": "kafka_labels.team.lead"}, "strict": strict}, ca=OURS)
    assert ("not set owner" in told()) is strict


@pytest.mark.parametrize(
    ("name", "taken"),
    [
        ("fleet.strimzi.yml", True),
        ("strimzi.yaml", True),
        ("kafka.yml", True),
        ("prod.kafka.yaml", True),
        ("kafka.json", False),
        ("hosts.yml", False),
    ],
)
def test_names_of_files(name: str, taken: bool, tmp_path: Path) -> None:
    (tmp_path / name).write_text("plugin: trustops.strimzi.kafka\n")
    assert plugin.InventoryModule().verify_file(str(tmp_path / name)) is taken


def test_a_file_that_is_not_there_is_none_of_ours(tmp_path: Path) -> None:
    assert not plugin.InventoryModule().verify_file(str(tmp_path / "strimzi.yml"))


def test_the_documentation_names_every_group_and_variable(one: Callable[..., InventoryManager]) -> None:
    told = " ".join(yaml.safe_load(plugin.DOCUMENTATION)["description"])
    for cluster in (
        {"ca": authority(-2)},
        {"generated": False},
        {"ca": OURS, "generated": False, "ledger": adopted(OURS, STOPPED)},
    ):
        found = one(**cluster)
        for name in variables(found, "demo.kafka"):
            assert not name.startswith(("ansible_", "kafka_", "strimzi_")) or f"C({name}" in told, name
        for name in groups(found, "demo.kafka"):
            generic = name.replace("4_3_1", "<version>").replace("1_2_0", "<version>").replace("_ca_ended", "")
            generic = generic.replace("clients_ca_", "cluster_ca_")
            generic = "ca_ends_within_<days>_days" if generic.startswith("ca_ends_within") else generic
            assert f"C({generic})" in told, name


def test_each_section_is_of_a_test_of_the_inventory(golden: GoldenFiles) -> None:
    golden.compare_tests("inventory", Path(__file__).parent)
