# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The wrong cluster, a cluster that is not in a state to begin, names that no object can have, and missing permissions as rules of a Role."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ...tools.operator import clusters
from ...tools.operator.releases import Release
from ...tools.support.golden import GoldenFiles
from ...tools.support.memory_api import Response
from ...tools.support.memory_cluster import MemoryCluster
from . import stages
from .mistakes import CERTIFICATES, KEYS, LEDGER, found, held, held_and_shown, is_paused, put, refused
from .running import NAMES, REQUIRED, Answer, call
from .uses import USES

#: Every module, in every state that means something else.
EVERY: list[tuple[str, dict[str, Any]]] = [
    *(
        ("strimzi_ca", {"state": one})
        for one in ("present", "renewed", "replaced", "promoted", "aborted", "adopted", "handed_back", "recovered")
    ),
    ("strimzi_ca", {"state": "absent", "fingerprint": "00" * 20}),
    *(
        ("strimzi_ca_info", {"goal": one})
        for one in ("reconcile", "renew", "replace_key", "renew_leaves", "upgrade", "abort", "recover")
    ),
    *(("strimzi_ee_cert", {"state": one}) for one in ("issued", "renewed", "tidied")),
    ("strimzi_ee_cert", {"secret": "tools-tls", "common_name": "tools"}),
    *(("strimzi_trusted_certs", {"state": one}) for one in ("trusted", "retired")),
    ("strimzi_trusted_certs", {"state": "converted", "layout": "single"}),
    ("strimzi_roll", {}),
    ("strimzi_roll", {"reason": "a try"}),
    ("strimzi_node_pool", {"pool": "kafka", "replicas": 3}),
    *(("strimzi_reconciliation", {"state": one}) for one in ("paused", "resumed")),
    ("strimzi_csr", {}),
    ("strimzi_user", {"user": "orders", "authentication": "tls"}),
    ("strimzi_user_info", {}),
]


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize(("module", "options"), EVERY)
def test_an_unknown_cluster_fails_in_every_module(
    module: str, options: dict[str, Any], check: bool, golden: GoldenFiles
) -> None:
    """With those that there are, whatever lies there beside it."""
    memory = stages.managed()
    memory.apply(*clusters.dual_role("other", "kafka")[1:])
    memory.cluster = "dmeo"
    ended = call(module, memory, check=check, **options)
    assert (ended.failed, ended.writes, ended.result["changed"]) == (True, [], False)
    golden.compare_said("calls", ended.result["msg"])
    assert found(ended) == [("cluster_exists", "Kafka kafka/dmeo")]


#: The calls that work without an operator of a release for flows.
WITHOUT_FLOWS = [
    ("strimzi_ee_cert", {"state": "tidied"}),
    ("strimzi_ee_cert", {"secret": "tools-tls", "common_name": "tools"}),
    ("strimzi_csr", {}),
    ("strimzi_user_info", {}),
]


@pytest.mark.parametrize(("module", "options"), [each for each in EVERY if each not in WITHOUT_FLOWS])
def test_an_older_operator_is_named_by_its_condition_in_every_module(module: str, options: dict[str, Any]) -> None:
    memory = MemoryCluster(release=Release("0.50.1", api_version="v1beta2"))
    memory.apply(*clusters.before_v1(clusters.dual_role("demo", "kafka", generated=True)))
    memory.settle(3)
    ended = call(module, memory, **options)
    assert found(ended) == [("operator_is_new_enough", "Kafka kafka/demo")]
    assert (ended.failed, ended.writes) == (module != "strimzi_ca_info", [])


def test_the_first_ca_of_a_cluster_that_is_yet_to_come() -> None:
    memory = MemoryCluster()
    for more in ({}, {"check": True}):
        ended = call("strimzi_ca", memory, **more, **stages.FAST)
        assert (ended.failed, ended.writes) == (True, [])
        assert ended.result["violations"][0]["gate"] == "cluster_exists"
    assert stages.done(memory, "strimzi_ca_info", goal="create").result["plan"]
    assert stages.done(memory, "strimzi_ca", before_kafka=True, **stages.FAST).result["changed"]


@pytest.mark.parametrize("start", [MemoryCluster, stages.managed])
def test_another_namespace_than_that_of_the_cluster(start: Callable[[], MemoryCluster], golden: GoldenFiles) -> None:
    """The clusters of others are named, where they may be listed."""
    memory = start()
    memory.namespace = "wrong"
    held(memory, ("cluster_exists", "Kafka wrong/demo"))
    seen = call("strimzi_ca", memory, state="replaced").result["msg"]
    golden.compare_said("calls", seen, start.__name__)


def _without_namespace(method: str, path: str) -> Response | None:
    """As the API server answers; the API in memory knows no namespaces."""
    details = {"name": "nowhere", "kind": "namespaces"}
    body = {"reason": "NotFound", "message": 'namespaces "nowhere" not found', "details": details}
    return Response(404, body) if method == "POST" else None


def test_creating_in_an_unknown_namespace(golden: GoldenFiles) -> None:
    ended = call(
        "strimzi_ca", MemoryCluster(namespace="nowhere"), answer=_without_namespace, before_kafka=True, **stages.FAST
    )
    golden.compare_said("calls", ended.result["msg"])
    assert ended.writes == []


def test_absent_crds() -> None:
    def unknown(method: str, path: str) -> Response | None:
        return Response(404, {"message": "404 page not found"}) if "kafka.strimzi.io" in path else None

    message = (
        "Failed to read Kafka kafka/demo: the API server does not know Kafka in kafka.strimzi.io/v1. "
        "Install the CustomResourceDefinition kafkas.kafka.strimzi.io with version v1 (Strimzi 0.51 or later), "
        "or check that this is the right Kubernetes cluster."
    )
    refused(stages.managed(), message, answer=unknown)
    refused(MemoryCluster(), message, "present", answer=unknown)
    assert call("strimzi_ca_info", MemoryCluster(), answer=unknown).result["msg"] == message


def test_operator_that_does_not_observe() -> None:
    memory = stages.managed()
    put(memory, "kafkas", "demo", spec={"kafka": {"version": "4.3.2"}})
    held_and_shown(memory, ("operator_is_working", "Kafka kafka/demo"))


def test_absent_operator() -> None:
    memory = MemoryCluster()
    memory.apply(*clusters.dual_role("demo", "kafka", generated=True))
    ended = call("strimzi_ca", memory, state="adopted")
    assert ([gate for gate, _where in found(ended)], ended.writes) == (["operator_is_there"], [])


@pytest.mark.parametrize("state", ["renewed", "replaced", "promoted", "handed_back"])
def test_paused_by_another_program(state: str) -> None:
    memory = stages.managed()
    put(memory, "kafkas", "demo", annotations={"strimzi.io/pause-reconciliation": "true"})
    memory.settle()
    held_and_shown(memory, ("not_paused_by_others", "Kafka kafka/demo"), state=state)


@pytest.mark.parametrize("state", ["present", "renewed", "replaced", "promoted"])
def test_generated_ca_where_a_user_managed_one_is_needed(state: str) -> None:
    memory = stages.generated()
    held_and_shown(memory, ("authority_is_user_managed", "Kafka kafka/demo"), state=state)


def test_a_ca_that_the_operator_is_replacing_by_itself() -> None:
    """A call that looks tells it, and no call takes the CA over."""
    memory = stages.generated()
    put(memory, "secrets", KEYS, annotations={"strimzi.io/force-replace": "true"})
    trigger = ("no_left_over_trigger", f"Secret {KEYS}, annotation strimzi.io/force-replace")
    held(memory, trigger, state="adopted", by=["strimzi_ca"])
    memory.step()
    generated, working = found(call("strimzi_ca_info", memory))
    assert (generated[0], working[0]) == ("authority_is_user_managed", "operator_has_finished")
    held(memory, working, state="adopted", by=["strimzi_ca"])
    memory.settle(2)
    stages.done(memory, "strimzi_ca", state="adopted")
    assert [ca["state"] for ca in call("strimzi_ca_info", memory).result["cas"]] == ["TRUSTED_IN_USE_ALL"]


@pytest.mark.parametrize(("secret", "trigger"), [(CERTIFICATES, "force-renew"), (KEYS, "force-replace")])
def test_left_over_trigger(secret: str, trigger: str) -> None:
    memory = stages.managed()
    put(memory, "secrets", secret, annotations={f"strimzi.io/{trigger}": "true"})
    held_and_shown(memory, ("no_left_over_trigger", f"Secret {secret}, annotation strimzi.io/{trigger}"))


@pytest.mark.parametrize(
    ("label", "value"),
    [("name", "demo-kafka"), ("cluster", "demo"), ("kind", "Kafka")],
    ids=["name", "cluster", "kind"],
)
@pytest.mark.parametrize("stage", [stages.managed, stages.issued, stages.switched])
def test_a_node_that_has_lost_a_label(stage: Callable[[], MemoryCluster], label: str, value: str) -> None:
    """It runs on, and presents and trusts what it did."""
    memory = stage()
    put(memory, "pods", "demo-kafka-1", labels={f"strimzi.io/{label}": None})
    held_and_shown(memory, ("pods_are_labelled", "Pod kafka/demo-kafka-1"))
    (violation,) = call("strimzi_ca_info", memory).result["violations"]
    assert f"strimzi.io/{label}={value} " in violation["message"]
    assert "demo-kafka-1" in [pod["name"] for pod in call("strimzi_ca_info", memory).result["pods"]]
    put(memory, "pods", "demo-kafka-1", labels={f"strimzi.io/{label}": value})
    assert call("strimzi_ca_info", memory).result["violations"] == []


def test_a_node_without_labels_and_without_a_leaf_is_known_from_its_pod_set() -> None:
    memory = stages.managed()
    lost = {f"strimzi.io/{name}": None for name in ("kind", "cluster", "name")}
    for plural in ("pods", "secrets"):
        put(memory, plural, "demo-kafka-1", labels=lost)
    assert ("pods_are_labelled", "Pod kafka/demo-kafka-1") in found(call("strimzi_ca_info", memory))


def test_a_node_that_has_lost_a_label_is_not_passed_over_by_a_restart() -> None:
    memory = stages.managed()
    put(memory, "pods", "demo-kafka-1", labels={"strimzi.io/name": None})
    refused(
        memory,
        "Pod kafka/demo-kafka-1: runs without the label strimzi.io/name=demo-kafka by which it is found. "
        "Find the program or person that changed this, then put back what it was. "
        "The command: kubectl label pod demo-kafka-1 --namespace kafka --overwrite strimzi.io/name=demo-kafka",
        by=["strimzi_roll"], components=["kafka"], reason="a new kernel",
    )  # fmt: skip


def test_unready_pod() -> None:
    memory = stages.managed()
    put(memory, "pods", "demo-kafka-1", status={"conditions": [{"type": "Ready", "status": "False"}]})
    held(memory, ("cluster_is_settled", "Pod kafka/demo-kafka-1"), by=["strimzi_ca"])


def test_several_things_at_once_are_all_named() -> None:
    memory = stages.managed()
    put(memory, "kafkas", "demo", annotations={"strimzi.io/pause-reconciliation": "true"})
    put(memory, "secrets", CERTIFICATES, annotations={"strimzi.io/force-renew": "true"})
    refused(
        memory,
        "Kafka cluster kafka/demo: 2 things are in the way. "
        "1. Kafka kafka/demo: is paused (strimzi.io/pause-reconciliation), and not by this collection. "
        "Find the program or person that paused it, and the reason, remove the annotation, then run the flow again. "
        f"2. Secret {CERTIFICATES}, annotation strimzi.io/force-renew: is left over: the operator would act on it as "
        "soon as it manages the CA again. Remove this annotation, then run the flow again.",
    )


@pytest.mark.parametrize("secret", [CERTIFICATES, KEYS, LEDGER, "demo-kafka-1"])
def test_an_immutable_secret_is_told_before_the_first_write(secret: str) -> None:
    memory = stages.managed()
    put(memory, "secrets", secret, immutable=True)
    held(memory, ("secrets_can_be_written", f"Secret kafka/{secret}"), by=["strimzi_ca"])
    assert not stages.done(memory, "strimzi_ca", **stages.FAST).result["changed"]


# A missing permission is named as a rule of a Role: the verb, the resource, and the identity that needs it.

WHO = "system:serviceaccount:kafka:ci"


def forbidden(method: str, resource: str) -> Answer:
    """As the API server answers for the identity of the run."""
    plural = resource.split("/")[0]
    message = f'{plural} is forbidden: User "{WHO}" cannot do this in the namespace "kafka"'

    def answer(asked: str, path: str) -> Response | None:
        if asked != method or not path.endswith(f"/kafka/{resource}"):
            return None
        return Response(403, {"kind": "Status", "reason": "Forbidden", "message": message})

    return answer


def said(attempt: str, rule: str, plural: str) -> str:
    """Before the name of the Role in docs/rbac.yml that has the rule."""
    return (
        f'Failed to {attempt}: {plural} is forbidden: User "{WHO}" cannot do this in the namespace "kafka". '
        f"Add this rule to a Role in namespace kafka and bind it to {WHO}: {rule}. docs/rbac.yml has "
    )


@pytest.mark.parametrize(
    ("resource", "attempt", "rule"),
    [
        (
            "kafkas/demo", "read Kafka kafka/demo",
            "verbs: [get], apiGroups: ['kafka.strimzi.io'], resources: [kafkas], resourceNames: [demo]",
        ),
        (
            "secrets", "list Secret objects in namespace kafka",
            "verbs: [list], apiGroups: [''], resources: [secrets]",
        ),
        ("pods", "list Pod objects in namespace kafka", "verbs: [list], apiGroups: [''], resources: [pods]"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("module", [name for name in NAMES if name != "strimzi_user"])
def test_reading(module: str, resource: str, attempt: str, rule: str) -> None:
    ended = call(module, stages.managed(), answer=forbidden("GET", resource), **REQUIRED.get(module, {}))
    assert (ended.failed, ended.writes) == (True, [])
    assert ended.result["msg"].startswith(said(attempt, rule, resource.split("/")[0]))


@pytest.mark.parametrize(
    ("resource", "attempt", "rule"),
    [
        (
            "kafkas/demo", "read Kafka kafka/demo",
            "verbs: [get], apiGroups: ['kafka.strimzi.io'], resources: [kafkas], resourceNames: [demo]",
        ),
        (
            "kafkausers/orders", "read KafkaUser kafka/orders",
            "verbs: [get], apiGroups: ['kafka.strimzi.io'], resources: [kafkausers], resourceNames: [orders]",
        ),
        (
            "secrets/orders", "read Secret kafka/orders",
            "verbs: [get], apiGroups: [''], resources: [secrets], resourceNames: [orders]",
        ),
    ],
)  # fmt: skip
def test_reading_one_user(resource: str, attempt: str, rule: str) -> None:
    """It lists nothing."""
    (use,) = (one for one in USES if one.module == "strimzi_user")
    ended = use.take(use.start(), answer=forbidden("GET", resource))
    assert (ended.failed, ended.writes) == (True, [])
    assert ended.result["msg"].startswith(said(attempt, rule, resource.split("/")[0]))


LEASES = "apiGroups: ['coordination.k8s.io'], resources: [leases], resourceNames: [demo-trust]"
SECRETS = "apiGroups: [''], resources: [secrets], resourceNames"
PODS = "apiGroups: [''], resources: [pods], resourceNames: [demo-kafka-0]"
KAFKAS = "apiGroups: ['kafka.strimzi.io'], resources: [kafkas], resourceNames: [demo]"


@pytest.mark.parametrize(
    ("name", "resource", "kind", "rule"),
    [
        ("ca-prepares-a-replacement", "leases/demo-trust", "Lease", LEASES),
        ("ca-prepares-a-replacement", "secrets/demo-cluster-ca", "Secret", f"{SECRETS}: [demo-cluster-ca]"),
        (
            "trusted_certs-ends-a-replacement", "secrets/demo-cluster-ca-trusted-certs", "Secret",
            f"{SECRETS}: [demo-cluster-ca-trusted-certs]",
        ),
        ("roll-restarts-for-a-reason", "pods/demo-kafka-0", "Pod", PODS),
        ("reconciliation-pauses", "kafkas/demo", "Kafka", KAFKAS),
        ("ee_cert-issues-those-of-the-next-CA", "secrets/demo-kafka-0", "Secret", f"{SECRETS}: [demo-kafka-0]"),
        # In a pause in which nothing was written yet.
        ("ca-switches-to-a-new-key", "secrets/demo-cluster-ca", "Secret", f"{SECRETS}: [demo-cluster-ca]"),
    ],
)  # fmt: skip
def test_writing(name: str, resource: str, kind: str, rule: str) -> None:
    use = next(one for one in USES if str(one) == name)
    memory = use.start()
    ended = use.take(memory, answer=forbidden("PATCH", resource))
    plural, _slash, name = resource.partition("/")
    before, after = said(f"patch {kind} kafka/{name}", f"verbs: [patch], {rule}", plural), ended.result["msg"]
    assert after.startswith(before)
    assert "trustops-strimzi-flows" in after.removeprefix(before)
    assert (ended.failed, f"PATCH {resource}" in ended.writes) == (True, False)
    assert ended.result["changed"] is bool(ended.writes_but_lease)
    assert not is_paused(memory)


def test_a_pause_whose_flow_may_not_write_is_reported_first_and_ended_by_the_next_run(golden: GoldenFiles) -> None:
    """Ended there, it would cost a restart of each node."""
    (use,) = (one for one in USES if str(one) == "ca-switches-to-a-new-key")
    memory = use.start()
    message = use.take(memory, answer=forbidden("PATCH", "secrets/demo-kafka-0")).result["msg"]
    golden.compare_said("calls", message)
    assert is_paused(memory)
    assert (use.take(memory).failed, is_paused(memory)) == (False, False)


def test_the_clusters_that_there_are_cannot_be_listed(golden: GoldenFiles) -> None:
    memory = stages.managed()
    memory.cluster = "dmeo"
    ended = call("strimzi_ca", memory, answer=forbidden("GET", "kafkas"), state="replaced")
    golden.compare_said("calls", ended.result["msg"])


def test_creating_the_lease() -> None:
    ended = call("strimzi_ca", MemoryCluster(), answer=forbidden("POST", "leases"), before_kafka=True, **stages.FAST)
    rule = "verbs: [create], apiGroups: ['coordination.k8s.io'], resources: [leases]"
    assert ended.result["msg"].startswith(said("create Lease kafka/demo-trust", rule, "leases"))
    assert ended.writes == []


# Names that no object can have: the call says so, and does not ask the API server for such an object.

OBJECT = "cannot be the name of any object in Kubernetes. Give the name as kubectl shows it: lower case letters, digits, hyphens and dots, at most 253."
NAMESPACE = "cannot be the name of any namespace in Kubernetes. Give the name as kubectl shows it: lower case letters, digits, hyphens, at most 63."


def token_from(**secret: str) -> dict[str, Any]:
    login = {"type": "token", "token_from": secret}
    return {"issuer": {"type": "vault", "name": "kafka", "url": "https://vault.test", "role": "kafka", "login": login}}


def refused_name(module: str, message: str, **options: Any) -> None:
    memory = stages.managed()
    before = len(memory.api.requests)
    for check in (True, False):
        ended = call(module, memory, check=check, **{**REQUIRED.get(module, {}), **options})
        assert (ended.failed, ended.result["changed"], ended.result["msg"]) == (True, False, message)
    assert len(memory.api.requests) == before


@pytest.mark.parametrize("module", NAMES)
@pytest.mark.parametrize("name", ["", " ", "demo ", "Demo", "demo/status", "../demo", "demo,other", "-demo", "a" * 254])
def test_an_impossible_name_of_a_cluster_is_refused(module: str, name: str) -> None:
    refused_name(module, f"cluster: {name!r} {OBJECT}", cluster=name)


@pytest.mark.parametrize("module", NAMES)
@pytest.mark.parametrize("name", ["", "Kafka", "kafka.one", "kafka/pods", "a" * 64])
def test_an_impossible_name_of_a_namespace_is_refused(module: str, name: str) -> None:
    refused_name(module, f"namespace: {name!r} {NAMESPACE}", namespace=name)


@pytest.mark.parametrize(
    ("module", "options", "message"),
    [
        ("strimzi_user", {"user": ""}, f"user: '' {OBJECT}"),
        ("strimzi_user", {"user_namespace": "Team"}, f"user_namespace: 'Team' {NAMESPACE}"),
        ("strimzi_node_pool", {"pool": ""}, f"pool: '' {OBJECT}"),
        # Without a name of one's own the certificates of the whole cluster would be issued.
        ("strimzi_ee_cert", {"secret": "", "common_name": "tools"}, f"secret: '' {OBJECT}"),
        ("strimzi_ee_cert", {"secret": "Tools_TLS", "common_name": "tools"}, f"secret: 'Tools_TLS' {OBJECT}"),
        ("strimzi_ca", {"ca_source": {"name": ""}}, f"ca_source: '' {OBJECT}"),
        ("strimzi_ca", {"ca_source": {"name": "roots", "namespace": "PKI"}}, f"ca_source: 'PKI' {NAMESPACE}"),
        # The API server would send each Secret of the namespace.
        ("strimzi_ca", {"certificate_from": {"secret": ""}}, f"certificate_from: '' {OBJECT}"),
        (
            "strimzi_ca",
            {"certificate_from": {"secret": "root", "namespace": "PKI"}},
            f"certificate_from: 'PKI' {NAMESPACE}",
        ),
        ("strimzi_ca", token_from(secret=""), f"issuer.login.token_from: '' {OBJECT}"),
        ("strimzi_ca", token_from(secret="vault", namespace="PKI"), f"issuer.login.token_from: 'PKI' {NAMESPACE}"),
        ("strimzi_ca", {"user_namespaces": [{"namespace": ""}]}, f"user_namespaces: '' {NAMESPACE}"),
    ],
)
def test_an_impossible_name_of_another_object_is_refused(module: str, options: dict[str, Any], message: str) -> None:
    refused_name(module, message, **options)


def test_optional_options_may_be_empty(golden: GoldenFiles) -> None:
    stages.done(stages.managed(), "strimzi_ca_info", user_namespaces=[])
    ended = call("strimzi_user", stages.managed(), user="orders", user_namespace="", authentication="tls")
    golden.compare_said("calls", ended.result["msg"])
