"""The shipped Roles are enough for every flow, and what is missing from smaller ones is named."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.stamping import why_not_permitted

from ..tools.cluster.bed import ROOT
from ..tools.cluster.kube import Kube, wait_for
from ..tools.support.users import CERTIFICATE_SECRET, DAY, KEY_SECRET, clients_ca, kafka_user, user_secret
from .running import Runner


def shipped_rules(*only: str) -> list[dict[str, Any]]:
    """Of all Roles, or of some: "looking", "flows", "reload"."""
    roles = yaml.safe_load((ROOT / "docs" / "rbac.yml").read_text())["items"]
    named = {role["metadata"]["name"].removeprefix("trustops-strimzi-"): role["rules"] for role in roles}
    return [rule for name in only or named for rule in named[name]]


def rules_without(resource: str, verb: str) -> list[dict[str, Any]]:
    """The shipped ones, but that this is not permitted."""
    rules = [
        {**rule, "verbs": [kept for kept in rule["verbs"] if kept != verb]} if resource in rule["resources"] else rule
        for rule in shipped_rules()
    ]
    return [rule for rule in rules if rule["verbs"]]


def test_a_renewal_and_a_look_run_with_the_shipped_roles(runner: Runner, tmp_path: Path) -> None:
    limited = runner.as_service_account(shipped_rules(), tmp_path)
    pods = runner.cluster.node_uids("demo")
    limited.flow("renew").check()
    assert runner.restarts_since(pods) == 3
    runner.as_service_account(shipped_rules("looking"), tmp_path).flow("status").check()


@pytest.mark.long
def test_the_other_flows_run_with_the_shipped_roles(runner: Runner, tmp_path: Path) -> None:
    limited = runner.as_service_account(shipped_rules(), tmp_path)
    limited.flow("rotate_cluster_ca").check()
    limited.flow("downgrade").check()
    limited.flow("upgrade").check()
    limited.flow("replace_key", strimzi_until_phase="prepare", strimzi_fresh_for_hours=0).check()
    limited.flow("abort").check()
    limited.flow("scale", strimzi_node_pool="kafka", strimzi_replicas=2).check()


@pytest.mark.parametrize(
    ("resource", "verb", "named"),
    [
        ("secrets", "list", "secrets"),
        pytest.param("kafkas", "get", "kafkas", marks=pytest.mark.long),
        pytest.param("leases", "patch", "leases", marks=pytest.mark.long),
    ],
)
def test_a_missing_permission_is_named_and_nothing_is_changed(
    runner: Runner, tmp_path: Path, resource: str, verb: str, named: str
) -> None:
    limited = runner.as_service_account(rules_without(resource, verb), tmp_path)
    since = runner.audit_lines()
    finished = limited.flow("renew", strimzi_fresh_for_hours="0")
    assert finished.code != 0
    assert f"verbs: [{verb}]" in finished.output
    assert named in finished.output
    secrets = [write for write in runner.writes_in_audit_log(since) if "secrets/" in write]
    assert secrets == []


@pytest.mark.parametrize(
    ("resource", "verb"),
    [("strimzipodsets", "patch"), ("pods", "patch"), ("configmaps", "get")],
)
def test_permissions_that_a_reload_lacks_are_known_beforehand(
    runner: Runner, tmp_path: Path, resource: str, verb: str
) -> None:
    namespace = runner.cluster.namespace

    def become(rules: list[dict[str, Any]], said: str) -> None:
        """The API server learns of a Role a moment after it is stored."""
        kubeconfig = runner.as_service_account(rules, tmp_path).kubeconfig
        assert kubeconfig
        client = KubeClient(Kube(kubeconfig))
        wait_for(
            lambda: why_not_permitted(client, namespace).partition(". ")[0] == said, said or "no obstacle", seconds=10
        )

    become(shipped_rules(), "")
    become(
        rules_without(resource, verb), f"the identity of this run may not {verb} {resource} in namespace {namespace}"
    )


def test_status_shows_users_and_what_is_wrong_and_writes_metrics_of_both_cas(runner: Runner, tmp_path: Path) -> None:
    namespace, kube = runner.cluster.namespace, runner.cluster.kube
    now = datetime.now(timezone.utc).replace(microsecond=0)
    secrets = f"/api/v1/namespaces/{namespace}/secrets"
    found = (kube.request("GET", f"{secrets}/{name}").body for name in (CERTIFICATE_SECRET, KEY_SECRET))
    issuer = clients_ca(*found)
    kube.apply([kafka_user("orders", namespace), kafka_user("lost", namespace)])
    kube.apply([user_secret("orders", issuer, issuer, now, namespace)])
    looking = runner.as_service_account([*shipped_rules("looking"), *shipped_rules("users")], tmp_path)
    told = looking.flow("status", strimzi_show_users=True).check().output
    end = f"{now + 90 * DAY:%Y-%m-%dT%H:%M:%SZ}"
    shown = f"({issuer.certificate.sha256[:12]}): 1, with certificates that end from {end} to {end}"
    assert shown in told
    assert f"KafkaUser {namespace}/lost: Secret {namespace}/lost" in told

    folder, since = tmp_path / "metrics", runner.audit_lines()
    folder.mkdir()
    told = looking.flow("status", strimzi_metrics_dir=str(folder)).check().output
    assert "changed=0" in told
    assert shown not in told, "users are shown where strimzi_show_users asks for it"
    assert runner.writes_in_audit_log(since) == []
    (file,) = folder.iterdir()
    families = {family.name: family.samples for family in text_string_to_metric_families(file.read_text())}
    looks = {one.labels["ca"]: one.value for one in families["strimzi_ca_last_look_timestamp_seconds"]}
    assert looks.keys() == {"cluster", "clients"}
    assert all(0 <= datetime.now(timezone.utc).timestamp() - begun < 300 for begun in looks.values())
    assert {one.labels["kafka_namespace"] for samples in families.values() for one in samples} == {namespace}
    kafka = kube.request("GET", f"/apis/kafka.strimzi.io/v1/namespaces/{namespace}/kafkas/demo").body
    name = f"strimzi_{namespace}_demo_{kafka['metadata']['uid']}.prom"
    assert (file.name, file.stat().st_mode & 0o777) == (name, 0o644)
